"""Write, check and run edit programs, as a whole or not at all; the functions that they call."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from ...core.tools import Call, ToolError
from ..grounding.placing import Find, infer_place
from ..operations.operation import EditOperation, Made, OperationRecord
from ..operations.table import OPERATIONS
from ..operations.values import DIRECTIONS
from ..scene.document import Document, element_of
from ..scene.elements import Element
from .metering import MAX_BITS, PREFIX, parse_quietly
from .reading import CHANGES, OPENING, RECORD, DocumentReader, attributes, prelude
from .sandbox import OutOfMemory, ProgramError, plain_value, run_in_sandbox

# -- Functions, with Agent-DocEdit's signatures ------------------------------------------------------------------------

MAX_OPERATIONS = 200
"""The maximum number of operations of a program."""
MAX_COMPONENT_LENGTH = 300
"""The maximum length of the words of a search."""
MAX_PICTURES = 100
"""The maximum number of pictures that the operations of a program draw."""
MAX_LETTERS = 50_000
"""The maximum number of letters that the operations of a program set."""
MAX_TRIES = 400
"""The maximum number of searches and operations that a program may try."""
MAX_SEARCHED = 30_000
"""The maximum number of elements that the searches of a program look at."""
CONSTANTS: dict[str, Any] = {name: name for name in DIRECTIONS}
"""Names that programs may use as values."""


class ProgramContext:
    """A document while a program edits it.

    Args:
        document: as it is before.
        find: what words mean; ``None``: nothing is searched by words.
        page: on which new things are put, counted from 0.

    Attributes:
        document: as it is now.
        operations: the operations that were carried out.
        printed: what the program has printed.
    """

    def __init__(self, document: Document, find: Find | None = None, page: int = 0) -> None:
        self.document = document
        self.operations: list[OperationRecord] = []
        self.printed = ""
        self._find, self._page = find or _find_nothing, page
        self._names = names_of(find is not None)
        self._tries = self._letters = self._searched = self._pictures = 0

    def functions(self, strict: bool = False) -> dict[str, Callable[..., Any]]:
        """The functions that a program may call, by name; they take elements or ids.

        Args:
            strict: whether calls must name every argument of the published signatures, ``document`` among them.
        """
        own = {name: getattr(self, name.lower()) for name in FINDERS}
        known = {name: own.get(name) or partial(self.apply, name) for name in self._names}
        return {name: _guarded(name, function, strict) for name, function in known.items()}

    def apply(self, name: str, *given: Any, **named: Any) -> str | list[str] | None:
        """Apply an operation and return the ids of the new elements.

        Raises:
            ToolError: if it cannot be carried out.
        """
        operation = OPERATIONS[name]
        arguments = operation.signature.bind(*given, **named).arguments
        self._try(operation.typeset(self.document, arguments))
        if len(self.operations) >= MAX_OPERATIONS:
            raise ToolError(f"A program may carry out {MAX_OPERATIONS} operations, no more.")
        page = {"page": self._page + 1} if operation.takes_page and arguments.get("page") is None else {}
        document, made = operation.edit(self.document, **arguments | page)
        self._record(operation, arguments, document, made)
        return list(made) if isinstance(made, tuple) else made

    def find_and_get(
        self, component_to_edit: Any, document: Any = None
    ) -> tuple[str, tuple[int, int], tuple[int, int, int, int]]:
        """The id, [x, y] and [x, y, w, h] of the element that the words describe."""
        found = self._find(self.document, self._search_words(component_to_edit))
        if not found:
            raise ToolError(f"Nothing in the document is {component_to_edit!r}.")
        return found[0].id, found[0].bbox[:2], found[0].bbox

    def infer(self, component_to_edit: Any, document: Any = None) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
        """[x, y] and [x, y, w, h] of the place that the words describe, as large as what is to go there."""
        box = infer_place(self.document, self._search_words(component_to_edit), self._find, self._page)
        if box is None:
            raise ToolError(f"{component_to_edit!r} does not tell a place.")
        return box[:2], box

    def get_metadata(self, component_id: Any, attr: Any, document: Any = None) -> Any:
        """A key of an element's JSON or of its style, or text, page (from 1), position, width, height or order."""
        element = element_of(self.document, component_id)
        known = attributes(self.document, element)
        if attr not in known:
            raise ToolError(f"{element.id} has no attribute {attr!r}; there are {', '.join(sorted(known))}.")
        return known[attr]

    def _search_words(self, words: Any) -> str:
        """The words of a search, which is counted."""
        text = str(words)
        if len(text) > MAX_COMPONENT_LENGTH:
            raise ToolError(
                f"Something is found by a few words, at most {MAX_COMPONENT_LENGTH} characters, not {len(text):,}."
            )
        self._try()
        self._searched += len(self.document.places)
        if self._searched > MAX_SEARCHED:
            raise ToolError(
                f"The searches of a program look at {MAX_SEARCHED:,} elements in all, no more; search once and keep "
                "what is found."
            )
        return text

    def _try(self, texts: Sequence[str] = ()) -> None:
        """Count a search or an operation, and the texts that it sets."""
        self._tries += 1
        self._letters += sum(map(len, texts))
        if self._tries > MAX_TRIES or self._letters > MAX_LETTERS:
            raise ToolError(
                f"A program may search and try operations {MAX_TRIES} times and set {MAX_LETTERS:,} letters, no more."
            )

    def _record(self, operation: EditOperation, arguments: Mapping[str, Any], document: Document, made: Made) -> None:
        """Record an operation and continue with its document."""
        first, target = next(iter(arguments.items()), ("", None))
        new = document.find(made) if isinstance(made, str) else None
        about = self.document.find(target) if first.startswith("object_id") and isinstance(target, str) else new
        made_type = new.type if new else ""
        self._pictures += made_type == "image" or (about is not None and about.type == "image")
        if self._pictures > MAX_PICTURES:
            raise ToolError(f"A program may draw {MAX_PICTURES} pictures, no more.")
        kind = about.type if about else operation.of
        self.operations.append(OperationRecord(operation.name, kind, made_type, dict(arguments)))
        self.document = document


