"""``formgym import FORM.pdf``: a PDF as the folder of a form of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ...terminal.console import say
from ..boxes.flat_form import DRAWN, FlatForm
from ..boxes.flat_import import import_flat
from ..form_folder import check_is_new, say_imported, say_tasks, write_folder
from .reading import read_pdf

_MAX_NAMED = 5


def import_pdf(path: Path, out: Path | None, boxes: Sequence[Path] = (), accept: bool = False) -> None:
    """Read a PDF into a folder, and say what is in it.

    Args:
        path: of the PDF.
        out: the folder, which has no form yet; ``None``: one of the file's name.
        boxes: files with its fields, if it is not fillable.
        accept: whether fields that are proposed for one that is not fillable are taken without the browser.

    Raises:
        ValueError: if the PDF cannot be read, has neither fields nor blanks, or there is a form in the folder
            already, or a ``gold.json`` that does not go with the form.
        OSError: if a file cannot be read or written.
    """
    folder = out or Path(path.stem)
    check_is_new(folder)
    pages, fields, left_out = read_pdf(path)
    if boxes and fields:
        raise ValueError(f"{path} has {len(fields)} fields of its own; --boxes is for forms without")
    if not fields:
        flat = FlatForm(folder, pages.pictures, pages.without_fields("form.pdf") | {"browser": DRAWN}, (), path)
        import_flat(flat, str(path), flat.sizes, boxes, accept)
        return
    form = pages.form(fields, "form.pdf", left_out)
    write_folder(folder, form, pages.pictures, path)
    say_imported(folder, form)
    for reason, left in left_out.items():
        more = f" and {len(left) - _MAX_NAMED} more" if len(left) > _MAX_NAMED else ""
        say(f"Left out, {reason}: {', '.join(left[:_MAX_NAMED])}{more}")
    say_tasks(folder)
