"""Patch a PowerPoint file with an edit; all other parts stay the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Set
from pathlib import Path
from typing import Any

from ...core.files import atomic_write
from ..scene.document import Document, Page
from .deck import Deck, load_deck, notes_part, shapes_of
from .deck_reader import page_of, with_names
from .package import Unreadable, patched, reading
from .slide_list import arrange, pairs_of
from .slide_patcher import PagePatch
from .xml import part_content

_TYPES = "[Content_Types].xml"
_NAMESPACE = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_DEFAULT, _OVERRIDE = f"{_NAMESPACE}Default", f"{_NAMESPACE}Override"


def save_edited(source: Path | bytes, before: Document, after: Document, out: Path) -> tuple[str, ...]:
    """Write an edit of a PowerPoint file.

    Only slides on which something differs are rewritten, and in them only what differs; every other part of the file
    keeps its bytes. Without a difference the whole file does. A copy of a slide shares its pictures and its layout and
    has its own charts and notes; a deleted slide goes with all that only it uses and with the links to it; an added one
    has the layout that it was made from, or an empty one that of its neighbour.

    Args:
        source: the file to edit, or its content.
        before: the document that ``open_deck`` gave for it.
        after: the edited document.
        out: where to write.

    Returns:
        What cannot be written into such a file, a sentence each; nothing if all was written.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if the source is no PowerPoint file, a page of ``before`` that the edit changes is not what is in
            it, or the edit has changed the size of the pages.
        OSError: if the file cannot be written.
    """
    content = source if isinstance(source, bytes) else source.read_bytes()
    if len({(page.width, page.height) for page in (*before.pages, *after.pages)}) > 1:
        raise ValueError("the size of the pages cannot be changed in a PowerPoint file that is edited")
    if list(_pages(before).items()) == list(_pages(after).items()):
        atomic_write(out, content)
        return ()
    deck = load_deck(content, "the PowerPoint file")
    if len(deck.slides) != len(before.pages):
        raise ValueError("the document is not the one that was read from this PowerPoint file")
    with reading("the PowerPoint file", "cannot be edited"):
        written, notes = _checked_edit(deck, content, before, after)
    atomic_write(out, written)
    return notes


def _pages(document: Document) -> dict[str, Page]:
    """The pages of a document by their ids, each as ``_edited_part`` of it."""
    return dict(zip(document.page_ids, map(_edited_part, document.pages), strict=True))


def _edited_part(page: Page) -> Page:
    """A page without its id and origin, and what it inherits, whose ids are those of the first slide of its layout."""
    return page.model_copy(update={"id": "", "origin": "", "inherited": ()})


def _checked_edit(deck: Deck, content: bytes, before: Document, after: Document) -> tuple[bytes, tuple[str, ...]]:
    """See ``edited``; Unreadable if ``before`` is not what is in the deck."""
    later = _pages(after)
    copied = {page.origin for page in after.pages}
    for slide, (name, old) in zip(deck.slides, _pages(before).items(), strict=True):
        is_kept = old == later.get(name) and name not in copied
        if not is_kept and _edited_part(page_of(slide, shapes_of(slide), deck.size)) != with_names(old, {}):
            raise Unreadable("the document is not the one that was read from this PowerPoint file")
    return edited(deck, content, before, after)


def edited(deck: Deck, content: bytes, before: Document, after: Document) -> tuple[bytes, tuple[str, ...]]:
    """The content of an edited deck, and what could not be written."""
    package, notes = deck.package.package, list[str]()
    known = {part.partname for part in package.iter_parts()}
    with zipfile.ZipFile(io.BytesIO(content)) as package_before:
        taken = {*map(str, known), *(f"/{name}" for name in package_before.namelist())}
    pairs = pairs_of(deck, before, after, taken)
    members = arrange(deck, [pair.slide for pair in pairs])
    presentation = deck.package
    known_links = presentation.rels.xml
    for number, (slide, was, page) in enumerate(pairs):
        if was != page:
            links = slide.part.rels.xml
            patch = PagePatch(slide, was, page, number)
            patch.write()
            notes += patch.notes
            members[str(slide.part.partname)[1:]] = part_content(slide.root)
            if slide.part.rels.xml != links:
                members[slide.part.partname.rels_uri[1:]] = slide.part.rels.xml
            for part in patch.changed_charts():
                members |= _with_links(part)
            if was.notes != page.notes and (about := notes_part(slide)) is not None:
                members[str(about.partname)[1:]] = part_content(about._element)
    if presentation.rels.xml != known_links:
        members[presentation.partname.rels_uri[1:]] = presentation.rels.xml
    added = [part for part in package.iter_parts() if part.partname not in known]
    for part in added:
        members |= _with_links(part)
    gone = known - {part.partname for part in package.iter_parts()}
    dropped = {str(name) for part in gone for name in (part, part.rels_uri)}
    if added or gone:
        members[_TYPES] = _types(content, added, dropped)
    return patched(content, members, {name[1:] for name in dropped}), tuple(notes)


def _with_links(part: Any) -> dict[str, bytes]:
    """The members of a package for a part and its links."""
    links = {part.partname.rels_uri[1:]: part.rels.xml} if len(part.rels) else {}
    return {str(part.partname)[1:]: part.blob} | links


def _types(content: bytes, added: list[Any], gone: Set[str]) -> bytes:
    """The content types of a package's parts, with those of new ones, and without those of dropped ones."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(content)) as package:
        root = etree.fromstring(package.read(_TYPES))
    types = {node.get("Extension", "").lower(): node.get("ContentType") for node in root.iter(_DEFAULT)}
    for node in [node for node in root.iter(_OVERRIDE) if node.get("PartName") in gone]:
        root.remove(node)
    for part in added:
        end = part.partname.ext.lower()
        if end not in types and end != "xml":
            types[end] = part.content_type
            root.insert(0, etree.Element(_DEFAULT, Extension=end, ContentType=part.content_type))
        elif types.get(end) != part.content_type:
            root.append(etree.Element(_OVERRIDE, PartName=str(part.partname), ContentType=part.content_type))
    return part_content(root)
