"""Typesetting: runs of text broken into lines, in pixels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PIL import ImageFont

from ...core.lettering import font
from ..scene.elements import Colour, Run, Style

_BOLD, _REGULAR = 700, 400
_WORD = re.compile(r"[^\S\n]*[^\s]*[^\S\n]*|\n")


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one style. ``x``: where it begins, from the left edge of its line."""

    text: str
    font: ImageFont.FreeTypeFont
    colour: Colour
    italic: bool
    underline: bool
    width: float
    x: float = 0


@dataclass(frozen=True, slots=True)
class Line:
    """A line. ``height``, ``ascent``: of the line, and from its top to the baseline, in pixels."""

    pieces: tuple[Piece, ...]
    width: float
    height: float
    ascent: float
    begins: bool


def typeset(runs: Sequence[Run], style: Style, width: float) -> list[Line]:
    """The lines of runs in a box of a width; a word that is wider than the box stands alone and reaches over."""
    lines: list[Line] = []
    current: list[Piece] = []
    at, begins = 0.0, True
    for word in _words(runs, style):
        if word is None:
            lines.append(_line(current, style, begins))
            current, at, begins = [], 0.0, True
            continue
        if current and at + _visible(word) > width:
            lines.append(_line(current, style, begins))
            current, at, begins = [], 0.0, False
        current.append(_placed(word, at))
        at += word.width
    if current or not lines or begins:
        lines.append(_line(current, style, begins))
    return lines


def line_font(style: Style, run: Run | None = None) -> ImageFont.FreeTypeFont:
    """The font of a run, or of text without one."""
    bold = style.bold if run is None or run.bold is None else run.bold
    size = style.size if run is None or run.size is None else run.size
    return font(style.face, size, _BOLD if bold else _REGULAR)


def _words(runs: Sequence[Run], style: Style) -> Iterator[Piece | None]:
    """Words with the spaces after them, in pieces of one run each; ``None`` where a line feed is."""
    for run in runs:
        face = line_font(style, run)
        for word in _WORD.findall(run.text):
            if word == "\n":
                yield None
            elif word:
                yield Piece(
                    word,
                    face,
                    style.colour if run.colour is None else run.colour,
                    style.italic if run.italic is None else run.italic,
                    style.underline if run.underline is None else run.underline,
                    face.getlength(word),
                )


def _visible(word: Piece) -> float:
    """The width of a word without the spaces after it."""
    return word.font.getlength(word.text.rstrip()) if word.text[-1].isspace() else word.width


def _placed(piece: Piece, x: float) -> Piece:
    return Piece(piece.text, piece.font, piece.colour, piece.italic, piece.underline, piece.width, x)


def _line(pieces: Sequence[Piece], style: Style, begins: bool) -> Line:
    fonts = [piece.font for piece in pieces] or [line_font(style)]
    size = max(one.size for one in fonts)
    height = size * style.line_height
    ascent = max(one.getmetrics()[0] for one in fonts)
    descent = max(one.getmetrics()[1] for one in fonts)
    width = pieces[-1].x + _visible(pieces[-1]) if pieces else 0.0
    return Line(tuple(pieces), width, height, (height - ascent - descent) / 2 + ascent, begins)
