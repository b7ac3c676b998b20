"""Arguments of operations as tools take them: numbers and texts alone, under the names that tools use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from ...core.spaces import UnicodeText
from ...core.tools import Argument, Call
from ..scene.document import Document
from ..scene.elements import LARGEST
from .values import COLOURS, DIRECTIONS

MAX_TEXT_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of the published signatures.

    Attributes:
        arguments: those of a tool that stand for it.
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
    """What a tool takes as it is, under a name of its own or the published one."""
    return Parameter({name: argument}, lambda document, call: call[name], lambda value: {name: value})


def _json_value(value: str) -> Any:
    """A value as operations take it: lists are written as JSON."""
    if not value.startswith("["):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _type_of(document: Document, call: Mapping[str, Any]) -> str:
    old = document.find(call["object_id"])
    return old.type if old else "text"


ID = text(40, "The element's id.")
_TYPE = text(40, "text, list, shape, image, line or table.")
_CONTENT = text(
    MAX_TEXT_LENGTH,
    "A text's words in quotation marks; a list's items, or a table's rows with tabulators between cells, a line each; "
    f"which shape or picture, such as icon/cup. Colours by name: {', '.join(COLOURS)}.",
)
_PLACE = Parameter(
    {
        "x": number(-LARGEST, LARGEST, "Of the left edge, in pixels from the left edge of the page."),
        "y": number(-LARGEST, LARGEST, "Of the upper edge, in pixels from the top of the page."),
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
            "pixels": number(0, LARGEST, "How far, in pixels."),
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
    "separator": _plain("separator", text(20, "What stands between the parts, such as a line feed.")),
}
"""How tools take the arguments of the published signatures."""
