"""Patch single shapes: their style and content."""

from __future__ import annotations

from collections.abc import Iterator

from ..scene.elements import Colour, Element
from .chart_patcher import patch_chart
from .deck import SlideShape
from .shape_factory import cut_off, fading, picture_fill, picture_link
from .shape_style import outline_of, shade_of
from .table_patcher import patch_table
from .text_patcher import patch_text
from .text_reader import pieces_of, sources_of
from .xml import ANCHORS, drop, empty_body, find, set_fill, set_geometry, set_outline, tag, truth


def patch_shape(found: SlideShape, before: Element, after: Element) -> Iterator[str]:
    """Patch a shape with the changes of its element, except its place.

    Yields:
        What could not be written, a sentence each.
    """
    if before.type in ("text", "list", "shape"):
        _patch_lettered(found, before, after)
    elif before.type == "table":
        yield from patch_table(found, before, after)
    elif before.type == "line":
        _patch_line(found, before, after)
    elif before.type == "image" and picture_fill(found.shape) is not None:
        _patch_picture(found, before, after)
    elif before.type == "chart":
        yield from patch_chart(found, before, after)
    elif (before.opacity, before.style, before.crop) != (after.opacity, after.style, after.crop):
        yield f"{after.name or after.id} can only be moved, resized, deleted or replaced in a PowerPoint file"


def _patch_lettered(found: SlideShape, before: Element, after: Element) -> None:
    body = find(found.shape, "p:txBody")
    if body is None and after.runs:
        body = empty_body("p:txBody")
        found.shape.append(body)
    if body is not None:
        if "".join(piece.text for piece in pieces_of(body)) != before.text:
            raise ValueError(f"{before.id} does not say what it said when the file was read")
        patch_text(body, sources_of(found, body), before, after)
        if before.style.anchor != after.style.anchor:
            find(body, "a:bodyPr").set("anchor", ANCHORS[after.style.anchor])
    frame = find(body, "a:bodyPr")
    if before.bbox[2] != after.bbox[2] and frame is not None and frame.get("wrap") == "none":
        # Text with a set width is broken into lines.
        frame.set("wrap", "square")
    if before.shape != after.shape or before.style.radius != after.style.radius:
        set_geometry(find(found.shape, "p:spPr"), after)
    _patch_paint(found, before, after)


def _patch_paint(found: SlideShape, before: Element, after: Element) -> None:
    """Patch the fill and outline of a shape where they or the opacity differ."""
    fades, fill = before.opacity != after.opacity, after.style.fill
    has_fill = shade_of(found) is not None
    if before.style.fill != fill or (fades and has_fill and fill is not None):
        set_fill(find(found.shape, "p:spPr"), fill, after.opacity)
    if _stroke(before) != _stroke(after) or (fades and outline_of(found, found.properties)[0]):
        _patch_outline(found, before, after)


def _stroke(element: Element) -> tuple[Colour | None, int]:
    return element.style.stroke, element.style.stroke_width


def _patch_outline(found: SlideShape, before: Element, after: Element) -> None:
    stroke, width = _stroke(after)
    new_width = None if width == before.style.stroke_width else round(width * found.slide.emu)
    set_outline(find(found.shape, "p:spPr"), stroke if width else None, after.opacity, new_width)


def _patch_line(found: SlideShape, before: Element, after: Element) -> None:
    if before.style != after.style or before.opacity != after.opacity:
        _patch_outline(found, before, after)
    if before.rises != after.rises:
        transform = found.transform
        transform.set("flipV", "0" if truth(transform.get("flipV")) else "1")


def _patch_picture(found: SlideShape, before: Element, after: Element) -> None:
    fill = picture_fill(found.shape)
    blip = find(fill, "a:blip")
    if before.asset != after.asset and after.asset is not None:
        blip.attrib.clear()
        blip.set(tag("r:embed"), picture_link(found.slide, after.asset, after.bbox[2:]))
        # What belonged to the old picture: its drawing in another format, and its colours.
        drop(blip, "a:extLst", "a:duotone", "a:clrChange", "a:lum", "a:grayscl", "a:biLevel")
    if before.crop != after.crop:
        drop(fill, "a:srcRect")
        blip.addnext(cut_off(after.crop))
    if before.opacity != after.opacity:
        drop(blip, "a:alphaModFix")
        if after.opacity < 1:
            blip.insert(0, fading(after.opacity))
