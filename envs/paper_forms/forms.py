"""Paper forms as data: the page, its fields, and what each field wants of a user."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...assets import ROOT
from ..core.files import load
from ..core.matchers import MATCHERS
from .profiles import condition_facts, derived_facts, fact_book
from .templates import check_template, facts_of

_FORMS = ROOT / "paper_forms"

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in pixels of the page."""


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FormField(_Data):
    """One place to write in.

    Attributes:
        name: unique on the form.
        label: the kind of information it wants, in words; never an answer.
        matcher: how an answer is compared.
        box: where an answer's centre must lie.
        value: the template of the answer; without one, and without ``when``, the field must stay empty.
        when: ``fact=value``: a box to be ticked if so, and otherwise left empty.
        comb: the number of cells, where each holds one character.
    """

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    label: Annotated[str, Field(min_length=3)]
    matcher: str
    box: Box
    value: Annotated[str, Field(min_length=1)] | None = None
    when: str | None = None
    comb: Annotated[int, Field(ge=0, le=40)] = 0

    @model_validator(mode="after")
    def _consistent(self) -> FormField:
        if self.matcher not in MATCHERS:
            raise ValueError(f"field {self.name}: unknown matcher {self.matcher!r}; there are {', '.join(MATCHERS)}")
        if self.matcher == "checkbox" and self.value is not None:
            raise ValueError(f"field {self.name}: a tick box has `when`, not `value`")
        if self.when is not None and self.matcher != "checkbox":
            raise ValueError(f"field {self.name}: only a tick box has `when`")
        unknown = sorted(self.facts - set(fact_book().names) - set(derived_facts().root))
        if unknown:
            raise ValueError(f"field {self.name}: unknown fact {unknown[0]!r}")
        check_template(self.value or "")
        if self.when is not None:
            fact_book().check_value(*condition_facts(self.when))
        return self

    @property
    def facts(self) -> set[str]:
        """The facts, plain or derived, that its answer is made of."""
        return facts_of(self.value or "") | ({condition_facts(self.when)[0]} if self.when else set())


class PaperForm(_Data):
    """A form as it was photographed.

    Attributes:
        title: what is printed on top.
        description: one sentence about it.
        width: of the page in pixels.
        height: of the page in pixels.
        fields: in the order of the page.
        source_sha256: of the HTML that was photographed.
        browser: what photographed it.
    """

    title: str
    description: str
    width: Annotated[int, Field(gt=0)]
    height: Annotated[int, Field(gt=0)]
    fields: Annotated[tuple[FormField, ...], Field(min_length=1)]
    source_sha256: str
    browser: str

    @model_validator(mode="after")
    def _fields_on_page(self) -> PaperForm:
        names = [field.name for field in self.fields]
        repeated = [name for name in names if names.count(name) > 1]
        if repeated:
            raise ValueError(f"field {repeated[0]}: there are two of this name")
        for field in self.fields:
            left, top, right, bottom = field.box
            if not (0 <= left < right <= self.width and 0 <= top < bottom <= self.height):
                raise ValueError(
                    f"field {field.name}: box {field.box} is not on the page of {self.width} x {self.height}"
                )
        return self

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of the page in pixels."""
        return self.height, self.width


def form_folder(form: str) -> Path:
    """Where a form's files lie (form.html, page.png, form.json): a shipped form's name, or a folder of one's own."""
    return Path(form) if "/" in form else _FORMS / form


def shipped_forms() -> list[Path]:
    """The folders of all shipped forms, sorted."""
    return sorted(path.parent for path in _FORMS.glob("*/form.html"))


@lru_cache(maxsize=64)
def paper_form(form: str) -> PaperForm:
    """A shipped form by its name, or a form of one's own by its folder (with a slash in it).

    Raises:
        ValueError: if there is no such form, or its file is broken (naming file and field).
    """
    names = [folder.name for folder in shipped_forms()]
    if form not in names and "/" not in form:
        raise ValueError(f"no form {form!r}; there are {', '.join(names)}, or folders, written with a slash")
    return load(PaperForm, form_folder(form) / "form.json")
