"""Paper forms as data: the page, its fields, and a template for each answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from ...assets import ROOT
from ..core.asset_cache import cached
from ..core.boxes import Box
from ..core.files import Data, load
from ..core.matchers import MATCHERS
from ..core.templates import facts_of, parts_of
from ..core.text_sprites import TYPED_FACE
from .profile import condition_facts, derived_facts, fact_book

GROUPS = ("paper_forms", "database_forms", "source_pages", "scans/test", "scans/train")
"""The folders of shipped forms, below ``assets``."""
_NAMED = GROUPS[:3]
_VOCABULARIES = dict(zip(_NAMED, ("profile", "answers", "profile"), strict=True))

_TYPED = 20
"""The largest text on a form of one's own, ten points at 144 dpi: high blanks need not be wide."""


def text_size_for(field_heights: list[float]) -> int:
    """The size in pixels of text on a page with these field heights.

    It follows the low ones, so that text fits nearly every field of the page, and stays legible.
    """
    return max(9, round(0.6 * float(np.quantile(field_heights, 0.1)))) if field_heights else 16


class FormField(Data):
    """A place to write in.

    Attributes:
        name: unique on the form.
        label: the kind of information, in words; never an answer. Unique on a form that is no scan.
        matcher: how an answer is compared.
        box: where an answer's centre must lie.
        value: the template of the answer; without one, and without ``when``, the field must stay empty.
        when: ``fact=value``: if so, the box is ticked or the answer written, and otherwise the field is left empty.
        comb: the number of cells of one character each; 0 for a plain field.
        option: whether it is a printed word to be marked, not a box to be ticked.
        page: the number of its page, from 1 on; the box is in pixels of that page.
        source_name: the full name of its field in the PDF that the form was read from; fields that show one value have
            one such name, as do the buttons of a radio group.
        max_length: the most characters that it takes; 0: any number.
        choices: of a list.
        group: the slug of the radio group or set of check boxes that it is a button of.
        on_value: the state of a PDF's button that ticks it.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    label: Annotated[str, Field(min_length=1, max_length=200)]
    matcher: str
    box: Box
    value: Annotated[str, Field(min_length=1)] | None = None
    when: str | None = None
    comb: Annotated[int, Field(ge=0, le=40)] = 0
    option: bool = False
    page: Annotated[int, Field(ge=1)] = 1
    source_name: str = ""
    max_length: Annotated[int, Field(ge=0)] = 0
    choices: tuple[str, ...] = ()
    group: str | None = None
    on_value: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> FormField:
        if self.matcher not in MATCHERS:
            raise ValueError(f"field {self.name}: unknown matcher {self.matcher!r}; there are {', '.join(MATCHERS)}")
        if self.matcher == "checkbox" and self.value is not None:
            raise ValueError(f"field {self.name}: a tick box has `when`, not `value`")
        if self.when is not None and self.matcher != "checkbox" and self.value is None:
            raise ValueError(f"field {self.name}: only a tick box has `when` without `value`")
        if self.option and self.matcher != "checkbox":
            raise ValueError(f"field {self.name}: only a checkbox can be an `option`")
        parts_of(self.value or "")
        if self.when is not None:
            condition_facts(self.when)
        return self

    def check_profile_facts(self) -> None:
        """Check that its facts are a profile's.

        Raises:
            ValueError: naming the field and what is unknown.
        """
        known = [*fact_book().names, *derived_facts().root]
        for unknown in sorted(self.facts - set(known)):
            alike = ", ".join(get_close_matches(unknown, known)) or "there is none of a similar name"
            raise ValueError(f"field {self.name}: unknown fact {unknown!r}: {alike}? All: assets/profiles/facts.json")
        if self.when is None:
            return
        try:
            fact_book().check_value(*condition_facts(self.when))
        except ValueError as error:
            raise ValueError(f"field {self.name}: {error}") from None

    @property
    def facts(self) -> set[str]:
        """The facts, plain or derived, that its answer is made of."""
        return facts_of(self.value or "") | ({condition_facts(self.when)[0]} if self.when else set())


class FormPage(Data):
    """A page of a form.

    Attributes:
        image: the file of its picture in the form's folder.
        width: in pixels.
        height: in pixels.
    """

    image: Annotated[str, Field(pattern=r"^[\w-][\w.-]*$")]
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]


class PaperForm(Data):
    """A form as captured by the browser, or as read from a PDF or a picture.

    Attributes:
        title: what is printed on top.
        description: one sentence about it.
        width: of the widest page in pixels.
        height: of the highest page in pixels.
        pages: its pages; by default one, ``page.png``.
        vocabulary: the origin of the facts in its templates: a user's profile, the answers from a database, or the
            kinds of facts on scans; "gold": there are no templates, but answers in ``gold.json``.
        face: the font family of the text typed on it already, for scans.
        language: of its labels, a tag such as ``en``.
        fields: in the order of the pages.
        left_out: the full names of fields of the PDF that nobody can fill in, by the reason.
        source: the file in its folder that it was read from, if that is a PDF.
        source_sha256: of the HTML, PDF or picture that it was read from.
        browser: the program that drew its pages.
    """

    title: str
    description: str
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]
    pages: tuple[FormPage, ...] = ()
    vocabulary: Literal["profile", "answers", "scan", "gold"] = "profile"
    face: str = TYPED_FACE
    language: str = "en"
    fields: Annotated[tuple[FormField, ...], Field(min_length=1)]
    left_out: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    source: str = ""
    source_sha256: str
    browser: str

    @model_validator(mode="after")
    def _consistent(self) -> PaperForm:
        largest = max(page.height for page in self.sheets), max(page.width for page in self.sheets)
        if self.size != largest:
            raise ValueError(f"width and height are those of the largest page, {largest[1]} x {largest[0]} px")
        if repeated := _repeated([field.name for field in self.fields]):
            raise ValueError(f"field {repeated}: there are two of this name")
        # A task on a scan is about one field alone, and the names of a PDF's fields tell them apart.
        one_by_label = self.vocabulary in ("profile", "answers")
        if one_by_label and (repeated := _repeated([field.label for field in self.fields])):
            raise ValueError(f"label {repeated!r}: two fields have it; say in which section each is")
        for field in self.fields:
            if self.vocabulary == "profile":
                field.check_profile_facts()
            self._check_place(field)
        return self

    def _check_place(self, field: FormField) -> None:
        """Check that a field is on its page.

        Raises:
            ValueError: if it is not.
        """
        if field.page > len(self.sheets):
            raise ValueError(f"field {field.name}: there is no page {field.page}; the last is {len(self.sheets)}")
        page, (left, top, right, bottom) = self.sheets[field.page - 1], field.box
        if not (0 <= left < right <= page.width and 0 <= top < bottom <= page.height):
            hint = "" if self.pages else "; the body's width and height in CSS are the page's"
            raise ValueError(
                f"field {field.name}: box {field.box} is not on the page of {page.width} x {page.height} px{hint}"
            )

    @property
    def sheets(self) -> tuple[FormPage, ...]:
        """Its pages; of a form without a list of them the only one."""
        return self.pages or (FormPage(image="page.png", width=self.width, height=self.height),)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the page in pixels."""
        return self.height, self.width

    @property
    def text_size(self) -> int:
        """The size in pixels of text written on it."""
        size = text_size_for([f.box[3] - f.box[1] for f in self.fields if f.matcher != "checkbox"])
        return min(size, _TYPED) if self.vocabulary == "gold" else size


