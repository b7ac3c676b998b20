"""A form whose fields are boxes that somebody draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ....envs.core.pages import page_image
from ....envs.core.painting import Image
from ....envs.paper_forms.custom.folder import CustomForm
from ....envs.paper_forms.paper_form import FormField, PaperForm
from ..form_folder import write_folder
from .box_files import DrawnField, Size, form_fields


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


def as_drawn(field: FormField) -> DrawnField:
    """A field of a form as the browser shows it."""
    return DrawnField(
        name=field.name, label=field.label, kind=field.matcher, page=field.page, box=field.box, comb=field.comb
    )
