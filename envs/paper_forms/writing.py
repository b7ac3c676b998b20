"""Where a person writes a value in a blank: on the line, from its left end, or one character in each cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PIL.ImageFont import FreeTypeFont

from ..core.boxes import Box, centre

_INDENT, _GAP = 0.3, 0.125
"""The distance of writing from the left and the lower edge of its blank, as shares of the text's size."""
_TALL_LINES = 3
"""In a blank of as many lines, writing begins on the first line; in a lower one it is on the last."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text in one line with the pixel of its middle, as ``text_sprites.sprite`` anchors it."""

    text: str
    x: float
    y: float


def pieces(text: str, blank: Box, font: FreeTypeFont, *, comb: int = 0, centred: bool = False) -> list[Piece]:
    """The pieces in which a value is written in a blank, in reading order.

    Args:
        text: the value.
        blank: the blank as it is printed, in pixels; its lower edge is, or is on, the line that is written on.
        font: the face at the size it is written in, from ``text_sprites.font``; no text is written smaller.
        comb: the number of cells of one character each; 0 for a plain blank.
        centred: whether the text is a tick, in the middle of its box.
    """
    if centred:
        return [Piece(text, *centre(blank))]
    if cells := in_cells(text, comb):
        return [Piece(c, *centre(cell)) for c, cell in zip(cells, cells_of(blank, comb), strict=False) if c.strip()]
    left, top, right, bottom = blank
    ascent, descent = font.getmetrics()
    pitch = ascent + descent
    room = right - left - 2 * _INDENT * font.size
    n_lines = max(1, int((bottom - top) // pitch))
    lines = _wrapped(text, font, room) if n_lines > 1 else [text]
    gap = min(_GAP * font.size, (bottom - top - len(lines) * pitch) / 2)
    from_top = len(lines) > 1 or n_lines >= _TALL_LINES
    first = top + gap + pitch / 2 if from_top else bottom - gap - pitch / 2
    return [_piece(line, blank, first + i * pitch, font) for i, line in enumerate(lines)]


def in_cells(text: str, comb: int) -> str:
    """``text`` for the cells of a comb, if need be without punctuation; empty if there are too few cells."""
    plain = text if len(text) <= comb else re.sub(r"[\W_]", "", text)
    return plain if len(plain) <= comb else ""


def cells_of(blank: Box, comb: int) -> list[Box]:
    """The cells of a comb, from left to right."""
    left, top, right, bottom = blank
    pitch = (right - left) / comb
    return [(left + i * pitch, top, left + (i + 1) * pitch, bottom) for i in range(comb)]


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
