"""``formgym import`` of a form without fields: a scan, pictures, or a PDF to be printed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageOps, ImageSequence

from ....envs.core.files import read_foreign
from ....envs.core.pages import fit_scale, opened_picture
from ....envs.core.painting import Image
from ....envs.core.texts import truncate
from ...terminal.console import say, track
from ..field_names import set_apart, slug_of
from ..form_folder import check_is_new, say_imported, say_tasks
from ..form_pages import MAX_BYTES, MAX_PAGES, without_fields
from .box_files import DrawnField, Size, drawn_fields, form_fields, kind_by_label
from .flat_form import DRAWN, FlatForm, as_drawn

_LARGEST = (2200, 1700)
"""Height and width of the largest page, in pixels; larger pictures are scaled down."""
_MAX_PROPOSED = 80


def import_pictures(files: Sequence[Path], out: Path | None, boxes: Sequence[Path], accept: bool) -> None:
    """Import pictures, the pages of a form in their order; see ``import_flat``.

    Raises:
        ValueError: if one is no picture, or there is a form in the folder already; else see ``import_flat``.
        OSError: if one cannot be read.
    """
    folder = out or Path(files[0].stem)
    check_is_new(folder)
    contents = {file: read_foreign(file, MAX_BYTES, is_json=False) for file in files}
    read = [page for file in files for page in _pages_of(contents[file], str(file))]
    pictures, originals = zip(*read, strict=True)
    digest = hashlib.sha256(b"".join(contents[file] for file in files)).hexdigest()
    about = without_fields(files[0].stem.replace("_", " "), pictures, digest, DRAWN)
    import_flat(FlatForm(folder, pictures, about, ()), str(files[0]), originals, boxes, accept)


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
        form = flat.written(given)
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
    say_imported(flat.folder, form)
    say_tasks(flat.folder)


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
        say_imported(flat.folder, form)
    say_tasks(flat.folder)


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


def _pages_of(content: bytes, name: str) -> Iterator[tuple[Image, Size]]:
    """The pages of a picture, of which a TIFF may have several: upright, not too large, with their first sizes."""
    with opened_picture(BytesIO(content), name) as picture:
        for page in islice(ImageSequence.Iterator(picture), MAX_PAGES if picture.format == "TIFF" else 1):
            upright = ImageOps.exif_transpose(page).convert("RGB")
            size = upright.height, upright.width
            scale = fit_scale(size, _LARGEST)
            if scale < 1:
                fitting = round(size[1] * scale), round(size[0] * scale)
                upright = upright.resize(fitting, PillowImage.Resampling.LANCZOS)
            yield np.asarray(upright), size
