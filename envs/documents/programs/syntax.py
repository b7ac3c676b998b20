"""Syntax of edit programs: a part of Python, as a tree of nodes that are all on a list."""

from __future__ import annotations

import ast
import warnings
from typing import Any

from .budget import MAX_LENGTH, MAX_NUMBER
from .errors import ProgramError

MAX_CODE = 8_000
"""How many characters a program may have."""
_MAX_DEPTH = 40

_ALLOWED = (
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr,
    ast.If, ast.For, ast.While, ast.Break, ast.Continue, ast.Pass, ast.Try, ast.ExceptHandler, ast.Raise, ast.Assert,
    ast.Name, ast.Load, ast.Store, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Subscript, ast.Slice,
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.IfExp, ast.Call, ast.keyword, ast.Attribute,
    ast.Starred, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.comprehension,
    ast.JoinedStr, ast.FormattedValue,
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.USub, ast.UAdd, ast.Not,
    ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.Is, ast.IsNot,
)  # fmt: skip
_INSTEAD: dict[str, str] = {
    "Import": "nothing can be imported: what there is, is there already",
    "ImportFrom": "nothing can be imported: what there is, is there already",
    "ClassDef": "use lists, tuples and dicts",
    "AsyncFunctionDef": "main is a plain function",
    "Await": "call functions plainly",
    "Yield": "put what is found into a list",
    "YieldFrom": "put what is found into a list",
    "With": "there are no files; work on the document alone",
    "Match": "use if and elif",
    "NamedExpr": "assign on a line before",
    "Global": "variables of main are enough",
    "Nonlocal": "variables of main are enough",
    "Delete": "use pop for items, DELETE for elements",
    "TryStar": "use except",
    "BitOr": "use or; for sets union",
    "BitAnd": "use and; for sets intersection",
    "BitXor": "use !=",
    "Invert": "use not",
    "LShift": "use * 2 ** n",
    "RShift": "use // 2 ** n",
    "MatMult": "use loops",
}
"""What to do in the place of what there is not."""


def parsed(code: str) -> ast.Module:
    """The syntax tree of a program, if it holds nothing but what there is; without annotations.

    Raises:
        ProgramError: if it is no Python, too long or too deep, or holds something else.
    """
    if not isinstance(code, str) or len(code) > MAX_CODE:
        raise ProgramError(f"a program is a text of at most {MAX_CODE:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
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
    if depth > _MAX_DEPTH:
        raise ProgramError(f"the program is nested deeper than {_MAX_DEPTH} levels", line)
    if not isinstance(node, _ALLOWED):
        kind = type(node).__name__
        raise ProgramError(f"{kind} is not allowed" + (f"; {_INSTEAD[kind]}" if kind in _INSTEAD else ""), line)
    _drop_annotations(node)
    _check_details(node, line)
    for child in ast.iter_child_nodes(node):
        _check(child, depth + 1)


def _check_details(node: ast.AST, line: int | None) -> None:
    for field in ("id", "arg", "name", "attr"):
        name = getattr(node, field, None)
        if isinstance(name, str) and name.startswith("_") and name.strip("_"):
            raise ProgramError(f"the name {name[:40]!r} is not allowed: it begins with an underscore", line)
    if isinstance(node, ast.Constant) and not _is_plain(node.value):
        raise ProgramError(f"the constant {str(node.value)[:20]!r} is not allowed", line)
    if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
        raise ProgramError("attributes cannot be assigned to; elements are changed by MODIFY", line)
    if isinstance(node, ast.Lambda) and not _is_simple(node.args):
        raise ProgramError("a lambda takes plain arguments of different names; no * and **", line)
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store) and _starred(node.elts) > 1:
        raise ProgramError("only one name can take the rest of the values", line)
    if isinstance(node, ast.comprehension) and node.is_async:
        raise ProgramError("there is nothing asynchronous here; use a plain for", line)


def _is_simple(arguments: ast.arguments) -> bool:
    names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
    return not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs) and len(set(names)) == len(names)


def _starred(nodes: list[ast.expr]) -> int:
    return sum(isinstance(node, ast.Starred) for node in nodes)


def _drop_annotations(node: ast.AST) -> None:
    """Annotations say nothing that a program needs, and may name what there is not."""
    if isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.FunctionDef):
        node.returns = None
    elif isinstance(node, ast.AnnAssign):
        node.annotation = ast.copy_location(ast.Constant(None), node)


def _is_plain(value: Any) -> bool:
    if isinstance(value, int | float):
        return value == value and abs(value) <= MAX_NUMBER
    return value is None or (isinstance(value, str) and len(value) <= MAX_LENGTH)
