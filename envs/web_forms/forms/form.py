"""Web forms as data: pages of blocks of fields."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from pydantic import model_validator

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from .form_fields import CONTROLLING, Field, FieldDefinition, Name, OptionsBy, Value, When


def duplicate_names(fields: Sequence[Field]) -> Iterator[str]:
    """The names that several fields share."""
    names = [field.name for field in fields]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"field {name}: there are two of this name"


def dependency_problems(fields: Sequence[Field]) -> Iterator[str]:
    """The fields whose dependency is not before them on their page, or is impossible."""
    for i, field in enumerate(fields):
        before = {other.name: other for other in fields[:i] if other.page == field.page}
        for key, other in (("when", field.when), ("options_by", field.options_by)):
            if other is None:
                continue
            if other.field not in before:
                yield f"field {field.name}: {key}: no field {other.field!r} before it on its page"
            else:
                yield from _dependence(field, key, before[other.field])


def _dependence(field: Field, key: str, other: Field) -> Iterator[str]:
    known = ("yes", "no") if other.control == "checkbox" else _all_options(other)
    if key == "when":
        if other.control not in CONTROLLING:
            yield f"field {field.name}: when: {other.name} is a {other.control}, not one of {', '.join(CONTROLLING)}"
        for value in field.when.values if field.when else ():
            if value not in known:
                yield f"field {field.name}: when: {other.name} cannot be {value!r}"
        return
    given = set(field.options_by.options) if field.options_by else set()
    if other.control not in ("select", "radio"):
        yield f"field {field.name}: options_by: {other.name} is a {other.control}, not a select or radio"
    elif given != set(known):
        yield f"field {field.name}: options_by: missing or unknown values of {other.name}: {sorted(given ^ set(known))}"


def _all_options(field: Field) -> tuple[str, ...]:
    return tuple(option for group in field.option_groups for option in group)


def foreign_letters(text: str) -> Iterator[str]:
    """The letters that are not Latin: the page's fonts may lack them."""
    letters = {c for c in text if c.isalpha()}
    if foreign := sorted(c for c in letters if "LATIN" not in unicodedata.name(c, "") and c not in "ªº"):
        yield f"letters that are not Latin: {' '.join(foreign)}"


FOLDER = ROOT / "web_forms"
"""The shipped forms, each in its folder."""

Text = Annotated[str, pydantic.Field(min_length=1)]


class Repeat(Data):
    """How often and by which buttons a block is repeated.

    Attributes:
        most: the highest number of rows.
        add: the text of the button that adds a row.
        remove: the text of the button that removes the last row.
    """

    most: Annotated[int, pydantic.Field(ge=2, le=4)]
    add: Text
    remove: Text


class BlockDefinition(Data):
    """Fields under one heading, which may be empty."""

    title: str = ""
    fields: Annotated[tuple[FieldDefinition, ...], pydantic.Field(min_length=1)]
    repeat: Repeat | None = None

    @property
    def rows(self) -> tuple[int, ...]:
        """The numbers of its rows; only 0 if it is not repeated."""
        return tuple(range(1, self.repeat.most + 1)) if self.repeat else (0,)


class PageDefinition(Data):
    """The blocks that are on the screen at a time."""

    title: Text
    blocks: Annotated[tuple[BlockDefinition, ...], pydantic.Field(min_length=1)]


class WebForm(Data):
    """A form.

    Attributes:
        name: that of its folder.
        title: the heading of the page.
        organisation: whose it is.
        domain: of life.
        description: one line for a list of environments.
        intro: the text under the title.
        today: the date of the page, in ISO 8601; calendars open there.
        submit: the text of the last button.
        thanks: the text after submission.
        pages: in order.
    """

    name: Name
    title: Text
    organisation: Text
    domain: Literal["academic", "business", "arts", "technology", "finance", "health", "legal", "construction"]
    description: Text
    intro: Text
    today: date
    submit: Text
    thanks: Text
    pages: Annotated[tuple[PageDefinition, ...], pydantic.Field(min_length=1)]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Every field in the order of the pages, also of each row of repeated blocks.

        The fields of rows are ``name_1``, ``name_2``, ….
        """
        return tuple(
            _row_field(definition, block, page=i, number=j, row=row)
            for i, page in enumerate(self.pages)
            for j, block in enumerate(page.blocks)
            for row in block.rows
            for definition in block.fields
        )

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        """The fields by name."""
        return {field.name: field for field in self.fields}

    def visible_fields(self, values: Mapping[str, Value]) -> list[Field]:
        """The visible fields where the form holds ``values`` and has rows for these."""
        visible: list[Field] = []
        for field in self.fields:
            open_row = field.row <= self.rows(field.page, field.block, values)
            if open_row and (field.when is None or _condition_holds(field.when, visible, values)):
                visible.append(field)
        return visible

    def rows(self, page: int, block: int, values: Mapping[str, Value]) -> int:
        """How many rows of a repeated block have a value, at least one.

        Checkboxes do not count.
        """
        filled = [
            field.row
            for field in self._rows_of[page, block]
            if field.control != "checkbox" and values.get(field.name) not in (None, "", [], field.initial)
        ]
        return max([1, *filled])

    @cached_property
    def _rows_of(self) -> Mapping[tuple[int, int], list[Field]]:
        rows: dict[tuple[int, int], list[Field]] = {}
        for field in self.fields:
            rows.setdefault((field.page, field.block), []).append(field)
        return rows

    @model_validator(mode="after")
    def _consistent(self) -> WebForm:
        problems = [
            *duplicate_names(self.fields),
            *dependency_problems(self.fields),
            *foreign_letters(self.model_dump_json()),
        ]
        if problems:
            raise ValueError("; ".join(problems))
        return self


@lru_cache(maxsize=1)
def web_forms() -> tuple[str, ...]:
    """The names of the shipped forms, sorted."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/form.json")))


def form_folder(form: str) -> Path:
    """The folder of a form, given by a shipped form's name or by a path with a slash."""
    return Path(form) if "/" in form else FOLDER / form


@cached
def web_form(form: str) -> WebForm:
    """A shipped form by its name, or a custom form by its folder (with a slash in it).

    Raises:
        ValueError: if there is no such form, or its file is broken (naming file and field).
    """
    if "/" not in form and form not in web_forms():
        raise ValueError(f"no form {form!r}; there are {', '.join(web_forms())}, or folders, written with a slash")
    folder = form_folder(form)
    loaded = load(WebForm, folder / "form.json")
    if loaded.name != folder.name:
        raise ValueError(f"{folder / 'form.json'} is not valid:\n  name: {loaded.name!r} is not that of the folder")
    return loaded


def _row_field(definition: FieldDefinition, block: BlockDefinition, *, page: int, number: int, row: int) -> Field:
    """A field of the form, with the names of its row."""
    own = {field.name for field in block.fields}

    def named(name: str) -> str:
        return f"{name}_{row}" if row and name in own else name

    changed: dict[str, Any] = {"name": named(definition.name)}
    if definition.when:
        changed["when"] = When(field=named(definition.when.field), values=definition.when.values)
    if definition.options_by:
        changed["options_by"] = OptionsBy(
            field=named(definition.options_by.field), options=definition.options_by.options
        )
    place = {"base_name": definition.name, "page": page, "block": number, "row": row}
    return Field.model_construct(_fields_set=definition.model_fields_set, **{**dict(definition), **changed, **place})


def _condition_holds(when: When, visible: list[Field], values: Mapping[str, Value]) -> bool:
    return any(field.name == when.field for field in visible) and when.holds(values.get(when.field))
