"""Evaluate expressions of edit programs by walking their syntax tree."""

from __future__ import annotations

import ast
import inspect
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from .access import Access
from .budget import MAX_PRINTED, Budget, ProgramError, Raised
from .python_functions import (
    COMPARE,
    FUNCTIONS,
    METHODS,
    QUICK_FUNCTIONS,
    QUICK_METHODS,
    UNARY,
    attribute,
    formatted,
    join,
)
from .values import Function, OrderedSet, Record, Stream

_MAX_DEPTH = 100
"""The maximum depth of nested expressions and calls."""
_LAMBDA_STEPS = 10
_ATTRIBUTE_STEPS = 5
_TYPES = {"str": str, "list": list, "dict": dict}
"""The functions whose methods can be named, as in ``str.lower``."""


class Evaluator(Access):
    """The evaluator of expressions.

    Args:
        functions: what a program may call, besides Python's own.
        constants: names with values, such as directions.
        budget: the steps that there are.

    Attributes:
        printed: what the program has printed, as much of it as may be kept.
    """

    def __init__(
        self, functions: Mapping[str, Callable[..., Any]], constants: Mapping[str, Any], budget: Budget
    ) -> None:
        super().__init__(budget)
        self.printed = ""
        self._functions, self._constants = functions, constants
        self._names: ChainMap[str, Any] = ChainMap()
        self._depth = 0
        self._python = {"print": self._charged("print", self._print)}
        for name, function in FUNCTIONS.items():
            self._python[name] = self._charged(name, function, name in QUICK_FUNCTIONS)

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        self._budget.spend()
        self._depth += 1
        try:
            if self._depth > _MAX_DEPTH:
                raise ProgramError(f"expressions and calls are nested deeper than {_MAX_DEPTH} levels")
            return EXPRESSIONS[type(node)](self, node)
        finally:
            self._depth -= 1

    def store(self, target: ast.expr, value: Any) -> None:
        """Assign a value to names, or to an item."""
        if isinstance(target, ast.Name):
            if target.id in self._functions or target.id in self._constants:
                raise ProgramError(f"the name {target.id!r} is taken")
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, self.listed(value))
        elif isinstance(target, ast.Subscript):
            self.store_item(self.value(target.value), self.value(target.slice), value)
        else:
            raise ProgramError(f"nothing can be assigned to a {type(target).__name__}")

    def _unpack(self, targets: Sequence[ast.expr], items: list[Any]) -> None:
        starred = [i for i, target in enumerate(targets) if isinstance(target, ast.Starred)]
        if len(items) < len(targets) - len(starred) or (len(items) > len(targets) and not starred):
            raise Raised(ValueError(f"{len(items)} values cannot be put into {len(targets)} names"))
        for at in starred:
            end = at + 1 + len(items) - len(targets)
            items[at:end] = [items[at:end]]
        for target, item in zip(targets, items, strict=True):
            self.store(target.value if isinstance(target, ast.Starred) else target, item)

    # Each kind of node.

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        for names in (self._names, self._constants, self._python):
            if node.id in names:
                return names[node.id]
        if node.id in self._functions:
            raise ProgramError(f"{node.id} is a function; call it: {node.id}(...)")
        raise Raised(NameError(f"there is no name {node.id!r} yet"))

    def _listed(self, nodes: Sequence[ast.expr]) -> list[Any]:
        """The values of some expressions, with starred ones unpacked."""
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.listed(self.value(node.value))
            else:
                found.append(self.value(node))
            self._check_length(found)
        return found

    def _display(self, node: ast.List | ast.Tuple | ast.Set) -> Any:
        found = self._listed(node.elts)
        make = {ast.List: list, ast.Tuple: tuple, ast.Set: OrderedSet}[type(node)]
        return self.attempt(make, found, weighed=(found,))

    def _dict(self, node: ast.Dict) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found.update(self.mapping(self.value(value)))
                self._check_length(found)
            else:
                self.store_item(found, self.value(key), self.value(value))
        self._budget.weigh(found)
        return found

    def _binary(self, node: ast.BinOp) -> Any:
        return self.binary(node.op, self.value(node.left), self.value(node.right))

    def _unary(self, node: ast.UnaryOp) -> Any:
        return self.attempt(UNARY[type(node.op)], self.value(node.operand), weighed=())

    def _boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for part in node.values:
            value = self.value(part)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left = self.value(node.left)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self.value(part)
            is_search = isinstance(op, ast.In | ast.NotIn) and isinstance(right, dict | OrderedSet)
            if not self.attempt(COMPARE[type(op)], left, right, weighed=(left,) if is_search else (left, right)):
                return False
            left = right
        return True

    def _choice(self, node: ast.IfExp) -> Any:
        return self.value(node.body if self.value(node.test) else node.orelse)

    def _subscript(self, node: ast.Subscript) -> Any:
        return self.item(self.value(node.value), self.value(node.slice))

    def _slice(self, node: ast.Slice) -> slice:
        parts = [None if part is None else self.value(part) for part in (node.lower, node.upper, node.step)]
        if not all(part is None or isinstance(part, int) for part in parts):
            raise Raised(TypeError("slice indices must be integers or None"))
        return slice(*parts)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
        found = [value for (value,) in self._comprehension_rows(node.generators, node.elt)]
        self._budget.weigh(found)
        if isinstance(node, ast.ListComp):
            return found
        return Stream(found) if isinstance(node, ast.GeneratorExp) else self.attempt(OrderedSet, found, weighed=())

    def _dict_comprehension(self, node: ast.DictComp) -> Any:
        found: dict[Any, Any] = {}
        for key, value in self._comprehension_rows(node.generators, node.key, node.value):
            self.store_item(found, key, value)
        self._budget.weigh(found)
        return found

    def _comprehension_rows(self, generators: Sequence[ast.comprehension], *parts: ast.expr) -> list[tuple[Any, ...]]:
        """The values of expressions in each round of a comprehension, in its own scope."""
        outer, self._names = self._names, self._names.new_child()
        try:
            return [tuple(map(self.value, parts)) for _ in self._rounds(generators)]
        finally:
            self._names = outer

    def _rounds(self, generators: Sequence[ast.comprehension]) -> Iterator[None]:
        if not generators:
            yield
            return
        for item in self._iterated(self.value(generators[0].iter)):
            self.store(generators[0].target, item)
            if all(self.value(test) for test in generators[0].ifs):
                yield from self._rounds(generators[1:])

    def _iterated(self, value: Any) -> Iterator[Any]:
        """The items of a loop, one by one; the iterable may change meanwhile."""
        items = iter(self.items(value))
        while True:
            self._budget.spend()
            item = self.attempt(next, items, _END, weighed=())
            if item is _END:
                return
            yield item

    def _joined(self, node: ast.JoinedStr) -> str:
        found = "".join([str(self.value(part)) for part in node.values])
        self._budget.weigh(found)
        return found

    def _formatted(self, node: ast.FormattedValue) -> Any:
        value = self.value(node.value)
        spec = "" if node.format_spec is None else self.value(node.format_spec)
        conversion = None if node.conversion == -1 else chr(node.conversion)
        return self.attempt(formatted, value, spec, conversion)

    def _lambda(self, node: ast.Lambda) -> Function:
        names, positional = self._names, [*node.args.posonlyargs, *node.args.args]
        defaults = [self.value(default) for default in node.args.defaults]
        missing = [inspect.Parameter.empty] * (len(positional) - len(defaults))
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        pairs = zip(positional, [*missing, *defaults], strict=True)
        signature = inspect.Signature([inspect.Parameter(one.arg, kind, default=default) for one, default in pairs])

        def call(*arguments: Any, **named: Any) -> Any:
            self._budget.spend(_LAMBDA_STEPS)
            bound = self._attempt(signature.bind, arguments, named)
            bound.apply_defaults()
            outer, self._names = self._names, names.new_child(bound.arguments)
            try:
                found = self.value(node.body)
            finally:
                self._names = outer
            self._budget.weigh(found)
            return found

        return Function("<lambda>", call)

    def _attribute(self, node: ast.Attribute) -> Any:
        self._budget.spend(_ATTRIBUTE_STEPS)
        holder = self.value(node.value)
        kind = _TYPES.get(holder.name) if isinstance(holder, Function) else None
        if kind is not None and node.attr in METHODS[kind]:
            return self._unbound(kind, node.attr)
        if node.attr in METHODS.get(type(holder), ()) and not isinstance(holder, Record):
            return Function(node.attr, self._method(holder, node.attr))
        return self.attempt(attribute, holder, node.attr, weighed=())

    def _spread(self, node: ast.Starred) -> Any:
        raise ProgramError("a star stands in lists and in calls alone")

    def _call(self, node: ast.Call) -> Any:
        call = self._callee(node.func)
        arguments = self._listed(node.args)
        named: dict[str, Any] = {}
        for part in node.keywords:
            value = self.value(part.value)
            given = self.mapping(value) if part.arg is None else {part.arg: value}
            if twice := [name for name in given if name in named or not isinstance(name, str)]:
                raise Raised(TypeError(f"the argument {twice[0]!r} is given twice, or is no name"))
            named |= given
            self._check_length(named)
        return self._attempt(call, arguments, named, ())

    def _callee(self, node: ast.expr) -> Callable[..., Any]:
        """The function that a call calls."""
        if isinstance(node, ast.Name) and node.id in self._functions and node.id not in self._names:
            return self._charged(node.id, self._functions[node.id])
        if isinstance(node, ast.Attribute):
            holder = self.value(node.value)
            if node.attr in METHODS.get(type(holder), ()):
                return self._method(holder, node.attr)
        found = self.value(node)
        if not isinstance(found, Function):
            raise Raised(TypeError(f"a {type(found).__name__} cannot be called"))
        return found

    def _method(self, holder: Any, name: str) -> Callable[..., Any]:
        return partial(self._charged(name, METHODS[type(holder)][name], name in QUICK_METHODS), holder)

    def _unbound(self, kind: type, name: str) -> Function:
        """A method as a function of its holder, such as ``str.lower``."""

        def call(holder: Any = None, *arguments: Any, **named: Any) -> Any:
            if not isinstance(holder, kind):
                raise Raised(TypeError(f"{kind.__name__}.{name} must be called on a {kind.__name__}"))
            return self._method(holder, name)(*arguments, **named)

        # A method of the class takes no holder.
        return Function(f"{kind.__name__}.{name}", self._method(kind(), name) if name == "fromkeys" else call)

    def _print(self, *values: Any, sep: str | None = " ", end: str | None = "\n", flush: Any = None) -> None:
        line = join(" " if sep is None else sep, map(str, values)) + ("\n" if end is None else end)
        self._budget.weigh(line)
        self.printed += line[: MAX_PRINTED + 1 - len(self.printed)]


_END = object()


EXPRESSIONS: dict[type[ast.expr], Callable[[Evaluator, Any], Any]] = {
    ast.Constant: Evaluator._constant,
    ast.Name: Evaluator._name,
    ast.List: Evaluator._display,
    ast.Tuple: Evaluator._display,
    ast.Set: Evaluator._display,
    ast.Dict: Evaluator._dict,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._boolean,
    ast.Compare: Evaluator._compare,
    ast.IfExp: Evaluator._choice,
    ast.Subscript: Evaluator._subscript,
    ast.Slice: Evaluator._slice,
    ast.ListComp: Evaluator._comprehension,
    ast.SetComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.DictComp: Evaluator._dict_comprehension,
    ast.JoinedStr: Evaluator._joined,
    ast.FormattedValue: Evaluator._formatted,
    ast.Lambda: Evaluator._lambda,
    ast.Attribute: Evaluator._attribute,
    ast.Call: Evaluator._call,
    ast.Starred: Evaluator._spread,
}
"""The evaluation of each supported kind of expression."""