@lru_cache(maxsize=256)
def form_folder(form: str) -> Path:
    """The folder of a form, with ``form.html``, ``page.png`` and ``form.json``.

    Args:
        form: a shipped form's name, or a folder of your own.
    """
    if "/" in form:
        return Path(form)
    return next((folder for folder in _named_forms() if folder.name == form), ROOT / _NAMED[0] / form)


@lru_cache(maxsize=len(GROUPS))
def shipped_forms(group: str = "paper_forms") -> tuple[Path, ...]:
    """The folders of the shipped forms of a group (one of ``GROUPS``), sorted."""
    return tuple(sorted(path.parent for path in (ROOT / group).glob("*/form.html")))


@cached
def paper_form(form: str) -> PaperForm:
    """A shipped form by its name, or your own by its folder (with a slash in it).

    Raises:
        ValueError: if there is no such form, or its file is broken (naming file and field).
    """
    names = [folder.name for folder in _named_forms()]
    if form not in names and "/" not in form:
        own = f": write ./{form}" if Path(form).is_dir() else ""
        raise ValueError(f"no form {form!r}; there are {', '.join(names)}, or folders, written with a slash{own}")
    path = form_folder(form) / "form.json"
    if not path.is_file():
        raise ValueError(f"there is no {path}; formgym import {form} writes it from {form}/form.html")
    return load(PaperForm, path)


def forms_by_name(forms: Sequence[str] | None, group: str) -> dict[str, str]:
    """Forms by their names in task ids: a shipped name, or a folder's last part.

    Args:
        forms: names and folders; ``None``: the shipped forms of ``group``.
        group: one of ``GROUPS``.

    Raises:
        ValueError: if there are none, two are called alike, or one is unknown, broken or for another group.
    """
    if forms is None:
        forms = [folder.name for folder in shipped_forms(group)]
    if (
        isinstance(forms, str)
        or not isinstance(forms, Sequence)
        or not forms
        or not all(isinstance(form, str) for form in forms)
    ):
        raise ValueError(f"forms is a list of names, not {forms!r}")
    named = {Path(form).name: form for form in forms}
    if len(named) < len(forms):
        raise ValueError(f"two forms are called alike: {sorted(forms)}; a task names a folder by its last part")
    for form in forms:
        if (vocabulary := paper_form(form).vocabulary) != _VOCABULARIES[group]:
            raise ValueError(f"form {form} has the vocabulary {vocabulary!r}; here it must be {_VOCABULARIES[group]!r}")
    return named


def canvas_of(forms: Iterable[str]) -> tuple[int, int]:
    """Height and width that hold the page of each form, in pixels.

    Raises:
        ValueError: if a form is unknown or broken.
    """
    heights, widths = zip(*(paper_form(form).size for form in forms), strict=True)
    return max(heights), max(widths)


def _repeated(words: Sequence[str]) -> str | None:
    return next((word for word in words if words.count(word) > 1), None)


@lru_cache(maxsize=1)
def _named_forms() -> tuple[Path, ...]:
    return tuple(folder for group in _NAMED for folder in shipped_forms(group))
