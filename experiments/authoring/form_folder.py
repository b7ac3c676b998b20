"""The folder of a paper form of one's own, as ``formgym import`` writes and checks it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ...envs.core.files import atomic_write, load
from ...envs.core.pages import png_bytes
from ...envs.core.painting import Image
from ...envs.paper_forms.custom.folder import FORM, CustomForm
from ...envs.paper_forms.custom.gold import GOLD, GoldFile
from ...envs.paper_forms.paper_form import PaperForm
from ..terminal.console import console, say, say_written
from .paper_capture import capture_paper_forms, form_json


def import_folders(folders: Sequence[Path]) -> None:
    """Photograph the forms that some folders hold as HTML, and check the tasks of each that has some.

    Raises:
        ValueError: if a folder holds no form, or something there is broken.
    """
    if written := [folder for folder in folders if (folder / "form.html").exists() or not (folder / FORM).exists()]:
        capture_paper_forms(written, console.print)
    for folder in folders:
        if (folder / GOLD).exists():
            say_tasks(folder)


def check_is_new(folder: Path) -> None:
    """Check that a folder has no form yet.

    Raises:
        ValueError: if it has, or is a file.
    """
    if (folder / FORM).exists() or (folder.exists() and not folder.is_dir()):
        raise ValueError(f"{folder} is there already: choose another folder by --out, or remove it first")


def write_folder(folder: Path, form: PaperForm, pictures: Sequence[Image], pdf: Path | None = None) -> None:
    """Write a form, the pictures of its pages, a copy of its PDF, and a template of its tasks if it has none."""
    folder.mkdir(parents=True, exist_ok=True)
    for sheet, picture in zip(form.sheets, pictures, strict=True):
        is_gray = (picture == picture[..., :1]).all()
        atomic_write(folder / sheet.image, png_bytes(picture[..., 0] if is_gray else picture, compress_level=6))
    if pdf is not None:
        atomic_write(folder / form.source, pdf.read_bytes())
    if not (folder / GOLD).exists():
        atomic_write(folder / GOLD, (json.dumps(_template(form), ensure_ascii=False, indent=2) + "\n").encode())
    # Last of all: without it, there is no form in the folder.
    atomic_write(folder / FORM, form_json(form).encode())


def say_imported(folder: Path, form: PaperForm) -> None:
    """Say what form a folder holds now."""
    pages = f"{len(form.sheets)} pages" if len(form.sheets) > 1 else "one page"
    say_written(folder, f"{folder}: {len(form.fields)} fields on {pages}, {form.width} x {form.height}")


def say_tasks(folder: Path) -> None:
    """Check the tasks of a form, and say how to play them, or where to write them if there are none yet.

    Raises:
        ValueError: if they do not go with the form, or a file is missing or broken.
    """
    gold = load(GoldFile, folder / GOLD)
    if not any(answer.value for task in gold.tasks.values() for answer in task.answers.values()):
        say(f"Write the facts and answers of its tasks into {folder / GOLD}, then: formgym import {folder}")
        return
    tasks, command = CustomForm.load(str(folder)).tasks, f"formgym sweep env=formgym/custom env.form={folder}"
    say(f"{folder}: tasks {', '.join(tasks)}; play them: {command} agent=oracle")


def _template(form: PaperForm) -> dict[str, object]:
    """Tasks to be filled in: one, without answers."""
    names = [field.source_name for field in form.fields]
    keys = (
        field.group or (field.source_name if names.count(field.source_name) > 1 and field.source_name else field.name)
        for field in form.fields
    )
    return {"tasks": {"first": {"source": "", "answers": dict.fromkeys(keys)}}}
