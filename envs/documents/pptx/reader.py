"""Read documents exported by ``write_pptx``, with later changes."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from ..painting.pictures import embed, is_picture
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element, Run, Style
from .deck import Deck, shape_in
from .xml import ALIGNS, ANCHORS, EMU, LINE, SHAPES, children, find, missing_library, pixels_of, tag, unhexed

_SHAPES = {preset: shape for shape, preset in SHAPES.items()} | {"roundRect": "rectangle"}
_ALIGNS = {code: align for align, code in ALIGNS.items()}
_ANCHORS = {code: anchor for anchor, code in ANCHORS.items()}


def read_pptx(source: Path | bytes) -> Document:
    """The document in a PowerPoint file of ours, given by its path or its content.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if the file is no PowerPoint file, or holds what was not written by ``write_pptx``.
    """
    try:
        from pptx import Presentation
        from pptx.exc import PackageNotFoundError
    except ImportError:
        raise missing_library() from None
    try:
        deck = Presentation(io.BytesIO(source) if isinstance(source, bytes) else str(source))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise ValueError(f"{'this' if isinstance(source, bytes) else source} is no PowerPoint file: {error}") from None
    size = round((deck.slide_width or 0) / EMU), round((deck.slide_height or 0) / EMU)
    about = deck.core_properties
    return Document(
        name=about.identifier or "deck",
        title=about.title or "Slides",
        kind=about.subject or "slides",
        pages=tuple(_page(slide, size) for slide in deck.slides),
    )


def is_ours(deck: Deck) -> bool:
    """Whether all that stands in a deck was written by ``write_pptx``."""
    shapes = [shape for slide in deck.slides for shape in children(slide.tree) if find(shape, "p:nvPr") is None]
    abouts = [next(shape.iter(tag("p:cNvPr")), None) for shape in shapes if shape_in(shape) is not None]
    return bool(abouts) and all(
        about is not None and about.get("title") and "type=" in about.get("descr", "") for about in abouts
    )


def _page(slide: Any, size: tuple[int, int]) -> Page:
    background = unhexed(str(slide.background.fill.fore_color.rgb))
    elements = tuple(_element(shape) for shape in slide.shapes)
    return Page(width=size[0], height=size[1], background=background, elements=elements)


def _element(shape: Any) -> Element:
    about = shape._element.xpath(".//p:cNvPr")[0]
    attributes = dict(part.split("=", 1) for part in about.get("descr", "").split("; ") if "=" in part)
    kind = attributes.get("type")
    if kind not in _READERS or not about.get("title"):
        raise ValueError(f"the shape {shape.name!r} was not written by formgym")
    fields: dict[str, Any] = {
        "id": about.get("title"),
        "type": kind,
        "name": about.get("name"),
        "bbox": tuple(round(v / EMU) for v in (shape.left, shape.top, shape.width, shape.height)),
        "angle": 0 if kind == "table" else shape.rotation % 360,
        "parent": attributes.get("parent"),
    }
    if "thick" in attributes:
        fields["bbox"] = _thick(fields["bbox"], int(attributes["thick"]))
    return Element.model_validate(fields | _READERS[kind](shape, attributes))


def _thick(box: tuple[int, int, int, int], thick: int) -> tuple[int, int, int, int]:
    """The box of a line that is level or upright."""
    left, top, width, height = box
    if width < height:
        return left - thick // 2, top, thick, height
    return left, top - thick // 2, width, thick


def _text(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    style, opacity = _level_style(shape)
    return {"style": style, "opacity": opacity, "runs": _runs(shape.text_frame)}


def _shape(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    geometry = shape._element.spPr.find(tag("a:prstGeom"))
    style, opacity = _level_style(shape)
    radius = [int(guide.get("fmla").split()[1]) for guide in geometry.iter(tag("a:gd"))]
    fill, stroke = _colour_in(shape._element.spPr), _line_of(shape)
    style |= {"fill": fill, **stroke}
    if radius:
        style["radius"] = round(radius[0] / 100_000 * min(shape.width, shape.height) / EMU)
    fields = {"style": style, "opacity": opacity, "shape": _SHAPES[geometry.get("prst")]}
    return fields | {"runs": _runs(shape.text_frame)}


def _image(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    asset = attributes.get("asset")
    if asset is not None and not is_picture(asset):
        # It came with another file; what is left of it is what is shown here.
        asset = embed(shape.image.blob)
    return {"asset": asset, "opacity": _opacity(shape._element, "a:alphaModFix", "amt")}


def _line(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    frame = shape._element.spPr.find(tag("a:xfrm"))
    return {
        "rises": attributes["rises"] == "1" if "rises" in attributes else frame.get("flipV") == "1",
        "style": _line_of(shape),
        "opacity": _opacity(shape._element),
    }


def _table(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    table = shape.table
    cells = tuple(tuple(cell.text for cell in row.cells) for row in table.rows)
    head, body = table.cell(0, 0)._tc, table.cell(len(cells) - 1, 0)._tc
    texts = [*body.iter(tag("a:rPr")), *head.iter(tag("a:rPr"))]
    style = _run_style(texts[0]) if texts else {}
    aligned = [p.get("algn") for p in body.iter(tag("a:pPr"))]
    edge = head.tcPr.find(tag("a:lnL"))
    style |= {"align": _ALIGNS[aligned[0]]} if aligned else {}
    style |= {"fill": _colour_in(head.tcPr)}
    if edge is not None:
        style |= {"stroke": _colour_in(edge), "stroke_width": round(int(edge.get("w")) / EMU)}
    widths = [column.width for column in table.columns]
    return {
        "cells": cells,
        "columns": () if max(widths) - min(widths) <= 2 else tuple(widths),
        "style": style,
        "opacity": _opacity(shape._element),
    }


def _group(shape: Any, attributes: dict[str, str]) -> dict[str, Any]:
    return {}


def _level_style(shape: Any) -> tuple[dict[str, Any], float]:
    """The style of all text in a shape, and its opacity."""
    body = shape.text_frame._txBody
    level = body.find(f"{tag('a:lstStyle')}/{tag('a:lvl1pPr')}")
    default = level.find(tag("a:defRPr"))
    spacing = level.find(f"{tag('a:lnSpc')}/{tag('a:spcPct')}")
    style = _run_style(default) | {
        "align": _ALIGNS[level.get("algn", "l")],
        "anchor": _ANCHORS[body.bodyPr.get("anchor", "t")],
        "line_height": round(int(spacing.get("val")) / 100_000 * LINE, 3),
    }
    return style, _opacity(default)


def _opacity(parent: Any, name: str = "a:alpha", attribute: str = "val") -> float:
    """The first opacity in a part of the file; 1 if there is none."""
    return next((int(found.get(attribute)) / 100_000 for found in parent.iter(tag(name))), 1.0)


def _run_style(properties: Any) -> dict[str, Any]:
    face = properties.find(tag("a:latin"))
    return {
        "bold": properties.get("b") == "1",
        "italic": properties.get("i") == "1",
        "underline": properties.get("u") == "sng",
        "size": pixels_of(int(properties.get("sz", "1500"))),
        "colour": _colour_in(properties) or Style().colour,
        **({} if face is None else {"face": face.get("typeface")}),
    }


def _runs(frame: Any) -> tuple[Run, ...]:
    """Runs as they were: paragraphs are parted by line feeds, and neighbours in one style are one."""
    pieces: list[Run] = []
    for i, paragraph in enumerate(frame.paragraphs):
        if i and pieces:
            pieces[-1] = pieces[-1].model_copy(update={"text": pieces[-1].text + "\n"})
        elif i:
            pieces.append(Run(text="\n"))
        for run in paragraph.runs:
            piece = _run(run)
            if pieces and _look(pieces[-1]) == _look(piece):
                pieces[-1] = pieces[-1].model_copy(update={"text": pieces[-1].text + piece.text})
            else:
                pieces.append(piece)
    return tuple(piece for piece in pieces if piece.text)


def _run(run: Any) -> Run:
    properties = run._r.find(tag("a:rPr"))
    attributes: dict[str, Any] = {}
    if properties is not None:
        for name, key in (("bold", "b"), ("italic", "i")):
            if properties.get(key) is not None:
                attributes[name] = properties.get(key) == "1"
        if properties.get("u") is not None:
            attributes["underline"] = properties.get("u") == "sng"
        if properties.get("sz") is not None:
            attributes["size"] = pixels_of(int(properties.get("sz")))
        attributes["colour"] = _colour_in(properties)
    return Run(text=run.text, **attributes)


def _look(run: Run) -> tuple[Any, ...]:
    return run.bold, run.italic, run.underline, run.colour, run.size


def _colour_in(parent: Any) -> Colour | None:
    found = parent.find(f"{tag('a:solidFill')}/{tag('a:srgbClr')}")
    return None if found is None else unhexed(found.get("val"))


def _line_of(shape: Any) -> dict[str, Any]:
    line = shape._element.spPr.find(tag("a:ln"))
    colour = None if line is None else _colour_in(line)
    if line is None or colour is None:
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
