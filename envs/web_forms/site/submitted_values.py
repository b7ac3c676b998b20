"""The values of a submitted form, which are not trusted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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
_MAX_LISTED_NAMES = 5


@dataclass(frozen=True)
class _Posted:
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
        Refused: with status 400 if it cannot come from the form's page, with 422 if that page would not have sent it.
    """
    _check_names(form, posted, uploads)
    texts = {name: [_unified(text) for text in posted.getlist(name)] for name in posted}
    names = {name: [f.filename for f in uploads.getlist(name) if f.filename] for name in uploads}
    came = {f.name: _Posted(texts.get(f.name, ()), names.get(f.name, ())) for f in form.fields}
    _refuse(400, "This does not come from the form.", _strange(form, files, came))
    values = _values(form, came)
    _refuse(400, "This does not come from the form.", _impossible(form, values, came))
    _refuse(422, "The form is not filled in as it asks to be.", _incomplete(form, files, values))
    return values


_Problems = Iterator[tuple[Field, str]]
"""Fields, each with what is wrong with it."""


def _refuse(status: int, reason: str, problems: _Problems) -> None:
    if found := [f"{field.label or field.statement} ({field.name}): {problem}" for field, problem in problems]:
        raise Refused(status, reason, found)


def _check_names(form: WebForm, posted: MultiDict[str, str], uploads: MultiDict[str, FileStorage]) -> None:
    foreign = sorted({*posted, *uploads} - form.by_name.keys() - {FIELD, CALLS})
    if foreign:
        visible = ", ".join(repr(name[:80]) for name in foreign[:_MAX_LISTED_NAMES])
        more = f" and {len(foreign) - _MAX_LISTED_NAMES} more" if len(foreign) > _MAX_LISTED_NAMES else ""
        raise Refused(400, f"The form has no field {visible}{more}.")


def _unified(text: str) -> str:
    """``text`` with line breaks as one character, which browsers send as two."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _strange(form: WebForm, files: Sequence[str], came: Mapping[str, _Posted]) -> _Problems:
    """The problems of values that cannot be in a field of their kind."""
    for field in form.fields:
        texts, names = came[field.name].texts, came[field.name].files
        number = max(len(texts), len(names))
        if field.control == "file" and any(texts):
            yield field, "a file must be sent as a file, not as text"
        elif field.control != "file" and names:
            yield field, "it takes no file"
        elif number > _max_values(field):
            yield field, f"{number} values, of which it can have {_max_values(field)}"
        problems = [_text_problem(field, text) for text in texts] + [file_problem(field, name, files) for name in names]
        yield from ((field, problem) for problem in problems if problem)


def _max_values(field: Field) -> int:
    if field.control in LISTS:
        return len(field.options or ())
    return 100 if field.several else 1


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


def _values(form: WebForm, came: Mapping[str, _Posted]) -> dict[str, Value]:
    values = {field.name: _value(field, came[field.name]) for field in form.fields}
    visible = {field.name for field in form.visible_fields(values)}
    # What a page leaves out of what it sends is empty, or was hidden.
    return {name: value if value or name in visible else None for name, value in values.items()}


def _value(field: Field, posted: _Posted) -> Value:
    if field.control == "checkbox":
        return bool(posted.texts)
    given = [item for item in (posted.files if field.control == "file" else posted.texts) if item]
    if field.control in LISTS or field.several:
        return list(given)
    return given[0] if given else ""


def _impossible(form: WebForm, values: Mapping[str, Value], came: Mapping[str, _Posted]) -> _Problems:
    """Values of hidden fields, and choices that are not offered."""
    for field in form.fields:
        value = values[field.name]
        if not value:
            continue
        if field.when is not None and not field.when.holds(values[field.when.field]):
            yield field, f"it is not shown where {field.when.field} is not {' or '.join(field.when.values)}"
        elif field.control in ("select", "radio", *LISTS):
            other = values[field.options_by.field] if field.options_by else None
            chosen = value if isinstance(value, list) else [str(value)]
            offered = field.options_for(other)
            yield from ((field, f"{text[:80]!r} is none of its options") for text in chosen if text not in offered)
            if len(set(chosen)) < len(came[field.name].texts):
                yield field, "an option came twice"


def _incomplete(form: WebForm, files: Sequence[str], values: Mapping[str, Value]) -> _Problems:
    """The fields that a page requires before it sends a form."""
    for field in form.visible_fields(values):
        value = values[field.name]
        if field.required and value in (None, "", [], False):
            yield field, "it is required"
        elif value not in (None, "", []) and (problem := entry_problem(field, _tidy(value), values, files)):
            yield field, problem


def _tidy(value: Value) -> Value:
    """A text without whitespace that right answers never have and people may enter."""
    return re.sub(r"\n{3,}", "\n\n", value.strip()).replace("\t", " ") if isinstance(value, str) else value
