"""The values of a submitted form, which are not trusted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from flask import abort
from werkzeug.datastructures import FileStorage, MultiDict

from ..forms.form import WebForm
from ..forms.form_fields import LISTS, Field, Value
from ..instances.typeable import entry_problem, file_problem
from .http_responses import Refused
from .person_calls import CALLS

FIELD = "_session"
"""The name of the hidden field that holds the token; no field of a form begins with an underscore."""
MAX_VALUE_LENGTH = 20_000
"""Characters that a value can have."""
_MAX_FILES = 100
_MAX_LISTED_NAMES = 5
_FOREIGN = "This does not come from the form."
_Problems = Iterator[tuple[Field, str]]
"""Fields, each with what is wrong with it."""


class _Posted(NamedTuple):
    """The submitted data of one field: texts and names of files."""

    texts: Sequence[str]
    files: Sequence[str]


def read_entries(
    form: WebForm, files: Sequence[str], posted: MultiDict[str, str], uploads: MultiDict[str, FileStorage]
) -> dict[str, Value]:
    """The value of each field; ``None`` if it was hidden.

    Args:
        form: the submitted form.
        files: the names of the files that its task has.
        posted: the submitted texts.
        uploads: the submitted files; only their names matter.

    Raises:
        HTTPException: with status 400 if it cannot come from the form's page, with 422 if that page would not have sent
            it.
    """
    if foreign := sorted({*posted, *uploads} - form.by_name.keys() - {FIELD, CALLS}):
        more = f" and {len(foreign) - _MAX_LISTED_NAMES} more" if len(foreign) > _MAX_LISTED_NAMES else ""
        visible = ", ".join(repr(name[:80]) for name in foreign[:_MAX_LISTED_NAMES])
        abort(400, f"The form has no field {visible}{more}.")
    # Browsers send line breaks as two characters.
    came = {
        name: _Posted(
            [re.sub("\r\n?", "\n", text) for text in posted.getlist(name)],
            [file.filename for file in uploads.getlist(name) if file.filename],
        )
        for name in form.by_name
    }
    _refuse(400, _FOREIGN, _strange(form, files, came))
    values = {field.name: _value(field, came[field.name]) for field in form.fields}
    shown = {field.name for field in form.visible_fields(values)}
    # What a page leaves out of what it sends is empty, or was hidden.
    values = {name: value if value or name in shown else None for name, value in values.items()}
    _refuse(400, _FOREIGN, _hidden(form, values))
    _refuse(422, "The form is not filled in as it asks to be.", _unfinished(form, files, values))
    return values


def _refuse(status: int, reason: str, problems: _Problems) -> None:
    if found := [f"{field.label or field.statement} ({field.name}): {problem}" for field, problem in problems]:
        raise Refused(status, reason, found)


def _strange(form: WebForm, files: Sequence[str], came: Mapping[str, _Posted]) -> _Problems:
    """The problems of values that cannot be in a field of their kind."""
    for field in form.fields:
        texts, names = came[field.name]
        number, possible = max(len(texts), len(names)), _MAX_FILES if field.several else 1
        if field.control in LISTS:
            possible = len(field.options or ())
        if field.control == "file" and any(texts):
            yield field, "a file must be sent as a file, not as text"
        elif field.control != "file" and names:
            yield field, "it takes no file"
        elif number > possible:
            yield field, f"{number} values, of which it can have {possible}"
        problems = [_text_problem(field, text) for text in texts] + [file_problem(field, name, files) for name in names]
        yield from ((field, problem) for problem in problems if problem)


def _text_problem(field: Field, text: str) -> str | None:
    if len(text) > MAX_VALUE_LENGTH:
        return f"{len(text)} characters, of which it can have {MAX_VALUE_LENGTH}"
    strange = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"}
    if strange:
        return f"control character U+{ord(min(strange)):04X}"
    if "\n" in text and field.control != "textarea":
        return "a line break in a field of one line"
    if field.control == "checkbox" and text != "yes":
        return f"{text[:80]!r} is not its value, which is 'yes'"
    return None


def _value(field: Field, posted: _Posted) -> Value:
    if field.control == "checkbox":
        return bool(posted.texts)
    given = [item for item in (posted.files if field.control == "file" else posted.texts) if item]
    if field.control in LISTS or field.several:
        return list(given)
    return given[0] if given else ""


def _hidden(form: WebForm, values: Mapping[str, Value]) -> _Problems:
    """The values of fields that their conditions hide."""
    for field in form.fields:
        if values[field.name] and field.when is not None and not field.when.holds(values[field.when.field]):
            yield field, f"it is not shown where {field.when.field} is not {' or '.join(field.when.values)}"


def _unfinished(form: WebForm, files: Sequence[str], values: Mapping[str, Value]) -> _Problems:
    """The fields that a page requires otherwise before it sends a form."""
    for field in form.visible_fields(values):
        value = values[field.name]
        if value in (None, "", [], False):
            problem = "it is required" if field.required else None
        else:
            problem = entry_problem(field, _tidy(value), values, files)
        if problem:
            yield field, problem


def _tidy(value: Value) -> Value:
    """A text without whitespace that right answers never have and people may enter."""
    return re.sub(r"\n{3,}", "\n\n", value.strip()).replace("\t", " ") if isinstance(value, str) else value
