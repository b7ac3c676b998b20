"""Programs: what a request asks for, as the text of an edit program for a document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...envs.documents.grounding.grounders import RANKINGS
from ...envs.documents.programs.program import checked
from ...envs.documents.scene.document import Document
from ...envs.documents.scene.elements import Element
from .edits import Edit
from .understanding import NotUnderstood, understand
from .writing import Program, written


def program_for(request: str, document: Document) -> str:
    """An edit program that does what a request asks for.

    Single elements are found by ``FIND_AND_GET``; where all of a kind are meant, their ids stand in the program.

    Args:
        request: in English.
        document: what is edited.

    Raises:
        NotUnderstood: if the request, or a part of it, cannot be read, or asks for something that there is not.
    """
    return program_of_edits(edits_for(request, document), document)


def edits_for(request: str, document: Document) -> list[Edit]:
    """The edits that a request asks for, read with the names in a document.

    Raises:
        NotUnderstood: if the request, or a part of it, cannot be read.
    """
    return understand(request, (element.name for element in document.elements()))


def program_of_edits(edits: Iterable[Edit], document: Document) -> str:
    """A program for some edits of a document.

    Raises:
        NotUnderstood: if one asks for something that there is not.
    """
    program = Program(document)
    for edit in edits:
        written(program, _as_it_is(_on_page(edit, document), document))
    checked(program.code)
    return program.code


def page_for(edits: Sequence[Edit], document: Document) -> int:
    """The page on which new things go, counted from 0: that of their anchor, or the one that is told; else the first.

    Raises:
        NotUnderstood: if a page is told that there is not.
    """
    for edit in edits:
        if edit.page > len(document.pages):
            raise NotUnderstood(f"There is no page {edit.page}; the document has {len(document.pages)}.")
        if edit.kind.startswith("add_") and edit.anchor:
            return document.places[_likeliest(document, edit.anchor).id][0]
        if edit.kind.startswith("add_") and edit.page:
            return edit.page - 1
    return 0


def _likeliest(document: Document, words: str) -> Element:
    ranked = RANKINGS["ranker"](document, words)
    if not ranked:
        raise NotUnderstood(f"Nothing in the document is {words!r}.")
    return ranked[0].element


def _on_page(edit: Edit, document: Document) -> Edit:
    """An edit whose target's words tell the page, where it is told elsewhere in the request."""
    if not edit.page or not edit.target or len(document.pages) == 1 or re.search(r"\bpage\b", edit.target):
        return edit
    return replace(edit, target=f"{edit.target} on page {edit.page}")


def _as_it_is(edit: Edit, document: Document) -> Edit:
    """An edit of the kind that fits its target's type, where words leave it open."""
    if edit.kind not in ("text", "replace_by_text", "word") or edit.is_plural:
        return edit
    target = _likeliest(document, edit.target)
    if edit.kind == "word":
        return replace(edit, kind="cell") if target.type == "table" else edit
    is_lettered = target.type in ("text", "list") or (target.type == "shape" and bool(target.text))
    if edit.kind == "text":
        return edit if is_lettered or target.type == "shape" else replace(edit, kind="replace_by_text")
    return replace(edit, kind="text") if target.type == "text" else edit
