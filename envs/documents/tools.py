"""The tools of DocEdit, each declared once: operations on elements, or whole programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium import spaces

from ..core.spaces import UnicodeText
from ..core.texts import truncate
from ..core.tools import Argument, Tool, ToolError
from .operations.modifying import TYPES
from .operations.placing import DIRECTIONS
from .operations.values import COLOURS
from .programs.errors import ProgramError, with_printed
from .programs.functions import MAX_COMPONENT_LENGTH, ProgramContext
from .programs.program import run_program, usage, words_sought
from .programs.syntax import MAX_CODE
from .scene.elements import LARGEST
from .state import DocumentState

MAX_TEXT_LENGTH = 2_000
MAX_PAGES = 30


def move(state: DocumentState, object_id: str, x: float, y: float) -> str:
    """Put an element's left top corner at x, y."""
    return _apply_operation(state, "move", object_id, new_position=[x, y])


def move_by(state: DocumentState, object_id: str, direction: str, pixels: float) -> str:
    """Move an element some pixels UP, DOWN, LEFT or RIGHT."""
    return _apply_operation(state, "move", object_id, position_diff=(direction, pixels))


def delete(state: DocumentState, object_id: str) -> str:
    """Take an element out, with all that is in it if it is a group."""
    return _apply_operation(state, "delete", object_id)


def add(state: DocumentState, object_type: str, object_description: str, x: float, y: float) -> str:
    """Put a new text, list, shape, image, line or table on the page that is shown, its left top corner at x, y."""
    return _apply_operation(state, "add", object_type, object_description, [x, y])


def copy(state: DocumentState, object_id: str, x: float, y: float) -> str:
    """Put a copy of an element on its page, its left top corner at x, y."""
    return _apply_operation(state, "copy", object_id, [x, y])


def replace(state: DocumentState, object_id: str, object_type: str, object_content: str) -> str:
    """Put something new in the place of an element: a text, list, shape, image, line or table, and what it shows."""
    old = state.document.find(object_id)
    return _apply_operation(state, "replace", object_id, old.type if old else "text", object_type, object_content)


def modify(state: DocumentState, object_id: str, modification: str, type_of_modification: str) -> str:
    """Change what an element says or how it looks: a new value, and what it is a value of."""
    return _apply_operation(state, "modify", object_id, _value(modification), type_of_modification)


def split(state: DocumentState, object_id: str, separator: str) -> str:
    """Part a text or a list wherever the separator is; the parts stand one below the other."""
    return _apply_operation(state, "split", object_id, separator)


def merge(state: DocumentState, object_ids: str, separator: str) -> str:
    """Join texts or lists into the first of them."""
    return _apply_operation(state, "merge", [one.strip() for one in object_ids.split(",")], separator)


def undo(state: DocumentState) -> str:
    """Take the last operation back."""
    if not state.undo():
        raise ToolError("There is nothing to take back: the document is as it was at first.")
    return f"Taken back; {len(state.history) - 1} operations are left."


def find_and_get(state: DocumentState, component: str) -> str:
    """Find an element by words; tells its id, position and box."""
    context = ProgramContext(state.document, state.find, state.infer, state.page)
    name, position, box = context.find_and_get(component)
    page = state.document.places[name][0] + 1
    return json.dumps({"id": name, "position": position, "bbox": box, "page": page})


def infer(state: DocumentState, component: str) -> str:
    """Infer where something new should stand that words describe; tells position and box."""
    context = ProgramContext(state.document, state.find, state.infer, state.page)
    position, box = context.infer(component)
    return json.dumps({"position": position, "bbox": box})


def get_metadata(state: DocumentState, object_id: str, attribute: str) -> str:
    """Tell an attribute of an element, such as text, page, colour or size."""
    context = ProgramContext(state.document, state.find, state.infer, state.page)
    return json.dumps({attribute: context.get_metadata(object_id, attribute)}, ensure_ascii=False)


def run(state: DocumentState, code: str) -> str:
    """Run a program on the document as it was at first: a Python function main(document) that calls operations."""
    printed = _run(state, code)
    return f"{with_printed(printed)}The program ran: {_operations_text(state)}."


def next_proposal(state: DocumentState, component: str) -> str:
    """Run the last program again with the next element that the words given to FIND_AND_GET may mean.

    The words may be left empty where the program looks for one thing only.
    """
    if not state.code:
        raise ToolError("No program has run yet; run_program comes first.")
    asked = words_sought(state.code)
    words = component or (asked[0] if len(asked) == 1 else "")
    if words not in asked:
        raise ToolError(f"The program does not look for {words!r}; it looks for {asked or 'nothing'}.")
    skipped = state.skipped.get(words, 0) + 1
    if skipped >= len(state.grounder.find(state.task.before, words)):
        raise ToolError(f"There is nothing else that {words!r} may mean.")
    state.skipped[words] = skipped
    _run(state, state.code)
    return f"Proposal {skipped + 1} for {truncate(words, 80)!r}: {_operations_text(state)}."


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
    return "Done."


