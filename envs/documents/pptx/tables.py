"""Read tables: cells, columns, rows, and the looks of their cells, their own or those of the table style.

See ECMA-376-1, 20.1.4.2 and 21.1.3.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..scene.cells import FORMAT_FIELDS, cell_style, packed
from ..scene.colours import mixed
from ..scene.elements import CellFormat, Colour, Element
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
    known: dict[object, dict[str, Any]] = {}
    looks = [[_look(found, cell, known) for cell in row] for row in rows]
    style, base = _usual(looks), _TableStyle(found, table)
    fields = {
        "type": "table",
        "cells": [[cell_text(cell) for cell in row] for row in rows],
        "columns": _sides(widths, emu),
        "rows": _sides(heights, emu),
        "style": style | _colours(base, rows, style.get("colour")) | _rules(rows[0][0], theme, emu),
    }
    usual = Element.model_validate({"id": "table", "bbox": (0, 0, 1, 1), **fields})
    formats = [
        [_format(usual, i, k, _cell_values(base, i, rows[i], k, look)) for k, look in enumerate(row)]
        for i, row in enumerate(looks)
    ]
    return fields | {"formats": packed(formats)}


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


def _look(found: SlideShape, cell: Node, known: dict[object, dict[str, Any]]) -> dict[str, Any]:
    """The style of the text of a cell, known or not; nothing without text."""
    body = find(cell, "a:txBody")
    if body is None or not cell_text(cell).strip():
        return {}
    # In one piece it says nothing of its look; in several the longest counts.
    key = tuple((node.tag, *node.items()) for node in body.iter() if node.tag != tag("a:t"))
    if key not in known or len(body.findall(f"{tag('a:p')}/{tag('a:r')}")) > 1:
        style = text_fields(body, sources_of(found, body))["style"]
        known[key] = {name: value for name, value in style.items() if name not in ("line_height", "spacing")}
    return known[key]


def _usual(looks: list[list[dict[str, Any]]]) -> dict[str, Any]:
    """The style of most cells below the first row."""
    written = [one for row in looks[1:] for one in row if one] or [one for one in looks[0] if one]
    names = written[0] if written else ()
    return {name: Counter(one[name] for one in written).most_common(1)[0][0] for name in names}


class _TableStyle:
    """What the style of a table in a frame gives to its cells.

    Attributes:
        theme: of the slide.
        ink: the colour of the text in its first row, if it has one.
        bold: whether that text is bold.
        first: the fill of the first row.
        bands: those of the rows below it, in turn.
    """

    def __init__(self, found: SlideShape, table: Node) -> None:
        properties, self.theme = find(table, "a:tblPr"), found.slide.theme
        head, ink, bands, bold = _styled(found, properties, self.theme)
        has_head, has_bands = (
            properties is not None and bool(truth(properties.get(name))) for name in ("firstRow", "bandRow")
        )
        self.ink, self.bold = (ink, bold) if has_head else (None, False)
        self.first = head if has_head else bands[0]
        self.bands = bands[0] if has_bands else bands[1], bands[1]

    def fill(self, row: int) -> Colour | None:
        """The fill of a row, counted from 0."""
        return self.bands[(row - 1) % 2] if row else self.first


def _colours(base: _TableStyle, rows: list[list[Node]], plain: Colour | None) -> dict[str, Any]:
    """The colours of the first row and of the bands below it: those of their first cells, or of the table's style."""
    filled = [_fill(row[0], base.theme, base.fill(i)) for i, row in enumerate(rows)]
    bands = []
    for usual, known in zip(base.bands, (filled[1::2], filled[2::2]), strict=True):
        shade, n = Counter(known).most_common(1)[0] if known else (usual, 0)
        bands.append(shade if n > 1 else usual)
    ink = _ink(rows[0][0], base.theme) or base.ink
    return {
        "fill": filled[0],
        "head": None if ink == plain else ink,
        "bands": bands if any(bands) else [],
    }


def _cell_values(base: _TableStyle, row: int, cells: list[Node], k: int, look: dict[str, Any]) -> dict[str, Any]:
    """The values of a cell's style that it has of its own, or that its table's style gives it."""
    cell = cells[k]
    values = {name: value for name, value in look.items() if name in FORMAT_FIELDS}
    if values and row == 0:
        is_plain = any(truth(properties.get("b")) is False for properties in cell.iter(tag("a:rPr")))
        values["bold"] = values["bold"] or (base.bold and not is_plain)
        values["colour"] = _ink(cell, base.theme) or base.ink or values["colour"]
    # A merged cell shows the fill of the first of those that are one.
    first = next(i for i in range(k, -1, -1) if not (i and truth(cells[i].get("hMerge"))))
    return values | {"fill": _fill(cells[first], base.theme, base.fill(row))}


def _format(usual: Element, row: int, column: int, values: dict[str, Any]) -> CellFormat:
    style = cell_style(usual, row, column)
    own = {name: value for name, value in values.items() if value != getattr(style, name)}
    return CellFormat.model_validate({name: "none" if value is None else value for name, value in own.items()})


def _fill(cell: Node, theme: Theme, otherwise: Colour | None) -> Colour | None:
    shade = fill_of(find(cell, "a:tcPr"), theme)
    return otherwise if shade is None else shade[0] if isinstance(shade, tuple) else None


def _ink(cell: Node, theme: Theme) -> Colour | None:
    """The colour that the first words of a cell have of their own."""
    shade = fill_of(next(cell.iter(tag("a:rPr")), None), theme)
    return shade[0] if isinstance(shade, tuple) else None


def _styled(
    found: SlideShape, properties: Node, theme: Theme
) -> tuple[Colour | None, Colour | None, list[Colour | None], bool]:
    """The colours of a table style: of the first row, of its text, and of both bands; by default those of accent 1.

    Also whether the text in the first row is bold.
    """
    name = find(properties, "a:tableStyleId")
    style = _table_styles(found).get("" if name is None else name.text)
    if style is not None:
        whole = _part_fill(style, "wholeTbl", theme, None)
        ink = find(style, "a:firstRow/a:tcTxStyle")
        shade = None if ink is None else colour_in(ink, theme)
        bands = [_part_fill(style, band, theme, whole) for band in ("band1H", "band2H")]
        is_bold = ink is not None and ink.get("b") == "on"
        return _part_fill(style, "firstRow", theme, whole), None if shade is None else shade[0], bands, is_bold
    accent, white = theme.colours.get("accent1"), (255, 255, 255)
    if name is None or name.text in _PLAIN_STYLES or accent is None:
        return None, None, [None, None], False
    return accent, white, [mixed(white, accent, 0.4), mixed(white, accent, 0.2)], True


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
