"""Write, check and run edit programs, as a whole or not at all."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from ...core.tools import Call
from ..operations.table import OPERATIONS
from ..scene.document import Document
from .functions import CONSTANTS, NAMES, Find, Infer, ProgramContext
from .reading import CHANGES, RECORD, DocumentReader, prelude
from .sandbox import ProgramError, run_in_sandbox

MAX_CODE = 8_000
"""The maximum length of a program."""
_DOCUMENT = "document"
_TOP_LEVEL = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef)
"""What may stand beside ``main``."""

Calls = Iterable[tuple[str, Mapping[str, Any]]]
"""Names of operations, each with arguments by the names of its published signature."""


def operation_calls(operations: Calls) -> list[Call]:
    """A call of a tool for each operation."""
    return [OPERATIONS[name].tool_call(arguments) for name, arguments in operations]


def program_of(operations: Calls, words: Mapping[str, str] | None = None) -> str:
    """A program that carries out operations.

    Args:
        operations: what it carries out.
        words: descriptions by id, with which it finds elements.
    """
    described = dict(words or {})
    names = {element: f"element_{i}" for i, element in enumerate(described, 1)}
    lines = [f"{name} = FIND_AND_GET({described[element]!r}, document)[0]" for element, name in names.items()]
    for operation, arguments in operations:
        arguments_text = ", ".join(f"{name}={_argument_text(name, value, names)}" for name, value in arguments.items())
        lines.append(f"{operation}({arguments_text})")
    return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)


def _argument_text(argument: str, value: Any, names: Mapping[str, str]) -> str:
    if argument == "position_diff":
        return f"({value[0]}, {value[1]})"
    if argument == "object_ids":
        return f"[{', '.join(names.get(name, repr(name)) for name in value)}]"
    return names.get(value, repr(value)) if argument.startswith("object_id") else repr(value)


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
        The context at the end: the edited document, and what was done.

    Raises:
        ProgramError: if the program cannot be run, fails at any point or changes nothing; nothing has happened then.
    """
    main = checked(code)
    # Python takes these for the end of a line too; the sandbox does not.
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    context = ProgramContext(document, find, infer, page)
    call = f"main({_DOCUMENT if main.args.args else ''})"
    try:
        context.printed = _run(f"{code}\n{call}\n", context, strict, reads_document(code))
    except ProgramError as error:
        lines = code.splitlines()
        line = error.line if error.line is not None and error.line <= len(lines) else None
        message = _advice(str(error.args[0]), lines[line - 1] if line else "")
        raise ProgramError(message, line, error.printed) from None
    if not context.operations:
        raise ProgramError("the program has changed nothing: it calls no operation", printed=context.printed)
    return context


def _run(code: str, context: ProgramContext, strict: bool, is_read: bool) -> str:
    """Run a whole program and return what it printed."""
    functions = context.functions(strict)
    if not is_read:
        return run_in_sandbox(code, functions, CONSTANTS | {_DOCUMENT: _DOCUMENT})
    reader, first = DocumentReader(), context.document
    about = {"name": first.name, "title": first.title, "kind": first.kind}
    functions[CHANGES] = lambda: reader.changes(context.document)
    return run_in_sandbox(code, functions, CONSTANTS | {"_about": about}, prelude(NAMES))


def checked(code: str) -> ast.FunctionDef:
    """The function ``main`` of a program.

    Raises:
        ProgramError: if it is not Python, too long, has no such function or more than functions at its top level.
    """
    tree = parsed(code)
    mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    if len(mains) != 1:
        raise ProgramError("a program has one function called main")
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, _TOP_LEVEL) and not is_docstring:
            raise ProgramError("a program defines main, which is called for it; put all else into main", node.lineno)
    taken = mains[0].args
    extra = taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg or taken.defaults
    if extra or mains[0].decorator_list or [a.arg for a in taken.args] not in ([], [_DOCUMENT]):
        raise ProgramError("main takes no argument, or document, and has no decorators", mains[0].lineno)
    for part in ast.walk(tree):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and _name(part.value) != "self":
            raise ProgramError("attributes cannot be assigned to; elements are changed by MODIFY", part.lineno)
    return mains[0]


def parsed(code: str) -> ast.Module:
    """The syntax tree of a program.

    Raises:
        ProgramError: if it is not Python, or too long.
    """
    if not isinstance(code, str) or len(code) > MAX_CODE:
        raise ProgramError(f"a program is a text of at most {MAX_CODE:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except SyntaxError as error:
        raise ProgramError(f"syntax error: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError):
        raise ProgramError("the program is nested too deeply, or holds a character that is not allowed") from None


def reads_document(code: str) -> bool:
    """Whether a program does more with the document than pass it to the published functions."""
    nodes = list(ast.walk(parsed(code)))
    calls = [node for node in nodes if isinstance(node, ast.Call) and _name(node.func) in NAMES]
    passed = [value for call in calls for value in (*call.args, *(part.value for part in call.keywords))]
    return sum(_name(node) == _DOCUMENT for node in nodes) > sum(_name(value) == _DOCUMENT for value in passed)


def words_sought(code: str) -> list[str]:
    """The words that a program searches with FIND_AND_GET, as constants in its code."""
    calls = [node for node in ast.walk(parsed(code)) if isinstance(node, ast.Call)]
    sought = []
    for call in calls:
        if _name(call.func) == "FIND_AND_GET":
            named = {part.arg: part.value for part in call.keywords}
            words = call.args[0] if call.args else named.get("component_to_edit")
            sought += [str(words.value)] if isinstance(words, ast.Constant) else []
    return list(dict.fromkeys(sought))


def _name(node: ast.AST) -> str | None:
    return node.id if isinstance(node, ast.Name) else None


def _advice(message: str, line: str) -> str:
    """A message of Python about a line, in the words of edit programs."""
    if missing := re.fullmatch(r"NameError: name '(\w+)' is not defined", message):
        if re.search(rf"\b{missing[1]}\s*\(", line):
            return f"there is no function {missing[1]!r}; there are {', '.join(NAMES)}, and those of Python"
        return f"there is no name {missing[1]!r}"
    if message.startswith(f"AttributeError: '{RECORD}' object has no attribute "):
        return (
            f"{message.replace(RECORD, _DOCUMENT)}; the document has name, title, kind, pages and elements, a page "
            "number, width, height, background and elements, an element id, type, name, text, bbox, page, style, …"
        )
    return message
