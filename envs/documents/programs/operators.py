"""Operators of edit programs, none of which makes much of little."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from .budget import MAX_LENGTH
from .errors import ProgramError
from .values import OrderedSet


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
    """Nothing is repeated until it is too long."""
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
"""Operators between two values."""
UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
"""Operators before one."""
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