def _find_nothing(document: Document, words: str) -> Sequence[Element]:
    return ()


SEARCHES = ("FIND_AND_GET", "INFER")
"""The functions that find by words, through a grounder."""
FINDERS = (*SEARCHES, "GET_METADATA")
"""The functions that find and read; each is a method of ``ProgramContext`` in lower case."""
NAMES = (*OPERATIONS, *FINDERS)
"""All functions by name."""


def names_of(search: bool) -> tuple[str, ...]:
    """The functions that programs may call, with or without those of ``SEARCHES``."""
    return tuple(name for name in NAMES if search or name not in SEARCHES)


@lru_cache(maxsize=len(NAMES))
def signature_of(name: str) -> inspect.Signature:
    """The published signature of a function."""
    if name in OPERATIONS:
        return OPERATIONS[name].signature
    parameters = list(inspect.signature(getattr(ProgramContext, name.lower())).parameters.values())[1:]
    return inspect.Signature([one.replace(annotation=one.empty) for one in parameters])


def usage(search: bool = False) -> str:
    """The functions that programs may call, a line each, with descriptions; with or without those of ``SEARCHES``."""
    known = {name: operation.usage for name, operation in OPERATIONS.items()}
    known |= {name: str(getattr(ProgramContext, name.lower()).__doc__).splitlines()[0] for name in FINDERS}
    return "\n".join(f"{name}{signature_of(name)}: {known[name]}" for name in names_of(search))


def _guarded(name: str, function: Callable[..., Any], strict: bool) -> Callable[..., Any]:
    """A function that checks its arguments and raises nothing but a ``ValueError`` that says what is wrong."""
    signature = signature_of(name)

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            values = [plain_value(value, RECORD) for value in arguments]
            bound = signature.bind(*values, **{key: plain_value(value, RECORD) for key, value in named.items()})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}{signature}: {error}") from None
        if strict and "document" in signature.parameters and "document" not in bound.arguments:
            raise ValueError(f"{name}{signature}: missing a required argument: 'document'")
        try:
            return function(*bound.args, **bound.kwargs)
        except ToolError as error:
            raise ValueError(str(error)) from None

    return call


# -- Programs ----------------------------------------------------------------------------------------------------------


MAX_CODE = 8_000
"""The maximum length of a program."""
MAX_DEPTH = 50
"""The maximum depth of expressions and blocks in each other."""
MAX_FUNCTION_DEPTH = 6
"""The maximum depth of functions in each other: the sandbox needs twice the time for each more."""
_FORBIDDEN = {"eval", "exec", "compile", "globals", "locals", "vars", "__builtins__", "__import__"}
"""Names by which code would run whose steps are not counted."""
_UNCOUNTED = {
    *("base64", "csv", "dataclasses", "decimal", "hashlib"),
    *(f"math.{name}" for name in ("comb", "factorial", "lcm", "perm", "prod")),
    *("collections.deque as another name", "functools.reduce as another name"),
}
"""What does work in the sandbox that is not counted; ``math.factorial`` is, where it is called so."""
_DOCUMENT = "document"
_TOP_LEVEL = (ast.FunctionDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.ClassDef)
"""What may stand beside ``main``."""

