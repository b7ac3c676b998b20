"""Read pictures and tables of slides, and make placeholders for the rest."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.pages import png_bytes
from ...core.text_sprites import font
from ..painting.pictures import embed
from ..scene.elements import Colour
from .deck import SlideShape
from .text_reader import pieces_of, sources_of, text_fields
from .theme_colours import Theme, fill_of
from .xml import Node, find, number, share, tag, truth

_MAX_SIDE = 960
_GROUND, _EDGE, _INK = (236, 239, 243), (168, 176, 186), (92, 102, 114)


def picture_of(shape: Node, part: Any) -> str | None:
    """The asset of a ``p:pic``; ``None`` if it is missing or its format is unknown."""
    blip = find(shape, "p:blipFill/a:blip")
    reference = None if blip is None else blip.get(tag("r:embed"))
    try:
        content = part.related_part(reference).blob
        name = embed(content)
    except (KeyError, ValueError):
        return None
    crop = find(shape, "p:blipFill/a:srcRect")
    return name if crop is None or not crop.attrib else _cropped(content, crop)


@lru_cache(maxsize=256)
def stand_in(word: str, width: float, height: float) -> str:
    """The asset of a placeholder image: a panel with a word, of a size in pixels."""
    wide, high = (max(8, min(round(side), _MAX_SIDE)) for side in (width, height))
    image = PillowImage.new("RGB", (wide, high), _GROUND)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, wide - 1, high - 1), outline=_EDGE, width=max(1, min(wide, high) // 100))
    size = max(6, min(high // 4, wide // max(len(word), 4), 40))
    draw.text((wide / 2, high / 2), word, fill=_INK, font=font("Arimo", size), anchor="mm")
    return embed(png_bytes(image))


def _cropped(content: bytes, crop: Node) -> str | None:
    with PillowImage.open(io.BytesIO(content)) as image:
        whole = image.convert("RGBA")
    left, right = round(whole.width * share(crop, "l", 0)), round(whole.width * (1 - share(crop, "r", 0)))
    top, bottom = round(whole.height * share(crop, "t", 0)), round(whole.height * (1 - share(crop, "b", 0)))
    if right <= left or bottom <= top or (right - left) * (bottom - top) > 4 * whole.width * whole.height:
        return None
    return embed(png_bytes(whole.crop((left, top, right, bottom)), compress_level=1))


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
