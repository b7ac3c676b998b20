"""Bounded Python functions, methods, operators and formats for edit programs."""

from __future__ import annotations

import ast
import operator
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .budget import EXCEPTIONS, MAX_LENGTH, ProgramError, measured
from .values import Function, OrderedSet, Record, Stream

MAX_WIDTH = 1_000
"""The maximum width to which a value is padded, in characters."""
_SPEC = re.compile(r"(?:.?[<>=^])?[-+ ]?z?#?0?(?P<width>\d*)[,_]?(?:\.(?P<digits>\d+))?[a-zA-Z%]?", re.S)
_CONVERSIONS: dict[str | None, Callable[[Any], Any]] = {None: lambda value: value, "s": str, "r": repr, "a": ascii}


def formatted(value: Any, spec: str = "", conversion: str | None = None) -> str:
    """A value as an f-string formats it.

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
    """The result of ``template.format(...)``.

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
    """The parts of a template: literal text, value, spec and conversion."""
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


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(exponent, int | float) and abs(exponent) > 64:
        raise ProgramError("an exponent is larger than 64")
    found = base**exponent
    if isinstance(found, complex):
        raise ValueError("a root of a negative number is no number")
    return found


def _difference(left: Any, right: Any) -> Any:
    if isinstance(left, OrderedSet) != isinstance(right, OrderedSet):
        raise TypeError(f"unsupported operands for -: {type(left).__name__} and {type(right).__name__}")
    return left - right


def _product(left: Any, right: Any) -> Any:
    """A product; repetition that would be too long is refused."""
    for one, times in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(times, int) and len(one) * times > MAX_LENGTH:
            raise ProgramError(f"a {type(one).__name__} is longer than {MAX_LENGTH:,}")
    return left * right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise ProgramError("texts are not formatted with %; use an f-string")
    return left % right


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: _difference,
    ast.Mult: _product,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
}
"""Binary operators."""
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
"""Unary operators."""
COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b,
    ast.IsNot: lambda a, b: a is not b,
}
"""Comparisons."""


def _check_text_length(length: int) -> None:
    if length > MAX_LENGTH:
        raise ProgramError(f"a text is longer than {MAX_LENGTH:,}")


def _replace_text(text: str, old: str, new: str, count: int = -1) -> str:
    _check_text_length(len(text) + text.count(old) * max(0, len(new) - len(old)))
    return text.replace(old, new, count)


def join(separator: str, parts: Iterable[str]) -> str:
    """Parts joined in one text, if it is not too long."""
    pieces = list(parts)
    _check_text_length(sum(len(one) for one in pieces if isinstance(one, str)) + len(separator) * len(pieces))
    return separator.join(pieces)


def _padding_method(name: str) -> Callable[..., str]:
    """A method that pads a text to a width, such as ``center``."""

    def fill(text: str, width: int, *character: str) -> str:
        _check_text_length(width)
        return str(getattr(text, name)(width, *character))

    return fill


def _union(items: OrderedSet, *others: Iterable[Any]) -> OrderedSet:
    found = OrderedSet(items)
    found.update(*others)
    return found


def _intersection(items: OrderedSet, other: Iterable[Any]) -> OrderedSet:
    kept = OrderedSet(other)
    return OrderedSet(item for item in items if item in kept)


def _set_difference(items: OrderedSet, other: Iterable[Any]) -> OrderedSet:
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
        **{name: _padding_method(name) for name in ("center", "ljust", "rjust", "zfill")},
        "format": format_template,
        "join": join,
        "replace": _replace_text,
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
        "difference": _set_difference,
    },
    Record: {
        "get": lambda record, name, default=None: record.fields.get(name, default),
        "keys": lambda record: list(record.fields),
        "items": lambda record: list(record.fields.items()),
    },
}
"""The methods by the type of their holder, and by name."""
QUICK_METHODS = {"add", "append", "discard", "get", "pop", "setdefault"}
"""Methods whose time does not depend on the size of their holder."""


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
    found = [_TYPES_BY_NAME.get(kind.name) for kind in (kinds if isinstance(kinds, tuple) else (kinds,))]
    if None in found:
        raise TypeError(f"isinstance takes {', '.join(_TYPES_BY_NAME)}")
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
"""The names of functions, with ``print``, which the interpreter handles."""
QUICK_FUNCTIONS = {"bool", "callable", "getattr", "hasattr", "isinstance", "len", "next"}
"""Functions whose time does not depend on the size of their first argument."""
_TYPES_BY_NAME: dict[str, type] = {
    "bool": bool, "dict": dict, "float": float, "int": int, "list": list, "set": OrderedSet, "str": str, "tuple": tuple,
    **EXCEPTIONS,
}  # fmt: skip
