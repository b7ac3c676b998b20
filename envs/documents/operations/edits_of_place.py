"""Requested edits of where elements are: moves and copies."""

from __future__ import annotations

from ..scene.edits import with_children
from ..scene.elements import KINDS, Box, Element
from .draft import Draft, EditKind, Numbers, Scene, of_one, operation, pick
from .values import DIRECTIONS

_GAP = 12
"""How far something new stands off what it is put beside, in pixels."""
_ROOM = 90
"""How far off its gold place the middle of something new may be, in pixels."""


def _moved_by(scene: Scene, rng: Numbers, targets: tuple[Element, ...]) -> Draft | None:
    """Some pixels in a direction, none of the elements off the page."""
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
    return Draft("move_by", {"direction": direction, "pixels": str(pixels)}, targets, calls, targets[0].type)


def _moved(edit: str, scene: Scene, target: Element, at: tuple[int, int], **told: str) -> Draft | None:
    left, top = target.bbox[:2]
    is_far = max(abs(at[0] - left), abs(at[1] - top)) > 5
    if not is_far or not is_on(scene, (*at, *target.bbox[2:])):
        return None
    call = operation("MOVE", object_id=target.id, new_position=list(at))
    return Draft(edit, told, (target,), (call,), target.type)


def _move_to(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    at = _anywhere(scene, rng, target)
    return _moved("move_to", scene, target, at, x=str(at[0]), y=str(at[1])) if at else None


def _align_edge(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    anchors = [e for e in scene.elements if e.id != target.id and e.name and e.id not in _family(scene, target)]
    if not anchors:
        return None
    anchor, edge = pick(rng, anchors), pick(rng, ("left", "right", "top", "bottom"))
    axis = 0 if edge in ("left", "right") else 1
    gap = anchor.bbox[axis] - target.bbox[axis]
    if edge in ("right", "bottom"):
        gap += anchor.bbox[axis + 2] - target.bbox[axis + 2]
    at = (target.bbox[0] + gap, target.bbox[1]) if axis == 0 else (target.bbox[0], target.bbox[1] + gap)
    draft = _moved("align_edge", scene, target, at, edge=edge)
    return draft and Draft(draft.edit, draft.slots, draft.targets, draft.operations, draft.component, anchor=anchor)


def _center(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    axis = pick(rng, ("horizontally", "vertically"))
    left, top, width, height = target.bbox
    page = scene.shown
    at = ((page.width - width) // 2, top) if axis == "horizontally" else (left, (page.height - height) // 2)
    return _moved("center", scene, target, at, axis=axis)


def _swap(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    family = _family(scene, target)
    equals = [
        e
        for e in scene.elements
        if e.type == target.type and e.id not in family and e.name and _alike(e.bbox, target.bbox)
    ]
    if not equals:
        return None
    anchor = pick(rng, equals)
    calls = tuple(
        operation("MOVE", object_id=one.id, new_position=list(other.bbox[:2]))
        for one, other in ((target, anchor), (anchor, target))
    )
    return Draft("swap", {}, (target,), calls, target.type, anchor=anchor)


def _alike(one: Box, other: Box) -> bool:
    """Whether boxes are of about one size, so that what is meant by a swap is plain, and lie apart."""
    is_apart = max(abs(one[0] - other[0]), abs(one[1] - other[1])) > 10
    return is_apart and all(abs(one[i] - other[i]) <= 2 for i in (2, 3))


def _copy_to(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    at = _anywhere(scene, rng, target)
    if at is None:
        return None
    call = operation("COPY", object_id=target.id, position=list(at))
    return Draft("copy_to", {"x": str(at[0]), "y": str(at[1])}, (target,), (call,), target.type)


def _copy_beside(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    side = pick(rng, ("below", "above", "left", "right"))
    box = beside(side, target.bbox, target.bbox[2:])
    if not is_on(scene, box):
        return None
    call = operation("COPY", object_id=target.id, position=list(box[:2]))
    region = region_beside(side, target.bbox, box)
    return Draft("copy_beside", {"side": side}, (target,), (call,), target.type, region=region)


_SINGLE = ("text", "image", "shape", "line", "table", "list")


def _family(scene: Scene, target: Element) -> set[str]:
    """An element, what is in it, and what it is in."""
    family = {one.id for one in with_children(scene.document, target)}
    above = target.parent
    while above is not None:
        family.add(above)
        group = scene.document.find(above)
        above = group.parent if group else None
    return family


def is_on(scene: Scene, box: Box) -> bool:
    """Whether a box lies on the page as a whole."""
    left, top, width, height = box
    return left >= 0 and top >= 0 and left + width <= scene.shown.width and top + height <= scene.shown.height


def _anywhere(scene: Scene, rng: Numbers, target: Element) -> tuple[int, int] | None:
    room = (scene.shown.width - target.bbox[2], scene.shown.height - target.bbox[3])
    if min(room) < 40:
        return None
    return 5 * int(rng.integers(1, room[0] // 5)), 5 * int(rng.integers(1, room[1] // 5))


def beside(side: str, anchor: Box, size: tuple[int, int]) -> Box:
    """The box of a size on a side of another box."""
    left, top, width, height = anchor
    at = {
        "below": (left, top + height + _GAP),
        "above": (left, top - size[1] - _GAP),
        "left": (left - size[0] - _GAP, top),
        "right": (left + width + _GAP, top),
    }[side]
    return (*at, *size)


def region_beside(side: str, anchor: Box, box: Box) -> Box:
    """Where the middle of something beside an anchor may be: near the gold place, and on the side of it."""
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


MOVE_EDITS: dict[str, EditKind] = {
    "move_by": EditKind(("target", "direction", "pixels"), KINDS, _moved_by, of_several=True),
    "move_to": of_one(("target", "x", "y"), KINDS, _move_to),
    "align_edge": of_one(("target", "edge", "anchor"), KINDS, _align_edge),
    "center": of_one(("target", "axis"), KINDS, _center),
    "swap": of_one(("target", "anchor"), _SINGLE, _swap),
}
"""The kinds of edits that MOVE makes."""
COPY_EDITS: dict[str, EditKind] = {
    "copy_to": of_one(("target", "x", "y"), _SINGLE, _copy_to),
    "copy_beside": of_one(("target", "side"), _SINGLE, _copy_beside),
}
"""The kinds of edits that COPY makes."""
