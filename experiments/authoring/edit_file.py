"""Editing a file as a sentence asks: no model, no network, and no guess."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from ...envs.documents.formats.files import Opened, read_document
from ...envs.documents.language.request_parser import read
from ...envs.documents.language.scope import Refused
from ...envs.documents.pptx.deck import LONGER_SIDE
from ...envs.documents.programs.writing import program_of
from ...envs.documents.scene.changes import ADDED, REMOVED, changes
from ...envs.documents.scene.document import Document
from ..terminal import say, say_failure, say_written


def edit_file(path: Path, request: str, out: Path | None, show_program: bool) -> bool:
    """Edit a document, and say what was changed.

    Args:
        path: a ``.pptx`` or ``.json`` file.
        request: in English.
        out: what is written: ``.pptx``, ``.json`` or ``.png``; ``None``: beside the file, with ``-edited`` in its name.
        show_program: whether the edit program is printed.

    Returns:
        Whether every word of the request was understood and carried out; else nothing is written.

    Raises:
        ValueError: if a file is of no known format, or broken.
        RuntimeError: if a library for the format is not installed.
    """
    opened = read_document(path)
    before = opened.document
    try:
        reading = read(request, before, _emu(opened))
    except Refused as error:
        return _refuse(str(error))
    if show_program:
        say(program_of(reading.operations))
    out = out or path.with_name(f"{path.stem}-edited{path.suffix}")
    notes = opened.save(reading.document, out)
    for line in (*_changed(before, reading.document), *notes):
        say(line)
    has_files = out.suffix.lower() == ".png" and len(before.pages) > 1
    written = out.with_name(f"{out.stem}-1{out.suffix}") if has_files else out
    say_written(written, f"written to {written} and so on" if has_files else f"written to {written}")
    return True


def _emu(opened: Opened) -> float | None:
    """English metric units in a pixel of a deck; ``None`` for other files."""
    if opened.source is None:
        return None
    with zipfile.ZipFile(BytesIO(opened.source)) as package:
        size = re.search(rb"<p:sldSz\b[^>]*>", package.read("ppt/presentation.xml"))
    sides = [int(side) for side in re.findall(rb"\bc[xy]=\"(\d+)\"", size[0])] if size else []
    return max(sides) / LONGER_SIDE if sides else None


def _refuse(why: str) -> bool:
    say_failure(f"formgym: {why.rstrip('.')}. Nothing was written.")
    return False


def _changed(before: Document, after: Document) -> Iterator[str]:
    """The changes, a line for each element."""
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
