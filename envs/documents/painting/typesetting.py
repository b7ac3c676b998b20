"""Break runs of text into lines, in pixels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from PIL import ImageFont

from ...core.text_sprites import font
from ..scene.elements import Colour, Run, Style

_BOLD, _REGULAR = 700, 400
_PARTS = re.compile(r"\S+[^\S\n]*|[^\S\n]+|\n")


@dataclass(frozen=True, slots=True)
class TypesetPiece:
    """Text in one style; ``x``: where it begins, from the left edge of its line."""

    text: str
    font: ImageFont.FreeTypeFont
    colour: Colour
    bold: bool
    italic: bool
    underline: bool
    width: float
    x: float = 0


@dataclass(frozen=True, slots=True)
class Feed:
    """A line feed; ``font``: of its run."""

    font: ImageFont.FreeTypeFont


@dataclass(frozen=True, slots=True)
class TypesetLine:
    """A typeset line; ``ascent``: from its top to the baseline; all in pixels."""

    pieces: tuple[TypesetPiece, ...]
    width: float
    height: float
    ascent: float
    begins: bool


@lru_cache(maxsize=512)
def typeset(runs: tuple[Run, ...], style: Style, width: float) -> tuple[TypesetLine, ...]:
    """The lines of runs in a box of a width; a word that is too wide exceeds it."""
    lines: list[TypesetLine] = []
    current: list[TypesetPiece] = []
    at, begins = 0.0, True
    for word in _words(runs, style):
        if isinstance(word, Feed):
            lines.append(_line(current, style, begins, word.font))
            current, at, begins = [], 0.0, True
            continue
        if current and at + _visible_width(word) > width:
            lines.append(_line(current, style, begins))
            current, at, begins = [], 0.0, False
        for piece in word:
            current.append(replace(piece, x=at))
            at += piece.width
    if current or not lines or begins:
        lines.append(_line(current, style, begins))
    return tuple(lines)


def line_font(style: Style, run: Run | None = None) -> ImageFont.FreeTypeFont:
    """The font of a run, or of text without a run."""
    bold = style.bold if run is None or run.bold is None else run.bold
    size = style.size if run is None or run.size is None else run.size
    return font(style.face, size, _BOLD if bold else _REGULAR)


def _words(runs: Sequence[Run], style: Style) -> Iterator[list[TypesetPiece] | Feed]:
    """Words with their trailing spaces, in pieces of one run each, and line feeds."""
    word: list[TypesetPiece] = []
    for run in runs:
        for text in _PARTS.findall(run.text):
            piece = _piece(text, run, style)
            # A word ends where something else follows spaces.
            if word and (text == "\n" or (word[-1].text[-1].isspace() and not text.isspace())):
                yield word
                word = []
            if text == "\n":
                yield Feed(piece.font)
            else:
                word.append(piece)
    if word:
        yield word


def _piece(text: str, run: Run, style: Style) -> TypesetPiece:
    face = line_font(style, run)
    return TypesetPiece(
        text,
        face,
        style.colour if run.colour is None else run.colour,
        style.bold if run.bold is None else run.bold,
        style.italic if run.italic is None else run.italic,
        style.underline if run.underline is None else run.underline,
        face.getlength(text),
    )


def _visible_width(word: Sequence[TypesetPiece]) -> float:
    """The width of a word without its trailing spaces."""
    kept = list(word)
    while kept and kept[-1].text.isspace():
        kept.pop()
    if not kept:
        return 0.0
    last = kept[-1]
    return sum(piece.width for piece in kept[:-1]) + last.font.getlength(last.text.rstrip())


def _line(
    pieces: Sequence[TypesetPiece], style: Style, begins: bool, feed: ImageFont.FreeTypeFont | None = None
) -> TypesetLine:
    """A line; the font ``feed`` of its line feed gives an empty line its height."""
    fonts = [piece.font for piece in pieces] or [feed or line_font(style)]
    size = max(one.size for one in fonts)
    height = size * style.line_height
    ascent = max(one.getmetrics()[0] for one in fonts)
    descent = max(one.getmetrics()[1] for one in fonts)
    width = _visible_width(pieces)
    return TypesetLine(tuple(_joined(pieces)), width, height, (height - ascent - descent) / 2 + ascent, begins)


def _joined(pieces: Sequence[TypesetPiece]) -> Iterator[TypesetPiece]:
    """Pieces with neighbours of one style joined, so that the font spaces words."""
    for _, group in groupby(pieces, key=lambda piece: (piece.font, piece.colour, piece.italic, piece.underline)):
        first, *others = group
        text = first.text + "".join(piece.text for piece in others)
        width = first.width + sum(piece.width for piece in others)
        yield replace(first, text=text, width=width)
