"""Read decks that ``write_pptx`` wrote: the same document, with later changes."""

from __future__ import annotations

from typing import Any

from ..painting.pictures import embed, is_picture
from ..scene.document import Document, Page
from ..scene.elements import Box, Colour, Element, Run, Style
from .deck import Deck, Slide, SlideShape, shape_in, shapes_of
from .graphics import cell_text
from .text_reader import raw_text
from .xml import (
    ALIGNS_BY_CODE,
    ANCHORS_BY_CODE,
    EMU,
    LINE,
    SHAPES,
    Node,
    children,
    find,
    number,
    pixels_of,
    tag,
    unhexed,
)

Fields = dict[str, Any]
_SHAPES = {preset: shape for shape, preset in SHAPES.items()} | {"roundRect": "rectangle"}


def own_document(deck: Deck) -> Document | None:
    """The document in a deck that ``write_pptx`` wrote; ``None`` for any other deck."""
    if not _is_ours(deck):
        return None
    size, about = find(deck.package._element, "p:sldSz"), deck.package.core_properties
    try:
        return Document(
            name=about.identifier or "deck",
            title=about.title or "Slides",
            kind=about.subject or "slides",
            pages=tuple(_page(slide, size) for slide in deck.slides),
        )
    except (ValueError, KeyError, AttributeError, TypeError, IndexError):
        # Someone has drawn in it what we never write.
        return None


def _is_ours(deck: Deck) -> bool:
    """Whether everything in a deck was written by ``write_pptx``."""
    shapes = [shape for slide in deck.slides for shape in children(slide.tree) if find(shape, "p:nvPr") is None]
    abouts = [next(shape.iter(tag("p:cNvPr")), None) for shape in shapes if shape_in(shape) is not None]
    return bool(abouts) and all(
        about is not None and about.get("title") and "type=" in about.get("descr", "") for about in abouts
    )


def _page(slide: Slide, size: Node) -> Page:
    background = find(slide.root, "p:cSld/p:bg/p:bgPr")
    colour = _colour_in(background)
    if colour is None:
        raise ValueError("the background of a slide is of no one colour")
    return Page(
        width=round(number(size, "cx") / EMU),
        height=round(number(size, "cy") / EMU),
        background=colour,
        elements=tuple(_element(found, slide) for found in shapes_of(slide)),
    )


def _element(found: SlideShape, slide: Slide) -> Element:
    about = found.about
    attributes = dict(part.split("=", 1) for part in about.get("descr", "").split("; ") if "=" in part)
    kind, box = attributes["type"], found.placed
    bbox = (round(box.left / EMU), round(box.top / EMU), round(box.width / EMU), round(box.height / EMU))
    fields: Fields = {
        "id": about.get("title"),
        "type": kind,
        "name": about.get("name"),
        "bbox": _line_box(bbox, int(attributes["thick"])) if "thick" in attributes else bbox,
        "angle": 0 if kind == "table" else box.angle % 360,
        "parent": attributes.get("parent"),
    }
    return Element.model_validate(fields | _READERS[kind](found, slide, attributes))


def _line_box(box: Box, thick: int) -> Box:
    """The box of a horizontal or vertical line."""
    left, top, width, height = box
    if width < height:
        return left - thick // 2, top, thick, height
    return left, top - thick // 2, width, thick


