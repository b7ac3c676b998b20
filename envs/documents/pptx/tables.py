"""Tables of slides as tables of documents."""

from __future__ import annotations

from typing import Any

from ..scene.elements import Colour
from .deck import Found, Slide
from .text_reader import pieces_of, text_fields
from .text_styles import sources_of
from .theme_colours import Theme, fill_of
from .units import tag
from .xml import Node, children, find, number, truth

_GRID: Colour = (190, 194, 200)


def table_fields(found: Found, slide: Slide, emu: float, table: Node) -> dict[str, Any] | None:
    """The fields of an element that come from an ``a:tbl``; ``None``: its rows are not all of one length.

    Args:
        found: the shape that it is in.
        slide: that it is on.
        emu: English metric units in a pixel.
        table: the table.
    """
    widths = [max(number(column, "w"), 1) for column in table.iter(tag("a:gridCol"))]
    rows = [[cell for cell in children(row) if cell.tag == tag("a:tc")] for row in table.findall(tag("a:tr"))]
    if not rows or not widths or {len(row) for row in rows} != {len(widths)}:
        return None
    body = find(rows[-1][0], "a:txBody")
    style: dict[str, Any] = {} if body is None else text_fields(body, sources_of(found, slide, body, emu))["style"]
    style.pop("line_height", None)
    shade = _head(table, rows[0], slide.theme)
    style |= {"fill": shade} if shade else {}
    cells = [[cell_text(cell) for cell in row] for row in rows]
    columns = [round(width / emu, 2) or 1 for width in widths]
    return {
        "type": "table",
        "cells": cells,
        "columns": columns if len(set(columns)) > 1 else [],
        "style": style | _rules(rows[0][0], slide.theme, emu),
    }


def cell_text(cell: Node) -> str:
    """The text of a cell, its paragraphs parted by line feeds."""
    body = find(cell, "a:txBody")
    return "" if body is None else "".join(piece.text for piece in pieces_of(body))


def _head(table: Node, row: list[Node], theme: Theme) -> Colour | None:
    """The colour of a table's first row; that of a table style is made light, for it is read on in dark letters."""
    shade = fill_of(find(row[0], "a:tcPr"), theme)
    if isinstance(shade, tuple):
        return shade[0]
    properties = find(table, "a:tblPr")
    accent = theme.colours.get("accent1")
    if shade is None and properties is not None and truth(properties.get("firstRow")) and accent is not None:
        red, green, blue = (round(255 - (255 - part) * 0.4) for part in accent)
        return red, green, blue
    return None


def _rules(cell: Node, theme: Theme, emu: float) -> dict[str, Any]:
    """The style of a table's rules, by its first cell; those of a table style are taken to be thin and grey."""
    edge = find(cell, "a:tcPr/a:lnL")
    shade = None if edge is None else fill_of(edge, theme)
    if shade == "none":
        return {"stroke": None, "stroke_width": 0}
    if not isinstance(shade, tuple):
        return {"stroke": _GRID, "stroke_width": 1}
    return {"stroke": shade[0], "stroke_width": max(1, min(round(number(edge, "w", 12_700) / emu), 60))}
