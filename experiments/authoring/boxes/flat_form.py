"""A form whose fields are boxes that somebody draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....envs.core.painting import Image
from ....envs.paper_forms.custom.folder import CustomForm
from ....envs.paper_forms.paper_form import FormField, PaperForm
from ..form_folder import write_folder
from ..form_pages import pictures_in
from .box_files import DrawnField, Size, form_fields

DRAWN = "boxes drawn by hand"
"""In place of a form's browser."""


@dataclass(frozen=True)
class FlatForm:
    """A form whose fields are boxes on its pages.

    Attributes:
        folder: where it is or goes.
        pictures: of its pages, uint8 (height, width, 3).
        about: the arguments of a ``PaperForm`` but for its fields.
        fields: as they were, or as they are proposed.
        pdf: the file that it was read from, if that is a PDF and not in the folder yet.
    """

    folder: Path
    pictures: Sequence[Image]
    about: Mapping[str, Any]
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
            found if one.original is None else self._changed(self.fields[one.original], found)
            for one, found in zip(drawn, form_fields(drawn, self.sizes, "the form"), strict=True)
        ]
        return self.written(fields)

    def written(self, fields: Sequence[FormField]) -> PaperForm:
        """The form with these fields, written into its folder.

        Raises:
            ValueError: if there are none.
        """
        form = PaperForm(**self.about, fields=tuple(fields))
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
    about = {name: value for name, value in form if name != "fields"}
    return FlatForm(folder, pictures_in(folder, form), about, form.fields)


def as_drawn(field: FormField) -> DrawnField:
    """A field of a form as the browser shows it."""
    return DrawnField(
        name=field.name, label=field.label, kind=field.matcher, page=field.page, box=field.box, comb=field.comb
    )
