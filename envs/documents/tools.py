"""The tools of DocEdit: operations on elements, or whole programs."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import Any

from ..core.texts import truncate
from ..core.tools import Tool, ToolError
from .operations.operation import ID, PAGE_NUMBER, text
from .operations.table import OPERATIONS
from .programs.program import MAX_CODE, MAX_COMPONENT_LENGTH, run_program, usage, words_sought
from .programs.sandbox import ProgramError, with_printed
from .scene.document import Document
from .scoring.changes import changes_in_words
from .state import DocumentState

_MAX_CHANGES = 12


def apply_operation(operation: str, tool: str, state: DocumentState, **call: Any) -> str:
    """Carry out an operation by one of its tools."""
    context, before = state.context(), state.document
    used = next(one for one in OPERATIONS[operation].tools if one.name == tool)
    try:
        context.apply(operation, **used.read(state.document, call))
    except ValueError as error:
        raise ToolError(f"{error}.") from None
    state.edit(context.document, *context.operations)
    return f"{operation} was carried out; {_changes(before, state.document)}"


def undo(state: DocumentState) -> str:
    """Take the last operation back."""
    if not state.undo():
        raise ToolError("There is nothing to take back: the document is as it was at first.")
    return f"Taken back; {len(state.history) - 1} operations are left."


def find_and_get(state: DocumentState, component: str) -> str:
    """Find the element that the words describe: its id, position and box."""
    name, position, box = state.context().find_and_get(component)
    page = state.document.places[name][0] + 1
    return json.dumps({"id": name, "position": position, "bbox": box, "page": page})


def infer(state: DocumentState, component: str) -> str:
    """Find the place that the words describe, for a new element: its position and box."""
    position, box = state.context().infer(component)
    return json.dumps({"position": position, "bbox": box})


def get_metadata(state: DocumentState, object_id: str, attribute: str) -> str:
    """Read an attribute of an element, such as text, page, colour or size."""
    return json.dumps({attribute: state.context().get_metadata(object_id, attribute)}, ensure_ascii=False)


def run(state: DocumentState, code: str) -> str:
    """Run a program on the document as it was at first: a Python function main(document) that calls operations."""
    printed = _run(state, code)
    return f"{with_printed(printed)}The program ran; {_changes(state.task.before, state.document)}"


def next_proposal(state: DocumentState, component: str) -> str:
    """Run the last program again with the next element that the words given to FIND_AND_GET may mean.

    The words may be left empty where the program looks for one thing only.
    """
    if not state.code:
        raise ToolError("No program has run yet; run_program comes first.")
    queries = words_sought(state.code)
    words = component or (queries[0] if len(queries) == 1 else "")
    if words not in queries:
        raise ToolError(f"The program does not look for {words!r}; it looks for {queries or 'nothing'}.")
    skipped = state.skipped.get(words, 0) + 1
    if skipped >= len(state.proposals(state.task.before, words)):
        raise ToolError(f"There is nothing else that {words!r} may mean.")
    state.skipped[words] = skipped
    _run(state, state.code)
    return f"Proposal {skipped + 1} for {truncate(words, 80)!r}; {_changes(state.task.before, state.document)}"


def show_page(state: DocumentState, number: int) -> str:
    """Show a page of the document, counted from 1."""
    count = len(state.document.pages)
    if number > count:
        raise ToolError(f"There is no page {number}; the document has {count}.")
    state.turn_to(number - 1)
    return f"This is page {number} of {count}."


def terminate(state: DocumentState) -> str:
    """End the episode: the document is as it should be."""
    state.finished = True
    return "Done." if state.finished else f"Done. The next request: {state.goal}"


def _run(state: DocumentState, code: str) -> str:
    """Run a program and return what it printed."""
    try:
        context = run_program(state.task.before, code, state.find, state.page, state.is_strict)
    except ProgramError as error:
        state.fail()
        raise ToolError(f"{error.feedback} The document is unchanged.") from None
    try:
        state.replace_with_program_result(context, code)
    except ToolError:
        state.fail()
        raise
    return context.printed


def _changes(before: Document, after: Document) -> str:
    """What an edit has changed, the first ``_MAX_CHANGES`` lines of it."""
    lines = list(changes_in_words(before, after, ids=True))
    more = [f"and {len(lines) - _MAX_CHANGES} more"] if len(lines) > _MAX_CHANGES else []
    return "\n".join(["it changed:", *lines[:_MAX_CHANGES], *more]) if lines else "it changed nothing."


_COMPONENT = text(MAX_COMPONENT_LENGTH, "Words such as: the second icon from the left.")
_PAGE = Tool(
    "show_page",
    show_page,
    {"number": PAGE_NUMBER},
)
_END = Tool("terminate", terminate, {})
OPERATION_TOOLS = (
    *(
        Tool(tool.name, partial(apply_operation, operation.name, tool.name), tool.arguments, about=tool.description)
        for operation in OPERATIONS.values()
        for tool in operation.tools
    ),
    Tool("undo", undo, {}),
    Tool("find_and_get", find_and_get, {"component": _COMPONENT}),
    Tool("infer", infer, {"component": _COMPONENT}),
    Tool("get_metadata", get_metadata, {"object_id": ID, "attribute": text(40, "Its name.")}),
    _PAGE,
    _END,
)
"""Tools that edit element by element (Agent-DocEdit's operations)."""
PROGRAM_TOOLS = (
    Tool("run_program", run, {"code": text(MAX_CODE, "Python that defines main(document).")}),
    Tool(
        "next_proposal",
        next_proposal,
        {
            "component": text(
                MAX_COMPONENT_LENGTH, "The words that were given to FIND_AND_GET, or nothing.", min_length=0
            )
        },
    ),
    _PAGE,
    _END,
)
"""Tools that edit by whole programs (Agent-DocEdit)."""
_OF_PAGES = {_PAGE.name, *(tool.name for one in OPERATIONS.values() if one.of == "page" for tool in one.tools)}
_SEARCHING = {"find_and_get", "infer", "next_proposal"}
ACTION_MODES = {"operations": OPERATION_TOOLS, "program": PROGRAM_TOOLS}
"""The tools of each mode of action."""


def tools_for(action_mode: str, n_pages: int, search: bool = False) -> tuple[Tool, ...]:
    """The tools of a mode of action.

    Args:
        action_mode: one of ``ACTION_MODES``.
        n_pages: of the longest document; a single page stays alone.
        search: whether there are tools and functions of programs that find by words.
    """
    left_out = (set() if n_pages > 1 else _OF_PAGES) | (set() if search else _SEARCHING)
    tools = (tool for tool in ACTION_MODES[action_mode] if tool.name not in left_out)
    program = f"{run.__doc__} It may call:\n{usage(search)}"
    return tuple(replace(tool, about=program) if tool.name == "run_program" else tool for tool in tools)
