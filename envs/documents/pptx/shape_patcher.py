"""Patch single shapes: their style and content."""

from __future__ import annotations

import io
from collections.abc import Iterator
from copy import deepcopy
from difflib import SequenceMatcher

from ..painting.pictures import fine_png
from ..scene.elements import Element
from .deck import Deck, Slide, SlideShape
from .graphics import cell_text
from .shape_style import outline_of, shade_of
from .shape_xml import cell_properties, empty_body, set_geometry, set_rules, solid
from .text_patcher import paragraph_properties, patch_look, patch_text, patch_words
from .text_reader import pieces_of, sources_of
from .xml import ALIGNS, ANCHORS, FILLS, Node, children, drop, find, made, put, tag

_LOOKS = ("bold", "italic", "underline", "colour", "size", "face")
_OUTLINE = ("stroke", "stroke_width")


def patch_shape(found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> Iterator[str]:
    """Patch a shape with the changes of its element, except its place.

    Yields:
        What could not be written, a sentence each.
    """
    if before.type in ("text", "list", "shape"):
        _patch_lettered(found, slide, deck, before, after)
    elif before.type == "table":
        yield from _patch_table(found, slide, deck, before, after)
    elif before.type == "line":
        _patch_line(found, slide, deck, before, after)
    elif before.type == "image" and found.kind == "pic":
        _patch_picture(found, slide, before, after)
    elif (before.opacity, before.style) != (after.opacity, after.style):
        yield f"{after.name or after.id} can only be moved, resized, deleted or replaced in a PowerPoint file"


def _patch_lettered(found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> None:
    properties = find(found.shape, "p:spPr")
    body = find(found.shape, "p:txBody")
    if body is None and after.runs:
        body = empty_body("p:txBody")
        found.shape.append(body)
    if body is not None:
        sources = sources_of(found, slide, body, deck.emu)
        if "".join(piece.text for piece in pieces_of(body)) != before.text:
            raise ValueError(f"{before.id} does not say what it said when the file was read")
        patch_text(body, sources, before, after)
        if before.style.anchor != after.style.anchor:
            find(body, "a:bodyPr").set("anchor", ANCHORS[after.style.anchor])
    frame = find(body, "a:bodyPr")
    if before.bbox[2] != after.bbox[2] and frame is not None and frame.get("wrap") == "none":
        # Text with a set width is broken into lines.
        frame.set("wrap", "square")
    if before.shape != after.shape or before.style.radius != after.style.radius:
        set_geometry(properties, after)
    _patch_paint(found, slide, deck, before, after)


def _patch_paint(found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> None:
    """Patch the fill and outline of a shape where they or the opacity differ."""
    properties = find(found.shape, "p:spPr")
    followed = [one for base in (found.shape, *found.bases) if (one := find(base, "p:spPr")) is not None]
    fades = before.opacity != after.opacity
    has_fill = shade_of(found, followed, slide.theme) is not None
    if before.style.fill != after.style.fill or (fades and has_fill and after.style.fill is not None):
        drop(properties, FILLS)
        fill = after.style.fill
        put(properties, "p:spPr", made("a:noFill") if fill is None else solid(fill, after.opacity))
    differs = any(getattr(before.style, name) != getattr(after.style, name) for name in _OUTLINE)
    if differs or (fades and outline_of(found, followed, slide.theme, deck.emu)):
        _set_outline(properties, deck, before, after)


def _set_outline(properties: Node, deck: Deck, before: Element, after: Element) -> None:
    line = find(properties, "a:ln")
    if line is None:
        line = made("a:ln")
        put(properties, "p:spPr", line)
    style = after.style
    is_seen = style.stroke is not None and style.stroke_width > 0
    if before.style.stroke_width != style.stroke_width and is_seen:
        line.set("w", str(round(style.stroke_width * deck.emu)))
    drop(line, FILLS)
    ink = solid(style.stroke, after.opacity) if is_seen and style.stroke is not None else made("a:noFill")
    put(line, "a:ln", ink)


def _patch_line(found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> None:
    if before.style != after.style or before.opacity != after.opacity:
        _set_outline(find(found.shape, "p:spPr"), deck, before, after)
    if before.rises != after.rises:
        transform = found.transform
        flipped = transform.get("flipV") in ("1", "true")
        transform.set("flipV", "0" if flipped else "1")


def _patch_picture(found: SlideShape, slide: Slide, before: Element, after: Element) -> None:
    blip = find(found.shape, "p:blipFill/a:blip")
    if before.asset != after.asset and after.asset is not None:
        _, link = slide.part.get_or_add_image_part(io.BytesIO(fine_png(after.asset, *after.bbox[2:])))
        for key in list(blip.attrib):
            del blip.attrib[key]
        blip.set(tag("r:embed"), link)
        # What belonged to the old picture: its drawing in another format, its colours, and what is cut off.
        drop(blip, ("a:extLst", "a:duotone", "a:clrChange", "a:lum", "a:grayscl", "a:biLevel"))
        drop(find(found.shape, "p:blipFill"), ("a:srcRect",))
    if before.opacity != after.opacity:
        drop(blip, ("a:alphaModFix",))
        if after.opacity < 1:
            blip.insert(0, made("a:alphaModFix", amt=str(round(after.opacity * 100_000))))


def _patch_table(found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> Iterator[str]:
    table = find(found.shape, "a:graphic/a:graphicData/a:tbl")
    if before.cells != after.cells:
        _fit_columns(table, len(after.cells[0]) - len(before.cells[0]))
        _fit_rows(table, before, after)
    for row, texts in zip(table.findall(tag("a:tr")), after.cells, strict=True):
        for cell, text in zip(_cells(row), texts, strict=True):
            if cell_text(cell) != text:
                body = _body(cell)
                patch_words(body, sources_of(found, slide, body, deck.emu), text)
    _patch_cells(table, found, slide, deck, before, after)
    if before.opacity != after.opacity:
        yield f"{after.name or after.id}, a table, cannot be seen through in a PowerPoint file"


def _fit_columns(table: Node, more: int) -> None:
    """Add copies of the last column at the end, or remove the last columns."""
    grid = find(table, "a:tblGrid")
    for _ in range(abs(more)):
        last = grid.findall(tag("a:gridCol"))[-1]
        last.addnext(_copied(last)) if more > 0 else grid.remove(last)
        for row in table.findall(tag("a:tr")):
            cell = _cells(row)[-1]
            cell.addnext(_copied(cell)) if more > 0 else row.remove(cell)


def _fit_rows(table: Node, before: Element, after: Element) -> None:
    """Remove deleted rows, and add copies of the rows before new ones.

    The cells are written later.
    """
    if len(before.cells) == len(after.cells):
        return
    rows = table.findall(tag("a:tr"))
    old, new = [" ".join(row) for row in before.cells], [" ".join(row) for row in after.cells]
    made_of: list[Node] = []
    for kind, i, j, k, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for at in range(end - k):
            kept = i + at if i + at < j and kind != "insert" else None
            made_of.append(rows[kept] if kept is not None else _copied(rows[max(i - 1, 0) if i == j else j - 1]))
    for row in rows:
        table.remove(row)
    place = len(find(table, "a:tblGrid").getparent()[: table.index(find(table, "a:tblGrid")) + 1])
    for i, row in enumerate(made_of):
        table.insert(place + i, row)


def _copied(node: Node) -> Node:
    again = deepcopy(node)
    drop(again, ("a:extLst",))
    return again


def _cells(row: Node) -> list[Node]:
    return [cell for cell in children(row) if cell.tag == tag("a:tc")]


def _body(cell: Node) -> Node:
    body = find(cell, "a:txBody")
    if body is None:
        body = empty_body("a:txBody")
        cell.insert(0, body)
    return body


def _patch_cells(table: Node, found: SlideShape, slide: Slide, deck: Deck, before: Element, after: Element) -> None:
    """Patch the style of a table's cells where it differs."""
    old, new = before.style, after.style
    looks = tuple((name, getattr(new, name)) for name in _LOOKS if getattr(old, name) != getattr(new, name))
    for i, row in enumerate(table.findall(tag("a:tr"))):
        for cell in _cells(row):
            body = _body(cell)
            if looks:
                patch_look(body, sources_of(found, slide, body, deck.emu), looks)
            for paragraph in body.findall(tag("a:p")) if old.align != new.align else ():
                paragraph_properties(paragraph).set("algn", ALIGNS[new.align])
            if i == 0 and old.fill != new.fill:
                drop(cell_properties(cell), FILLS)
                put(cell_properties(cell), "a:tcPr", made("a:noFill") if new.fill is None else solid(new.fill))
            if (old.stroke, old.stroke_width) != (new.stroke, new.stroke_width):
                set_rules(cell, after, deck.emu)
