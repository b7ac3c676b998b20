"""MOVE elements (Agent-DocEdit), and find places beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.tools import ToolError
from ..scene.document import Document, element_of, fields_of, mapped, moved, with_children
from ..scene.elements import KINDS, BBox, Element
from .draft import EditDraft, EditKind, EditScene, Numbers, of_one, operation, pick
from .operation import EditOperation, OperationTool
from .values import DIRECTIONS, number_of, point_of

_GAP = 12
"""The gap between a new element and its anchor, in pixels."""
_ROOM = 90
"""The maximum distance of a new element's middle from its gold place, in pixels."""


def _moved_by(scene: EditScene, rng: Numbers, targets: tuple[Element, ...]) -> EditDraft | None:
    """EditDraft a move by some pixels that keeps all elements on the page."""
    direction = pick(rng, list(DIRECTIONS))
    pixels = pick(rng, (10, 15, 20, 25, 30, 40, 50, 60, 80, 100))
    x, y = (pixels * way for way in DIRECTIONS[direction])
    moving = {one.id: one for target in targets for one in with_children(scene.document, target)}
    if not all(is_on(scene, (one.bbox[0] + x, one.bbox[1] + y, *one.bbox[2:])) for one in moving.values()):
        return None
    # What is in a group that moves goes along; to move it again would move it twice.
    if len(moving) > len(targets) and len(targets) > 1:
        return None
    calls = tuple(operation("MOVE", object_id=one.id, position_diff=[direction, pixels]) for one in targets)
    return EditDraft({"direction": direction, "pixels": str(pixels)}, targets, calls)


def _moved(
    scene: EditScene, target: Element, at: tuple[int, int], anchor: Element | None = None, **slots: str
) -> EditDraft | None:
    left, top = target.bbox[:2]
    is_far = max(abs(at[0] - left), abs(at[1] - top)) > 5
    if not is_far or not is_on(scene, (*at, *target.bbox[2:])):
        return None
    call = operation("MOVE", object_id=target.id, new_position=list(at))
    return EditDraft(slots, (target,), (call,), anchor=anchor)


