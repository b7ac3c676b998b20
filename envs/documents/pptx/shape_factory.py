"""Make the shapes of elements that an edit adds to a PowerPoint file."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from ..painting.pictures import fine_png
from ..painting.shapes import FLAT
from ..painting.texts import INDENT, PAD
from ..scene.elements import Colour, Element, Run
from .deck import Slide
from .shape_xml import set_geometry, set_look, set_rules
from .xml import ALIGNS, ANCHORS, EMU, LINE, Node, number, points, tag

if TYPE_CHECKING:
    from lxml.etree import _Element


def new_shape(slide: Slide, element: Element, emu: float) -> Node:
    """A shape for an element, not yet in a tree; its picture is added to the deck.

    Args:
        slide: that it is for.
        element: what it shows.
        emu: English metric units in a pixel of the deck.
    """
    shape = _write_element(slide.part.slide.shapes, element)
    node = shape._element
    next(node.iter(tag("p:cNvPr"))).attrib.pop("descr", None)
    node.getparent().remove(node)
    _scale(node, emu / EMU)
    return node


def _write_element(shapes: Any, element: Element) -> Any:
    """Add a shape for an element on top of a slide's shapes; return the pptx shape."""
    shape = _WRITERS[element.type](shapes, element)
    shape._element.xpath(".//p:cNvPr")[0].set("name", element.name)
    if element.angle:
        shape.rotation = element.angle
    return shape


def _write_text(shapes: Any, element: Element) -> Any:
    box = shapes.add_textbox(*_box(element))
    _write_runs(box.text_frame, element, 0)
    return box


def _write_shape(shapes: Any, element: Element) -> Any:
    from pptx.enum.shapes import MSO_SHAPE

    shape = shapes.add_shape(MSO_SHAPE.RECTANGLE, *_box(element))
    _strip(shape)
    set_geometry(shape._element.spPr, element)
    _paint(shape.fill, element.style.fill, element.opacity)
    _outline(shape.line, element)
    _write_runs(shape.text_frame, element, PAD)
    return shape


def _write_image(shapes: Any, element: Element) -> Any:
    assert element.asset is not None
    shape = shapes.add_picture(io.BytesIO(fine_png(element.asset, *element.bbox[2:])), *_box(element))
    if element.opacity < 1:
        blip = shape._element.xpath(".//a:blip")[0]
        _add(blip, "a:alphaModFix", amt=str(round(element.opacity * 100_000)))
    return shape


