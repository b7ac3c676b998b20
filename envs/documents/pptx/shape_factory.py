"""Make the shapes of elements that an edit adds to a PowerPoint file."""

from __future__ import annotations

import io
from typing import Any

from ..painting.pictures import fine_png, picture_file
from ..painting.shapes import FLAT
from ..painting.texts import INDENT, PAD
from ..scene.cells import cell_style
from ..scene.elements import Crop, Element
from .chart_patcher import new_chart
from .deck import Slide
from .text_reader import look_of
from .transforms import write_angle
from .xml import (
    ALIGNS,
    ANCHORS,
    EMU_OF_POINT,
    WHOLE,
    Node,
    drop,
    ensured,
    find,
    made,
    set_fill,
    set_geometry,
    set_look,
    set_outline,
    set_rules,
    spacing_of,
    tag,
)  # fmt: skip


def new_shape(slide: Slide, element: Element) -> Node:
    """A shape for an element, not yet in the tree of a slide; its picture is added to the deck."""
    box = tuple(round(edge * slide.emu) for edge in element.bbox)
    node = _MAKERS[element.type](slide, element, box)
    next(node.iter(tag("p:cNvPr"))).set("name", element.name)
    # The theme's style has a shadow and colours of its own.
    drop(node, "p:style")
    if element.angle:
        write_angle(next(node.iter(tag("a:xfrm"), tag("p:xfrm"))), element.angle)
    return node


def _library() -> Any:
    """The module of python-pptx whose classes make shapes."""
    from pptx.oxml.shapes import groupshape

    return groupshape


Box = tuple[int, ...]
"""Left, top, width and height in English metric units."""


def _text(slide: Slide, element: Element, box: Box) -> Node:
    node = _library().CT_Shape.new_textbox_sp(1, "", *box)
    _write_text(find(node, "p:txBody"), slide, element, 0)
    return node


def _shape(slide: Slide, element: Element, box: Box) -> Node:
    node, style = _library().CT_Shape.new_autoshape_sp(1, "", "rect", *box), element.style
    properties = find(node, "p:spPr")
    set_geometry(properties, element)
    set_fill(properties, style.fill, element.opacity)
    set_outline(properties, style.stroke if style.stroke_width else None, element.opacity, _width(slide, element))
    _write_text(find(node, "p:txBody"), slide, element, PAD)
    return node


def _image(slide: Slide, element: Element, box: Box) -> Node:
    assert element.asset is not None
    link = picture_link(slide, element.asset, element.bbox[2:])
    node = _library().CT_Picture.new_pic(1, "", "", link, *box)
    del next(node.iter(tag("p:cNvPr"))).attrib["descr"]
    blip = find(node, "p:blipFill/a:blip")
    if element.opacity < 1:
        blip.append(fading(element.opacity))
    if any(element.crop):
        blip.addnext(cut_off(element.crop))
    return node


def picture_link(slide: Slide, asset: str, size: tuple[int, int]) -> str:
    """Add a picture to a deck; its relation to a slide. One from a file stays as it is, if PowerPoint can show it."""
    try:
        _, link = slide.part.get_or_add_image_part(io.BytesIO(picture_file(asset, *size)))
    except ValueError:
        _, link = slide.part.get_or_add_image_part(io.BytesIO(fine_png(asset, *size)))
    return str(link)


def picture_fill(shape: Node) -> Node:
    """What holds the picture of a shape, or ``None``."""
    fill = find(shape, "p:blipFill")
    return find(shape, "p:spPr/a:blipFill") if fill is None else fill


def cut_off(crop: Crop) -> Node:
    """What cuts off the sides of a picture."""
    return made(
        "a:srcRect", **{side: str(round(part * WHOLE)) for side, part in zip("ltrb", crop, strict=True) if part}
    )


def _chart(slide: Slide, element: Element, box: Box) -> Node:
    assert element.chart is not None
    return _library().CT_GraphicalObjectFrame.new_chart_graphicFrame(1, "", new_chart(slide.part, element.chart), *box)


def fading(opacity: float) -> Node:
    """What makes a picture transparent."""
    return made("a:alphaModFix", amt=str(round(opacity * WHOLE)))


