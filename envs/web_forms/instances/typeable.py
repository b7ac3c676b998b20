"""Check whether a browser accepts a value in a field."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..forms.form_fields import LISTS, Field, Value
from ..replay.capture import Control
from ..replay.validity import text_problem

_DIGITS = re.compile(r"-?(?:\d+\.?\d*|\.\d+)", re.A)


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
    return _spacing(field, value) or _browser_problem(field, value)


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


def _browser_problem(field: Field, value: str) -> str | None:
    """What the browser finds wrong with a text: its type, pattern, length, range or step."""
    if field.control == "number" and not _DIGITS.fullmatch(value):
        return f"{value!r} is no number in digits"
    least, most = ("" if bound is None else str(bound) for bound in (field.least, field.most))
    control = Control(
        id=0,
        page=0,
        kind="area" if field.control == "textarea" else "text",
        name=field.name,
        value=field.initial or "",
        type=field.control,
        max_length=field.max_length or -1,
        min_length=field.min_length or -1,
        pattern=field.pattern,
        least=least,
        most=most,
        step=str(field.step),
    )
    problem = text_problem(control, value, value)
    return f"{value!r}: {problem}" if problem else None
