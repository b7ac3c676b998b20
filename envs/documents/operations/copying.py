"""COPY and DELETE: duplicate and remove elements (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..scene.document import Document, element_of, fresh_copies, inserted, moved, with_children, without
from ..scene.elements import Element, rect_of
from .draft import EditDraft, EditKind, EditScene, Numbers, of_one, operation, pick
from .operation import EditOperation, OperationTool
from .placing import SINGLE, beside, is_free, region_beside
from .values import point_of

_FEW = 3
"""The maximum number of texts that a request deletes."""
_BESIDE = 20
"""The default offset of a copy from its model, right and down, in pixels."""


def delete(document: Document, object_id: Any) -> Document:
    """Remove an element, and all that is in it if it is a group.

    Raises:
        ToolError: if there is no such element.
    """
    element = element_of(document, object_id)
    return without(document, {one.id for one in with_children(document, element)})


def copy(document: Document, object_id: Any, position: Any = None) -> tuple[Document, str]:
    """Put a copy of an element, with all that is in it, on top of its page.

    Returns:
        The document, and the copy's id.

    Raises:
        ToolError: if there is no such element, or the position is none.
    """
    element = element_of(document, object_id)
    left, top = (element.bbox[0] + _BESIDE, element.bbox[1] + _BESIDE) if position is None else point_of(position)
    right, down = left - element.bbox[0], top - element.bbox[1]
    copies = [moved(one, right, down) for one in fresh_copies(document, with_children(document, element))]
    page = document.places[element.id][0]
    return inserted(document, page, len(document.pages[page].elements), *copies), copies[0].id


def _copy_beside(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    side = pick(rng, ("below", "above", "left", "right"))
    box = beside(side, target.bbox, target.bbox[2:])
    if not is_free(scene, rect_of(box)):
        return None
    call = operation("COPY", object_id=target.id, position=list(box[:2]))
    region = region_beside(side, target.bbox, box)
    return EditDraft({"side": side}, (target,), (call,), region=region)


def _deletion(scene: EditScene, rng: Numbers, targets: tuple[Element, ...]) -> EditDraft | None:
    if sum(target.type == "text" for target in targets) > _FEW:
        return None
    return EditDraft({}, targets, tuple(operation("DELETE", object_id=element.id) for element in targets))


def _delete_arguments(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """The arguments of DELETE for an element that was removed."""
    if before is not None and after is None:
        yield {"object_id": before.id}


DELETE = EditOperation(
    delete,
    "Delete an element.",
    ("Please delete the footer.", 'footer = FIND_AND_GET("the footer", document)[0]\nDELETE(footer)'),
    (OperationTool("delete", "Delete an element; of a group, everything in it.", ("object_id",)),),
    edits={"delete": EditKind(("target",), SINGLE, _deletion, of_several=True)},
    between=_delete_arguments,
)
COPY = EditOperation(
    copy,
    "Put a copy of an element at [x, y]; returns its id.",
    (
        "Put a copy of the badge to the left of the original.",
        'badge, position, box = FIND_AND_GET("the badge", document)\nCOPY(badge, [box[0] - box[2] - 12, box[1]])',
    ),
    (
        OperationTool(
            "copy", "Put a copy of an element on its page, its top left corner at x, y.", ("object_id", "position")
        ),
    ),
    edits={
        "copy_beside": EditKind(("target", "side"), ("image", "shape"), of_one(_copy_beside)),
    },
    copies=True,
)
