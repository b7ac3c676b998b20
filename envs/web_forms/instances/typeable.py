"""Check whether a browser accepts a value in a field."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from ..forms.form_fields import LISTS, ONE_LINE, Field, Value

# What a browser takes for an e-mail address, by the HTML standard.
_EMAIL = re.compile(
    r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
    r"(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*"
)
Check = Callable[[Field, str], str | None]


def entry_problem(field: Field, value: Value, values: Mapping[str, Value], files: Sequence[str] = ()) -> str | None:
    """Why ``value`` cannot be entered; ``None`` if it can.

    Args:
        field: a visible field.
        value: the value to enter.
        values: the values of the other fields.
        files: the names of the available files.
    """
    if field.control == "checkbox":
        return _box_problem(field, value)
    if value in (None, "", []):
        return _empty_problem(field)
    if field.control in LISTS or field.several:
        return _list_problem(field, value, files)
    if not isinstance(value, str):
        return f"{value!r} is no text"
    if field.control in ("select", "radio"):
        other = values.get(field.options_by.field) if field.options_by else None
        return _option_problem(field.options_for(other), value)
    if field.control == "file":
        return file_problem(field, value, files)
    return next((problem for check in _CHECKS[field.control] if (problem := check(field, value))), None)


def accepts(field: Field, file: str) -> bool:
    """Whether a file field accepts a file, by the ending of its name."""
    return not field.accept or file.casefold().endswith(field.accept)


def _box_problem(field: Field, value: Value) -> str | None:
    if not isinstance(value, bool):
        return f"{value!r} is neither true nor false"
    return "it is required, and not ticked" if field.required and not value else None


def _empty_problem(field: Field) -> str | None:
    if field.required:
        return "it is required, and empty"
    if field.initial and field.control in ("select", "radio"):
        return f"it cannot be emptied again: it holds {field.initial!r} at first"
    return None


def _list_problem(field: Field, value: Value, files: Sequence[str]) -> str | None:
    if not isinstance(value, list):
        return f"{value!r} is no list"
    if len(set(value)) < len(value):
        return f"{value!r} has the same twice"
    if field.control == "file":
        problems = (file_problem(field, item, files) for item in value)
    else:
        problems = (_option_problem(field.options or (), item) for item in value)
    return next((problem for problem in problems if problem), None)


def _option_problem(options: Sequence[str], value: str) -> str | None:
    return None if value in options else f"{value!r} is none of the options {', '.join(options) or '(there are none)'}"


def file_problem(field: Field, name: str, files: Sequence[str]) -> str | None:
    """Why a file cannot be chosen; ``None`` if it can."""
    if name not in files:
        return f"{name[:80]!r} is none of the files {', '.join(files) or '(there are none)'}"
    return None if accepts(field, name) else f"{name[:80]!r} is not accepted; it must end in {', '.join(field.accept)}"


def _spacing(field: Field, value: str) -> str | None:
    if value != value.strip():
        return f"{value!r} has space around it"
    if field.control != "textarea" and re.search(r"[\r\n\t]", value):
        return f"{value!r} has a line break or tabulator"
    return f"{value!r} has more than one empty line in a row" if "\n\n\n" in value else None


def _length(field: Field, value: str) -> str | None:
    if field.min_length and len(value) < field.min_length:
        return f"{value!r} has {len(value)} characters, not {field.min_length} at least"
    if field.max_length and len(value) > field.max_length:
        return f"{value!r} has {len(value)} characters, not {field.max_length} at most"
    return None


def _pattern(field: Field, value: str) -> str | None:
    if field.pattern and not re.fullmatch(field.pattern, value):
        return f"{value!r} does not match {field.pattern!r}"
    return None


def _email(field: Field, value: str) -> str | None:
    return None if _EMAIL.fullmatch(value) else f"{value!r} is no e-mail address"


def _url(field: Field, value: str) -> str | None:
    parts = urlsplit(value)
    fine = parts.scheme in ("http", "https") and parts.hostname and not re.search(r"\s", value)
    return None if fine else f"{value!r} is no URL"


def _number(field: Field, value: str) -> str | None:
    try:
        number = Decimal(value)
    except InvalidOperation:
        return f"{value!r} is no number in digits"
    if not re.fullmatch(r"-?(?:\d+\.?\d*|\.\d+)", value):
        return f"{value!r} is no number in digits"
    least, most = (None if bound is None else Decimal(str(bound)) for bound in (field.least, field.most))
    if (least is not None and number < least) or (most is not None and number > most):
        return f"{value} is not from {field.least} to {field.most}"
    base = least if least is not None else Decimal(field.initial or 0)
    if field.step != "any" and (number - base) % Decimal(str(field.step)):
        return f"{value} is not {base} plus steps of {field.step}"
    return None


def _date(field: Field, value: str) -> str | None:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return f"{value!r} is no date of the calendar in ISO 8601"
    if len(value) != len("2025-03-14"):
        return f"{value!r} is not written like 2025-03-14"
    if (isinstance(field.least, date) and day < field.least) or (isinstance(field.most, date) and day > field.most):
        return f"{value} is not from {field.least} to {field.most}"
    return None


_TEXT: tuple[Check, ...] = (_spacing, _length, _pattern)
_CHECKS: dict[str, tuple[Check, ...]] = dict.fromkeys((*ONE_LINE, "textarea"), _TEXT) | {
    "email": (*_TEXT, _email),
    "url": (*_TEXT, _url),
    "number": (_number,),
    "date": (_date,),
}
