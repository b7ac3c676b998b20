"""Typeset texts, lists and tables, and draw them in their boxes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageFont

from ..scene.cells import cell_style, cells_in
from ..scene.elements import Colour, Element, Run, Style, level_at, split_runs
from .canvas import SpriteCanvas
from .faces import face_font
from .glyphs import PARTS, Ink, lay, text_width, word_ink


class TypesetPiece(NamedTuple):
    """Text in one style; ``size``: of its face; ``x``: where it begins, from the left edge of its line."""

    text: str
    font: ImageFont.FreeTypeFont
    colour: Colour
    italic: bool
    underline: bool
    strike: bool
    width: float
    size: int
    x: float = 0


@dataclass(frozen=True, slots=True)
class TypesetLine:
    """A typeset line; ``ascent``: from its top to the baseline; ``indent``: of its item; all in pixels."""

    pieces: tuple[TypesetPiece, ...]
    width: float
    height: float
    ascent: float
    begins: bool
    level: int = 0
    indent: float = 0


@lru_cache(maxsize=512)
def typeset(runs: tuple[Run, ...], style: Style, width: float, levels: tuple[int, ...] = ()) -> tuple[TypesetLine, ...]:
    """The lines of runs in a box of a width; a word that is too wide exceeds it.

    Args:
        runs: of one text.
        style: of runs without one of their own.
        width: of the box in pixels.
        levels: how deep each paragraph is; the last one holds for all further ones.
    """
    if levels:
        return tuple(_by_levels(runs, style, width, levels))
    lines: list[TypesetLine] = []
    current: list[TypesetPiece] = []
    at, begins = 0.0, True

    def end(feed: TypesetPiece | None = None) -> None:
        lines.append(_line(current, style, begins, style.spacing if begins and lines else 0, feed))

    for word in _words(runs, style):
        if isinstance(word, TypesetPiece):
            end(word)
            current, at, begins = [], 0.0, True
            continue
        if current and at + _visible_width(word) > width:
            end()
            current, at, begins = [], 0.0, False
        for piece in word:
            current.append(piece._replace(x=at))
            at += piece.width
    if current or not lines or begins:
        end()
    return tuple(lines)


def _by_levels(runs: tuple[Run, ...], style: Style, width: float, levels: tuple[int, ...]) -> Iterator[TypesetLine]:
    """The lines of paragraphs, each in the room that its level leaves."""
    for k, paragraph in enumerate(split_runs(runs, "\n")):
        level = level_at(levels, k)
        indent = level * style.size * INDENT
        for i, line in enumerate(typeset(tuple(paragraph), style, max(width - indent, 1))):
            above = style.spacing if k and not i else 0
            yield replace(line, level=level, indent=indent, height=line.height + above, ascent=line.ascent + above)


def line_font(style: Style) -> ImageFont.FreeTypeFont:
    """The font of text in a style."""
    return face_font(style.face, style.size, style.bold)


def _words(runs: Sequence[Run], style: Style) -> Iterator[list[TypesetPiece] | TypesetPiece]:
    """Words with their trailing spaces, in pieces of one run each, and line feeds as pieces of their own."""
    word: list[TypesetPiece] = []
    for run in runs:
        for text in PARTS.findall(run.text):
            # A word ends where something else follows spaces.
            if word and (text == "\n" or (word[-1].text[-1].isspace() and not text.isspace())):
                yield word
                word = []
            if text == "\n":
                yield _piece("", run, style)
            else:
                word.append(_piece(text, run, style))
    if word:
        yield word


def _piece(text: str, run: Run, style: Style) -> TypesetPiece:
    size = style.size if run.size is None else run.size
    face = face_font(style.face, size, style.bold if run.bold is None else run.bold)
    return TypesetPiece(
        text,
        face,
        style.colour if run.colour is None else run.colour,
        style.italic if run.italic is None else run.italic,
        style.underline if run.underline is None else run.underline,
        style.strike if run.strike is None else run.strike,
        text_width(face, text),
        size,
    )


def _visible_width(word: Sequence[TypesetPiece]) -> float:
    """The width of a word without its trailing spaces."""
    kept = list(word)
    while kept and kept[-1].text.isspace():
        kept.pop()
    if not kept:
        return 0.0
    last = kept[-1]
    return sum(piece.width for piece in kept[:-1]) + text_width(last.font, last.text.rstrip())


def _line(
    pieces: Sequence[TypesetPiece], style: Style, begins: bool, above: int, feed: TypesetPiece | None = None
) -> TypesetLine:
    """A line with room above it; its line feed ``feed`` gives an empty line its height."""
    measured = pieces or [feed or _piece("", Run(text=""), style)]
    height = max(one.size for one in measured) * style.line_height
    ascent = max(one.font.getmetrics()[0] for one in measured)
    descent = max(one.font.getmetrics()[1] for one in measured)
    baseline = above + (height - ascent - descent) / 2 + ascent
    return TypesetLine(tuple(_joined(pieces)), _visible_width(pieces), above + height, baseline, begins)


def _joined(pieces: Sequence[TypesetPiece]) -> Iterator[TypesetPiece]:
    """Pieces with neighbours of one style joined, so that the font spaces words."""
    for _, group in groupby(pieces, key=lambda one: (one.font, one.colour, one.italic, one.underline, one.strike)):
        first, *others = group
        text = first.text + "".join(piece.text for piece in others)
        width = first.width + sum(piece.width for piece in others)
        yield first._replace(text=text, width=width) if others else first


BULLETS = "•–"
"""The bullets of items by their levels, in turn."""
INDENT = 1.1
"""The indent of the items of a list, in sizes of the face."""
PAD = 6
"""The padding of text in tables and shapes, in pixels."""
_SLANT = 0.2
_STRIKE = 0.3
"""How far above the baseline text is struck through, in sizes of its face."""


def text_height(element: Element) -> int:
    """The height of an element's typeset text in pixels."""
    return math.ceil(sum(line.height for line in _lines(element)))


