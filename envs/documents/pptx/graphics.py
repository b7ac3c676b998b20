"""Read pictures and tables of slides."""

from __future__ import annotations

from typing import Any

from ..painting.pictures import embed
from ..scene.elements import Colour
from .deck import SlideShape
from .text_reader import pieces_of, sources_of, text_fields
from .theme_colours import Theme, fill_of
from .xml import Node, find, number, share, tag, truth


def picture_of(fill: Node, part: Any) -> dict[str, Any]:
    """The fields of an image from a ``blipFill``, or its like; a panel if the picture is missing or unknown."""
    blip, crop = find(fill, "a:blip"), find(fill, "a:srcRect")
    try:
        asset = embed(part.related_part(None if blip is None else blip.get(tag("r:embed"))).blob)
    except (KeyError, ValueError, AttributeError):
        return {"asset": "panel/picture"}
    opacity = share(find(blip, "a:alphaModFix"), "amt")
    shares = tuple(round(share(crop, side, 0), 5) for side in "ltrb")
    is_whole = min(shares) < -1 or shares[0] + shares[2] >= 1 or shares[1] + shares[3] >= 1
    return {
        "asset": asset,
        "opacity": min(max(opacity, 0.0), 1.0),
        "crop": (0.0, 0.0, 0.0, 0.0) if is_whole else shares,
    }


_GRID: Colour = (190, 194, 200)


def table_fields(found: SlideShape, table: Node) -> dict[str, Any] | None:
    """The fields of an element from an ``a:tbl`` in a shape; ``None`` if row lengths differ."""
    theme, emu = found.slide.theme, found.slide.emu
    widths = [max(number(column, "w"), 1) for column in table.iter(tag("a:gridCol"))]
    rows = [row.findall(tag("a:tc")) for row in table.findall(tag("a:tr"))]
    if not rows or not widths or {len(row) for row in rows} != {len(widths)}:
        return None
    body = find(rows[-1][0], "a:txBody")
    style: dict[str, Any] = {} if body is None else text_fields(body, sources_of(found, body))["style"]
    style.pop("line_height", None)
    shade = _head(table, rows[0], theme)
    style |= {"fill": shade} if shade else {}
    cells = [[cell_text(cell) for cell in row] for row in rows]
    columns = [round(width / emu, 2) or 1 for width in widths]
    return {
        "type": "table",
        "cells": cells,
        "columns": columns if len(set(columns)) > 1 else [],
        "style": style | _rules(rows[0][0], theme, emu),
    }


def cell_text(cell: Node) -> str:
    """The text of a cell, its paragraphs separated by line feeds."""
    body = find(cell, "a:txBody")
    return "" if body is None else "".join(piece.text for piece in pieces_of(body))


def _head(table: Node, row: list[Node], theme: Theme) -> Colour | None:
    """The colour of a table's first row.

    The colour of a table style is made lighter, because the text is read as dark.
    """
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
    """The style of a table's rules, by its first cell; by default thin and grey."""
    edge = find(cell, "a:tcPr/a:lnL")
    shade = None if edge is None else fill_of(edge, theme)
    if shade == "none":
        return {"stroke": None, "stroke_width": 0}
    if not isinstance(shade, tuple):
        return {"stroke": _GRID, "stroke_width": 1}
    return {"stroke": shade[0], "stroke_width": max(1, min(round(number(edge, "w", 12_700) / emu), 60))}
