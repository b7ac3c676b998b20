"""Formatting: f-strings' format specs and ``str.format``, without attributes, items or endless widths."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .budget import measured
from .errors import ProgramError

MAX_WIDTH = 1_000
"""How wide a value may be filled up to, in characters."""
_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>\d*)[,_]?(?:\.(?P<digits>\d+))?[a-zA-Z%]?", re.S)
_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {None: lambda value: value, "s": str, "r": repr, "a": ascii}


def formatted(value: Any, spec: str = "", conversion: str | None = None) -> str:
    """A value as an f-string writes it.

    Args:
        value: a number, a text, or anything if there is no spec.
        spec: such as ``>8.2f``.
        conversion: ``s``, ``r``, ``a`` or ``None``.

    Raises:
        ProgramError: if the spec asks for too many characters.
        TypeError, ValueError: as Python does.
    """
    value = _CONVERSIONS[conversion](value)
    if not spec:
        return str(value)
    if not isinstance(value, str | int | float):
        raise TypeError(f"a {type(value).__name__} is written without a format spec; write it with str()")
    found = _SPEC.fullmatch(spec)
    if found is None:
        raise ValueError(f"Invalid format specifier {spec[:20]!r}")
    if any(len(part or "") > 4 or int(part or 0) > MAX_WIDTH for part in found.groups()):
        raise ProgramError(f"a format spec asks for more than {MAX_WIDTH:,} characters")
    return format(value, spec)


def format_template(template: str, /, *arguments: Any, **named: Any) -> str:
    """What ``template.format(...)`` gives.

    Raises:
        ProgramError: if a field is not just a number or a name, or asks for too many characters.
        LookupError, TypeError, ValueError: as Python does.
    """
    # Each value is written as often as there are fields of it, so that they count as often.
    fields = list(_fields(template, arguments, named))
    measured(*(value for _, value, _, _ in fields))
    return "".join(
        literal + ("" if spec is None else formatted(value, spec, conversion))
        for literal, value, spec, conversion in fields
    )


def _fields(
    template: str, arguments: Sequence[Any], named: Mapping[str, Any]
) -> Iterator[tuple[str, Any, str | None, str | None]]:
    """The parts of a template: a text, and the value behind it, its spec, if there is one, and its conversion."""
    automatic = 0
    for literal, field, spec, conversion in string.Formatter().parse(template):
        if field is None:
            yield literal, None, None, None
            continue
        if not re.fullmatch(r"\w*", field) or "{" in (spec or ""):
            raise ProgramError(f"the field {field[:20]!r} is more than a number or a name; use an f-string")
        value = named[field] if field and not field.isdecimal() else arguments[int(field or automatic)]
        automatic += not field
        yield literal, value, spec or "", _checked_conversion(conversion)


def _checked_conversion(conversion: str | None) -> str | None:
    if conversion not in _CONVERSIONS:
        raise ValueError(f"Unknown conversion specifier {conversion!r}")
    return conversion