def _write_line(shapes: Any, element: Element) -> Any:
    from pptx.enum.shapes import MSO_CONNECTOR

    left, top, width, height = element.bbox
    ends = (left, top + height, left + width, top) if element.rises else (left, top, left + width, top + height)
    if min(width, height) <= FLAT:
        # As it is painted: level, or upright, through the middle of its box.
        x, y = (left + width // 2, top) if width <= FLAT else (left, top + height // 2)
        ends = (x, y, x, y + height) if width <= FLAT else (x, y, x + width, y)
    line = shapes.add_connector(MSO_CONNECTOR.STRAIGHT, *(end * EMU for end in ends))
    _strip(line)
    _outline(line.line, element, element.style.stroke or element.style.colour)
    return line


def _write_table(shapes: Any, element: Element) -> Any:
    rows, columns = len(element.cells), len(element.cells[0])
    frame = shapes.add_table(rows, columns, *_box(element))
    table = frame.table
    shares = element.columns or (1.0,) * columns
    for column, share in zip(table.columns, shares, strict=True):
        column.width = round(element.bbox[2] * EMU * share / sum(shares))
    for row in table.rows:
        row.height = round(element.bbox[3] * EMU / rows)
    properties = table._tbl.tblPr
    for name in ("firstRow", "bandRow"):
        properties.set(name, "0")
    for i, row in enumerate(element.cells):
        for k, text in enumerate(row):
            _write_cell(table.cell(i, k), text, element, i == 0)
    return frame


def _write_cell(cell: Any, text: str, element: Element, is_head: bool) -> None:
    style = element.style.model_copy(update={"anchor": "middle", "bold": is_head or element.style.bold})
    whole = element.model_copy(update={"type": "text", "runs": (Run(text=text),), "style": style})
    cell.margin_left = cell.margin_right = PAD * EMU
    cell.margin_top = cell.margin_bottom = 0
    _write_paragraphs(cell.text_frame, whole, explicit=True)
    cell._tc.get_or_add_tcPr().set("anchor", "ctr")
    _paint(cell.fill, style.fill if is_head else None, element.opacity)
    if style.stroke is not None and style.stroke_width:
        set_rules(cell._tc, element, EMU, element.opacity)


def _strip(shape: Any) -> None:
    """Remove the theme's style, with its shadow and colours."""
    for styled in shape._element.xpath("./p:style"):
        shape._element.remove(styled)


def _write_runs(frame: Any, element: Element, inset: int) -> None:
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = inset * EMU
    frame.margin_top = frame.margin_bottom = 0
    body = frame._txBody.bodyPr
    body.set("anchor", ANCHORS[element.style.anchor])
    _write_paragraphs(frame, element, explicit=False)


def _write_paragraphs(frame: Any, element: Element, explicit: bool) -> None:
    """Write runs as paragraphs, with the full style in each run if ``explicit``."""
    body = frame._txBody
    for paragraph in body.findall(tag("a:p")):
        body.remove(paragraph)
    if not explicit:
        styles = body.find(tag("a:lstStyle"))
        styles = styles if styles is not None else _add(body, "a:lstStyle")
        _style_level(_add(styles, "a:lvl1pPr"), element)
    paragraph = _add(body, "a:p")
    if explicit:
        _add(paragraph, "a:pPr", algn=ALIGNS[element.style.align])
    for run in element.runs:
        for i, text in enumerate(run.text.split("\n")):
            if i:
                paragraph = _add(body, "a:p")
            if text:
                piece = _add(paragraph, "a:r")
                whole = _resolved(run, element) if explicit else run
                _style_run(_add(piece, "a:rPr"), whole, element.opacity, element.style.face if explicit else None)
                _add(piece, "a:t").text = text


def _resolved(run: Run, element: Element) -> Run:
    style = element.style
    return Run(
        text=run.text,
        bold=style.bold,
        italic=style.italic,
        underline=style.underline,
        colour=style.colour,
        size=style.size,
    )


def _style_level(level: _Element, element: Element) -> None:
    style = element.style
    level.set("algn", ALIGNS[style.align])
    if element.type == "list":
        indent = round(style.size * INDENT) * EMU
        level.set("marL", str(indent))
        level.set("indent", str(-indent))
    spacing = _add(level, "a:lnSpc")
    _add(spacing, "a:spcPct", val=str(round(style.line_height / LINE * 100_000)))
    if element.type == "list":
        _add(level, "a:buChar", char="•")
    else:
        _add(level, "a:buNone")
    _style_run(_add(level, "a:defRPr"), _resolved(Run(text=""), element), element.opacity, style.face)


def _style_run(properties: _Element, run: Run, opacity: float, face: str | None) -> None:
    look = run.model_dump(exclude={"text"}) | {"opacity": opacity, "face": face}
    set_look(properties, look, points)


def _paint(fill: Any, colour: Colour | None, opacity: float) -> None:
    if colour is None:
        fill.background()
        return
    fill.solid()
    fill.fore_color.rgb = _rgb(colour)
    if opacity < 1:
        _add(fill._fill._solidFill.find(tag("a:srgbClr")), "a:alpha", val=str(round(opacity * 100_000)))


def _outline(line: Any, element: Element, colour: Colour | None = None) -> None:
    colour = colour or element.style.stroke
    if colour is None or not (element.style.stroke_width or element.type == "line"):
        line.fill.background()
        return
    line.width = max(element.style.stroke_width, 1) * EMU
    _paint(line.fill, colour, element.opacity)


def _box(element: Element) -> tuple[int, int, int, int]:
    left, top, width, height = (edge * EMU for edge in element.bbox)
    return left, top, width, height


def _rgb(colour: Colour) -> Any:
    from pptx.dml.color import RGBColor

    colour_of: Any = RGBColor
    return colour_of(*colour)


def _add(parent: Any, name: str, /, **attributes: str) -> Any:
    from lxml import etree

    return etree.SubElement(parent, tag(name), **attributes)


_WRITERS = {
    "text": _write_text,
    "list": _write_text,
    "shape": _write_shape,
    "image": _write_image,
    "line": _write_line,
    "table": _write_table,
}


_MEASURES: dict[str, tuple[str, ...]] = {
    "a:off": ("x", "y"),
    "a:ext": ("cx", "cy"),
    "a:rPr": ("sz",),
    "a:defRPr": ("sz",),
    "a:ln": ("w",),
    "a:lnL": ("w",),
    "a:lnR": ("w",),
    "a:lnT": ("w",),
    "a:lnB": ("w",),
    "a:bodyPr": ("lIns", "tIns", "rIns", "bIns"),
    "a:lvl1pPr": ("marL", "indent"),
    "a:tcPr": ("marL", "marR", "marT", "marB"),
    "a:gridCol": ("w",),
    "a:tr": ("h",),
}
"""Lengths, by the elements that hold them."""


def _scale(node: Node, share: float) -> None:
    for name, keys in _MEASURES.items():
        for part in node.iter(tag(name)):
            for key in keys:
                if part.get(key) is not None:
                    part.set(key, str(round(number(part, key) * share)))
