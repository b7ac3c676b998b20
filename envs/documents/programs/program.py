"""Programs: checked before they run, run as a whole or not at all."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from ..scene.document import Document
from .functions import CONSTANTS, NAMES, Editing, Find, Infer
from .interpreter import BUILTINS, Interpreter, ProgramError, parsed

_DOCUMENT = "document"


def run_program(
    document: Document, code: str, find: Find, infer: Infer, page: int = 0, strict: bool = False
) -> Editing:
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
    editing = Editing(document, find, infer, page)
    arguments = {argument.arg: _DOCUMENT for argument in main.args.args}
    constants = {name: value for name, value in CONSTANTS.items() if name not in arguments}
    Interpreter(editing.functions(), constants).run(main, arguments)
    if not editing.deeds:
        raise ProgramError("the program has changed nothing: it calls no operation")
    return editing


def checked(code: str, strict: bool = False) -> ast.FunctionDef:
    """The function ``main`` of a program, of which all that can be told without running it is in order.

    Raises:
        ProgramError: that names the first fault and its line.
    """
    tree = parsed(code)
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef) or tree.body[0].name != "main":
        raise ProgramError("a program is one function called main, and nothing else")
    main = tree.body[0]
    given = main.args
    extra = given.posonlyargs or given.kwonlyargs or given.vararg or given.kwarg or given.defaults
    if extra or main.decorator_list or [a.arg for a in given.args] not in ([], [_DOCUMENT]):
        raise ProgramError("main takes no argument, or document, and has no decorators", main.lineno)
    for node in ast.walk(main):
        if isinstance(node, ast.FunctionDef) and node is not main:
            raise ProgramError("functions cannot be defined in main", node.lineno)
        if isinstance(node, ast.Call):
            _check_call(node, strict)
    _check_names(main)
    return main


def _check_call(node: ast.Call, strict: bool) -> None:
    if not isinstance(node.func, ast.Name):
        raise ProgramError("only functions can be called, by their names", node.lineno)
    name = node.func.id
    if name in BUILTINS:
        return
    if name not in NAMES:
        raise ProgramError(f"there is no function {name!r}; there are {', '.join(NAMES)}", node.lineno)
    signature = _signature(name)
    try:
        bound = signature.bind(*node.args, **{str(part.arg): part.value for part in node.keywords})
    except TypeError as error:
        raise ProgramError(f"{name}{signature}: {error}", node.lineno) from None
    if strict and (missing := [p for p in signature.parameters if p == _DOCUMENT and p not in bound.arguments]):
        raise ProgramError(f"{name}{signature}: missing a required argument: {missing[0]!r}", node.lineno)


@lru_cache(maxsize=len(NAMES))
def _signature(name: str) -> inspect.Signature:
    signature = inspect.signature(getattr(Editing, name.lower()))
    parameters = [p.replace(annotation=p.empty) for p in list(signature.parameters.values())[1:]]
    return signature.replace(parameters=parameters, return_annotation=signature.empty)


def _check_names(main: ast.FunctionDef) -> None:
    """Check that every name that is read is given somewhere."""
    known = {*CONSTANTS, *NAMES, *BUILTINS, *(a.arg for a in main.args.args), *_stored(main)}
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
            raise ProgramError(f"there is no name {node.id!r}", node.lineno)


def _stored(main: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(main):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def words_sought(code: str) -> list[str]:
    """The words that a program gives to FIND_AND_GET, as they are written in it."""
    nodes = (node for node in ast.walk(parsed(code)) if isinstance(node, ast.Call))
    calls = [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == "FIND_AND_GET"]
    told = [node.args[0] if node.args else node.keywords[0].value for node in calls]
    return list(dict.fromkeys(str(one.value) for one in told if isinstance(one, ast.Constant)))


def usage() -> str:
    """What programs may call, a line each, with what it does."""
    return "\n".join(f"{name}{_signature(name)}: {_first_line(name)}" for name in NAMES)


def _first_line(name: str) -> Any:
    return (getattr(Editing, name.lower()).__doc__ or "").splitlines()[0]
