"""Fields of a web form as data: their controls, and the values they accept."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

import pydantic
from pydantic import ConfigDict, model_validator

from ...core.files import Data
from ...core.matchers import MATCHERS

Control = Literal[
    "text",
    "email",
    "tel",
    "url",
    "password",
    "textarea",
    "number",
    "select",
    "multi_select",
    "radio",
    "checkbox",
    "checkbox_group",
    "date",
    "file",
]
"""The kind of control of a field."""
Value = str | list[str] | bool | None
"""The value of a field: ``None`` if empty or hidden; a list if several can be chosen; a Boolean for a checkbox."""

ONE_LINE = ("text", "email", "tel", "url", "password")
"""Controls that hold one line of text."""
CHOICES = ("select", "multi_select", "radio", "checkbox_group")
"""Controls that offer options."""
LISTS = ("multi_select", "checkbox_group")
"""Controls of which several options can be chosen."""
CONTROLLING = ("select", "radio", "checkbox")
"""Controls that other fields can depend on."""

_MATCHERS: dict[str, str] = dict.fromkeys(ONE_LINE, "text") | {
    "email": "uri",
    "url": "uri",
    "textarea": "description",
    "tel": "phone",
    "number": "number",
    "range": "number",
    "date": "date",
}


def default_matcher(control: str) -> str:
    """The matcher of answers in a control, unless the field names another."""
    return _MATCHERS.get(control, "choice")


# Keys that only some controls have.
_ONLY_FOR: dict[str, tuple[str, ...]] = {
    "options": CHOICES,
    "options_by": ("select",),
    "prompt": ("select",),
    "statement": ("checkbox",),
    "rows": ("textarea",),
    "least": ("number", "date"),
    "most": ("number", "date"),
    "step": ("number",),
    "min_length": (*ONE_LINE, "textarea"),
    "max_length": (*ONE_LINE, "textarea"),
    "pattern": ONE_LINE,
    "pattern_hint": ONE_LINE,
    "accept": ("file",),
    "several": ("file",),
    "placeholder": (*ONE_LINE, "textarea", "number"),
}

Name = Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$")]
Option = Annotated[str, pydantic.Field(min_length=1, max_length=38)]
Options = Annotated[tuple[Option, ...], pydantic.Field(min_length=2, max_length=14)]


Bound = pydantic.StrictInt | pydantic.StrictFloat | date


class When(Data):
    """The condition under which a field is visible: the values of another field.

    A checkbox has the values ``yes`` and ``no``.
    """

    model_config = ConfigDict(populate_by_name=True)

    field: Name
    values: Annotated[tuple[str, ...], pydantic.Field(alias="is", min_length=1)]

    def holds(self, value: Value) -> bool:
        """Whether the condition holds if the other field holds ``value``."""
        if isinstance(value, bool):
            return ("yes" if value else "no") in self.values
        return value in self.values


class OptionsBy(Data):
    """Options that depend on the value of another field."""

    field: Name
    options: Annotated[dict[str, Options], pydantic.Field(min_length=1)]


class FieldDefinition(Data):
    """A field as it is in a file.

    Attributes:
        name: unique in the form; in a repeated block without a number.
        label: the text over it.
        control: the control for its value.
        required: whether it must be filled where it is visible.
        hint: small print under it.
        placeholder: grey text in it while it is empty.
        width: of the page's width.
        options: what can be chosen.
        options_by: what can be chosen, by another field's value; instead of ``options``.
        prompt: the text of a select while nothing is chosen.
        statement: the text beside a checkbox.
        rows: visible lines of a textarea.
        least: lowest number, or earliest date in ISO 8601.
        most: highest number, or latest date.
        step: between numbers that can be entered, from ``least`` or 0 on.
        min_length: characters that a text must have unless it is empty.
        max_length: characters that a text can have.
        pattern: a regular expression that the whole text must match.
        pattern_hint: what the pattern requires, in words.
        accept: endings of files that can be chosen, such as ``.pdf``; none: all.
        several: whether more than one file can be chosen.
        initial: its first value.
        matcher: how an answer is compared; the control's own by default.
        when: the condition under which it is visible.
    """

    name: Name
    label: Annotated[str, pydantic.Field(max_length=60)] = ""
    control: Control
    required: bool = False
    hint: Annotated[str, pydantic.Field(max_length=90)] = ""
    placeholder: Annotated[str, pydantic.Field(max_length=60)] = ""
    width: Literal["full", "half", "third"] = "full"
    options: Options | None = None
    options_by: OptionsBy | None = None
    prompt: Annotated[str, pydantic.Field(min_length=1, max_length=38)] = "Choose one"
    statement: Annotated[str, pydantic.Field(max_length=110)] = ""
    rows: Annotated[int, pydantic.Field(ge=2, le=12)] = 4
    least: Bound | None = None
    most: Bound | None = None
    step: Annotated[int | float, pydantic.Field(gt=0)] | Literal["any"] = 1
    min_length: Annotated[int, pydantic.Field(ge=1)] | None = None
    max_length: Annotated[int, pydantic.Field(ge=1)] | None = None
    pattern: Annotated[str, pydantic.Field(min_length=1)] | None = None
    pattern_hint: Annotated[str, pydantic.Field(max_length=90)] = ""
    accept: tuple[Annotated[str, pydantic.Field(pattern=r"^\.[a-z0-9]+$")], ...] = ()
    several: bool = False
    initial: str | None = None
    matcher: str = ""
    when: When | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_matcher(cls, data: object) -> object:
        if isinstance(data, dict) and not data.get("matcher"):
            return data | {"matcher": default_matcher(str(data.get("control")))}
        return data

    @model_validator(mode="after")
    def _consistent(self) -> FieldDefinition:
        for problem in (*self._misplaced(), *self._bounds(), *self._choices()):
            raise ValueError(problem)
        return self

    @property
    def option_groups(self) -> list[tuple[str, ...]]:
        """The options for each value of the field in ``options_by``; one group without it."""
        return list(self.options_by.options.values()) if self.options_by else [self.options or ()]

    @property
    def initial_value(self) -> Value:
        """The first value."""
        if self.control == "checkbox":
            return self.initial == "yes"
        if self.control in LISTS:
            return [self.initial] if self.initial else []
        return self.initial

    def _misplaced(self) -> list[str]:
        given = self.model_fields_set
        problems = [
            f"{key} is for {', '.join(controls)}, not for {self.control}"
            for key, controls in _ONLY_FOR.items()
            if key in given and self.control not in controls and getattr(self, key) not in ("", None)
        ]
        if not self.label and self.control != "checkbox":
            problems.append("it needs a label")
        if self.control == "checkbox" and not self.statement:
            problems.append("a checkbox needs a statement")
        if self.matcher not in MATCHERS:
            problems.append(f"unknown matcher {self.matcher!r}; there are {', '.join(MATCHERS)}")
        return problems

    def _bounds(self) -> list[str]:
        problems = []
        for bound in (self.least, self.most):
            if bound is not None and isinstance(bound, date) != (self.control == "date"):
                problems.append(f"bound {bound} does not fit a {self.control}; dates are ISO, numbers are not quoted")
        if not problems and self.least is not None and self.most is not None and self.least > self.most:  # type: ignore[operator]
            problems.append(f"least {self.least} is more than most {self.most}")
        if self.min_length and self.max_length and self.min_length > self.max_length:
            problems.append(f"min_length {self.min_length} is more than max_length {self.max_length}")
        try:
            re.compile(self.pattern or "")
        except re.error as error:
            problems.append(f"pattern {self.pattern!r} is no regular expression: {error}")
        return problems

    def _choices(self) -> list[str]:
        if self.control not in CHOICES:
            return []
        if (self.options is None) == (self.options_by is None):
            return ["it needs options (or, for a select, options_by; not both)"]
        groups = self.option_groups
        problems = [f"two options are alike in {group}" for group in groups if len(set(group)) < len(group)]
        if self.initial is not None and not any(self.initial in group for group in groups):
            problems.append(f"initial {self.initial!r} is none of the options")
        return problems


class Field(FieldDefinition):
    """A field of a form; fields of repeated blocks occur once for each row.

    ``when`` and ``options_by`` name fields of the same row.

    Attributes:
        base_name: the name in the file.
        page: counted from 0.
        block: of the page, counted from 0.
        row: of a repeated block, counted from 1; 0 in other blocks.
    """

    base_name: str
    page: int
    block: int
    row: int

    def options_for(self, other: Value = None) -> tuple[str, ...]:
        """The options where the field named by ``options_by`` holds ``other``."""
        if self.options_by is None:
            return self.options or ()
        return self.options_by.options.get(other, ()) if isinstance(other, str) else ()
