"""Patch single shapes: their style and content."""

from __future__ import annotations

import io
from collections.abc import Iterator
from copy import deepcopy

from ..painting.pictures import fine_png
from ..scene.elements import Colour, Element
from .deck import SlideShape
from .shape_factory import fading
from .shape_style import outline_of, shade_of
from .tables import cell_text
from .text_patcher import opcodes, patch_look, patch_paragraphs, patch_text, patch_words
from .text_reader import look_of, pieces_of, sources_of
from .xml import (
    ANCHORS,
    Node,
    drop,
    ensured,
    find,
    made,
    set_fill,
    set_geometry,
    set_outline,
    set_rules,
    tag,
    truth,
)  # fmt: skip


def patch_shape(found: SlideShape, before: Element, after: Element) -> Iterator[str]:
    """Patch a shape with the changes of its element, except its place.

    Yields:
        What could not be written, a sentence each.
    """
    if before.type in ("text", "list", "shape"):
        _patch_lettered(found, before, after)
    elif before.type == "table":
        yield from _patch_table(found, before, after)
    elif before.type == "line":
        _patch_line(found, before, after)
    elif before.type == "image" and found.kind == "pic":
        _patch_picture(found, before, after)
    elif (before.opacity, before.style, before.chart) != (after.opacity, after.style, after.chart):
        yield f"{after.name or after.id} can only be moved, resized, deleted or replaced in a PowerPoint file"


def _patch_lettered(found: SlideShape, before: Element, after: Element) -> None:
    body = find(found.shape, "p:txBody")
    if body is None and after.runs:
        body = _empty_body("p:txBody")
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
    blip = find(found.shape, "p:blipFill/a:blip")
    if before.asset != after.asset and after.asset is not None:
        picture = io.BytesIO(fine_png(after.asset, *after.bbox[2:]))
        _, link = found.slide.part.get_or_add_image_part(picture)
        blip.attrib.clear()
        blip.set(tag("r:embed"), link)
        # What belonged to the old picture: its drawing in another format, its colours, and what is cut off.
        drop(blip, "a:extLst", "a:duotone", "a:clrChange", "a:lum", "a:grayscl", "a:biLevel")
        drop(find(found.shape, "p:blipFill"), "a:srcRect")
    if before.opacity != after.opacity:
        drop(blip, "a:alphaModFix")
        if after.opacity < 1:
            blip.insert(0, fading(after.opacity))


def _patch_table(found: SlideShape, before: Element, after: Element) -> Iterator[str]:
    table = find(found.shape, "a:graphic/a:graphicData/a:tbl")
    if before.cells != after.cells:
        _fit_columns(table, len(after.cells[0]) - len(before.cells[0]))
        _fit_rows(table, before, after)
    if len(before.cells) != len(after.cells) or before.rows != after.rows:
        _size_rows(table, after, found.slide.emu)
    rows = [row.findall(tag("a:tc")) for row in table.findall(tag("a:tr"))]
    for row, texts in zip(rows, after.cells, strict=True):
        for cell, text in zip(row, texts, strict=True):
            if cell_text(cell) != text:
                body = _body(cell)
                patch_words(body, sources_of(found, body), text)
    for i, row in enumerate(rows):
        for cell in row:
            _patch_cell(cell, found, before, after, is_head=i == 0)
    if before.opacity != after.opacity:
        yield f"{after.name or after.id}, a table, cannot be transparent in a PowerPoint file"


def _fit_columns(table: Node, more: int) -> None:
    """Add copies of the last column at the end, or remove the last columns."""
    grid = find(table, "a:tblGrid")
    for _ in range(abs(more)):
        last = grid.findall(tag("a:gridCol"))[-1]
        last.addnext(_copied(last)) if more > 0 else grid.remove(last)
        for row in table.findall(tag("a:tr")):
            cell = row.findall(tag("a:tc"))[-1]
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
    for _, i, j, k, end in opcodes(old, new):
        for at in range(end - k):
            made_of.append(rows[i + at] if i + at < j else _copied(rows[max(j - 1, 0)]))
    for row in rows:
        table.remove(row)
    place = table.index(find(table, "a:tblGrid")) + 1
    table[place:place] = made_of


def _size_rows(table: Node, after: Element, emu: float) -> None:
    """Make the rows as high as those of an element are."""
    shares = after.rows or (1.0,) * len(after.cells)
    for row, share in zip(table.findall(tag("a:tr")), shares, strict=True):
        row.set("h", str(round(after.bbox[3] * share / sum(shares) * emu)))


def _copied(node: Node) -> Node:
    again = deepcopy(node)
    drop(again, "a:extLst")
    return again


def _body(cell: Node) -> Node:
    body = find(cell, "a:txBody")
    if body is None:
        body = _empty_body("a:txBody")
        cell.insert(0, body)
    return body


def _empty_body(name: str) -> Node:
    """A text body with the given tag and one empty paragraph."""
    return made(name, made("a:bodyPr"), made("a:lstStyle"), made("a:p"))


def _patch_cell(cell: Node, found: SlideShape, before: Element, after: Element, is_head: bool) -> None:
    """Patch the style of a table's cell where it differs."""
    old, new = before.style, after.style
    body, look = _body(cell), look_of(new)
    changes = tuple((name, value) for name, value in look._asdict().items() if value != getattr(look_of(old), name))
    if changes:
        patch_look(body, sources_of(found, body), changes)
    patch_paragraphs(body, before, after)
    if is_head and old.fill != new.fill:
        set_fill(ensured(cell, "a:tcPr", 1), new.fill)
    if _stroke(before) != _stroke(after):
        set_rules(cell, after, found.slide.emu)
