"""Parse, check and run edit programs, as a whole or not at all."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator
from typing import Any

from ..scene.document import Document
from .budget import MAX_LENGTH, MAX_NUMBER, MAX_PRINTED, Budget, ProgramError, readable
from .expressions import EXPRESSIONS
from .functions import CONSTANTS, NAMES, Find, Infer, ProgramContext, signature_of
from .interpreter import STATEMENTS, Interpreter
from .python_functions import BINARY, BUILTINS, COMPARE, UNARY

MAX_CODE = 8_000
"""The maximum length of a program."""
_MAX_NESTING = 40

_ALLOWED = (
    *STATEMENTS, *EXPRESSIONS, *BINARY, *UNARY, *COMPARE,
    ast.Module, ast.FunctionDef, ast.arguments, ast.arg, ast.ExceptHandler, ast.comprehension, ast.keyword,
    ast.Load, ast.Store, ast.And, ast.Or,
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
"""Advice for unsupported syntax."""


def parsed(code: str) -> ast.Module:
    """The syntax tree of a program without annotations, if all of it is supported.

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
    if depth > _MAX_NESTING:
        raise ProgramError(f"the program is nested deeper than {_MAX_NESTING} levels", line)
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
    """Remove annotations, which may name what does not exist in programs."""
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


_DOCUMENT = "document"


def run_program(
    document: Document, code: str, find: Find, infer: Infer, page: int = 0, strict: bool = False
) -> ProgramContext:
    """Run the function ``main`` of a program on a document.

    Args:
        document: what is edited; it stays as it is.
        code: Python that defines ``main``, with no argument or ``document``.
        find: what words mean.
        infer: where new things go.
        page: on which new things are put, counted from 0.
        strict: whether calls must name every argument of the published signatures, ``document`` among them.

    Returns:
        The editing at its end: the edited document, and what was done.

    Raises:
        ProgramError: if the program is none, or fails at any point; then nothing has happened.
    """
    main = checked(code, strict)
    budget = Budget()
    context = ProgramContext(document, find, infer, page, budget.spend)
    execute(main, context, budget)
    if not context.operations:
        error = ProgramError("the program has changed nothing: it calls no operation")
        error.printed = context.printed
        raise error
    return context


def execute(main: ast.FunctionDef, context: ProgramContext, budget: Budget) -> None:
    """Run a checked program on a document.

    Raises:
        ProgramError: if it fails; it holds what the program has printed, which is otherwise in ``context``.
    """
    interpreter = Interpreter(context.functions(), CONSTANTS | {_DOCUMENT: context.record()}, budget)
    try:
        interpreter.run(main)
    except (ProgramError, MemoryError) as error:
        failure = error if isinstance(error, ProgramError) else ProgramError("it takes more memory than there is")
        failure.printed = _kept(interpreter.printed)
        raise failure from None
    context.printed = _kept(interpreter.printed)


def _kept(printed: str) -> str:
    return readable(printed.rstrip("\n"), MAX_PRINTED)


def checked(code: str, strict: bool = False) -> ast.FunctionDef:
    """The function ``main`` of a program that passes all static checks.

    Raises:
        ProgramError: that names the first fault and its line.
    """
    tree = parsed(code)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef) or tree.body[0].name != "main":
        raise ProgramError("a program is one function called main, and nothing else")
    main = tree.body[0]
    taken = main.args
    extra = taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg or taken.defaults
    if extra or main.decorator_list or [a.arg for a in taken.args] not in ([], [_DOCUMENT]):
        raise ProgramError("main takes no argument, or document, and has no decorators", main.lineno)
    given = {*BUILTINS, *_assigned_names(main)}
    for node in ast.walk(main):
        if isinstance(node, ast.FunctionDef) and node is not main:
            raise ProgramError("functions cannot be defined in main; use a lambda, or a loop", node.lineno)
        if isinstance(node, ast.Call):
            _check_call(node, given, strict)
    _check_names(main, {*given, *CONSTANTS, *NAMES, _DOCUMENT})
    return main


def _check_call(node: ast.Call, names: Collection[str], strict: bool) -> None:
    """Check a call by name; ``names``: those of Python and of the program."""
    if not isinstance(node.func, ast.Name) or node.func.id in names:
        return
    name = node.func.id
    if name not in NAMES:
        raise ProgramError(f"there is no function {name!r}; there are {', '.join(NAMES)}", node.lineno)
    if any(isinstance(one, ast.Starred) for one in node.args) or any(part.arg is None for part in node.keywords):
        return
    signature = signature_of(name)
    try:
        bound = signature.bind(*node.args, **{str(part.arg): part.value for part in node.keywords})
    except TypeError as error:
        raise ProgramError(f"{name}{signature}: {error}", node.lineno) from None
    if strict and (missing := [p for p in signature.parameters if p == _DOCUMENT and p not in bound.arguments]):
        raise ProgramError(f"{name}{signature}: missing a required argument: {missing[0]!r}", node.lineno)


def _check_names(main: ast.FunctionDef, known: Collection[str]) -> None:
    """Check that every name that is read is assigned somewhere."""
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            raise ProgramError(f"there is no name {node.id!r}", node.lineno)


def _assigned_names(main: ast.FunctionDef) -> Iterator[str]:
    """The names that a program assigns to."""
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            yield node.name


def words_sought(code: str) -> list[str]:
    """The words that a program searches with FIND_AND_GET, as constants in its code."""
    nodes = (node for node in ast.walk(parsed(code)) if isinstance(node, ast.Call))
    calls = [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == "FIND_AND_GET"]
    named = [{part.arg: part.value for part in node.keywords} for node in calls]
    words = [
        node.args[0] if node.args else given.get("component_to_edit") for node, given in zip(calls, named, strict=True)
    ]
    return list(dict.fromkeys(str(one.value) for one in words if isinstance(one, ast.Constant)))
