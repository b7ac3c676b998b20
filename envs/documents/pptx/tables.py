"""Read tables: cells, columns, rows, and the colours of their cells or of the table style.

See ECMA-376-1, 20.1.4.2 and 21.1.3.
"""

from __future__ import annotations

from typing import Any

from ..scene.colours import mixed
from ..scene.elements import Colour
from .deck import SlideShape
from .text_reader import pieces_of, sources_of, text_fields
from .theme_colours import Theme, colour_in, fill_of
from .xml import Node, find, number, tag, truth

_GRID: Colour = (190, 194, 200)
_PLAIN_STYLES = ("{2D5ABB26-0587-4C30-8999-92F81FD0307C}", "{5940675A-B579-460E-94D1-54222C63F5DA}")
"""The styles of tables without fills: No Style, No Grid; and No Style, Table Grid."""


def table_fields(found: SlideShape, table: Node) -> dict[str, Any] | None:
    """The fields of an element from an ``a:tbl`` in a shape; ``None`` if row lengths differ."""
    theme, emu = found.slide.theme, found.slide.emu
    widths = [max(number(column, "w"), 1) for column in table.iter(tag("a:gridCol"))]
    heights = [max(number(row, "h"), 1) for row in table.iter(tag("a:tr"))]
    rows = [row.findall(tag("a:tc")) for row in table.findall(tag("a:tr"))]
    if not rows or not widths or {len(row) for row in rows} != {len(widths)}:
        return None
    body = find(rows[-1][0], "a:txBody")
    style: dict[str, Any] = {} if body is None else text_fields(body, sources_of(found, body))["style"]
    for name in ("line_height", "spacing"):
        style.pop(name, None)
    return {
        "type": "table",
        "cells": [[cell_text(cell) for cell in row] for row in rows],
        "columns": _sides(widths, emu),
        "rows": _sides(heights, emu),
        "style": style | _colours(found, table, rows, style.get("colour")) | _rules(rows[0][0], theme, emu),
    }


def rows_height(shape: Node) -> int:
    """The sum of the heights of a table's rows in EMU; files may state less for its frame."""
    return sum(max(number(row, "h"), 1) for row in shape.iter(tag("a:tr")))


def _sides(sides: list[int], emu: float) -> list[float]:
    """The widths or heights in pixels; none if all are alike."""
    return [round(side / emu, 2) or 1 for side in sides] if len(set(sides)) > 1 else []


def cell_text(cell: Node) -> str:
    """The text of a cell, its paragraphs separated by line feeds."""
    body = find(cell, "a:txBody")
    return "" if body is None else "".join(piece.text for piece in pieces_of(body))


def _colours(found: SlideShape, table: Node, rows: list[list[Node]], plain: Colour | None) -> dict[str, Any]:
    """The colours of the first row and of the bands below it: those of their first cells, or of the table's style.

    Args:
        found: the frame of the table.
        table: in it.
        rows: its cells.
        plain: the colour of its text.
    """
    properties, theme = find(table, "a:tblPr"), found.slide.theme
    head, ink, bands = _styled(found, properties, theme)
    has_head = properties is not None and bool(truth(properties.get("firstRow")))
    has_bands = properties is not None and bool(truth(properties.get("bandRow")))
    first = _fill(rows[0][0], theme, head if has_head else bands[0])
    below = [bands[0] if has_bands else bands[1], bands[1]]
    filled = [_fill(row[0], theme, below[i % 2]) for i, row in enumerate(rows[1:3])]
    ink = _ink(rows[0][0], theme) or (ink if has_head else None)
    return {
        "fill": first,
        "head": None if ink == plain else ink,
        "bands": filled if any(filled) else [],
    }


def _fill(cell: Node, theme: Theme, otherwise: Colour | None) -> Colour | None:
    shade = fill_of(find(cell, "a:tcPr"), theme)
    return otherwise if shade is None else shade[0] if isinstance(shade, tuple) else None


def _ink(cell: Node, theme: Theme) -> Colour | None:
    """The colour that the first words of a cell have of their own."""
    shade = fill_of(next(cell.iter(tag("a:rPr")), None), theme)
    return shade[0] if isinstance(shade, tuple) else None


def _styled(
    found: SlideShape, properties: Node, theme: Theme
) -> tuple[Colour | None, Colour | None, list[Colour | None]]:
    """The colours of a table style: of the first row, of its text, and of both bands; by default those of accent 1."""
    name = find(properties, "a:tableStyleId")
    style = _table_styles(found).get("" if name is None else name.text)
    if style is not None:
        whole = _part_fill(style, "wholeTbl", theme, None)
        ink = find(style, "a:firstRow/a:tcTxStyle")
        shade = None if ink is None else colour_in(ink, theme)
        bands = [_part_fill(style, band, theme, whole) for band in ("band1H", "band2H")]
        return _part_fill(style, "firstRow", theme, whole), None if shade is None else shade[0], bands
    accent, white = theme.colours.get("accent1"), (255, 255, 255)
    if name is None or name.text in _PLAIN_STYLES or accent is None:
        return None, None, [None, None]
    return accent, white, [mixed(white, accent, 0.4), mixed(white, accent, 0.2)]


def _part_fill(style: Node, part: str, theme: Theme, otherwise: Colour | None) -> Colour | None:
    shade = fill_of(find(style, f"a:{part}/a:tcStyle/a:fill"), theme)
    return otherwise if shade is None else shade[0] if isinstance(shade, tuple) else None


def _table_styles(found: SlideShape) -> dict[str, Node]:
    """The table styles of a deck by their ids."""
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.oxml import parse_xml

    try:
        part = found.slide.part.package.presentation_part.part_related_by(RELATIONSHIP_TYPE.TABLE_STYLES)
    except KeyError:
        return {}
    return {style.get("styleId", ""): style for style in parse_xml(part.blob).iter(tag("a:tblStyle"))}


def _rules(cell: Node, theme: Theme, emu: float) -> dict[str, Any]:
    """The style of a table's rules, by its first cell; by default thin and grey."""
    edge = find(cell, "a:tcPr/a:lnL")
    shade = None if edge is None else fill_of(edge, theme)
    if shade == "none":
        return {"stroke": None, "stroke_width": 0}
    if not isinstance(shade, tuple):
        return {"stroke": _GRID, "stroke_width": 1}
    return {"stroke": shade[0], "stroke_width": max(1, min(round(number(edge, "w", 12_700) / emu), 60))}
