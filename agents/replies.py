"""What a model's reply says: the JSON in it, and the point or box that it means."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

_MAX_LENGTH = 20_000
_MAX_VALUES = 50
"""Of the places where JSON may begin, so many are looked at, from the last one back."""
_CLOSING = {"{": "}", "[": "]"}
_PART = re.compile(r'"(?:[^"\\]|\\.)*("?)|[{}\[\]]', re.S)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.S)
_LAST_ITEM = re.compile(r'(?:,|(?<=[\[{]))(?:"(?:[^"\\]|\\.)*(?:"|$)|[^,\[{"])*$', re.S)
_SIDES = (("x", "y"), ("left", "top", "right", "bottom"), ("x0", "y0", "x1", "y1"))


def json_values(reply: str) -> list[Any]:
    """The outermost JSON objects and lists in a reply, in order.

    Prose, code fences and other text around them are left out. Trailing commas are forgiven, and what was cut off is
    closed after its last whole item.
    """
    reply = reply[-_MAX_LENGTH:]
    values: list[Any] = []
    end = 0
    for start in [match.start() for match in re.finditer(r"[{\[]", reply)][-_MAX_VALUES:]:
        if start >= end:
            length, _ = _extent(reply[start:])
            value = _loaded(reply[start : start + length])
            if value is not None:
                values.append(value)
                end = start + length
    return values


def predicted_numbers(reply: str) -> tuple[float, ...] | None:
    """The last point (x, y) or box (left, top, right, bottom) in a reply, if any.

    It may be an object with these names, a list of two or four numbers, or either inside of something else, such as a
    call of a tool.
    """
    for value in reversed(json_values(reply)):
        numbers = _numbers_in(value)
        if numbers is not None:
            return numbers
    return None


def _extent(text: str) -> tuple[int, str]:
    """How long the value is that a text begins with, and what it lacks at its end."""
    closing: list[str] = []
    for part in _PART.finditer(text):
        if part[0] in _CLOSING:
            closing.append(_CLOSING[part[0]])
        elif part[0] in _CLOSING.values():
            if closing[-1] != part[0]:
                return part.start(), "".join(reversed(closing))
            closing.pop()
            if not closing:
                return part.end(), ""
        elif not part[1]:
            closing.append('"')
    return len(text), "".join(reversed(closing))


def _loaded(text: str) -> Any:
    """The value of a text; of one that was cut off, its whole items."""
    for _ in range(_MAX_VALUES):
        _, closing = _extent(text)
        try:
            return json.loads(_TRAILING_COMMA.sub(r"\1", text + closing))
        except (ValueError, RecursionError):
            shorter = _LAST_ITEM.sub("", text)
        if len(shorter) < 2 or shorter == text:
            return None
        text = shorter
    return None


def _numbers_in(value: Any, depth: int = 0) -> tuple[float, ...] | None:
    if depth > 5:
        return None
    if isinstance(value, Mapping):
        for sides in _SIDES:
            if all(side in value for side in sides):
                return _numbers(value[side] for side in sides)
        return _first_numbers(value.values(), depth)
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = _numbers(value) if len(value) in (2, 4) else None
        return _first_numbers(value, depth) if numbers is None else numbers
    return None


def _first_numbers(values: Iterable[Any], depth: int) -> tuple[float, ...] | None:
    found = (_numbers_in(value, depth + 1) for value in islice(values, _MAX_VALUES))
    return next((numbers for numbers in found if numbers is not None), None)


def _numbers(values: Iterable[Any]) -> tuple[float, ...] | None:
    """Values as numbers, if all are finite ones."""
    listed = list(values)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in listed):
        return None
    return tuple(map(float, listed)) if all(abs(value) < 1e9 and math.isfinite(value) for value in listed) else None
