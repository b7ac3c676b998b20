"""Where a person writes a value in a blank, and how near to the blank an answer counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin

import numpy as np
from PIL.ImageFont import FreeTypeFont

from ..core.boxes import Box, centre
from ..core.text_sprites import TYPED_FACE, even_size, font

_INDENT, _GAP = 0.3, 0.125
"""The distance of writing from the left and the lower edge of its blank, as shares of the text's size."""
_TALL_LINES = 3
"""In a blank of as many lines, writing begins on the first line; in a lower one it is on the last."""
_MARGIN, _TICK_MARGIN = 0.5, 0.375
"""How far beyond its blank an answer counts, as a share of the text's size: half a line, so that text on the rule of a
line counts; of a tick box at least this, and half of its side."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text in one line with the pixel of its middle, as ``text_sprites.sprite`` anchors it."""

    text: str
    x: float
    y: float


def pieces(
    text: str,
    blank: Box,
    font: FreeTypeFont,
    *,
    comb: int = 0,
    centred: bool = False,
    angle: float = 0.0,
    tight: bool = False,
) -> list[Piece]:
    """The pieces in which a value is written in a blank, in reading order.

    Args:
        text: the value.
        blank: the blank as it is printed, in pixels; its lower edge is, or is on, the line that is written on.
        font: the face at the size it is written in, from ``text_sprites.font``; no text is written smaller.
        comb: the number of cells of one character each; 0 for a plain blank.
        centred: whether the text is a tick, in the middle of its box.
        angle: of the lines of a skewed page, in degrees counter-clockwise; the blank is upright about its middle.
        tight: whether the blank is just as high as the ink of its lines.
    """
    found = _upright(text, blank, font, comb, centred, tight)
    return [_turned(piece, *centre(blank), radians(angle)) for piece in found] if angle else found


def _upright(text: str, blank: Box, font: FreeTypeFont, comb: int, centred: bool, tight: bool) -> list[Piece]:
    if centred:
        return [Piece(text, *centre(blank))]
    left, top, right, bottom = blank
    if cells := in_cells(text, comb):
        pitch = (right - left) / comb
        return [Piece(c, left + (i + 0.5) * pitch, (top + bottom) / 2) for i, c in enumerate(cells) if c.strip()]
    pitch = sum(font.getmetrics())
    n_lines = _n_lines(blank, font, tight)
    lines = _wrapped(text, font, _room(blank, font, tight)) if n_lines > 1 else [text]
    gap = min(_GAP * font.size, (bottom - top - len(lines) * pitch) / 2)
    from_top = len(lines) > 1 or n_lines >= _TALL_LINES
    first = top + gap + pitch / 2 if from_top else bottom - gap - pitch / 2
    return [_piece(line, blank, first + i * pitch, font) for i, line in enumerate(lines)]


def _n_lines(blank: Box, font: FreeTypeFont, tight: bool) -> int:
    """How many lines are in a blank; ascenders and descenders of a tight one may stick out of it."""
    return max(1, int((blank[3] - blank[1]) / sum(font.getmetrics()) + 0.5 * tight))


def _room(blank: Box, font: FreeTypeFont, tight: bool) -> float:
    return blank[2] - blank[0] - (0 if tight else 2 * _INDENT * font.size)


def fitting_size(text: str, blank: Box, sizes: Sequence[int], face: str = TYPED_FACE) -> int:
    """The first of some sizes at which a text is within a tight blank, in as many lines as there are; or the last."""
    for size in sizes:
        drawn = font(face, even_size(size, face))
        n_lines, room = _n_lines(blank, drawn, tight=True), _room(blank, drawn, tight=True)
        lines = _wrapped(text, drawn, room) if n_lines > 1 else [text]
        if len(lines) <= n_lines and max(map(drawn.getlength, lines)) <= room:
            return size
    return sizes[-1]


def _turned(piece: Piece, x: float, y: float, angle: float) -> Piece:
    """A piece turned about a point."""
    dx, dy = piece.x - x, piece.y - y
    return Piece(piece.text, x + dx * cos(angle) + dy * sin(angle), y - dx * sin(angle) + dy * cos(angle))


def in_cells(text: str, comb: int) -> str:
    """``text`` for the cells of a comb, if need be without punctuation; empty if there are too few cells."""
    if not comb:
        return ""
    plain = text if len(text) <= comb else re.sub(r"[\W_]", "", text)
    return plain if len(plain) <= comb else ""


def _piece(text: str, blank: Box, y: float, font: FreeTypeFont) -> Piece:
    """A line that begins at the left of its blank, or is centred if it fills it."""
    spare = blank[2] - blank[0] - font.getlength(text)
    return Piece(text, blank[0] + min(_INDENT * font.size, spare / 2) + font.getlength(text) / 2, y)


def _wrapped(text: str, font: FreeTypeFont, room: float) -> Sequence[str]:
    """The words of a text in as many lines as it takes; a word that is wider than a line has its own."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def tick_margin(box: Box, size: float) -> float:
    """How far beside a box a tick counts, in pixels."""
    return max(min(box[2] - box[0], box[3] - box[1]) / 2, _TICK_MARGIN * size)


def reaches(blanks: Sequence[Box], ticked: Sequence[bool], size: float) -> list[Box]:
    """Where the centre of an answer counts: each blank of a page with a margin, up to half way to the next blank.

    Reaches of blanks that do not overlap do not overlap either.

    Args:
        blanks: all of the page, in pixels.
        ticked: which of them are boxes to be ticked.
        size: of the text written on the page, in pixels.
    """
    edges = np.array(blanks, np.float64).reshape(-1, 4)
    low, high = edges[:, :2], edges[:, 2:]
    margins = np.array([tick_margin(b, size) if t else _MARGIN * size for b, t in zip(blanks, ticked, strict=True)])
    # after[i, j]: how far blank j begins after the end of blank i, across and down.
    after = low[None] - high[:, None]
    before = after.transpose(1, 0, 2)
    gaps = np.maximum(after, before)
    nearest = gaps.max(axis=2, keepdims=True)
    # A neighbour limits the side that faces it across the wider gap.
    faces = (gaps == nearest) & (nearest >= 0)
    limits = [np.where(faces & (way == gaps), way / 2, np.inf).min(axis=1, initial=np.inf) for way in (before, after)]
    above, below = (np.minimum(margins[:, None], limit) for limit in limits)
    return [tuple(box) for box in np.hstack([low - above, high + below]).tolist()]
