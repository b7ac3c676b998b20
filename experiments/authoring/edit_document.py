"""``formgym edit``: run an edit program on a file."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from ...envs.documents.formats.files import page_paths, read_document
from ...envs.documents.grounding.lookup import Grounder
from ...envs.documents.programs.program import run_program
from ...envs.documents.programs.sandbox import ProgramError
from ..terminal.console import say, say_failure, say_written

SUFFIXES = (".pptx", ".json", ".png")
"""The formats that are written."""


def edit_document(path: Path, program: str, out: Path | None = None) -> bool:
    """Run an edit program on a document, and print what it printed and did.

    Args:
        path: a ``.pptx`` or ``.json`` file.
        program: the file of the program, or ``"-"``: standard input.
        out: what is written, in one of ``SUFFIXES``; ``None``: beside the file, with ``-edited`` in its name. PNG files
            of several pages are numbered.

    Returns:
        Whether the program ran to its end; else nothing is written.

    Raises:
        ValueError: if a file is of no known format, or broken.
        OSError: if a file cannot be read or written.
        RuntimeError: if a library for the format is not installed.
    """
    out = out or path.with_name(f"{path.stem}-edited{path.suffix}")
    if out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{out} cannot be written: files end in {', '.join(SUFFIXES)}")
    code, opened, grounder = _code(program), read_document(path), Grounder()
    try:
        context = run_program(
            opened.document, code, grounder.find, lambda document, words: grounder.infer(document, words, 0)
        )
    except ProgramError as error:
        say_failure(f"formgym: {error.feedback} Nothing was written.")
        return False
    if context.printed:
        say(context.printed)
    for (action, component), count in Counter((one.action, one.component) for one in context.operations).items():
        say(f"{action} of a {component}" + (f", {count} times" if count > 1 else ""))
    for note in opened.save(context.document, out):
        say(note)
    pages = len(context.document.pages) if out.suffix.lower() == ".png" else 1
    for file in page_paths(out, pages):
        say_written(file, f"written to {file}")
    return True


def _code(program: str) -> str:
    """The text of a program."""
    content = sys.stdin.buffer.read() if program == "-" else Path(program).read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ValueError(f"the program {program} is no text in UTF-8") from None
