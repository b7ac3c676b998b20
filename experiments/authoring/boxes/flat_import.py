"""``formgym import`` of a form without fields: a scan, pictures, or a PDF to be printed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageOps, ImageSequence

from ....envs.core.files import read_foreign
from ....envs.core.pages import fit_scale, opened_picture
from ....envs.core.painting import Image
from ....envs.core.texts import truncate
from ....envs.paper_forms.paper_form import FormPage, PaperForm
from ...terminal.console import say, say_written, track
from ..field_names import set_apart, slug_of
from ..form_folder import check_is_new, say_tasks, write_folder
from .box_files import DrawnField, Size, drawn_fields, form_fields, kind_by_label
from .flat_form import FlatForm, as_drawn

_LARGEST = (2200, 1700)
"""Height and width of the largest page, in pixels; larger pictures are scaled down."""
_MAX_BYTES = 100_000_000
_MAX_PROPOSED = 80
_MAX_PAGES = 60


def import_pictures(files: Sequence[Path], out: Path | None, boxes: Sequence[Path], accept: bool) -> None:
    """Import pictures, the pages of a form in their order; see ``import_flat``.

    Raises:
        ValueError: if one is no picture, or there is a form in the folder already; else see ``import_flat``.
        OSError: if one cannot be read.
    """
    folder = out or Path(files[0].stem)
    check_is_new(folder)
    contents = [read_foreign(file, _MAX_BYTES, is_json=False) for file in files]
    pictures, originals = zip(*(page for file in files for page in _pages_of(file)), strict=True)
    form = _empty(files[0].stem.replace("_", " "), pictures, hashlib.sha256(b"".join(contents)).hexdigest())
    import_flat(FlatForm(folder, pictures, form, ()), str(files[0]), originals, boxes, accept)


def import_flat(flat: FlatForm, origin: str, originals: Sequence[Size], boxes: Sequence[Path], accept: bool) -> None:
    """Write a form with the boxes of some files, or with those that are proposed and confirmed in the browser.

    Args:
        flat: the form, without fields.
        origin: the file that it comes from, for messages.
        originals: height and width of its pictures as they came.
        boxes: the files.
        accept: whether proposals are taken as they are.

    Raises:
        ValueError: if a file is broken, a box is on no page, or no blank is found and ``accept``.
        RuntimeError: if FieldFinder is needed and not installed.
    """
    if boxes:
        given = drawn_fields(boxes, originals, flat.sizes)
        form = PaperForm(**(dict(flat.form) | {"fields": tuple(given)}))
        write_folder(flat.folder, form, flat.pictures, flat.pdf)
    else:
        drawn = proposals(flat.pictures)
        if accept and not drawn:
            raise ValueError(
                f"{origin} has no fields, and no blanks are found on it: draw them without --yes, or use --boxes"
            )
        flat = replace(flat, fields=form_fields(drawn, flat.sizes, origin) if drawn else ())
        if not accept:
            edit(flat)
            return
        form = flat.saved([as_drawn(field) for field in flat.fields])
    _say(flat.folder, form)


def edit(flat: FlatForm) -> None:
    """Let the user draw and name the boxes of a form in the browser, until all is done.

    Raises:
        RuntimeError: if Flask is not installed.
    """
    try:
        from .box_editor import BoxEditor
    except ImportError as error:
        raise RuntimeError(f"the page to draw boxes needs Flask: pip install 'formgym[web]' ({error})") from None
    form = BoxEditor(flat).serve()
    if form is None:
        say("Nothing was saved.")
    else:
        _say(flat.folder, form)


def proposals(pictures: Sequence[Image]) -> list[DrawnField]:
    """The blanks of some pages as fields, by FieldFinder.

    Raises:
        RuntimeError: if it is not installed.
    """
    try:
        from ....fieldfinder_model.reading.blanks import blanks_of
    except ImportError as error:
        raise RuntimeError(
            f"blanks are found by FieldFinder: pip install 'formgym[fieldfinder]', or name boxes by --boxes ({error})"
        ) from None
    taken, found = set[str](), list[DrawnField]()
    for number, picture in enumerate(track(pictures, "Reading pages"), start=1):
        for blank in blanks_of(picture):
            label = truncate(blank.label, _MAX_PROPOSED) or {"tick": "Box", "comb": "Cells"}.get(blank.kind, "Blank")
            kind = "checkbox" if blank.kind == "tick" else kind_by_label(label)
            name = set_apart(slug_of(label), taken)
            found.append(DrawnField(name=name, label=label, kind=kind, page=number, box=blank.box, comb=blank.cells))
    return found


def flat_pdf(path: Path, out: Path, title: str, pictures: Sequence[Image]) -> FlatForm:
    """A PDF without fields."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return FlatForm(out, pictures, _empty(title, pictures, digest, "form.pdf"), (), path)


def _empty(title: str, pictures: Sequence[Image], sha256: str, source: str = "") -> PaperForm:
    """A form without fields, which it must get before it is written."""
    sheets = tuple(
        FormPage(image=f"page_{number}.png", width=picture.shape[1], height=picture.shape[0])
        for number, picture in enumerate(pictures, start=1)
    )
    return PaperForm.model_construct(
        title=title,
        description="",
        width=max(sheet.width for sheet in sheets),
        height=max(sheet.height for sheet in sheets),
        pages=sheets,
        vocabulary="gold",
        fields=(),
        source=source,
        source_sha256=sha256,
        browser="boxes drawn by hand",
    )


def _pages_of(file: Path) -> Iterator[tuple[Image, Size]]:
    """The pages of a picture, of which a TIFF may have several: upright, not too large, with their first sizes."""
    with file.open("rb") as opened, opened_picture(opened, str(file)) as picture:
        for page in islice(ImageSequence.Iterator(picture), _MAX_PAGES if picture.format == "TIFF" else 1):
            upright = ImageOps.exif_transpose(page).convert("RGB")
            size = upright.height, upright.width
            scale = fit_scale(size, _LARGEST)
            if scale < 1:
                fitting = round(size[1] * scale), round(size[0] * scale)
                upright = upright.resize(fitting, PillowImage.Resampling.LANCZOS)
            yield np.asarray(upright), size


def _say(folder: Path, form: PaperForm) -> None:
    pages = f"{len(form.sheets)} pages" if len(form.sheets) > 1 else "one page"
    say_written(folder, f"{folder}: {len(form.fields)} fields on {pages}, {form.width} x {form.height}")
    say_tasks(folder)
