"""Patch a slide: delete, add, change, move and reorder its shapes."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import astuple, replace
from typing import Any

from ..scene.document import Page
from ..scene.elements import Element
from .chart_patcher import workbook_of
from .charts import chart_part
from .deck import Slide, SlideShape, alternatives, line_of, notes_body, notes_part, shape_in, shapes_of, transform_of
from .shape_factory import new_shape, picture_fill, picture_link
from .shape_patcher import patch_shape
from .slide_parts import forget, give_own_parts
from .transforms import Frame, Placed, frame_of, placed_by, write_box
from .xml import Node, children, drop, find, kind_of, made, solid, tag
from .xml import number as number_of

_STILL = 0.01
"""A shape that would move by less than this, in pixels, stays."""


class PagePatch:
    """The changes of an edit to a slide.

    Args:
        slide: whose XML is changed.
        was: the page before the edit.
        page: and after it.
        number: of the page after the edit, counted from 0.

    Attributes:
        notes: what could not be written, a sentence each.
    """

    def __init__(self, slide: Slide, was: Page, page: Page, number: int) -> None:
        self.slide = slide
        self.notes: list[str] = []
        self._old = {element.id: element for element in was.elements}
        self._new = {element.id: element for element in page.elements}
        self._named = {element.name: element for element in self._old.values() if element.name}
        self._found = {found.id: found for found in shapes_of(slide)}
        self._boxes = {name: found.on_slide for name, found in self._found.items()}
        self._nodes: dict[str, Node] = {}
        self._models = {name: self._old[name] for name in self._new if self._stays(name)}
        self._page = page
        is_ground = page.backdrop is None and page.background != was.background
        self._has_ground = is_ground or page.backdrop != was.backdrop
        if page.notes != was.notes and not _set_notes(slide, page.notes):
            self.notes.append(f"the notes of page {number + 1} cannot be written: its slide has no place for notes")
        self._last = max([1, *(number_of(about, "id") for about in slide.root.iter(tag("p:cNvPr")))])

    def write(self) -> None:
        """Write all changes into the slide's XML."""
        if self._has_ground:
            _set_background(self.slide, self._page)
        copies = {name: self._copied(element) for name, element in self._new.items() if not self._stays(name)}
        gone = [name for name in self._old if name not in self._new or name in copies]
        self._take_out(gone)
        self._nodes = {name: found.node for name, found in self._found.items()} | copies
        for name, node in copies.items():
            self._container(self._new[name].parent).append(node)
        self._put_in_order()
        for name, element in self._new.items():
            if name in self._models:
                self._patch(name, self._models[name], element)
            elif name in copies:
                self._place_in_group(copies[name], element)

    def changed_charts(self) -> Iterator[Any]:
        """The parts of charts whose data differ, and of the workbooks behind them."""
        for name, model in self._models.items():
            if model.chart != self._new[name].chart:
                part = chart_part(replace(self._found[model.id], shape=shape_in(self._nodes[name])))
                yield part
                if (workbook := workbook_of(part)) is not None:
                    yield workbook

    def _stays(self, name: str) -> bool:
        """Whether an element keeps its shape; a freed id may belong to another element."""
        old, new = self._old.get(name), self._new[name]
        if old is None:
            return False
        is_same = (old.type, old.parent, old.name) == (new.type, new.parent, new.name)
        return is_same and not self._is_swapped(old, new)

    def _is_swapped(self, old: Element, new: Element) -> bool:
        """Whether a picture takes the place of what only looks like one, such as a chart."""
        is_picture = picture_fill(self._found[old.id].shape) is not None
        return old.type == "image" and not is_picture and old.asset != new.asset

    def _copied(self, element: Element) -> Node:
        """A new shape for an element: a copy of its model's shape, if it has one."""
        model = self._named.get(element.name)
        if model is None or model.type != element.type or self._is_swapped(model, element):
            return self._numbered(new_shape(self.slide, element))
        source = self._found[model.id]
        self._models[element.id] = model
        node = deepcopy(source.node)
        if source.kind == "grpSp":
            for child in [child for child in children(node) if shape_in(child) is not None]:
                node.remove(child)
        give_own_parts(node, self.slide.part)
        return self._numbered(node)

    def _numbered(self, node: Node) -> Node:
        """A shape with a new number."""
        for about in node.iter(tag("p:cNvPr")):
            self._last += 1
            about.set("id", str(self._last))
            drop(about, "a:extLst")
        return node

    def _container(self, parent: str | None) -> Node:
        return self.slide.tree if parent is None else self._nodes[parent]

    def _take_out(self, gone: list[str]) -> None:
        numbers: set[str] = set()
        for node in [self._found[name].node for name in gone]:
            if node.getparent() is not None:
                numbers |= {about.get("id") for about in node.iter(tag("p:cNvPr"))}
                node.getparent().remove(node)
        if numbers:
            forget(self.slide.root, numbers)

    def _put_in_order(self) -> None:
        """Reorder shapes within their positions; other nodes stay where they are."""
        for parent in dict.fromkeys(element.parent for element in self._new.values()):
            nodes = [self._nodes[name] for name, element in self._new.items() if element.parent == parent]
            container, moving = self._container(parent), set(nodes)
            if [child for child in container if child in moving] != nodes:
                at = min(map(container.index, nodes))
                for node in nodes:
                    container.remove(node)
                container[at:at] = nodes

    def _patch(self, name: str, before: Element, after: Element) -> None:
        source, node = self._found[before.id], self._nodes[name]
        found = replace(source, id=name, node=node, shape=shape_in(node), frame=None, parent=after.parent)
        if before != after:
            self.notes += patch_shape(found, before, after)
        self._place(found, before, after)

    def _place_in_group(self, node: Node, element: Element) -> None:
        """Give a new shape in a group the place of its element.

        A group has its own coordinates.
        """
        frame, box = self._frame(element.parent), placed_by(transform_of(node))
        if frame is not None and box is not None:
            _write_box(node, frame.into(box))

    def _place(self, found: SlideShape, before: Element, after: Element) -> None:
        """Move a shape to its element's place, even if its group moves otherwise."""
        target = _shifted(self._boxes[before.id], before, after, self.slide.emu)
        frame = self._frame(after.parent)
        local = target if frame is None else frame.into(target)
        if _is_near(local, found.placed, _STILL * self.slide.emu):
            return
        if found.kind == "graphicFrame" and before.angle != after.angle:
            self.notes.append(f"{after.name or after.id} cannot be turned in a PowerPoint file")
        for shape in alternatives(found.node):
            if shape.tag.endswith("}contentPart") or not _write_box(shape, local):
                self.notes.append(f"{after.name or after.id} cannot be moved in a PowerPoint file")

    def _frame(self, parent: str | None) -> Frame | None:
        """The frame of a group after the edit."""
        if parent is None:
            return None
        element = self._new[parent]
        outer = self._frame(element.parent)
        transform = find(self._nodes[parent], "p:grpSpPr/a:xfrm")
        model = self._models.get(parent)
        if model is None:
            return frame_of(transform, outer)
        target = _shifted(self._boxes[model.id], model, element, self.slide.emu)
        local = target if outer is None else outer.into(target)
        return frame_of(transform, outer, local)