def _move_to(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    at = anywhere(scene, rng, target)
    return _moved(scene, target, at, x=str(at[0]), y=str(at[1])) if at else None


def _align_edge(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    anchors = [e for e in scene.elements if e.id != target.id and e.name and e.id not in _relatives(scene, target)]
    if not anchors:
        return None
    anchor, edge = pick(rng, anchors), pick(rng, ("left", "right", "top", "bottom"))
    axis = 0 if edge in ("left", "right") else 1
    gap = anchor.bbox[axis] - target.bbox[axis]
    if edge in ("right", "bottom"):
        gap += anchor.bbox[axis + 2] - target.bbox[axis + 2]
    at = (target.bbox[0] + gap, target.bbox[1]) if axis == 0 else (target.bbox[0], target.bbox[1] + gap)
    return _moved(scene, target, at, anchor, edge=edge)


def _center(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    axis = pick(rng, ("horizontally", "vertically"))
    left, top, width, height = target.bbox
    page = scene.current_page
    at = ((page.width - width) // 2, top) if axis == "horizontally" else (left, (page.height - height) // 2)
    return _moved(scene, target, at, axis=axis)


def _swap(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    family = _relatives(scene, target)
    alike = [e for e in scene.elements if e.type == target.type and e.id not in family and e.name]
    # About one size, in different positions.
    gaps = {e.id: [abs(a - b) for a, b in zip(e.bbox, target.bbox, strict=True)] for e in alike}
    equals = [e for e in alike if max(gaps[e.id][:2]) > 10 and max(gaps[e.id][2:]) <= 2]
    if not equals:
        return None
    anchor = pick(rng, equals)
    calls = tuple(
        operation("MOVE", object_id=one.id, new_position=list(other.bbox[:2]))
        for one, other in ((target, anchor), (anchor, target))
    )
    return EditDraft({}, (target,), calls, anchor=anchor)


SINGLE = ("text", "image", "shape", "line", "table", "list")
"""The types of elements except groups."""


def _relatives(scene: EditScene, target: Element) -> set[str]:
    """The ids of an element, of all that is in it, and of the groups around it."""
    family = {one.id for one in with_children(scene.document, target)}
    above = target.parent
    while above is not None:
        family.add(above)
        group = scene.document.find(above)
        above = group.parent if group else None
    return family


def is_on(scene: EditScene, box: BBox) -> bool:
    """Whether a box is on the page as a whole."""
    left, top, width, height = box
    page = scene.current_page
    return left >= 0 and top >= 0 and left + width <= page.width and top + height <= page.height


def anywhere(scene: EditScene, rng: Numbers, target: Element) -> tuple[int, int] | None:
    """A random place on the page for an element; ``None`` if it leaves little room."""
    room = (scene.current_page.width - target.bbox[2], scene.current_page.height - target.bbox[3])
    if min(room) < 40:
        return None
    return 5 * int(rng.integers(1, room[0] // 5)), 5 * int(rng.integers(1, room[1] // 5))


def beside(side: str, anchor: BBox, size: tuple[int, int]) -> BBox:
    """The box of a size on a side of another box."""
    left, top, width, height = anchor
    at = {
        "below": (left, top + height + _GAP),
        "above": (left, top - size[1] - _GAP),
        "left": (left - size[0] - _GAP, top),
        "right": (left + width + _GAP, top),
    }[side]
    return (*at, *size)


def region_beside(side: str, anchor: BBox, box: BBox) -> BBox:
    """The region for the middle of a box beside an anchor, near the gold place."""
    x, y = box[0] + box[2] // 2, box[1] + box[3] // 2
    left, top, right, bottom = x - _ROOM, y - _ROOM, x + _ROOM, y + _ROOM
    if side in ("below", "above"):
        left, right = min(left, anchor[0]), max(right, anchor[0] + anchor[2])
        top = max(top, anchor[1] + anchor[3]) if side == "below" else top
        bottom = min(bottom, anchor[1]) if side == "above" else bottom
    else:
        left = max(left, anchor[0] + anchor[2]) if side == "right" else left
        right = min(right, anchor[0]) if side == "left" else right
    return left, top, right - left, bottom - top


def _move_arguments(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """The arguments of MOVE for an element with another position and the same size."""
    if before is not None and after is not None:
        old, new = fields_of(before), fields_of(after)
        if old["position"] != new["position"] and old["size"] == new["size"]:
            yield {"object_id": before.id, "new_position": list(new["position"])}


def move(document: Document, object_id: Any, new_position: Any = None, position_diff: Any = None) -> Document:
    """Move an element to ``[x, y]``, or by some pixels in a direction.

    Raises:
        ToolError: if there is no such element, or not exactly one valid place is given.
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


def _difference(value: Any) -> tuple[int, int]:
    """The pixels right and down of a difference such as ``("UP", 20)``."""
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        direction, pixels = value
        if str(direction).upper() in DIRECTIONS:
            x, y = DIRECTIONS[str(direction).upper()]
            return round(x * number_of(pixels)), round(y * number_of(pixels))
    raise ToolError(f"{value!r} is no position_diff: (UP, DOWN, LEFT or RIGHT, a number of pixels).")


MOVE = EditOperation(
    move,
    "Move an element: its top left corner to [x, y], or by (UP | DOWN | LEFT | RIGHT, pixels).",
    (
        "Move the headline down by 30 pixels.",
        'headline = FIND_AND_GET("the headline", document)[0]\nMOVE(headline, position_diff=(DOWN, 30))',
    ),
    (
        OperationTool("move", "Move an element: its top left corner to x, y.", ("object_id", "new_position")),
        OperationTool(
            "move_by", "Move an element by some pixels UP, DOWN, LEFT or RIGHT.", ("object_id", "position_diff")
        ),
    ),
    edits={
        "move_by": EditKind(("target", "direction", "pixels"), KINDS, _moved_by, of_several=True),
        "move_to": EditKind(("target", "x", "y"), KINDS, of_one(_move_to)),
        "align_edge": EditKind(("target", "edge", "anchor"), KINDS, of_one(_align_edge)),
        "center": EditKind(("target", "axis"), KINDS, of_one(_center)),
        "swap": EditKind(("target", "anchor"), SINGLE, of_one(_swap)),
    },
    between=_move_arguments,
)
