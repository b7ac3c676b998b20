"""MOVE, DELETE, COPY: where elements are, and whether (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tools import ToolError
from ..scene.document import Document
from ..scene.edits import fresh_id, inserted, mapped, moved, with_children, without
from ..scene.elements import Element
from .edits_of_looks import DELETE_EDITS
from .edits_of_place import COPY_EDITS, MOVE_EDITS
from .operation import EditOperation, OperationTool
from .values import DIRECTIONS, number_of, point_of

_BESIDE = 20
"""How far right of and below its model a copy stands that is told no place, in pixels."""


def element_of(document: Document, element_id: Any) -> Element:
    """The element of an id.

    Raises:
        ToolError: if there is none.
    """
    found = document.find(element_id) if isinstance(element_id, str) else None
    if found is None:
        raise ToolError(f"There is no element {element_id!r}; there are {', '.join(document.places)}.")
    return found


def move(document: Document, object_id: Any, new_position: Any = None, position_diff: Any = None) -> Document:
    """Put an element elsewhere: its left top corner at ``[x, y]``, or a number of pixels in a direction.

    Raises:
        ToolError: if there is no such element, or not exactly one place that makes sense is told.
    """
    element = element_of(document, object_id)
    if (new_position is None) == (position_diff is None):
        raise ToolError("MOVE takes a new_position or a position_diff, one of the two.")
    if new_position is not None:
        left, top = point_of(new_position)
        right, down = left - element.bbox[0], top - element.bbox[1]
    else:
        right, down = _difference(position_diff)
    ids = {one.id for one in with_children(document, element)}
    return mapped(document, ids, lambda one: moved(one, right, down))


def delete(document: Document, object_id: Any) -> Document:
    """Take out an element, and all that is in it if it is a group.

    Raises:
        ToolError: if there is no such element.
    """
    element = element_of(document, object_id)
    return without(document, {one.id for one in with_children(document, element)})


def copy(document: Document, object_id: Any, position: Any = None) -> tuple[Document, str]:
    """Put a copy of an element, with all that is in it, over everything on its page.

    Returns:
        The document, and the copy's id.

    Raises:
        ToolError: if there is no such element, or the position is none.
    """
    element = element_of(document, object_id)
    left, top = (element.bbox[0] + _BESIDE, element.bbox[1] + _BESIDE) if position is None else point_of(position)
    right, down = left - element.bbox[0], top - element.bbox[1]
    names: dict[str, str] = {}
    for one in with_children(document, element):
        names[one.id] = fresh_id(document, one.id, names.values())
    copies = [
        moved(one, right, down).model_copy(update={"id": new, "parent": names.get(one.parent or "", one.parent)})
        for one, new in zip(with_children(document, element), names.values(), strict=True)
    ]
    page = document.places[element.id][0]
    return inserted(document, page, len(document.pages[page].elements), *copies), names[element.id]


def _difference(value: Any) -> tuple[int, int]:
    """Pixels right and down of ``("UP", 20)``."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        direction, pixels = value
        if str(direction).upper() in DIRECTIONS:
            x, y = DIRECTIONS[str(direction).upper()]
            return round(x * number_of(pixels)), round(y * number_of(pixels))
    raise ToolError(f"{value!r} is no position_diff: (UP, DOWN, LEFT or RIGHT, a number of pixels).")


MOVE = EditOperation(
    move,
    "Put an element elsewhere: its left top corner at [x, y], or (UP | DOWN | LEFT | RIGHT, pixels) from there.",
    (
        "Move the headline down by 30 pixels.",
        'headline = FIND_AND_GET("the headline", document)[0]\nMOVE(headline, position_diff=(DOWN, 30))',
    ),
    (
        OperationTool("move", "Put an element's left top corner at x, y.", ("object_id", "new_position")),
        OperationTool(
            "move_by", "Move an element some pixels UP, DOWN, LEFT or RIGHT.", ("object_id", "position_diff")
        ),
    ),
    edits=MOVE_EDITS,
)
DELETE = EditOperation(
    delete,
    "Take out an element.",
    (
        "Please delete the footer.",
        'footer = FIND_AND_GET("the footer", document)[0]\nDELETE(footer)',
    ),
    (OperationTool("delete", "Take an element out, with all that is in it if it is a group.", ("object_id",)),),
    edits=DELETE_EDITS,
)
COPY = EditOperation(
    copy,
    "Put a copy of an element at [x, y]; its id.",
    (
        "Put a copy of the badge to the left of the original.",
        'badge, position, box = FIND_AND_GET("the badge", document)\nCOPY(badge, [box[0] - box[2] - 12, box[1]])',
    ),
    (
        OperationTool(
            "copy", "Put a copy of an element on its page, its left top corner at x, y.", ("object_id", "position")
        ),
    ),
    edits=COPY_EDITS,
)
