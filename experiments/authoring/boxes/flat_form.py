"""``formgym import`` of a form without fields: a scan, pictures, or a PDF to be printed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageOps, ImageSequence

from ....envs.core.files import read_foreign
from ....envs.core.pages import fit_scale, opened_picture, page_image
from ....envs.core.painting import Image
from ....envs.core.texts import truncate
from ....envs.paper_forms.custom.folder import CustomForm
from ....envs.paper_forms.paper_form import FormField, FormPage, PaperForm
from ...terminal.console import say, say_written, track
from ..field_names import set_apart, slug_of
from ..form_folder import check_is_new, say_tasks, write_folder
from .box_files import DrawnField, Size, drawn_fields, form_fields, kind_by_label

_LARGEST = (2200, 1700)
"""Height and width of the largest page, in pixels; larger pictures are scaled down."""
_MAX_BYTES = 100_000_000
_MAX_PROPOSED = 80
_MAX_PAGES = 60


@dataclass(frozen=True)
class FlatForm:
    """A form whose fields are boxes on its pages.

    Attributes:
        folder: where it is or goes.
        pictures: of its pages, uint8 (height, width, 3).
        form: all but its fields, whatever they are.
        fields: as they were, or as they are proposed.
        pdf: the file that it was read from, if that is a PDF and not in the folder yet.
    """

    folder: Path
    pictures: Sequence[Image]
    form: PaperForm
    fields: Sequence[FormField]
    pdf: Path | None = None

    @property
    def sizes(self) -> list[Size]:
        """Height and width of each page in pixels."""
        return [(picture.shape[0], picture.shape[1]) for picture in self.pictures]

    def saved(self, drawn: Sequence[DrawnField]) -> PaperForm:
        """The form with these fields, written into its folder.

        Raises:
            ValueError: if a field is not as it should be, or there are none; the message names all of them.
        """
        fields = [
            found if one.was is None else self._changed(self.fields[one.was], found)
            for one, found in zip(drawn, form_fields(drawn, self.sizes, "the form"), strict=True)
        ]
        form = PaperForm(**(dict(self.form) | {"fields": tuple(fields)}))
        write_folder(self.folder, form, self.pictures, self.pdf)
        return form

    @staticmethod
    def _changed(before: FormField, drawn: FormField) -> FormField:
        """A field with what it has in its PDF, as it is drawn now."""
        kept = drawn.model_dump(include={"name", "label", "matcher", "box", "page", "comb"})
        return before.model_copy(update=kept)


def opened_folder(folder: Path) -> FlatForm:
    """The form in a folder that was imported before.

    Raises:
        ValueError: if there is none, or it is of HTML.
    """
    form = CustomForm.form_in(folder)
    if form.vocabulary != "gold":
        raise ValueError(f"{folder} is a form of HTML: change the data-field attributes of its form.html instead")
    pictures = [page_image(folder / page.image, (page.height, page.width)) for page in form.sheets]
    return FlatForm(folder, pictures, form, form.fields)


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


def as_drawn(field: FormField) -> DrawnField:
    """A field of a form as the browser shows it."""
    return DrawnField(
        name=field.name, label=field.label, kind=field.matcher, page=field.page, box=field.box, comb=field.comb
    )


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