def _apply_operation(state: DocumentState, name: str, *arguments: Any, **named: Any) -> str:
    """Carry out one operation."""
    context = ProgramContext(state.document, state.find, state.infer, state.page)
    with _plain_message():
        made = getattr(context, name)(*arguments, **named)
    state.edit(context.document, *context.operations)
    new = f" It made {made if isinstance(made, str) else ', '.join(made)}." if made else ""
    return f"{name.upper()} was carried out.{new}"


def _run(state: DocumentState, code: str) -> str:
    """Run a program; what it printed."""
    try:
        context = run_program(state.task.before, code, state.find, state.infer, state.page, state.is_strict)
    except ProgramError as error:
        state.fail()
        raise ToolError(f"{error.feedback} The document is unchanged.") from None
    try:
        state.replace_with_program_result(context, code)
    except ToolError:
        state.fail()
        raise
    return context.printed


def _operations_text(state: DocumentState) -> str:
    operations = state.history[-1].operations
    listed = ", ".join(f"{one.action} of a {one.component}" for one in operations[:8])
    return listed + (", …" if len(operations) > 8 else "")


@contextmanager
def _plain_message() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise ToolError(f"{error}.") from None


def _value(text: str) -> Any:
    """A value as operations take it: lists are written as JSON."""
    if not text.startswith("["):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(most: int, description: str, least: int = 1) -> Argument:
    return Argument(UnicodeText(most, min_length=least), description)


def _number(low: float, high: float, description: str) -> Argument:
    return Argument(spaces.Box(low, high, (), np.float32), description)


_ID = _text(40, "The element's id.")
_X = _number(-LARGEST, LARGEST, "Of the left edge, in pixels from the left edge of the page.")
_Y = _number(-LARGEST, LARGEST, "Of the upper edge, in pixels from the top of the page.")
_TYPE = _text(40, "text, list, shape, image, line or table.")
_CONTENT = (
    "A text's words in quotation marks; a list's items, or a table's rows with tabulators between cells, a line each; "
    f"which shape or picture, such as icon/cup. Colours by name: {', '.join(COLOURS)}."
)
_COMPONENT = _text(MAX_COMPONENT_LENGTH, "Words such as: the second icon from the left.")
_SEPARATOR = _text(20, "What stands between the parts, such as a line feed.")

_PAGE = Tool(
    "show_page",
    show_page,
    {"number": Argument(spaces.Discrete(MAX_PAGES, start=1), "Of the page, the first one is 1.")},
)
_END = Tool("terminate", terminate, {})
OPERATION_TOOLS = (
    Tool("move", move, {"object_id": _ID, "x": _X, "y": _Y}),
    Tool(
        "move_by",
        move_by,
        {
            "object_id": _ID,
            "direction": _text(10, f"{', '.join(DIRECTIONS)}."),
            "pixels": _number(0, LARGEST, "How far, in pixels."),
        },
    ),
    Tool("delete", delete, {"object_id": _ID}),
    Tool("add", add, {"object_type": _TYPE, "object_description": _text(MAX_TEXT_LENGTH, _CONTENT), "x": _X, "y": _Y}),
    Tool("copy", copy, {"object_id": _ID, "x": _X, "y": _Y}),
    Tool(
        "replace",
        replace,
        {"object_id": _ID, "object_type": _TYPE, "object_content": _text(MAX_TEXT_LENGTH, _CONTENT)},
    ),
    Tool(
        "modify",
        modify,
        {
            "object_id": _ID,
            "modification": _text(MAX_TEXT_LENGTH, "The new value; lists as JSON.", least=0),
            "type_of_modification": _text(40, f"One of {', '.join(TYPES)}."),
        },
    ),
    Tool("split", split, {"object_id": _ID, "separator": _SEPARATOR}),
    Tool("merge", merge, {"object_ids": _text(400, "Ids with commas between them."), "separator": _SEPARATOR}),
    Tool("undo", undo, {}),
    Tool("find_and_get", find_and_get, {"component": _COMPONENT}),
    Tool("infer", infer, {"component": _COMPONENT}),
    Tool("get_metadata", get_metadata, {"object_id": _ID, "attribute": _text(40, "Its name.")}),
    _PAGE,
    _END,
)
"""Tools that edit element by element (Agent-DocEdit's operations)."""
PROGRAM_TOOLS = (
    Tool(
        "run_program",
        run,
        {"code": _text(MAX_CODE, "Python that defines main(document).")},
        about=f"{run.__doc__} It may call:\n{usage()}",
    ),
    Tool(
        "next_proposal",
        next_proposal,
        {"component": _text(MAX_COMPONENT_LENGTH, "The words that were given to FIND_AND_GET, or nothing.", least=0)},
    ),
    _PAGE,
    _END,
)
"""Tools that edit by whole programs (Agent-DocEdit)."""
ACTION_MODES = {"operations": OPERATION_TOOLS, "program": PROGRAM_TOOLS}
"""The tools of each mode of action."""
