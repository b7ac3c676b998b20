"""Methods of texts, lists, dicts and sets that edit programs may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .budget import MAX_LENGTH
from .errors import ProgramError
from .formatting import format_template
from .values import OrderedSet, Record


def _check_length(length: int) -> None:
    if length > MAX_LENGTH:
        raise ProgramError(f"a text is longer than {MAX_LENGTH:,}")


def _replace(text: str, old: str, new: str, count: int = -1) -> str:
    _check_length(len(text) + text.count(old) * max(0, len(new) - len(old)))
    return text.replace(old, new, count)


def join(separator: str, parts: Iterable[str]) -> str:
    """Parts in one text, which is not made if it is too long."""
    pieces = list(parts)
    _check_length(sum(len(one) for one in pieces if isinstance(one, str)) + len(separator) * len(pieces))
    return separator.join(pieces)


def _filled(name: str) -> Callable[..., str]:
    """A method that fills a text up to a width."""

    def fill(text: str, width: int, *character: str) -> str:
        _check_length(width)
        return str(getattr(text, name)(width, *character))

    return fill


def _union(items: OrderedSet, *others: Iterable[Any]) -> OrderedSet:
    found = OrderedSet(items)
    found.update(*others)
    return found


def _intersection(items: OrderedSet, other: Iterable[Any]) -> OrderedSet:
    kept = OrderedSet(other)
    return OrderedSet(item for item in items if item in kept)


def _difference(items: OrderedSet, other: Iterable[Any]) -> OrderedSet:
    without = OrderedSet(other)
    return OrderedSet(item for item in items if item not in without)


_TEXT = (
    "capitalize casefold count endswith find index isalnum isalpha isdecimal isdigit islower isnumeric isspace istitle "
    "isupper lower lstrip partition removeprefix removesuffix rfind rindex rpartition rsplit rstrip split splitlines "
    "startswith strip swapcase title upper"
).split()
_LIST = "append clear copy count extend index insert pop remove reverse sort".split()
_DICT = "clear copy get pop popitem setdefault update".split()

METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {
        **{name: getattr(str, name) for name in _TEXT},
        **{name: _filled(name) for name in ("center", "ljust", "rjust", "zfill")},
        "format": format_template,
        "join": join,
        "replace": _replace,
    },
    list: {name: getattr(list, name) for name in _LIST},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {
        **{name: getattr(dict, name) for name in _DICT},
        "keys": list,
        "values": lambda found: list(found.values()),
        "items": lambda found: list(found.items()),
        "fromkeys": lambda found, *arguments: dict.fromkeys(*arguments),
    },
    OrderedSet: {
        **{name: getattr(OrderedSet, name) for name in ("add", "clear", "discard", "remove", "update")},
        "copy": OrderedSet,
        "union": _union,
        "intersection": _intersection,
        "difference": _difference,
    },
    Record: {
        "get": lambda record, name, default=None: record.fields.get(name, default),
        "keys": lambda record: list(record.fields),
        "items": lambda record: list(record.fields.items()),
    },
}
"""The methods by the type of what they are called on, and by name."""
QUICK = {"add", "append", "discard", "get", "pop", "setdefault"}
"""Methods that take as long on much as on little, but for what they are given."""