def overflow(element: Element) -> int:
    """The most pixels by which text may exceed its box on any side."""
    if element.type == "table" or not element.runs:
        return 0
    lines = _lines(element)
    wide = max((line.indent + line.width for line in lines), default=0) - element.bbox[2]
    high = sum(line.height for line in lines) - element.bbox[3]
    slack = element.style.size // 2
    return max(0, math.ceil(max(wide, high))) + slack


def too_wide(element: Element) -> Iterator[str]:
    """The lines that are wider than their box, and the cells that are too high."""
    for line in _lines(element) if element.runs else ():
        if line.indent + line.width > element.bbox[2] - 2 * _inset(element) - _indent(element) + 0.5:
            yield "".join(piece.text for piece in line.pieces)
    if element.type == "table":
        edges, levels = table_columns(element), table_rows(element)
        for i, row in enumerate(element.cells):
            height = levels[i + 1] - levels[i]
            for k, text in enumerate(row):
                room = edges[k + 1] - edges[k] - 2 * PAD
                lines = typeset((Run(text=text),), cell_style(element, i, k), max(room, 1))
                if any(line.width > room + 0.5 for line in lines) or sum(line.height for line in lines) > height:
                    yield text


def draw_text(canvas: SpriteCanvas, element: Element) -> None:
    """Draw the runs of a text, a shape or a list."""
    lines, style = _lines(element), element.style
    inset = _inset(element)
    width, height = element.bbox[2] - 2 * inset, element.bbox[3]
    free = height - sum(line.height for line in lines)
    y = canvas.margin + {"top": 0.0, "middle": free / 2, "bottom": free}[style.anchor]
    for line in lines:
        indent = _indent(element) + line.indent
        x = canvas.margin + inset + indent + aligned(style, width - indent, line.width)
        if element.type == "list" and line.begins and line.pieces:
            _draw_piece(canvas, _bullet(style, line.level), x - _indent(element), y + line.ascent)
        _draw_line(canvas, line, x, y)
        y += line.height


def draw_table(canvas: SpriteCanvas, element: Element) -> None:
    """Draw a table: the cells, the first row filled and in bold, and rules around them."""
    edges, levels = table_columns(element), table_rows(element)
    styles = {cell: cell_style(element, *cell) for cell in cells_in(element, None, None)}
    for (i, k), style in styles.items():
        if style.fill is not None:
            fill_rect(canvas, (edges[k], levels[i], edges[k + 1], levels[i + 1]), style.fill)
    for (i, k), style in styles.items():
        box = edges[k] + PAD, levels[i], edges[k + 1] - PAD, levels[i + 1]
        draw_label(canvas, element.cells[i][k], style, box)
    for rule in table_rules(element) if element.style.stroke is not None else ():
        fill_rect(canvas, rule, element.style.stroke or element.style.colour)


def table_columns(element: Element) -> list[int]:
    """The left edges of a table's columns, and the right edge of the last, in pixels."""
    shares: Sequence[float] = element.columns or [1.0] * len(element.cells[0])
    return [round(element.bbox[2] * sum(shares[:k]) / sum(shares)) for k in range(len(shares) + 1)]