def _text(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    """The text of a shape, in the style of its first level."""
    body = find(found.shape, "p:txBody")
    level = find(body, "a:lstStyle/a:lvl1pPr")
    default = find(level, "a:defRPr")
    style = _run_style(default) | {
        "align": ALIGNS_BY_CODE[level.get("algn", "l")],
        "anchor": ANCHORS_BY_CODE[find(body, "a:bodyPr").get("anchor", "t")],
        "line_height": round(int(find(level, "a:lnSpc/a:spcPct").get("val")) / 100_000 * LINE, 3),
    }
    return {"style": style, "opacity": _opacity(default), "runs": _runs(body)}


def _shape(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    properties, fields = find(found.shape, "p:spPr"), _text(found, slide, attributes)
    geometry = find(properties, "a:prstGeom")
    fields["style"] |= {"fill": _colour_in(properties), **_line_of(properties)}
    for guide in geometry.iter(tag("a:gd")):
        share = int(guide.get("fmla").split()[1]) / 100_000
        fields["style"]["radius"] = round(share * min(found.placed.width, found.placed.height) / EMU)
    return fields | {"shape": _SHAPES[geometry.get("prst")]}


def _image(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    asset = attributes.get("asset")
    if asset is not None and not is_picture(asset):
        # It came with another file, which has only the visible part of it.
        reference = find(found.shape, "p:blipFill/a:blip").get(tag("r:embed"))
        asset = embed(slide.part.related_part(reference).blob)
    return {"asset": asset, "opacity": _opacity(found.shape, "a:alphaModFix", "amt")}


def _line(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    return {
        "rises": attributes["rises"] == "1" if "rises" in attributes else found.transform.get("flipV") == "1",
        "style": _line_of(find(found.shape, "p:spPr")),
        "opacity": _opacity(found.shape),
    }


def _table(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    table = find(found.shape, "a:graphic/a:graphicData/a:tbl")
    rows = [row.findall(tag("a:tc")) for row in table.findall(tag("a:tr"))]
    head, body = rows[0][0], rows[-1][0]
    texts = [*body.iter(tag("a:rPr")), *head.iter(tag("a:rPr"))]
    style = _run_style(texts[0]) if texts else {}
    aligned = [paragraph.get("algn") for paragraph in body.iter(tag("a:pPr"))]
    style |= {"align": ALIGNS_BY_CODE[aligned[0]]} if aligned else {}
    style |= {"fill": _colour_in(find(head, "a:tcPr"))}
    if (edge := find(head, "a:tcPr/a:lnL")) is not None:
        style |= {"stroke": _colour_in(edge), "stroke_width": round(int(edge.get("w")) / EMU)}
    widths = [number(column, "w") for column in table.iter(tag("a:gridCol"))]
    return {
        "cells": [[cell_text(cell) for cell in row] for row in rows],
        "columns": () if max(widths) - min(widths) <= 2 else tuple(widths),
        "style": style,
        "opacity": _opacity(found.shape),
    }


def _group(found: SlideShape, slide: Slide, attributes: dict[str, str]) -> Fields:
    return {}


def _opacity(parent: Node, name: str = "a:alpha", attribute: str = "val") -> float:
    """The first opacity in a part of the file; 1 if there is none."""
    return next((int(found.get(attribute)) / 100_000 for found in parent.iter(tag(name))), 1.0)


def _run_style(properties: Node) -> Fields:
    face = find(properties, "a:latin")
    return {
        "bold": properties.get("b") == "1",
        "italic": properties.get("i") == "1",
        "underline": properties.get("u") == "sng",
        "size": pixels_of(int(properties.get("sz", "1500"))),
        "colour": _colour_in(properties) or Style().colour,
        **({} if face is None else {"face": face.get("typeface")}),
    }


def _runs(body: Node) -> tuple[Run, ...]:
    """The original runs: line feeds end paragraphs, and equal neighbours are merged."""
    pieces: list[Run] = []
    for i, paragraph in enumerate(body.findall(tag("a:p"))):
        if i and pieces:
            pieces[-1] = pieces[-1].model_copy(update={"text": pieces[-1].text + "\n"})
        elif i:
            pieces.append(Run(text="\n"))
        for node in paragraph.findall(tag("a:r")):
            piece, last = _run(node), pieces[-1] if pieces else None
            if last is not None and last.model_copy(update={"text": piece.text}) == piece:
                pieces[-1] = last.model_copy(update={"text": last.text + piece.text})
            else:
                pieces.append(piece)
    return tuple(piece for piece in pieces if piece.text)


def _run(node: Node) -> Run:
    """A run, with its own style."""
    properties = find(node, "a:rPr")
    if properties is None:
        return Run(text=raw_text(node))
    own = {name: properties.get(key) for name, key in (("bold", "b"), ("italic", "i"), ("underline", "u"))}
    size = properties.get("sz")
    return Run(
        text=raw_text(node),
        colour=_colour_in(properties),
        size=None if size is None else pixels_of(int(size)),
        **{name: value in ("1", "sng") for name, value in own.items() if value is not None},
    )


def _colour_in(parent: Node) -> Colour | None:
    found = find(parent, "a:solidFill/a:srgbClr")
    return None if found is None else unhexed(found.get("val"))


def _line_of(properties: Node) -> Fields:
    line = find(properties, "a:ln")
    colour = _colour_in(line)
    if colour is None:
        return {"stroke": None, "stroke_width": 0}
    return {"stroke": colour, "stroke_width": round(int(line.get("w", EMU)) / EMU)}


_READERS = {
    "text": _text,
    "list": _text,
    "shape": _shape,
    "image": _image,
    "line": _line,
    "table": _table,
    "group": _group,
}
