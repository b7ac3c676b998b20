"""Evaluate the constructs of the published FormGym's source from its syntax tree; nothing of it is run.

Only what is spelled out here has a value; steps, depth and lengths are bounded.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeVar

_MAX_STEPS, _MAX_DEPTH, _MAX_LENGTH, _MAX_BITS = 20_000, 150, 10_000, 128
_LENGTH_OF_STEP = 50
"""A text or list of so many items counts as one more step, which bounds memory."""
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: item in items,
    ast.Not: lambda _, value: not value,
    ast.USub: lambda _, value: -value,
}
_TEXT_METHODS: dict[str, Callable[[str], str]] = {"lower": str.lower, "upper": str.upper, "strip": str.strip}

_DECORATORS = ("classmethod", "staticmethod")

T = TypeVar("T")


class SourceError(ValueError):
    """What has no value: a construct that is not known, or where the published code fails; by file and line."""


def readable(value: T | SourceError) -> T:
    """A value; it is raised if it is an error."""
    if isinstance(value, SourceError):
        raise value
    return value


@dataclass(frozen=True, eq=False)
class Record:
    """An enum, its member, a user or the facts; an attribute may be the error of what has no value."""

    attributes: Mapping[str, Any]
    is_enum: bool = False


class Interpreter:
    """Evaluates the expressions and functions of one file.

    Args:
        file: its name, for messages.
        names: what its names stand for: values, and the nodes of functions and classes, whose methods may be called.
    """

    def __init__(self, file: str, names: Mapping[str, Any]) -> None:
        self._file, self._names = file, names
        self._steps = self._depth = 0

    def call(self, function: ast.FunctionDef, arguments: list[Any]) -> Any:
        """What a function returns; ``SourceError`` if that has no value."""
        given = function.args
        names = [argument.arg for argument in given.args]
        others = [*given.posonlyargs, *given.kwonlyargs, *given.defaults, given.vararg, given.kwarg]
        others += [node for node in function.decorator_list if getattr(node, "id", "") not in _DECORATORS]
        if len(names) != len(arguments) or any(others):
            self._unreadable(function, f"the arguments or decorators of {function.name}")
        with self._deeper(function):
            returned = self._block(function.body, dict(zip(names, arguments, strict=True)))
        return returned[0] if returned else None

    def call_method(self, node: ast.ClassDef, name: str, arguments: list[Any]) -> Any:
        """What a class method returns; ``SourceError`` if that has no value."""
        methods = [s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == name]
        return self.call(methods[-1] if methods else self._unreadable(node, f"{node.name}.{name}"), [None, *arguments])

    def value(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        """The value of an expression with the variables of a scope; ``SourceError`` if it has none."""
        with self._deeper(node):
            value = self._simple(node, scope)
            self._steps += _size(value) // _LENGTH_OF_STEP
            # Lists in lists would take no time to make, and endless time to compare.
            is_nested = isinstance(value, list | tuple) and any(isinstance(item, list | tuple) for item in value)
            return self._unreadable(node) if is_nested or _is_too_long(value) else value

    @contextmanager
    def _deeper(self, node: ast.AST) -> Iterator[None]:
        self._steps = self._steps + 1 if self._depth else 0
        self._depth += 1
        try:
            if self._steps > _MAX_STEPS or self._depth > _MAX_DEPTH:
                self._unreadable(node, "what takes so many steps, or is nested so deep")
            yield
        finally:
            self._depth -= 1

    def _unreadable(self, node: ast.AST, what: str = "") -> Any:
        with suppress(RecursionError):
            what = what or ast.unparse(node)[:80]
        raise SourceError(f"{self._place(node)}: cannot read {what or type(node).__name__}")

    def _place(self, node: ast.AST) -> str:
        return f"{self._file}:{getattr(node, 'lineno', 0)}"

    def _apply(self, node: ast.AST, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of ours makes of values; where it fails, the published code would too."""
        try:
            return function(*arguments)
        except (TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise SourceError(f"{self._place(node)}: the published code fails: {error}") from None

    def _block(self, body: list[ast.stmt], scope: dict[str, Any]) -> tuple[Any] | None:
        """What a block returns, alone in a tuple; ``None`` if it goes on."""
        return next((done for node in body if (done := self._statement(node, scope))), None)

    def _statement(self, node: ast.stmt, scope: dict[str, Any]) -> tuple[Any] | None:
        match node:
            case ast.Return(value=value):
                return (None if value is None else self.value(value, scope),)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                scope[name] = self.value(value, scope)
            case ast.If(test=test, body=body, orelse=otherwise):
                return self._block(body if self.value(test, scope) else otherwise, scope)
            case ast.For(target=ast.Name(id=name), iter=items, body=body, orelse=[]):
                for item in self._items(items, scope):
                    scope[name] = item
                    if done := self._block(body, scope):
                        return done
            case ast.Raise():
                raise SourceError(f"{self._place(node)}: the published code raises an exception")
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case _:
                self._unreadable(node)
        return None

    def _items(self, node: ast.expr, scope: dict[str, Any]) -> list[Any]:
        value = self.value(node, scope)
        if isinstance(value, Record) and value.is_enum:
            return list(value.attributes.values())
        return list(value if isinstance(value, str | list | tuple) else self._unreadable(node))

    def _simple(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        """The value of a constant, a name, an attribute, a text or a call."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name) if name in scope or name in self._names:
                return scope[name] if name in scope else self._names[name]
            case ast.Attribute(value=inner, attr=name) if isinstance(of := self.value(inner, scope), Record):
                if name not in of.attributes:
                    raise SourceError(f"{self._place(node)}: there is no {name}")
                return readable(of.attributes[name])
            case ast.JoinedStr(values=parts):
                return "".join(self._text(node, self.value(part, scope)) for part in parts)
            case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
                return self.value(inner, scope)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self._call(node, function, [self.value(argument, scope) for argument in arguments], scope)
        return self._computed(node, scope)

    def _text(self, node: ast.AST, value: Any) -> str:
        return str(value if isinstance(value, str | int | float | None) else self._unreadable(node))

    def _computed(self, node: ast.expr, scope: dict[str, Any]) -> Any:
        """The value of an expression with an operator, of a list, a part of one, or a comprehension."""
        match node:
            case ast.BinOp(left, operation, right) | ast.Compare(left, [operation], [right]):
                return self._operate(node, operation, self.value(left, scope), self.value(right, scope))
            case ast.UnaryOp(operation, right):
                return self._operate(node, operation, None, self.value(right, scope))
            case ast.BoolOp(operation, [first, *others]):
                value = self.value(first, scope)
                for other in others:
                    value = value if bool(value) is isinstance(operation, ast.Or) else self.value(other, scope)
                return value
            case ast.IfExp(test, body, otherwise):
                return self.value(body if self.value(test, scope) else otherwise, scope)
            case ast.List(items) | ast.Tuple(items):
                return (list if isinstance(node, ast.List) else tuple)(self.value(item, scope) for item in items)
            case ast.Subscript(inner, index) if not isinstance(whole := self.value(inner, scope), Record):
                return self._apply(node, operator.getitem, whole, self.value(index, scope))
            case ast.Slice(lower, upper, step):
                return slice(*(part and self.value(part, scope) for part in (lower, upper, step)))
            case ast.ListComp(item, [ast.comprehension(ast.Name(name), items, [])]) | ast.GeneratorExp(
                item, [ast.comprehension(ast.Name(name), items, [])]
            ):
                return [self.value(item, scope | {name: value}) for value in self._items(items, scope)]
        return self._unreadable(node)

    def _operate(self, node: ast.expr, operation: ast.AST, left: Any, right: Any) -> Any:
        is_format = isinstance(operation, ast.Mod) and isinstance(left, str)
        is_long = isinstance(operation, ast.Mult) and (_is_too_long(left, right) or _is_too_long(right, left))
        if type(operation) not in _OPERATORS or is_format or is_long:
            return self._unreadable(node)
        return self._apply(node, _OPERATORS[type(operation)], left, right)

    def _call(self, node: ast.expr, function: ast.expr, arguments: list[Any], scope: dict[str, Any]) -> Any:
        match function, arguments:
            case ast.Name(name), _ if isinstance(known := self._names.get(name), ast.FunctionDef):
                return self.call(known, arguments)
            case ast.Name("str"), [value]:
                return self._text(node, value)
            case ast.Name("int"), [int() | str() | float() as value]:
                return self._apply(node, int, value)
            case ast.Name("hasattr"), [Record() as record, str(name)]:
                return name in record.attributes
            case ast.Attribute(ast.Name(name), method), _ if isinstance(known := self._names.get(name), ast.ClassDef):
                return self.call_method(known, method, arguments)
            case ast.Attribute(ast.Constant(str(mark)), "join"), [list(items)] if sum(map(_size, items)) < _MAX_LENGTH:
                return self._apply(node, mark.join, items)
            case ast.Attribute(inner, method), [] if method in _TEXT_METHODS:
                return self._apply(node, _TEXT_METHODS[method], self.value(inner, scope))
        return self._unreadable(node)


def _size(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple) else 0


def _is_too_long(value: Any, times: Any = 1) -> bool:
    """Whether a value, or so many copies of it, are longer than any of the published source."""
    is_large = isinstance(value, int) and value.bit_length() > _MAX_BITS
    return is_large or _size(value) * (times if isinstance(times, int) else 1) > _MAX_LENGTH