def table_rows(element: Element) -> list[int]:
    """The top edges of a table's rows, and the bottom edge of the last, in pixels."""
    shares: Sequence[float] = element.rows or [1.0] * len(element.cells)
    return [round(element.bbox[3] * sum(shares[:i]) / sum(shares)) for i in range(len(shares) + 1)]


def table_rules(element: Element) -> Iterator[tuple[int, int, int, int]]:
    """The rules of a table, within its box: left, top, right and bottom of each."""
    thick, (_, _, width, height) = element.style.stroke_width, element.bbox
    if not thick:
        return
    for x in table_columns(element):
        left = min(max(x - thick // 2, 0), width - thick)
        yield left, 0, left + thick, height
    for y in table_rows(element):
        top = min(max(y - thick // 2, 0), height - thick)
        yield 0, top, width, top + thick


def underline_of(size: float) -> tuple[int, int]:
    """The offset of an underline below the baseline, and its thickness, in pixels."""
    return round(size / 9), max(1, round(size / 14))


def _lines(element: Element) -> tuple[TypesetLine, ...]:
    width = element.bbox[2] - 2 * _inset(element) - _indent(element)
    return typeset(element.runs, element.style, max(width, 1), element.levels)


def _inset(element: Element) -> int:
    return PAD if element.type == "shape" else 0


def _indent(element: Element) -> float:
    return element.style.size * INDENT if element.type == "list" else 0.0


def _bullet(style: Style, level: int) -> TypesetPiece:
    face, bullet = line_font(style), BULLETS[level % len(BULLETS)]
    return TypesetPiece(bullet, face, style.colour, False, False, False, text_width(face, bullet), style.size)


def aligned(style: Style, room: float, width: float) -> float:
    """The left offset of a line of a width in an available width."""
    return {"left": 0.0, "center": (room - width) / 2, "right": room - width}[style.align]


def _draw_line(canvas: SpriteCanvas, line: TypesetLine, x: float, y: float) -> None:
    for piece in line.pieces:
        _draw_piece(canvas, piece, x + piece.x, y + line.ascent)


def _draw_piece(canvas: SpriteCanvas, piece: TypesetPiece, x: float, baseline: float) -> None:
    """Draw a piece with its baseline at whole pixels."""
    left, level = round(x), round(baseline)
    at = float(left)
    for part in [piece.text] if piece.italic else PARTS.findall(piece.text):
        ink = (_slanted_ink if piece.italic else word_ink)(piece.font, part)
        canvas.write(ink, piece.colour, round(at), level)
        at += ink.advance
    below, thick = underline_of(piece.size)
    for down in [below] * piece.underline + [-round(piece.size * _STRIKE)] * piece.strike:
        width = 1 + round(text_width(piece.font, piece.text.rstrip()))
        canvas.write(Ink(np.full((thick, width), 255, np.uint8), 0, down, width), piece.colour, left, level)


def _slanted_ink(font: ImageFont.FreeTypeFont, text: str) -> Ink:
    """A text slanted about its baseline, as the faces have no italics."""
    ascent, descent = font.getmetrics()
    margin = round((ascent + descent) * _SLANT) + 2
    width = text_width(font, text)
    upright = np.zeros((ascent + descent, math.ceil(width) + 2 * margin), np.uint8)
    at = float(margin)
    for part in PARTS.findall(text):
        ink = word_ink(font, part)
        lay(upright, ink, at, ascent)
        at += ink.advance
    slant = (1, _SLANT, -_SLANT * ascent, 0, 1, 0)
    picture = PillowImage.fromarray(upright)
    slanted = picture.transform(picture.size, PillowImage.Transform.AFFINE, slant, PillowImage.Resampling.BICUBIC)
    return Ink(np.asarray(slanted), -margin, -ascent, round(width))


def draw_label(canvas: SpriteCanvas, text: str, style: Style, box: tuple[int, int, int, int]) -> None:
    """Draw text in the middle of the height of a box: left, top, right and bottom in pixels of the element."""
    left, top, right, bottom = box
    lines = typeset((Run(text=text),), style, max(right - left, 1))
    y = canvas.margin + (top + bottom - sum(line.height for line in lines)) / 2
    for line in lines:
        _draw_line(canvas, line, canvas.margin + left + aligned(style, right - left, line.width), y)
        y += line.height


def fill_rect(canvas: SpriteCanvas, box: tuple[int, int, int, int], colour: Colour) -> None:
    """Fill a box with a colour: left, top, right and bottom in pixels of the element."""
    left, top, right, bottom = (edge + canvas.margin for edge in box)
    canvas.picture.paste((*colour, 255), (left, top, right, bottom))
