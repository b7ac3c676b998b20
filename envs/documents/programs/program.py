"""Programs: checked before they run, run as a whole or not at all."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from ..scene.document import Document
from .budget import MAX_PRINTED, Budget
from .errors import ProgramError, readable
from .functions import CONSTANTS, NAMES, Find, Infer, ProgramContext, signature_of
from .interpreter import Interpreter
from .python_functions import BUILTINS
from .syntax import parsed

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
        ProgramError: if it fails; it holds what the program has printed, as the editing does else.
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
    """The function ``main`` of a program, of which all that can be told without running it is in order.

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
    given = {*BUILTINS, *_given(main)}
    for node in ast.walk(main):
        if isinstance(node, ast.FunctionDef) and node is not main:
            raise ProgramError("functions cannot be defined in main; use a lambda, or a loop", node.lineno)
        if isinstance(node, ast.Call):
            _check_call(node, given, strict)
    _check_names(main, {*given, *CONSTANTS, *NAMES, _DOCUMENT})
    return main


def _check_call(node: ast.Call, names: Collection[str], strict: bool) -> None:
    """Check a call of a function by its name; ``names``: those that the program assigns to, and Python's."""
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
    """Check that every name that is read is given somewhere."""
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            raise ProgramError(f"there is no name {node.id!r}", node.lineno)


def _given(main: ast.FunctionDef) -> Iterator[str]:
    """The names that a program gives to something."""
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            yield node.name


def words_sought(code: str) -> list[str]:
    """The words that a program gives to FIND_AND_GET, as they are written in it."""
    nodes = (node for node in ast.walk(parsed(code)) if isinstance(node, ast.Call))
    calls = [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == "FIND_AND_GET"]
    named = [{part.arg: part.value for part in node.keywords} for node in calls]
    words = [
        node.args[0] if node.args else given.get("component_to_edit") for node, given in zip(calls, named, strict=True)
    ]
    return list(dict.fromkeys(str(one.value) for one in words if isinstance(one, ast.Constant)))
