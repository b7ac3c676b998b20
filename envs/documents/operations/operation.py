"""The declaration of an edit operation, the one source of all that concerns it.

Programs, tools, requests, scores, diffs and prompts use it.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces

from ...core.texts import UnicodeText
from ...core.tools import Argument, Call
from ..scene.document import MAX_ON_PAGE, MAX_PAGES, Document
from ..scene.elements import MAX_COORDINATE, Element
from .draft import EditKind
from .values import COLOURS, DIRECTIONS

MAX_TEXT_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of the published signatures, as tools take it.

    Attributes:
        arguments: those of a tool that represent it.
        read: its value from the document and the tool's arguments.
        write: the tool's arguments from its value.
    """

    arguments: Mapping[str, Argument]
    read: Callable[[Document, Mapping[str, Any]], Any]
    write: Callable[[Any], Call]


def text(max_length: int, description: str, min_length: int = 1) -> Argument:
    """A text as an argument of a tool."""
    return Argument(UnicodeText(max_length, min_length=min_length), description)


def number(low: float, high: float, description: str) -> Argument:
    """A number as an argument of a tool."""
    return Argument(spaces.Box(low, high, (), np.float32), description)


def _plain(name: str, argument: Argument) -> Parameter:
    """An argument that a tool takes as it is, perhaps under a name of its own."""
    return Parameter({name: argument}, lambda document, call: call[name], lambda value: {name: value})


def _json_value(value: str) -> Any:
    """A value for an operation; lists and null are written as JSON."""
    if not value.startswith("[") and value != "null":
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _type_of(document: Document, call: Mapping[str, Any]) -> str:
    old = document.find(call["object_id"])
    return old.type if old else "text"


def _whole(last: int, description: str) -> Argument:
    """A number from 1 as an argument of a tool."""
    return Argument(spaces.Discrete(last, start=1), description)


ID = text(40, "The element's id.")
PAGE_NUMBER = _whole(MAX_PAGES, "The number of the page; the first is 1.")
_TYPE = text(40, "text, list, shape, image, line or table.")
_CONTENT = text(
    MAX_TEXT_LENGTH,
    "A text's words in quotation marks; a list's items, or a table's rows with tabulators between cells, a line each; "
    f"which shape or picture, such as icon/cup. Colours by name: {', '.join(COLOURS)}.",
)
_PLACE = Parameter(
    {
        "x": number(-MAX_COORDINATE, MAX_COORDINATE, "Of the left edge, in pixels from the left edge of the page."),
        "y": number(-MAX_COORDINATE, MAX_COORDINATE, "Of the upper edge, in pixels from the top of the page."),
    },
    lambda document, call: [call["x"], call["y"]],
    lambda value: {"x": value[0], "y": value[1]},
)
_ID = _plain("object_id", ID)
PARAMETERS: dict[str, Parameter] = {
    "object_id": _ID,
    "object_id_to_replace": _ID,
    "object_id_to_modify": _ID,
    "new_position": _PLACE,
    "position": _PLACE,
    "position_diff": Parameter(
        {
            "direction": text(10, f"{', '.join(DIRECTIONS)}."),
            "pixels": number(0, MAX_COORDINATE, "How far, in pixels."),
        },
        lambda document, call: (call["direction"], call["pixels"]),
        lambda value: {"direction": value[0], "pixels": value[1]},
    ),
    "object_ids": Parameter(
        {"object_ids": text(400, "Ids with commas between them.")},
        lambda document, call: [one.strip() for one in call["object_ids"].split(",")],
        lambda value: {"object_ids": ", ".join(value)},
    ),
    "object_type": _plain("object_type", _TYPE),
    "object_description": _plain("object_description", _CONTENT),
    "type_of_object_replaced": Parameter({}, _type_of, lambda value: {}),
    "new_object_type": _plain("object_type", _TYPE),
    "new_object_content": _plain("object_content", _CONTENT),
    "modification": Parameter(
        {"modification": text(MAX_TEXT_LENGTH, "The new value; lists as JSON.", min_length=0)},
        lambda document, call: _json_value(call["modification"]),
        lambda value: {"modification": value if isinstance(value, str) else json.dumps(value)},
    ),
    "type_of_modification": _plain("type_of_modification", text(40, "What it is a value of.")),
    "number": _plain("number", PAGE_NUMBER),
    "to": _plain("to", _whole(MAX_ON_PAGE, "The number that it gets; the first is 1.")),
    "layout": _plain("layout", text(80, "Its name; an empty text: none.", min_length=0)),
    "part": _plain("part", text(10, "row, column or item.")),
    "at": _plain("at", _whole(MAX_ON_PAGE, "Its number; the first is 1.")),
    "content": Parameter(
        {"content": text(MAX_TEXT_LENGTH, "The text of an item; of cells, with tabs between them.", min_length=0)},
        lambda document, call: _json_value(call["content"]),
        lambda value: {"content": value if isinstance(value, str) else json.dumps(value)},
    ),
    "separator": _plain("separator", text(20, "What stands between the parts, such as a line feed.")),
}
"""How tools take the arguments of the published signatures."""


