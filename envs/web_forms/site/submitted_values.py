"""The values of a submitted form, which are not trusted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence

from flask import abort
from werkzeug.datastructures import FileStorage, MultiDict

from ...core.texts import truncate
from ..forms.form import WebForm
from ..forms.form_fields import CHOICES, LISTS, Field, Value
from ..instances.typeable import entry_problem
from .person_calls import CALLS

FIELD = "_session"
"""The name of the hidden field that holds the token; no field of a form begins with an underscore."""
MAX_VALUE_LENGTH = 20_000
"""Characters that a value can have."""
_MAX_FILES = 100
_MAX_LISTED_NAMES, _MAX_SHOWN = 5, 400
_FOREIGN = "This does not come from the form."
_Problems = Iterable[tuple[Field, str]]
"""Fields, each with what is wrong with it."""


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
        HTTPException: with status 400 if no form's page sends it, with 422 if this page does not send it so.
    """
    if foreign := sorted({*posted, *uploads} - form.by_name.keys() - {FIELD, CALLS}):
        more = f" and {len(foreign) - _MAX_LISTED_NAMES} more" if len(foreign) > _MAX_LISTED_NAMES else ""
        visible = ", ".join(repr(name[:80]) for name in foreign[:_MAX_LISTED_NAMES])
        abort(400, f"The form has no field {visible}{more}.")
    values, strange = dict[str, Value](), list[tuple[Field, str]]()
    for field in form.fields:
        # Browsers send line breaks as two characters.
        texts = [re.sub("\r\n?", "\n", text) for text in posted.getlist(field.name)]
        names = [file.filename for file in uploads.getlist(field.name) if file.filename]
        strange += [(field, problem) for problem in _strange(field, texts, names)]
        values[field.name] = _value(field, names if field.control == "file" else texts)
    _refuse(400, _FOREIGN, strange)
    shown = {field.name for field in form.visible_fields(values)}
    # What a page leaves out of what it sends is empty, or was hidden.
    values = {name: value if value or name in shown else None for name, value in values.items()}
    _refuse(400, _FOREIGN, _hidden(form, values))
    _refuse(422, "The form is not filled in as it asks to be.", _unfinished(form, files, values))
    return values


def _refuse(status: int, reason: str, problems: _Problems) -> None:
    if found := [f"{field.label or field.statement} ({field.name}): {problem}" for field, problem in problems]:
        abort(status, "\n".join([reason, *(truncate(text, _MAX_SHOWN) for text in found)]))


def _strange(field: Field, texts: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """The problems of texts and names of files that cannot be in a field of its kind."""
    number, possible = max(len(texts), len(names)), _MAX_FILES if field.several else 1
    if field.control in LISTS:
        possible = len(field.options or ())
    if field.control == "file" and any(texts):
        yield "a file must be sent as a file, not as text"
    elif field.control != "file" and names:
        yield "it takes no file"
    elif number > possible:
        yield f"{number} values, of which it can have {possible}"
    yield from filter(None, (_text_problem(field, text) for text in texts))


def _text_problem(field: Field, text: str) -> str | None:
    if len(text) > MAX_VALUE_LENGTH:
        return f"{len(text)} characters, of which it can have {MAX_VALUE_LENGTH}"
    strange = {c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"}
    if strange:
        return f"control character U+{ord(min(strange)):04X}"
    if field.control == "checkbox" and text != "yes":
        return f"{text[:80]!r} is not its value, which is 'yes'"
    return None


def _value(field: Field, given: Sequence[str]) -> Value:
    if field.control == "checkbox":
        return bool(given)
    items = [item for item in given if item]
    if field.control in LISTS or field.several:
        return items
    return items[0] if items else ""


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
            is_text = field.control not in (*CHOICES, "file")
            problem = entry_problem(field, _tidy(value) if is_text else value, values, files)
        if problem:
            yield field, problem


def _tidy(value: Value) -> Value:
    """A text without whitespace that right answers never have and people may enter."""
    return re.sub(r"\n{3,}", "\n\n", value.strip()).replace("\t", " ") if isinstance(value, str) else value