def _line(slide: Slide, element: Element, box: Box) -> Node:
    left, top, width, height = box
    is_rising = element.rises
    if min(element.bbox[2:]) <= FLAT:
        # As it is painted: level, or upright, through the middle of its box.
        is_rising = False
        if element.bbox[2] <= FLAT:
            left, width = round((element.bbox[0] + element.bbox[2] // 2) * slide.emu), 0
        else:
            top, height = round((element.bbox[1] + element.bbox[3] // 2) * slide.emu), 0
    node = _library().CT_Connector.new_cxnSp(1, "", "line", left, top, width, height, False, is_rising)
    colour = element.style.stroke or element.style.colour
    set_outline(find(node, "p:spPr"), colour, element.opacity, _width(slide, element))
    return node


def _group(slide: Slide, element: Element, box: Box) -> Node:
    """An empty group, in whose units what comes into it has the slide's."""
    node, (left, top, width, height) = _library().CT_GroupShape.new_grpSp(1, ""), box
    transform = node.get_or_add_xfrm()
    for start, extent in (("a:off", "a:ext"), ("a:chOff", "a:chExt")):
        find(transform, start).attrib.update({"x": str(left), "y": str(top)})
        find(transform, extent).attrib.update({"cx": str(width), "cy": str(height)})
    return node


def _width(slide: Slide, element: Element) -> int:
    return round(max(element.style.stroke_width, 1) * slide.emu)


def _table(slide: Slide, element: Element, box: Box) -> Node:
    rows, columns = len(element.cells), len(element.cells[0])
    node = _library().CT_GraphicalObjectFrame.new_table_graphicFrame(1, "", rows, columns, *box)
    shares = element.columns or (1.0,) * columns
    for column, portion in zip(node.iter(tag("a:gridCol")), shares, strict=True):
        column.set("w", str(round(box[2] * portion / sum(shares))))
    for name in ("firstRow", "bandRow"):
        next(node.iter(tag("a:tblPr"))).set(name, "0")
    heights = element.rows or (1.0,) * rows
    for i, row in enumerate(node.iter(tag("a:tr"))):
        row.set("h", str(round(box[3] * heights[i] / sum(heights))))
        for k, cell in enumerate(row.findall(tag("a:tc"))):
            _write_cell(cell, slide, element, i, k)
    return node


def _write_cell(cell: Node, slide: Slide, element: Element, row: int, column: int) -> None:
    margin, style = str(round(PAD * slide.emu)), cell_style(element, row, column)
    properties = ensured(cell, "a:tcPr", 1)
    for key, value in {"marL": margin, "marR": margin, "marT": "0", "marB": "0", "anchor": "ctr"}.items():
        properties.set(key, value)
    set_fill(properties, style.fill, element.opacity)
    if style.stroke is not None and style.stroke_width:
        set_rules(cell, element, slide.emu, element.opacity)
    look = look_of(style)._asdict() | {"opacity": element.opacity}
    _write_paragraphs(find(cell, "a:txBody"), slide, [(element.cells[row][column], look)])
    for paragraph in cell.iter(tag("a:p")):
        paragraph.insert(0, made("a:pPr", algn=ALIGNS[style.align]))


def _write_text(body: Node, slide: Slide, element: Element, inset: int) -> None:
    """Write the text of an element into a body: its style as that of the body, and of runs what differs."""
    style, margin = element.style, str(round(inset * slide.emu))
    frame = find(body, "a:bodyPr")
    for key, value in {"wrap": "square", "lIns": margin, "rIns": margin, "tIns": "0", "bIns": "0"}.items():
        frame.set(key, value)
    frame.set("anchor", ANCHORS[style.anchor])
    level = made("a:lvl1pPr", spacing_of(style), algn=ALIGNS[style.align])
    if element.type == "list":
        indent = round(round(style.size * INDENT) * slide.emu)
        level.set("marL", str(indent))
        level.set("indent", str(-indent))
        level.append(made("a:buChar", char="•"))
    else:
        level.append(made("a:buNone"))
    level.append(_properties("a:defRPr", slide, _look(element)))
    find(body, "a:lstStyle").append(level)
    runs = [(run.text, run.model_dump(exclude={"text"}) | {"opacity": element.opacity}) for run in element.runs]
    _write_paragraphs(body, slide, runs)


def _write_paragraphs(body: Node, slide: Slide, runs: list[tuple[str, dict[str, Any]]]) -> None:
    """Replace the paragraphs of a body by texts with their looks."""
    drop(body, "a:p")
    paragraphs = [made("a:p")]
    for text, look in runs:
        for i, line in enumerate(text.split("\n")):
            if i:
                paragraphs.append(made("a:p"))
            if line:
                written = made("a:t")
                written.text = line
                paragraphs[-1].append(made("a:r", _properties("a:rPr", slide, look), written))
    body.extend(paragraphs)


def _look(element: Element) -> dict[str, Any]:
    """The look of an element's text, by the names of ``text_reader.Look``."""
    return look_of(element.style)._asdict() | {"opacity": element.opacity}


def _properties(name: str, slide: Slide, look: dict[str, Any]) -> Node:
    properties = made(name)
    set_look(properties, look, lambda pixels: round(pixels * slide.emu / EMU_OF_POINT))
    return properties


_MAKERS = {
    **{"text": _text, "list": _text, "shape": _shape, "image": _image},
    **{"line": _line, "table": _table, "chart": _chart, "group": _group},
}
