"""Editing a file as a sentence asks, by the rule-based agent: no model, no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..agents.rules.programs import edits_for, page_for, program_of_edits
from ..agents.rules.understanding import NotUnderstood
from ..envs.core.tools import ToolError
from ..envs.documents.formats.files import read_document
from ..envs.documents.grounding.doubts import doubts
from ..envs.documents.grounding.grounders import RANKINGS, Grounder
from ..envs.documents.programs.errors import ProgramError
from ..envs.documents.programs.program import run_program
from ..envs.documents.scene.document import Document
from ..envs.documents.scene.elements import Element
from ..envs.documents.scoring.changes import ADDED, REMOVED, changes
from .console import console, say
from .unread import refuse_unread

_AS_LIKELY = 0.9
"""From this share of the best score on, an element may be meant as well."""


def edit_file(path: Path, request: str, out: Path | None, show_program: bool) -> bool:
    """Edit a document, and say what was changed.

    Args:
        path: a ``.pptx`` or ``.json`` file.
        request: in English.
        out: what is written: ``.pptx``, ``.json``, ``.svg``, ``.pdf`` or ``.png``; ``None``: beside the file, with
            ``-edited`` in its name.
        show_program: whether the edit program is printed.

    Returns:
        Whether the request was understood and carried out; else nothing is written.

    Raises:
        ValueError: if a file is of no known format, or broken.
        RuntimeError: if a library for the format is not installed.
    """
    opened = read_document(path)
    document = opened.document
    try:
        edits = edits_for(request, document)
        refuse_unread(request, edits, document)
        code = program_of_edits(edits, document)
        page = page_for(edits, document)
    except (NotUnderstood, ProgramError) as error:
        return _refuse(f"I do not understand this: {error}")
    if show_program:
        say(code)
    grounder = Grounder(RANKINGS["ranker"])
    try:
        editing = run_program(document, code, _surely, lambda where, words: grounder.infer(where, words, page), page)
    except ProgramError as error:
        return _refuse(f"I understand this, but it cannot be done: {error}")
    told = list(_told(document, editing.document))
    if not told:
        return _refuse("I understand this, but it would change nothing")
    out = out or path.with_name(f"{path.stem}-edited{path.suffix}")
    notes = opened.save(editing.document, out)
    for line in (*told, *notes):
        say(line)
    has_files = out.suffix.lower() in (".svg", ".png") and len(document.pages) > 1
    say(f"written to {out.with_name(f'{out.stem}-1{out.suffix}')} and so on" if has_files else f"written to {out}")
    return True


def _surely(document: Document, words: str) -> list[Element]:
    """The elements that words may mean, the likeliest first.

    Raises:
        ToolError: if the likeliest is not what the words say: a file of one's own is not edited on a guess.
    """
    ranked = RANKINGS["ranker"](document, words)
    doubted = doubts(document, ranked[0].element, words) if ranked else [words]
    if doubted:
        raise ToolError(
            f"nothing in the document is surely {words!r} ({', '.join(doubted)}?); there are "
            f"{', '.join(element.name or element.id for element in document.elements())}"
        )
    alike = [p.element for p in ranked[1:] if p.score >= _AS_LIKELY * ranked[0].score]
    if alike:
        others = " and ".join(element.name or element.id for element in alike[:3])
        say(f"{words!r} may also mean {others}; taken is {ranked[0].element.name or ranked[0].element.id}")
    return [proposal.element for proposal in ranked]


def _refuse(why: str) -> bool:
    console.print(f"[yellow]formgym:[/yellow] {why.rstrip('.')}. Nothing was written.", highlight=False, soft_wrap=True)
    return False


def _told(before: Document, after: Document) -> Iterator[str]:
    """What was changed, a line for each element."""
    made = changes(before, after)
    for name in dict.fromkeys(name for name, _ in made):
        element = before.find(name) or after.find(name)
        assert element is not None
        called = f"{element.name or element.id} ({element.type})"
        fields = [field.removeprefix("style.").replace("_", " ") for key, field in made if key == name]
        if REMOVED in fields:
            yield f"taken out: {called}"
        elif ADDED in fields:
            yield f"put in: {called}"
        else:
            yield f"changed: {called}: {', '.join(fields)}"
