"""Interpreter: a small part of Python, walked as a syntax tree with budgets; nothing is ever compiled or evaluated.

There are numbers, texts, booleans, ``None``, lists, tuples, dicts, arithmetic, comparisons, ``if``, ``for``, ``while``,
comprehensions of lists, f-strings, and calls of the functions that it is given. There are no imports, classes,
attributes, lambdas, decorators, or names that begin with an underscore.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...core.tools import ToolError

MOST_STEPS = 20_000
"""How many nodes of the tree may be visited in one run."""
LONGEST = 10_000
"""How many characters a text may have, and how many items a list, those of lists in it among them."""
LARGEST = 10**12
"""How large a number may be."""
MOST_CODE = 8_000
"""How many characters a program may have."""
_DEEPEST = 40


class ProgramError(Exception):
    """A program cannot be run. The message says what is wrong; ``line``: where, counted from 1."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {message}" if line is not None else message)
        self.line = line


class _Return(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class _Break(Exception):
    pass


class _Continue(Exception):
    pass


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
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


def _range(*bounds: Any) -> range:
    numbers = [_as_whole(bound) for bound in bounds]
    if not 1 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] == 0):
        raise ProgramError("range takes one to three whole numbers, the third not 0")
    found = range(*numbers)
    if len(found) > LONGEST:
        raise ProgramError(f"a range is longer than {LONGEST:,}")
    return found


def _round(value: Any, digits: Any = None) -> Any:
    if digits is not None and not -12 <= _as_whole(digits) <= 12:
        raise ProgramError("numbers are rounded to at most 12 digits")
    return round(value, digits)


def _sorted(items: Any, key: Any = None, reverse: Any = False) -> list[Any]:
    if key is not None and not isinstance(key, int):
        raise ProgramError("sorted takes as key the number of the item of each tuple to sort by")
    picked: Any = None if key is None else operator.itemgetter(key)
    return sorted(items, key=picked, reverse=bool(reverse))


BUILTINS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "enumerate": lambda items, start=0: [(i + start, item) for i, item in enumerate(items)],
    "float": lambda value: float(value),
    "int": lambda value: int(value),
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": _range,
    "reversed": lambda items: list(reversed(items)),
    "round": _round,
    "sorted": _sorted,
    "str": lambda value: value if isinstance(value, str) else repr(value),
    "sum": lambda items: sum(items),
    "tuple": tuple,
    "zip": lambda *lists: [tuple(group) for group in zip(*lists)],  # noqa: B905 (Python's own cuts off too)
}
"""The functions of Python that programs may call."""


def parsed(code: str) -> ast.Module:
    """The syntax tree of a program, if it holds nothing but what there is.

    Raises:
        ProgramError: if it is no Python, too long or too deep, or holds something else.
    """
    if not isinstance(code, str) or len(code) > MOST_CODE:
        raise ProgramError(f"a program is a text of at most {MOST_CODE:,} characters")
    try:
        tree = ast.parse(code)
    except SyntaxError as error:
        raise ProgramError(f"syntax error: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError):
        raise ProgramError(
            "the program is nested too deeply, or holds a character that Python does not allow"
        ) from None
    _check(tree, 0)
    return tree


def _check(node: ast.AST, depth: int) -> None:
    line = getattr(node, "lineno", None)
    if depth > _DEEPEST:
        raise ProgramError(f"the program is nested deeper than {_DEEPEST} levels", line)
    if not isinstance(node, _ALLOWED):
        raise ProgramError(f"{type(node).__name__} is not allowed", line)
    name = getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "name", None)
    if isinstance(name, str) and name.startswith("_") and name != "_":
        raise ProgramError(f"the name {name!r} is not allowed: it begins with an underscore", line)
    if isinstance(node, ast.Constant) and not _is_plain(node.value):
        raise ProgramError(f"the constant {str(node.value)[:20]!r} is not allowed", line)
    for child in ast.iter_child_nodes(node):
        _check(child, depth + 1)


def _is_plain(value: Any) -> bool:
    if isinstance(value, int | float):
        return value == value and abs(value) <= LARGEST
    return value is None or (isinstance(value, str) and len(value) <= LONGEST)


