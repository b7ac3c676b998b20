"""The functions of Python that edit programs may call."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

from .budget import MAX_LENGTH
from .errors import EXCEPTIONS, ProgramError
from .formatting import formatted
from .values import Function, OrderedSet, Record, Stream


def attribute(holder: Any, name: str) -> Any:
    """A field of the document, a page or an element.

    Raises:
        AttributeError: if there is no such field, or the holder is something else.
    """
    if not isinstance(holder, Record):
        raise AttributeError(f"a {type(holder).__name__} has no attribute {name!r}")
    if name not in holder.fields:
        raise AttributeError(f"{holder} has no {name!r}; it has {', '.join(sorted(holder.fields))}")
    return holder.fields[name]


def _getattr(holder: Any, name: str, *default: Any) -> Any:
    return attribute(holder, name) if _hasattr(holder, name) or not default else default[0]


def _hasattr(holder: Any, name: str) -> bool:
    return isinstance(holder, Record) and name in holder.fields


def _isinstance(value: Any, kinds: Any) -> bool:
    found = [_TYPES.get(kind.name) for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    if None in found:
        raise TypeError(f"isinstance takes {', '.join(_TYPES)}")
    return any(isinstance(value, kind) for kind in found if kind is not None)


def _range(*bounds: Any) -> range:
    found = range(*bounds)
    # Its length may be more than `len` can say.
    if abs(found.stop - found.start) // abs(found.step) > MAX_LENGTH:
        raise ProgramError(f"a range is longer than {MAX_LENGTH:,}")
    return found


def _round(value: Any, ndigits: Any = None) -> Any:
    if ndigits is not None and not -12 <= ndigits <= 12:
        raise ValueError("numbers are rounded to at most 12 digits")
    return round(value, ndigits)


def _sorted(items: Any, *, key: Any = None, reverse: Any = False) -> list[Any]:
    if isinstance(key, int):
        key = operator.itemgetter(key)
    return sorted(items, key=key, reverse=bool(reverse))


def _stream(function: Callable[..., Iterable[Any]]) -> Callable[..., Stream]:
    return lambda *arguments, **named: Stream(function(*arguments, **named))


def _exception(kind: type[Exception]) -> Callable[..., Exception]:
    return lambda *arguments: kind(*arguments)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "all": all,
    "any": any,
    "bool": bool,
    "callable": lambda value: isinstance(value, Function),
    "dict": dict,
    "divmod": divmod,
    "enumerate": _stream(enumerate),
    "filter": _stream(filter),
    "float": lambda value=0: float(value),
    "format": lambda value, spec="": formatted(value, spec),
    "getattr": _getattr,
    "hasattr": _hasattr,
    "int": lambda value=0: int(value),
    "isinstance": _isinstance,
    "iter": Stream,
    "len": len,
    "list": list,
    "map": _stream(map),
    "max": max,
    "min": min,
    "next": next,
    "range": _range,
    "repr": repr,
    "reversed": _stream(reversed),
    "round": _round,
    "set": OrderedSet,
    "sorted": _sorted,
    "str": lambda value="": str(value),
    "sum": sum,
    "tuple": tuple,
    "zip": _stream(zip),
    **{name: _exception(kind) for name, kind in EXCEPTIONS.items()},
}
"""The functions by name."""
BUILTINS = (*FUNCTIONS, "print")
"""Their names, with that of what an interpreter does itself."""
QUICK = {"bool", "callable", "getattr", "hasattr", "isinstance", "len", "next"}
"""Functions whose first argument takes as long if it is much as if it is little."""
_TYPES: dict[str, type] = {
    "bool": bool, "dict": dict, "float": float, "int": int, "list": list, "set": OrderedSet, "str": str, "tuple": tuple,
    **EXCEPTIONS,
}  # fmt: skip
