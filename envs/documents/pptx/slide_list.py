"""Add, copy, move and delete the slides of a deck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from ..scene.document import Document, Page
from .deck import Deck, Slide
from .deck_reader import layout_parts, new_slide, page_of, page_of_layout
from .slide_parts import cloned, fresh_name, unlink
from .xml import Node, find, part_content

_ENTRIES = "{http://schemas.microsoft.com/office/powerpoint/2010/main}sldIdLst"
"""The slides of a section ([MS-PPTX] 2.2.4.1); their numbers are those in the list of all slides."""


class Pair(NamedTuple):
    """A slide, the page that it is, and the page that it is to be; equal if nothing is to be patched."""

    slide: Slide
    was: Page
    page: Page


def pairs_of(deck: Deck, before: Document, after: Document, taken: set[str]) -> list[Pair]:
    """The slide of each page after an edit; slides that are missing are made.

    Args:
        deck: whose slides are not yet patched; new ones are not yet in it.
        before: the document in it.
        after: the edited document.
        taken: the names of parts, to which those of new ones are added.
    """
    known = dict(zip(before.page_ids, zip(deck.slides, before.pages, strict=True), strict=True))
    neighbour = next((known[name][0] for name in after.page_ids if name in known), deck.slides[0])
    layouts = layout_parts(deck) if any(page.origin for page in after.pages) else {}
    pairs: list[Pair] = []
    for name, page in zip(after.page_ids, after.pages, strict=True):
        if name in known:
            slide, was = known[name]
        elif page.origin in known:
            model, was = known[page.origin]
            part = cloned(model.part, taken, {})
            slide, page = replace(model, part=part, root=part._element), _with_ids_of(was, page)
        elif page.origin in layouts:
            layout = layouts[page.origin]
            slide = new_slide(deck, layout, str(fresh_name(neighbour.part.partname, taken)))
            was = page_of_layout(deck, slide)
            page = _with_ids_of(was, page)
        else:
            slide = _added(neighbour, taken, bool(page.inherited))
            was = page_of(slide, [], deck.size)
        pairs.append(Pair(slide, was, page.model_copy(update={"id": was.id, "origin": was.origin})))
        neighbour = slide
    return pairs


def _with_ids_of(model: Page, page: Page) -> Page:
    """A copy of a page whose elements have the ids of those that they are copies of."""
    free = {(element.name, element.type): element.id for element in reversed(model.elements)}
    ids = {element.id: free.pop((element.name, element.type), element.id) for element in page.elements}
    elements = (
        one.model_copy(update={"id": ids[one.id], "parent": ids.get(one.parent or "")}) for one in page.elements
    )
    return page.model_copy(update={"elements": tuple(elements)})


def _added(neighbour: Slide, taken: set[str], inherits: bool) -> Slide:
    """An empty slide with the layout of another one."""
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.parts.slide import SlidePart

    layout = neighbour.part.part_related_by(RELATIONSHIP_TYPE.SLIDE_LAYOUT)
    library: Any = SlidePart
    part = library.new(fresh_name(neighbour.part.partname, taken), neighbour.part.package, layout)
    if not inherits:
        part._element.set("showMasterSp", "0")
    return replace(neighbour, part=part, root=part._element)


def arrange(deck: Deck, slides: Sequence[Slide]) -> dict[str, bytes]:
    """Make some slides those of a deck, in their order.

    Returns:
        The content of the members that are changed, by name.
    """
    from pptx.opc.constants import RELATIONSHIP_TYPE

    if [slide.part for slide in slides] == [slide.part for slide in deck.slides]:
        return {}
    presentation: Any = deck.package
    listed = find(presentation._element, "p:sldIdLst")
    before = [entry.get("id") for entry in listed]
    entries = {presentation.related_part(entry.rId): entry for entry in listed}
    for slide in slides:
        if slide.part not in entries:
            entries[slide.part] = listed.add_sldId(presentation.relate_to(slide.part, RELATIONSHIP_TYPE.SLIDE))
    members = unlink(presentation.package, entries.keys() - {slide.part for slide in slides})
    listed[:] = [entries[slide.part] for slide in slides]
    _arrange_sections(presentation._element, before, [entry.get("id") for entry in listed])
    name = presentation.partname
    return members | {str(name)[1:]: part_content(presentation._element), name.rels_uri[1:]: presentation.rels.xml}


def _arrange_sections(root: Node, before: list[str], after: list[str]) -> None:
    """Make the sections of a presentation hold its slides; new and moved ones are in that of the slide before them."""
    held = list(root.iter(_ENTRIES))
    homes = {entry.get("id"): section for section in held for entry in section}
    entries = {entry.get("id"): entry for section in held for entry in section}
    if not homes:
        return
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    stay = {number for block in blocks for number in before[block.a : block.a + block.size] if number in homes}
    section = next((homes[number] for number in after if number in stay), held[0])
    model = next(iter(entries.values()))
    for one in held:
        one[:] = []
    for number in after:
        section = homes[number] if number in stay else section
        section.append(entries[number] if number in entries else model.makeelement(model.tag, id=number))