_ALLOWED = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr,
    ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass,
    ast.Name, ast.Load, ast.Store, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Subscript, ast.Slice,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.IfExp, ast.Call, ast.keyword,
    ast.ListComp, ast.comprehension, ast.JoinedStr, ast.FormattedValue,
    *_BINARY, *_UNARY, *_COMPARE,
)  # fmt: skip


class Interpreter:
    """One run of a program.

    Args:
        functions: what the program may call, besides ``BUILTINS``.
        constants: names with values, such as directions.
    """

    def __init__(self, functions: Mapping[str, Callable[..., Any]], constants: Mapping[str, Any]) -> None:
        self._functions = {**BUILTINS, **functions}
        self._constants = dict(constants)
        self._names: dict[str, Any] = {}
        self._left = MOST_STEPS

    def run(self, main: ast.FunctionDef, arguments: Mapping[str, Any]) -> Any:
        """Run a function; what it returns.

        Raises:
            ProgramError: if something in it cannot be done, or a budget is used up.
        """
        self._names = dict(arguments)
        try:
            self._run_block(main.body)
        except _Return as found:
            return found.value
        except (_Break, _Continue):
            raise ProgramError("break and continue belong in a loop", main.lineno) from None
        return None

    # Statements.

    def _run_block(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._spend(statement)
            _STATEMENTS[type(statement)](self, statement)

    def _spend(self, node: ast.AST) -> None:
        self._left -= 1
        if self._left < 0:
            raise ProgramError(f"the program takes more than {MOST_STEPS:,} steps", getattr(node, "lineno", None))

    def _assign(self, node: ast.Assign) -> None:
        value = self._value(node.value)
        for target in node.targets:
            self._store(target, value)

    def _assign_noted(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._store(node.target, self._value(node.value))

    def _assign_changed(self, node: ast.AugAssign) -> None:
        read = ast.copy_location(ast.BinOp(_as_load(node.target), node.op, node.value), node)
        self._store(node.target, self._value(read))

    def _store(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            if target.id in self._functions or target.id in self._constants:
                raise ProgramError(f"the name {target.id!r} is taken", target.lineno)
            self._names[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            items = list(self._items(value, target))
            if len(items) != len(target.elts):
                raise ProgramError(f"{len(items)} values cannot be put into {len(target.elts)} names", target.lineno)
            for part, item in zip(target.elts, items, strict=True):
                self._store(part, item)
        elif isinstance(target, ast.Subscript):
            self._store_item(target, value)
        else:
            raise ProgramError(f"nothing can be assigned to a {type(target).__name__}", target.lineno)

    def _store_item(self, target: ast.Subscript, value: Any) -> None:
        holder, key = self._value(target.value), self._value(target.slice)
        if not isinstance(holder, list | dict) or isinstance(key, slice):
            raise ProgramError("only items of lists and dicts can be assigned to", target.lineno)
        try:
            holder[key] = value
        except (IndexError, TypeError) as error:
            raise ProgramError(str(error), target.lineno) from None
        self._checked(holder, target)

    def _if(self, node: ast.If) -> None:
        self._run_block(node.body if self._value(node.test) else node.orelse)

    def _for(self, node: ast.For) -> None:
        for item in self._items(self._value(node.iter), node):
            self._store(node.target, item)
            if not self._goes_on(node):
                return
        self._run_block(node.orelse)

    def _while(self, node: ast.While) -> None:
        while self._value(node.test):
            if not self._goes_on(node):
                return
        self._run_block(node.orelse)

    def _goes_on(self, node: ast.For | ast.While) -> bool:
        """Run the body of a loop once; whether the loop goes on."""
        self._spend(node)
        try:
            self._run_block(node.body)
        except _Break:
            return False
        except _Continue:
            pass
        return True

    def _return(self, node: ast.Return) -> None:
        raise _Return(None if node.value is None else self._value(node.value))

    def _break(self, node: ast.Break) -> None:
        raise _Break

    def _continue(self, node: ast.Continue) -> None:
        raise _Continue

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _expression(self, node: ast.Expr) -> None:
        self._value(node.value)

    # Expressions.

    def _value(self, node: ast.expr) -> Any:
        self._spend(node)
        return _EXPRESSIONS[type(node)](self, node)

    def _constant(self, node: ast.Constant) -> Any:
        return node.value

    def _name(self, node: ast.Name) -> Any:
        for names in (self._names, self._constants):
            if node.id in names:
                return names[node.id]
        if node.id in self._functions:
            raise ProgramError(f"{node.id} is a function; call it: {node.id}(...)", node.lineno)
        raise ProgramError(f"there is no name {node.id!r}", node.lineno)

    def _list(self, node: ast.List) -> list[Any]:
        found: list[Any] = self._checked([self._value(item) for item in node.elts], node)
        return found

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        found: tuple[Any, ...] = self._checked(tuple(self._value(item) for item in node.elts), node)
        return found

    def _dict(self, node: ast.Dict) -> dict[Any, Any]:
        if any(key is None for key in node.keys):
            raise ProgramError("dicts cannot be spread", node.lineno)
        try:
            pairs = zip(node.keys, node.values, strict=True)
            found = {self._value(key): self._value(value) for key, value in pairs if key is not None}
        except TypeError as error:
            raise ProgramError(str(error), node.lineno) from None
        return dict(self._checked(found, node))

    def _binary(self, node: ast.BinOp) -> Any:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Mult):
            _check_product(left, right, node.lineno)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            raise ProgramError("texts are not formatted with %; use an f-string", node.lineno)
        return self._tried(_BINARY[type(node.op)], node, left, right)

    def _unary(self, node: ast.UnaryOp) -> Any:
        return self._tried(_UNARY[type(node.op)], node, self._value(node.operand))

    def _boolean(self, node: ast.BoolOp) -> Any:
        value: Any = None
        for part in node.values:
            value = self._value(part)
            if bool(value) is isinstance(node.op, ast.Or):
                break
        return value

    def _compare(self, node: ast.Compare) -> bool:
        left = self._value(node.left)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self._value(part)
            if not self._tried(_COMPARE[type(op)], node, left, right):
                return False
            left = right
        return True

    def _choice(self, node: ast.IfExp) -> Any:
        return self._value(node.body if self._value(node.test) else node.orelse)

    def _subscript(self, node: ast.Subscript) -> Any:
        holder = self._value(node.value)
        if not isinstance(holder, list | tuple | dict | str):
            raise ProgramError(f"a {type(holder).__name__} has no items", node.lineno)
        return self._tried(operator.getitem, node, holder, self._value(node.slice))

    def _slice(self, node: ast.Slice) -> slice:
        bounds = [None if part is None else self._value(part) for part in (node.lower, node.upper, node.step)]
        return slice(*bounds)

    def _comprehension(self, node: ast.ListComp) -> list[Any]:
        found: list[Any] = []
        kept = dict(self._names)
        self._comprehend(node, 0, found)
        self._names = kept
        return found

    def _comprehend(self, node: ast.ListComp, level: int, found: list[Any]) -> None:
        if level == len(node.generators):
            found.append(self._value(node.elt))
            self._checked(found, node)
            return
        part = node.generators[level]
        if part.is_async:
            raise ProgramError("there is nothing asynchronous here", node.lineno)
        for item in self._items(self._value(part.iter), node):
            self._store(part.target, item)
            if all(self._value(test) for test in part.ifs):
                self._comprehend(node, level + 1, found)

    def _joined(self, node: ast.JoinedStr) -> str:
        return str(self._checked("".join(str(self._value(part)) for part in node.values), node))

    def _formatted(self, node: ast.FormattedValue) -> str:
        if node.format_spec is not None or node.conversion != -1:
            raise ProgramError("values in f-strings cannot be formatted", node.lineno)
        value = self._value(node.value)
        return value if isinstance(value, str) else repr(value)

    def _call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name):
            raise ProgramError("only functions can be called, by their names", node.lineno)
        function = self._functions.get(node.func.id)
        if function is None:
            known = ", ".join(name for name in self._functions if name not in BUILTINS)
            raise ProgramError(f"there is no function {node.func.id!r}; there are {known}", node.lineno)
        arguments = [self._value(argument) for argument in node.args]
        named = {str(part.arg): self._value(part.value) for part in node.keywords if not self._is_spread(part)}
        return self._tried(function, node, *arguments, **named)

    def _is_spread(self, node: ast.keyword) -> bool:
        if node.arg is None:
            raise ProgramError("arguments cannot be spread", node.lineno)
        return False

    # Guards.

    def _tried(self, function: Callable[..., Any], node: ast.expr, *arguments: Any, **named: Any) -> Any:
        try:
            return self._checked(function(*arguments, **named), node)
        except ProgramError as error:
            raise error if error.line is not None else ProgramError(str(error), node.lineno) from None
        except ToolError as error:
            raise ProgramError(str(error), node.lineno) from None
        except (TypeError, ValueError, ArithmeticError, LookupError, RecursionError) as error:
            raise ProgramError(f"{type(error).__name__}: {error}", node.lineno) from None

    def _checked(self, value: Any, node: ast.AST) -> Any:
        line = getattr(node, "lineno", None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            if not math.isfinite(value) or abs(value) > LARGEST:
                raise ProgramError(f"a number is larger than {LARGEST:,}", line)
        elif isinstance(value, str | list | tuple | dict):
            size = _size(value)
            if size > LONGEST:
                raise ProgramError(f"a {type(value).__name__} is longer than {LONGEST:,}", line)
            # Whoever makes long lists pays for them.
            self._left -= size // 20
        return value

    def _items(self, value: Any, node: ast.AST) -> Iterable[Any]:
        if not isinstance(value, list | tuple | dict | str | range):
            raise ProgramError(f"a {type(value).__name__} has no items to go through", getattr(node, "lineno", None))
        return list(value) if isinstance(value, list | dict) else value


def _size(value: Any) -> int:
    """How many characters and items something holds, at any depth; counted until it is too much."""
    count, left = 0, [value]
    while left and count <= LONGEST:
        one = left.pop()
        if isinstance(one, str | list | tuple | dict):
            count += len(one) + 1
            left += [] if isinstance(one, str) else [*one.values(), *one] if isinstance(one, dict) else one
    return count


def _check_product(left: Any, right: Any, line: int) -> None:
    """Nothing is repeated until it is too long."""
    for one, times in ((left, right), (right, left)):
        if isinstance(one, str | list | tuple) and isinstance(times, int) and len(one) * times > LONGEST:
            raise ProgramError(f"a {type(one).__name__} is longer than {LONGEST:,}", line)


def _as_whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ProgramError(f"{value!r} is no whole number")
    return value


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Subscript):
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
    raise ProgramError(f"nothing can be assigned to a {type(target).__name__}", target.lineno)


_STATEMENTS: dict[type[ast.stmt], Callable[[Interpreter, Any], None]] = {
    ast.Assign: Interpreter._assign,
    ast.AnnAssign: Interpreter._assign_noted,
    ast.AugAssign: Interpreter._assign_changed,
    ast.If: Interpreter._if,
    ast.For: Interpreter._for,
    ast.While: Interpreter._while,
    ast.Return: Interpreter._return,
    ast.Break: Interpreter._break,
    ast.Continue: Interpreter._continue,
    ast.Pass: Interpreter._pass,
    ast.Expr: Interpreter._expression,
}
_EXPRESSIONS: dict[type[ast.expr], Callable[[Interpreter, Any], Any]] = {
    ast.Constant: Interpreter._constant,
    ast.Name: Interpreter._name,
    ast.List: Interpreter._list,
    ast.Tuple: Interpreter._tuple,
    ast.Dict: Interpreter._dict,
    ast.BinOp: Interpreter._binary,
    ast.UnaryOp: Interpreter._unary,
    ast.BoolOp: Interpreter._boolean,
    ast.Compare: Interpreter._compare,
    ast.IfExp: Interpreter._choice,
    ast.Subscript: Interpreter._subscript,
    ast.Slice: Interpreter._slice,
    ast.ListComp: Interpreter._comprehension,
    ast.JoinedStr: Interpreter._joined,
    ast.FormattedValue: Interpreter._formatted,
    ast.Call: Interpreter._call,
}
