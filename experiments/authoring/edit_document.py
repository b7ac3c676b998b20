"""``formgym edit``: edit a file as sentences say to a model, or by programs and calls of operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter, ValidationError

from ...agents.base import ModelError
from ...envs.core.files import atomic_write, parse_json
from ...envs.core.pages import png_bytes
from ...envs.documents.formats.files import page_paths, read_document
from ...envs.documents.operations.draft import Operation
from ...envs.documents.operations.table import OPERATIONS
from ...envs.documents.programs.program import program_of, run_program
from ...envs.documents.programs.sandbox import ProgramError
from ...envs.documents.scene.document import Document
from ...envs.documents.scoring.changes import changes_in_words
from ..terminal.console import say, say_failure, say_written
from .edit_preview import preview
from .model_settings import answer, cost_in_words, is_setting, model_spec, text_of
from .program_writer import EditFailed, ProgramWriter
from .versions import replace_file, restore_version

SUFFIXES = (".pptx", ".json", ".png")
"""The formats that are written."""
_OPERATIONS = TypeAdapter(tuple[Operation, ...])
_Edit = Callable[[Document], Document]
_UNCHANGED = "Nothing was written."
_NEEDS_MODEL = (
    "sentences need a model: add model=openai_compatible (or inspect) and model.name=..., or --ask FOLDER to carry "
    "questions to a chat window yourself; --program and --calls need none"
)


def edit_document(
    path: Path,
    words: Sequence[str] = (),
    program: str | None = None,
    calls: str | None = None,
    ask: Path | None = None,
    out: Path | None = None,
    yes: bool = False,
) -> bool:
    """Edit a document, and print what has changed.

    What a model edits is shown as a picture and in words, and taken only if the person says so; a program or calls are
    the person's own, and taken at once.

    Args:
        path: a ``.pptx`` or ``.json`` file.
        words: sentences, each an edit of what the one before made, and settings of the model and its budget, such as
            ``model=openai_compatible budget.dollars=1``; without sentences they are read from the terminal, each an
            edit of its own.
        program: the file of an edit program instead, or ``"-"``: standard input.
        calls: a file of calls of operations instead, or ``"-"``.
        ask: the folder where questions are written and replies are read, as of ``model=files``.
        out: what is written, in one of ``SUFFIXES``; ``None``: the file itself. A document that is there is kept in
            ``versions.versions_folder``. PNG files of several pages are numbered.
        yes: whether an edit is taken without a question.

    Returns:
        Whether the edits were made and taken; else nothing is written.

    Raises:
        ValueError: if settings are wrong, or a file is of no known format, broken, or changed meanwhile.
        OSError: if a file cannot be read or written.
        RuntimeError: if a library for the format is not installed.
    """
    if out is not None and out.suffix.lower() not in SUFFIXES:
        raise ValueError(f"{out} cannot be written: files end in {', '.join(SUFFIXES)}")
    settings = [one for one in words if is_setting(one)]
    sentences = [one for one in words if one not in settings and one.strip()]
    if program is not None or calls is not None:
        if words or ask or (program is not None and calls is not None):
            raise ValueError("--program and --calls stand alone: without each other, sentences, settings and --ask")
        return _edit(path, out or path, [_of_program(program) if program is not None else _of_calls(str(calls))])
    if not sentences and out is not None:
        raise ValueError("-o needs a sentence, --program or --calls")
    with TemporaryDirectory() as folder:
        model = model_spec(settings, ask, _NEEDS_MODEL).make_model(Path(folder, "ledger.jsonl"))
        if model is None:
            raise ValueError("model=none cannot edit; choose openai_compatible, inspect or files")
        return _by_sentences(path, out or path, sentences, ProgramWriter(model), yes)


def undo_edit(path: Path) -> None:
    """Bring back what a document was before the last edit.

    Raises:
        ValueError: if there is no edit to undo, or others have changed the file since.
    """
    restore_version(path)
    say_written(path, f"{path} is as it was before the last edit")


# -- Where edits come from ---------------------------------------------------------------------------------------------


def _of_program(program: str) -> _Edit:
    code = text_of(program, "program")

    def edit(document: Document) -> Document:
        context = run_program(document, code)
        if context.printed:
            say(context.printed)
        return context.document

    return edit


def _of_calls(calls: str) -> _Edit:
    """The edit that calls such as ``[{"name": "DELETE", "arguments": {"object_id": "e3"}}]`` make.

    Raises:
        ValueError: if they are no such list, or there is no such operation.
    """
    try:
        operations = _OPERATIONS.validate_python(parse_json(text_of(calls, "calls").encode(), calls))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the whole"
        raise ValueError(
            f'{calls} is no list of calls such as {{"name": "DELETE", "arguments": {{"object_id": "e3"}}}}: {place}: '
            f"{first['msg']}"
        ) from None
    for one in operations:
        if one.name not in OPERATIONS:
            raise ValueError(f"{calls}: there is no operation {one.name!r}; there are {', '.join(OPERATIONS)}")
    code = program_of((one.name, one.arguments) for one in operations)
    return lambda document: run_program(document, code).document


def _by_sentences(path: Path, out: Path, sentences: Sequence[str], writer: ProgramWriter, yes: bool) -> bool:
    def edit(sentence: str) -> _Edit:
        return lambda document: writer.edit(document, sentence)

    def review(before: Document, after: Document) -> bool:
        say(cost_in_words(writer.usage))
        return _is_taken(before, after, out, yes)

    if sentences:
        return _edit(path, out, [edit(one) for one in sentences], review)
    while sentence := answer("What shall be changed? (nothing: the end) "):
        if not _edit(path, path, [edit(sentence)], review):
            writer.reject()
    return True


# -- One edit ----------------------------------------------------------------------------------------------------------


def _edit(
    path: Path, out: Path, edits: Sequence[_Edit], review: Callable[[Document, Document], bool] | None = None
) -> bool:
    """Make edits one after another, on a copy, and write the result if it is taken."""
    opened, content = read_document(path), path.read_bytes()
    edited = opened.document
    try:
        for edit in edits:
            edited = edit(edited)
    except ProgramError as error:
        say_failure(f"formgym: {error.feedback} {_UNCHANGED}")
        return False
    except (EditFailed, ModelError) as error:
        say_failure(f"formgym: {str(error).rstrip('.')}. {_UNCHANGED}")
        return False
    for line in changes_in_words(opened.document, edited):
        say(line)
    # What cannot be written is known before anybody is asked.
    try:
        with TemporaryDirectory() as folder:
            for note in opened.save(edited, Path(folder, out.name)):
                say(note)
    except ValueError as error:
        say_failure(f"formgym: {error}. {_UNCHANGED}")
        return False
    if review is not None and not review(opened.document, edited):
        say_failure(_UNCHANGED)
        return False
    if path.read_bytes() != content:
        raise ValueError(f"{path} has been changed by others meanwhile; {_UNCHANGED.lower()}")
    is_picture = out.suffix.lower() == ".png"
    opened.save(edited, out) if is_picture else replace_file(out, lambda: opened.save(edited, out))
    for file in page_paths(out, len(edited.pages) if is_picture else 1):
        say_written(
            file, f"written to {file}" if out != path else f"written to {file}; --undo brings the earlier one back"
        )
    return True


def _is_taken(before: Document, after: Document, out: Path, yes: bool) -> bool:
    """Whether a person takes an edit, who sees a picture of it beside the file."""
    picture = out.with_name(f"{out.stem}-preview.png")
    atomic_write(picture, png_bytes(preview(before, after)))
    say_written(picture, f"before and after: {picture}")
    taken = yes
    try:
        taken = taken or answer("Keep this? [y/N] ").lower() in ("y", "yes")
    finally:
        if not taken:
            picture.unlink(missing_ok=True)
    return taken
