"""Patch a PowerPoint file with an edit; all other parts stay the same bytes."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from ...core.files import atomic_write
from ..scene.document import Document
from .deck import Deck, load_deck, shapes_of
from .deck_reader import page_of, with_names
from .package import Unreadable, patched, reading
from .slide_patcher import PagePatch
from .xml import Node

_TYPES = "[Content_Types].xml"
_NAMESPACE = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_DEFAULT, _OVERRIDE = f"{_NAMESPACE}Default", f"{_NAMESPACE}Override"


def save_edited(source: Path | bytes, before: Document, after: Document, out: Path) -> tuple[str, ...]:
    """Write an edit of a PowerPoint file.

    Only slides on which something differs are rewritten, and in them only what differs; every other part of the file
    keeps its bytes. Without a difference the whole file does.

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
            it, or the edit has changed how many pages there are or their size.
        OSError: if the file cannot be written.
    """
    content = source if isinstance(source, bytes) else source.read_bytes()
    if before.pages == after.pages:
        atomic_write(out, content)
        return ()
    if [(p.width, p.height) for p in before.pages] != [(p.width, p.height) for p in after.pages]:
        raise ValueError("pages cannot be added, taken out or made larger in a PowerPoint file that is edited")
    deck = load_deck(content, "the PowerPoint file")
    if len(deck.slides) != len(before.pages):
        raise ValueError("the document is not the one that was read from this PowerPoint file")
    with reading("the PowerPoint file", "cannot be edited"):
        written, notes = _checked_edit(deck, content, before, after)
    atomic_write(out, written)
    return notes


def _checked_edit(deck: Deck, content: bytes, before: Document, after: Document) -> tuple[bytes, tuple[str, ...]]:
    """See ``edited``; Unreadable if ``before`` is not what is in the deck."""
    for slide, old, new in zip(deck.slides, before.pages, after.pages, strict=True):
        if old != new and page_of(slide, shapes_of(slide), deck.size) != with_names(old, {}):
            raise Unreadable("the document is not the one that was read from this PowerPoint file")
    return edited(deck, content, before, after)


def edited(deck: Deck, content: bytes, before: Document, after: Document) -> tuple[bytes, tuple[str, ...]]:
    """The content of an edited deck, and what could not be written."""
    notes: list[str] = []
    known = {str(part.partname) for part in deck.package.package.iter_parts()}
    members: dict[str, bytes] = {}
    for number, slide in enumerate(deck.slides):
        if before.pages[number] == after.pages[number]:
            continue
        links = slide.part.rels.xml
        patch = PagePatch(slide, before, after, number)
        patch.write()
        notes += patch.notes
        name = str(slide.part.partname)
        members[name[1:]] = _xml(slide.root)
        if slide.part.rels.xml != links:
            members[slide.part.partname.rels_uri[1:]] = slide.part.rels.xml
    added = [part for part in deck.package.package.iter_parts() if str(part.partname) not in known]
    members |= {str(part.partname)[1:]: part.blob for part in added}
    members |= {part.partname.rels_uri[1:]: part.rels.xml for part in added if len(part.rels)}
    if added:
        members[_TYPES] = _types(content, added)
    return patched(content, members), tuple(notes)


def _types(content: bytes, added: list[Any]) -> bytes:
    """The content types of a package's parts, with those of new ones."""
    from lxml import etree

    with zipfile.ZipFile(io.BytesIO(content)) as package:
        root = etree.fromstring(package.read(_TYPES))
    types = {node.get("Extension", "").lower(): node.get("ContentType") for node in root.iter(_DEFAULT)}
    for part in added:
        end = part.partname.ext.lower()
        if end not in types and end != "xml":
            types[end] = part.content_type
            root.insert(0, etree.Element(_DEFAULT, Extension=end, ContentType=part.content_type))
        elif types.get(end) != part.content_type:
            root.append(etree.Element(_OVERRIDE, PartName=str(part.partname), ContentType=part.content_type))
    return _xml(root)


def _xml(root: Node) -> bytes:
    from lxml import etree

    return bytes(etree.tostring(root, encoding="UTF-8", standalone=True))