Made = str | tuple[str, ...] | None
"""The id of what an operation has made, the ids of several, or nothing."""


@dataclass(frozen=True, slots=True)
class OperationTool:
    """A tool that carries out an operation.

    Attributes:
        name: what agents call it.
        description: what it does, in words for agents.
        parameters: the arguments of the published signature that it takes, as ``PARAMETERS`` declares them.
        described: descriptions of arguments of the tool, where they are not the usual ones.
    """

    name: str
    description: str
    parameters: tuple[str, ...]
    described: Mapping[str, str] = field(default_factory=dict)

    @property
    def arguments(self) -> dict[str, Argument]:
        """The arguments of the tool, in order."""
        known = {name: one for parameter in self.parameters for name, one in PARAMETERS[parameter].arguments.items()}
        return {
            name: replace(one, description=self.described.get(name, one.description)) for name, one in known.items()
        }

    def read(self, document: Document, call: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of the operation from those of the tool."""
        return {parameter: PARAMETERS[parameter].read(document, call) for parameter in self.parameters}

    def call(self, arguments: Mapping[str, Any]) -> Call:
        """A call of the tool from the arguments of the operation."""
        call: Call = {"tool": self.name}
        for name, value in arguments.items():
            call |= PARAMETERS[name].write(value)
        return call


@dataclass(frozen=True)
class EditOperation:
    """An operation on a document, with the signature that Agent-DocEdit publishes.

    Attributes:
        apply: makes another document of one and arguments, or it and the ids of what is new. Its name in upper case is
            the operation's. It raises a ``ToolError`` for invalid arguments.
        usage: what it does, in words for those who write programs.
        example: a request, and the lines of a program that does it.
        tools: the tools that carry it out.
        typesets: the argument that holds a text which it typesets, or the ids of elements whose texts it does.
        edits: the kinds of edits that requests ask for and that it makes, by name; ``requests.phrasings`` has their
            words.
        copies: whether new elements look as those that they are made from, which stay as they are.
        between: the arguments of its calls that make one element of another, of none a new one, or none of one.
        between_pages: the arguments of its calls that make the pages of one document more like those of another; after
            the first call the others may be out of date.
        of: ``"page"`` if it edits pages, which documents of one page need no tools for.

    >>> from ..shipped import shipped_document
    >>> from .table import OPERATIONS
    >>> moved = OPERATIONS["MOVE"](shipped_document("concert_poster"), "e4", position_diff=("DOWN", 20))
    >>> moved.find("e4").bbox
    (60, 520, 600, 84)
    """

    apply: Callable[..., Document | tuple[Document, Made]]
    usage: str
    example: tuple[str, str]
    tools: tuple[OperationTool, ...]
    typesets: str | None = None
    edits: Mapping[str, EditKind] = field(default_factory=dict)
    copies: bool = False
    between: Callable[[Element | None, Element | None], Iterator[dict[str, Any]]] = lambda before, after: iter(())
    between_pages: Callable[[Document, Document], Iterator[dict[str, Any]]] = lambda before, after: iter(())
    of: str = ""

    def __call__(self, document: Document, *given: Any, **named: Any) -> Document:
        """The document after the operation."""
        return self.edit(document, *given, **named)[0]

    @property
    def name(self) -> str:
        """The name, in upper case."""
        return self.apply.__name__.upper()

    @cached_property
    def signature(self) -> inspect.Signature:
        """The published signature, without the document."""
        known = inspect.signature(self.apply).parameters.values()
        named = [one.replace(annotation=one.empty) for one in known if one.name != "document"]
        return inspect.Signature(named)

    @cached_property
    def takes_page(self) -> bool:
        """Whether it takes the number of a page, by default of the visible one."""
        return "page" in inspect.signature(self.apply).parameters

    def edit(self, document: Document, *given: Any, **named: Any) -> tuple[Document, Made]:
        """The document after the operation, and the ids of new elements."""
        found = self.apply(document, *given, **named)
        return found if isinstance(found, tuple) else (found, None)

    def typeset(self, document: Document, arguments: Mapping[str, Any]) -> list[str]:
        """The texts that a call typesets."""
        if self.typesets is None:
            return []
        value = arguments.get(self.typesets)
        texts = [one for one in (value if isinstance(value, list | tuple) else [value]) if isinstance(one, str)]
        if not self.typesets.startswith("object_id"):
            return texts
        return [element.text for one in texts if (element := document.find(one)) is not None]

    def tool_call(self, arguments: Mapping[str, Any]) -> Call:
        """The call of a tool that carries it out with some arguments."""
        fitting = (tool for tool in self.tools if any(one in arguments for one in tool.parameters[1:]))
        return next(fitting, self.tools[0]).call(arguments)


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """An operation that was carried out.

    Attributes:
        action: its name.
        component: the type of the edited element.
        made: the type of the new element, if any.
        arguments: those that it was called with, by the names of its published signature.
    """

    action: str
    component: str
    made: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
