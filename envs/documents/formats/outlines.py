"""Compute letters and outlines as they are painted, for SVG and PDF files.

Letters are on baselines, outlines are paths. All coordinates are in pixels from the left top corner of the element's
box, before it is turned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ..painting.shapes import FLAT, POLYGONS
from ..painting.texts import BULLET, INDENT, PAD, aligned, overflow, table_columns, table_rows, table_rules
from ..painting.typesetting import Line, line_font, typeset
from ..scene.elements import Colour, Element, Run, Style

Step = tuple[Literal["M", "L", "C", "Z"], tuple[float, ...]]
"""A step of a path: move, line, cubic curve with two control points and an end, or close."""
Path = tuple[Step, ...]
_ROUND = 0.5522847498
"""The distance of the control points of a quarter circle from its ends, in radii."""


@dataclass(frozen=True, slots=True)
class Letters:
    """Text of one style in one line.

    Attributes:
        text: without spaces at its end.
        x, y: where its baseline begins.
        width: as it is painted.
        face, bold, italic, underline, colour: its style.
        size: of the face.
        parted: the separator before it: a line feed, a space, or nothing.
    """

    text: str
    x: float
    y: float
    width: float
    face: str
    size: int
    bold: bool
    italic: bool
    underline: bool
    colour: Colour
    parted: Literal["\n", " ", ""] = "\n"


@dataclass(frozen=True, slots=True)
class Area:
    """The area that a path encloses; a path inside it is a hole."""

    path: Path
    colour: Colour


def areas_of(element: Element) -> Iterator[Area]:
    """The areas of a shape, a line or a table, the lowest first."""
    if element.type == "shape":
        yield from _shape(element)
    elif element.type == "table":
        yield from _table(element)
    elif element.type == "line":
        yield Area(_line(element), element.style.stroke or element.style.colour)


def letters_of(element: Element) -> Iterator[Letters]:
    """All text of an element, line by line from the top, with its bullets."""
    _, _, width, height = element.bbox
    if element.type == "table":
        yield from _cells(element)
    elif element.runs:
        inset = PAD if element.type == "shape" else 0
        indent = element.style.size * INDENT if element.type == "list" else 0.0
        # Whole pixels are counted from where the painting begins to draw: a half one goes up or down by that.
        beside = overflow(element)
        box = beside + inset, beside, beside + width - inset, beside + height
        for letters in _block(element.runs, element.style, box, indent):
            yield replace(letters, x=letters.x - beside, y=letters.y - beside)


def lines_of(letters: Sequence[Letters]) -> list[list[Letters]]:
    """Group letters by their lines."""
    lines: list[list[Letters]] = []
    for one in letters:
        if one.parted == "\n" or not lines:
            lines.append([])
        lines[-1].append(one)
    return lines


def _block(
    runs: tuple[Run, ...], style: Style, box: tuple[float, float, float, float], indent: float = 0
) -> Iterator[Letters]:
    left, top, right, bottom = box
    room = right - left - indent
    lines = typeset(runs, style, max(room, 1))
    free = bottom - top - sum(line.height for line in lines)
    y = top + {"top": 0.0, "middle": free / 2, "bottom": free}[style.anchor]
    for line in lines:
        x = left + indent + aligned(style, room, line.width)
        baseline = round(y + line.ascent)
        pieces = _pieces(line, style, x, baseline)
        if indent and line.begins and line.pieces:
            width = line_font(style).getlength(BULLET)
            at = round(x - indent)
            yield Letters(BULLET, at, baseline, width, style.face, style.size, style.bold, False, False, style.colour)
            first = replace(next(pieces), parted=" ")
            yield from (first, *pieces)
        yield from pieces
        y += line.height


def _pieces(line: Line, style: Style, x: float, y: float) -> Iterator[Letters]:
    parted: Literal["\n", " ", ""] = "\n"
    for piece in line.pieces:
        # Spaces at the front stand for themselves: they move what follows.
        text = piece.text.strip()
        if parted == "" and text and piece.text[0].isspace():
            parted = " "
        at = round(x + piece.x) + piece.font.getlength(piece.text[: len(piece.text) - len(piece.text.lstrip())])
        if text:
            width, size = piece.font.getlength(text), round(piece.font.size)
            yield Letters(
                text, at, y, width, style.face, size,
                piece.bold, piece.italic, piece.underline, piece.colour, parted,
            )  # fmt: skip
            parted = ""
        if parted == "" and (not text or piece.text[-1].isspace()):
            parted = " "


def _cells(element: Element) -> Iterator[Letters]:
    heads = element.style.model_copy(update={"bold": True, "anchor": "middle"})
    rest = element.style.model_copy(update={"anchor": "middle"})
    edges, levels = table_columns(element), table_rows(element)
    for i, row in enumerate(element.cells):
        for k, text in enumerate(row):
            box = edges[k] + PAD, levels[i], max(edges[k + 1] - PAD, edges[k] + PAD + 1), levels[i + 1]
            yield from _block((Run(text=text),), rest if i else heads, box)


def _table(element: Element) -> Iterator[Area]:
    style = element.style
    if style.fill is not None:
        yield Area(_rectangle(0, 0, element.bbox[2], table_rows(element)[1], 0), style.fill)
    if style.stroke is not None:
        yield from (Area(_rectangle(*rule, 0), style.stroke) for rule in table_rules(element))


def _shape(element: Element) -> Iterator[Area]:
    style = element.style
    thick = style.stroke_width if style.stroke is not None else 0
    if style.fill is not None:
        yield Area(_outline(element, thick / 2), style.fill)
    if style.stroke is not None and thick:
        yield Area(_outline(element, 0) + _outline(element, thick), style.stroke)


def _outline(element: Element, inset: float) -> Path:
    """The outline of a shape, inset in its box; empty if nothing is left."""
    _, _, width, height = element.bbox
    left, top, right, bottom = inset, inset, width - inset, height - inset
    if right <= left or bottom <= top:
        return ()
    if element.shape in POLYGONS:
        points = [(left + x * (right - left), top + y * (bottom - top)) for x, y in POLYGONS[element.shape]]
        return _polygon(points)
    if element.shape == "ellipse":
        return _rounded(left, top, right, bottom, (right - left) / 2, (bottom - top) / 2)
    return _rectangle(left, top, right, bottom, element.style.radius)


def _line(element: Element) -> Path:
    """The four corners of a line with square ends."""
    _, _, width, height = element.bbox
    left, right, top, bottom = 0.0, float(width), 0.0, float(height)
    if height <= FLAT:
        top = bottom = height / 2
    if width <= FLAT:
        left = right = width / 2
    (x, y), (u, v) = ((left, bottom), (right, top)) if element.rises else ((left, top), (right, bottom))
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5 or 1
    half = max(element.style.stroke_width, 1) / 2
    across, along = -(v - y) / length * half, (u - x) / length * half
    return _polygon(
        [(x + across, y + along), (u + across, v + along), (u - across, v - along), (x - across, y - along)]
    )


def _polygon(points: Sequence[tuple[float, float]]) -> Path:
    return (("M", points[0]), *(("L", point) for point in points[1:]), ("Z", ()))


def _rectangle(left: float, top: float, right: float, bottom: float, radius: float) -> Path:
    round_by = min(radius, (right - left) / 2, (bottom - top) / 2)
    if round_by <= 0:
        return _polygon([(left, top), (right, top), (right, bottom), (left, bottom)])
    return _rounded(left, top, right, bottom, round_by, round_by)


def _rounded(left: float, top: float, right: float, bottom: float, wide: float, high: float) -> Path:
    """A box with quarters of ellipses for corners."""
    x, y = wide * (1 - _ROUND), high * (1 - _ROUND)
    return (
        ("M", (left + wide, top)),
        ("L", (right - wide, top)),
        ("C", (right - x, top, right, top + y, right, top + high)),
        ("L", (right, bottom - high)),
        ("C", (right, bottom - y, right - x, bottom, right - wide, bottom)),
        ("L", (left + wide, bottom)),
        ("C", (left + x, bottom, left, bottom - y, left, bottom - high)),
        ("L", (left, top + high)),
        ("C", (left, top + y, left + x, top, left + wide, top)),
        ("Z", ()),
    )
