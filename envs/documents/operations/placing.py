"""MOVE elements (Agent-DocEdit), and find places beside others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...core.boxes import Rect, encloses, intersection
from ...core.tools import ToolError
from ..painting.view import stamp_of
from ..scene.document import Document, element_of, fields_of, mapped, moved, with_children
from ..scene.elements import BBox, Element, rect_of
from .draft import EditDraft, EditKind, EditScene, Numbers, of_one, operation, pick
from .operation import EditOperation, OperationTool
from .values import DIRECTIONS, is_wide, number_of, point_of

_GAP = 12
"""The gap between a new element and its anchor, in pixels."""
_ROOM = 90
"""The maximum distance of a new element's middle from its gold place, in pixels."""


CORNERS = {
    "top left": (0.0, 0.0),
    "top right": (1.0, 0.0),
    "bottom left": (0.0, 1.0),
    "bottom right": (1.0, 1.0),
    "middle": (0.5, 0.5),
}
"""Corners of a page, and its middle: the share of the room that is left of and above what is there."""
_MARGIN = 24
"""The margin at the edges of the page, in pixels."""
_BIT = 0.04, 0.2
"""How far "a bit" is, in sides of the page: what is done, and the most that will do."""


def _moved_a_bit(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    direction = pick(rng, list(DIRECTIONS))
    page = scene.current_page
    side = page.height if direction in ("UP", "DOWN") else page.width
    x, y = DIRECTIONS[direction]
    step, most = (round(side * share) for share in _BIT)
    if not is_free(scene, _shifted(ink_rect(target), x * step, y * step), target):
        return None
    call = operation("MOVE", object_id=target.id, position_diff=[direction, step])
    ways = [
        (c + min(way * 4, way * most), most - 4) if way else (c - 3, 6)
        for c, way in zip(target.centre, (x, y), strict=True)
    ]
    (left, width), (top, height) = ((round(start), length) for start, length in ways)
    return EditDraft({"direction": direction}, (target,), (call,), region=(left, top, width, height))


def _to_corner(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    place = pick(rng, list(CORNERS))
    draft = _moved(scene, target, in_corner(scene, place, target.bbox[2:])[:2])
    return draft and replace(draft, place=place, region=quarter(scene, place))


def _moved(
    scene: EditScene, target: Element, at: tuple[int, int], anchor: Element | None = None, **slots: str
) -> EditDraft | None:
    right, down = at[0] - target.bbox[0], at[1] - target.bbox[1]
    if max(abs(right), abs(down)) <= 12 or not all(map(_is_snug, (target, anchor or target))):
        return None
    if not is_free(scene, _shifted(ink_rect(target), right, down), target):
        return None
    call = operation("MOVE", object_id=target.id, new_position=list(at))
    return EditDraft(slots, (target,), (call,), anchor=anchor)


def _is_snug(element: Element) -> bool:
    """Whether what is painted of an element is about as wide as its box: else the box is not what people see."""
    left, _, right, _ = ink_rect(element)
    return right - left >= 0.8 * element.bbox[2]


def ink_rect(element: Element) -> Rect:
    """What is painted of an element: left, top, right, bottom."""
    return rect_of(element.bbox) if element.type == "group" else stamp_of(element).rect


def _shifted(rect: Rect, right: int, down: int) -> Rect:
    return rect[0] + right, rect[1] + down, rect[2] + right, rect[3] + down


def _align_edge(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
    anchors = [e for e in scene.elements if e.type in SINGLE and e.id not in _relatives(scene, target)]
    anchors = [e for e in anchors if not is_wide(e, scene.current_page)]
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
    alike = [e for e in scene.elements if e.type == target.type and e.id not in family]
    # About one size, in different positions.
    gaps = {e.id: [abs(a - b) for a, b in zip(e.bbox, target.bbox, strict=True)] for e in alike}
    equals = [
        e for e in alike if max(gaps[e.id][:2]) > 10 and max(gaps[e.id][2:]) <= 2 and ink_rect(e) != ink_rect(target)
    ]
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


def is_free(scene: EditScene, rect: Rect, moving: Element | None = None) -> bool:
    """Whether a rectangle is on the page as a whole, and nothing but shapes that surround it is in it.

    Args:
        scene: the page.
        rect: left, top, right and bottom.
        moving: what comes to be there; neither it nor what is in it counts, and what surrounds it now must still do so.
    """
    if not encloses((0, 0, scene.current_page.width, scene.current_page.height), rect):
        return False
    family = _relatives(scene, moving) if moving else set()
    for other in scene.elements:
        if other.id in family or other.type == "group" or other.opacity == 0:
            continue
        around = ink_rect(other)
        surrounds = other.type == "shape" and not other.runs and encloses(around, rect)
        if not surrounds and intersection(around, rect):
            return False
        if moving and not surrounds and other.type == "shape" and encloses(around, ink_rect(moving)):
            return False
    return True


def is_under(scene: EditScene, element: Element) -> bool:
    """Whether something else lies on an element."""
    above = scene.elements[scene.document.places[element.id][1] + 1 :]
    return any(other.type != "group" and intersection(ink_rect(other), ink_rect(element)) for other in above)


def in_corner(scene: EditScene, place: str, size: tuple[int, int]) -> BBox:
    """The box of a size at a place of ``CORNERS``."""
    across, down = CORNERS[place]
    left = _MARGIN + round((scene.current_page.width - 2 * _MARGIN - size[0]) * across)
    top = _MARGIN + round((scene.current_page.height - 2 * _MARGIN - size[1]) * down)
    return (left, top, *size)


def quarter(scene: EditScene, place: str) -> BBox:
    """The quarter of the page for a place of ``CORNERS``."""
    across, down = CORNERS[place]
    wide, high = scene.current_page.width // 2, scene.current_page.height // 2
    return round(wide * across), round(high * down), wide, high


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
    "Move an element, or a group with all in it: its top left corner to [x, y], or by (UP | DOWN | LEFT | RIGHT, px).",
    (
        "Move the headline down by 30 pixels.",
        'headline = FIND_AND_GET("the headline", document)[0]\nMOVE(headline, position_diff=(DOWN, 30))',
    ),
    (
        OperationTool(
            "move",
            "Move an element, or a group with all in it: its top left corner to x, y.",
            ("object_id", "new_position"),
        ),
        OperationTool(
            "move_by",
            "Move an element, or a group with all in it, by some pixels UP, DOWN, LEFT or RIGHT.",
            ("object_id", "position_diff"),
        ),
    ),
    edits={
        "move_a_bit": EditKind(("target", "direction"), SINGLE, of_one(_moved_a_bit)),
        "move_to_corner": EditKind(
            ("target", "place"), ("text", "image", "shape", "table", "list"), of_one(_to_corner)
        ),
        "align_edge": EditKind(("target", "edge", "anchor"), SINGLE, of_one(_align_edge)),
        "center": EditKind(("target", "axis"), SINGLE, of_one(_center)),
        "swap": EditKind(("target", "anchor"), SINGLE, of_one(_swap)),
    },
    between=_move_arguments,
)