def _set_background(slide: Slide, page: Page) -> None:
    """Give a slide the background of a page: a colour or a picture."""
    fill = solid(page.background)
    if page.backdrop is not None:
        blip = made("a:blip")
        blip.set(tag("r:embed"), picture_link(slide, page.backdrop, (page.width, page.height)))
        fill = made("a:blipFill", blip, made("a:stretch", made("a:fillRect")))
    sheet = find(slide.root, "p:cSld")
    drop(sheet, "p:bg")
    sheet.insert(0, made("p:bg", made("p:bgPr", fill, made("a:effectLst"))))


def _set_notes(slide: Slide, notes: str) -> bool:
    """Write the notes of a slide; ``False`` if they have no place. Lines that stay keep their style."""
    if notes_part(slide) is None:
        # Asked for, python-pptx makes the notes of a slide, and the master of all notes.
        _ = slide.part.notes_slide
    body = notes_body(slide)
    if body is None:
        return False
    lines, paragraphs = notes.split("\n"), body.findall(tag("a:p"))
    for paragraph in paragraphs[len(lines) :]:
        body.remove(paragraph)
    for i, line in enumerate(lines):
        if i < len(paragraphs):
            paragraph = paragraphs[i]
        else:
            paragraph = deepcopy(body[-1]) if paragraphs else made("a:p")
            body.append(paragraph)
        if line_of(paragraph) != line:
            run = find(paragraph, "a:r")
            run = made("a:r", made("a:t")) if run is None else run
            drop(paragraph, "a:r", "a:br", "a:fld")
            find(run, "a:t").text = line
            paragraph.insert(0 if find(paragraph, "a:pPr") is None else 1, run)
    return True


def _shifted(box: Placed, before: Element, after: Element, emu: float) -> Placed:
    """A box, moved, resized and turned like its element, with sub-pixel precision."""
    left, top, width, height = ((new - old) * emu for old, new in zip(before.bbox, after.bbox, strict=True))
    # An extent that is changed from nothing has a pixel in its element.
    wide = max(box.width + width, 1.0) if width else box.width
    high = max(box.height + height, 1.0) if height else box.height
    return Placed(box.left + left, box.top + top, wide, high, box.angle + after.angle - before.angle)


def _is_near(one: Placed, other: Placed, far: float) -> bool:
    *sides, angle = (a - b for a, b in zip(astuple(one), astuple(other), strict=True))
    return all(abs(side) <= far for side in sides) and abs((angle + 180) % 360 - 180) < 0.001


def _write_box(shape: Node, box: Placed) -> bool:
    """Write the place of a shape; ``False`` if it has none that can be written."""
    kind = kind_of(shape)
    transform = transform_of(shape)
    if transform is None:
        properties = find(shape, "p:grpSpPr" if kind == "grpSp" else "p:spPr")
        if properties is None:
            return False
        transform = made("a:xfrm")
        properties.insert(0, transform)
    if kind == "grpSp" and find(transform, "a:chExt") is None:
        # A group without measures of its own has no place: what is in it has.
        return True
    if placed_by(transform) is None:
        drop(transform, "a:off", "a:ext")
        transform.insert(0, made("a:ext", cx="0", cy="0"))
        transform.insert(0, made("a:off", x="0", y="0"))
    old = placed_by(transform)
    write_box(transform, box, is_turned=kind != "graphicFrame")
    if kind == "graphicFrame" and old is not None:
        _stretch_table(shape, box, old)
    return True


def _stretch_table(frame: Node, box: Placed, old: Placed) -> None:
    """Resize the columns and rows of a table to its frame."""
    for name, key, new, known in (("a:gridCol", "w", box.width, old.width), ("a:tr", "h", box.height, old.height)):
        for part in frame.iter(tag(name)) if known and abs(new - known) >= 1 else ():
            part.set(key, str(max(1, round(number_of(part, key) * (new / known)))))