Calls = Iterable[tuple[str, Mapping[str, Any]]]
"""Names of operations, each with arguments by the names of its published signature."""


_NO_ARGUMENTS = ("size", "style")
"""What the tool that adds an element does not take: these are modified afterwards."""


def operation_calls(operations: Sequence[tuple[str, Mapping[str, Any]]], document: Document) -> list[Call]:
    """A call of a tool for each operation on a document; of one with a page, after a call that shows it."""
    calls: list[Call] = []
    for number, (name, arguments) in enumerate(operations, start=1):
        if arguments.get("page") is not None:
            calls.append({"tool": "show_page", "number": arguments["page"]})
        rest = {key: value for key, value in arguments.items() if key not in ("page", *_NO_ARGUMENTS)}
        calls.append(OPERATIONS[name].tool_call(rest))
        if modified := dict(_of_new_element(arguments)):
            made = _made_by_last(operations[:number], document)
            for kind, value in modified.items():
                target = {"object_id_to_modify": made, "modification": value, "type_of_modification": kind}
                calls.append(OPERATIONS["MODIFY"].tool_call(target))
    return calls


def _of_new_element(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The style and the size of an element that is added, as modifications by their types."""
    yield from (arguments.get("style") or {}).items()
    if size := arguments.get("size"):
        yield "size", list(size)


def _made_by_last(operations: Calls, document: Document) -> Made:
    """The id of what the last of some operations makes."""
    made: Made = None
    for name, arguments in operations:
        document, made = OPERATIONS[name].edit(document, **arguments)
    return made


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
    document: Document, code: str, find: Find | None = None, page: int = 0, strict: bool = False
) -> ProgramContext:
    """Run the function ``main`` of a program on a document.

    Args:
        document: what is edited; it stays as it is.
        code: Python that defines ``main``, with no argument or one, the document.
        find: what words mean; ``None``: programs have no functions that search by words.
        page: on which new things are put, counted from 0.
        strict: whether calls must name every argument of the published signatures, ``document`` among them.

    Returns:
        The context at the end: the edited document, and what was done.

    Raises:
        ProgramError: if the program cannot be run, fails at any point or changes nothing; nothing has happened then.
    """
    main, is_read = checked(code), reads_document(code)
    # Python takes these for the end of a line too; the sandbox does not.
    code = code.replace("\r\n", "\n").replace("\r", "\n")
    called = f"{code}\nmain({_DOCUMENT if main.args.args else ''})\n"
    try:
        try:
            context = _run(called, ProgramContext(document, find, page), strict, code if is_read else "")
        except OutOfMemory:
            # Or it reads by names that it does not name.
            context = _run(called, ProgramContext(document, find, page), strict, None)
    except ProgramError as error:
        lines = code.splitlines()
        line = error.line if error.line is not None and error.line <= len(lines) else None
        message = _advice(str(error.args[0]), lines[line - 1] if line else "", names_of(find is not None))
        raise ProgramError(message, line, error.printed) from None
    if not context.operations:
        raise ProgramError("the program has changed nothing: it calls no operation", printed=context.printed)
    return context


def _run(code: str, context: ProgramContext, strict: bool, reading: str | None) -> ProgramContext:
    """The context after a whole program; see ``DocumentReader`` for what it reads: nothing, if that is empty."""
    functions = context.functions(strict)
    if reading == "":
        context.printed = run_in_sandbox(code, functions, CONSTANTS | {_DOCUMENT: _DOCUMENT})
        return context
    reader, first = DocumentReader(reading), context.document
    about = {"name": first.name, "title": first.title, "kind": first.kind}
    known = functions | {CHANGES: lambda: reader.changes(context.document)}
    context.printed = run_in_sandbox(code, known, CONSTANTS | {"_about": about}, prelude(functions), OPENING)
    return context


def checked(code: str) -> ast.FunctionDef:
    """The function ``main`` of a program.

    Raises:
        ProgramError: if it is not Python, too long, has no such function or more than functions at its top level.
    """
    tree = parsed(code)
    mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    if len(mains) != 1:
        raise ProgramError(f"a program defines one function called main; this one defines {len(mains) or 'none'}")
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not isinstance(node, _TOP_LEVEL) and not is_docstring:
            raise ProgramError("a program defines main, which is called for it; put all else into main", node.lineno)
    taken = mains[0].args
    extra = taken.posonlyargs or taken.kwonlyargs or taken.vararg or taken.kwarg or taken.defaults
    if extra or mains[0].decorator_list or len(taken.args) > 1:
        raise ProgramError("main takes one argument, the document, or none, and has no decorators", mains[0].lineno)
    for part in ast.walk(tree):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store) and _name(part.value) != "self":
            raise ProgramError("attributes cannot be assigned to; elements are changed by MODIFY", part.lineno)
    return mains[0]


@lru_cache(maxsize=4)
def parsed(code: str) -> ast.Module:
    """The syntax tree of a program, which nobody changes.

    Raises:
        ProgramError: if it is not Python, or too long.
    """
    if not isinstance(code, str) or len(code) > MAX_CODE:
        raise ProgramError(f"a program is a text of at most {MAX_CODE:,} characters")
    try:
        tree = parse_quietly(code)
    except SyntaxError as error:
        raise ProgramError(f"syntax error: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError, MemoryError):
        raise ProgramError("the program is nested too deeply, or holds a character that is not allowed") from None
    _check_size(tree)
    return tree


def _check_size(tree: ast.Module) -> None:
    """Check that no number is huge, nothing nested deeply, and no name taken.

    Raises:
        ProgramError: if something is.
    """
    nodes: list[tuple[ast.AST, int, int]] = [(tree, 0, 0)]
    while nodes:
        node, depth, functions = nodes.pop()
        functions += isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        line = getattr(node, "lineno", None)
        if depth > MAX_DEPTH or functions > MAX_FUNCTION_DEPTH:
            raise ProgramError(
                f"the program is nested too deeply: expressions and blocks at most {MAX_DEPTH} deep, functions at most "
                f"{MAX_FUNCTION_DEPTH}",
                line,
            )
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > MAX_BITS:
            raise ProgramError(f"a whole number has at most {MAX_BITS} bits", line)
        if modules := _UNCOUNTED.intersection(_imported(node)):
            raise ProgramError(f"{min(modules)} cannot be imported", line)
        for name in _names_in(node):
            if name.startswith(PREFIX) or name in _FORBIDDEN:
                raise ProgramError(f"there is no name {name!r} here", line)
        nodes += [(child, depth + 1, functions) for child in ast.iter_child_nodes(node)]


def _imported(node: ast.AST) -> set[str]:
    """The modules, and what of modules, that a node imports."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        renamed = {f"{node.module}.{alias.name} as another name" for alias in node.names if alias.asname}
        return {str(node.module)} | {f"{node.module}.{alias.name}" for alias in node.names} | renamed
    return set()


def _names_in(node: ast.AST) -> list[str]:
    """The names that a node itself uses or binds."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Constant | ast.expr_context | ast.Call | ast.operator):
        return []
    values = [one for value in vars(node).values() for one in (value if isinstance(value, list) else [value])]
    return [one for one in values if isinstance(one, str)]


def reads_document(code: str) -> bool:
    """Whether a program does more with the document than pass it to the published functions."""
    nodes = list(ast.walk(parsed(code)))
    mains = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == "main"]
    known = {_DOCUMENT, *(one.arg for main in mains for one in main.args.args)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and _name(node.func) in NAMES]
    passed = [value for call in calls for value in (*call.args, *(part.value for part in call.keywords))]
    return sum(_name(node) in known for node in nodes) > sum(_name(value) in known for value in passed)


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


def _advice(message: str, line: str, names: Collection[str]) -> str:
    """A message of Python about a line, in the words of edit programs that may call functions of some names."""
    if missing := re.fullmatch(r"NameError: name '(\w+)' is not defined", message):
        if missing[1] in SEARCHES:
            return (
                f"{missing[1]} is not available here: name elements by the ids that their marks show, and places in "
                "pixels (env.grounder=document adds the functions that search by words)"
            )
        if re.search(rf"\b{missing[1]}\s*\(", line):
            return f"there is no function {missing[1]!r}; there are {', '.join(names)}, and those of Python"
        return f"there is no name {missing[1]!r}"
    if message.startswith(f"AttributeError: '{RECORD}' object has no attribute "):
        return (
            f"{message.replace(RECORD, _DOCUMENT)}; the document has name, title, kind, pages and elements, a page "
            "number, width, height, background and elements, an element id, type, name, text, bbox, page, style, …"
        )
    return message
