"""Placing: where something goes on a page, or beside something on it."""

from __future__ import annotations

from collections.abc import Sequence

from ..scene.document import Page
from ..scene.elements import Box
from .scope import Refused
from .values import Place

MARGIN = 24
"""How far something stays off the edges of a page that it is put at, in pixels."""
GAP = 12
"""How far something stands off what it is put beside, in pixels."""
_SHARES = {"top": 0.0, "left": 0.0, "middle": 0.5, "bottom": 1.0, "right": 1.0}


def put_at(place: Place, box: Box, page: Page, is_new: bool = False) -> tuple[int, int]:
    """The left top corner of a box in a corner, at an edge or in the middle of a page.

    Something that is there already keeps its place along an edge; something new stands in the middle of it.
    """
    corner = []
    for part, start, length, room in (
        (place.column, box[0], box[2], page.width),
        (place.row, box[1], box[3], page.height),
    ):
        margin = min(MARGIN, max(0, (room - length) // 2))
        share = _SHARES[part or "middle"]
        corner.append(start if not part and not is_new else margin + round((room - 2 * margin - length) * share))
    return corner[0], corner[1]


def beside(side: str, anchor: Box, size: Sequence[int], page: Page, is_kept: bool = True) -> tuple[int, int]:
    """The left top corner of a box of a size on a side of another.

    Raises:
        Refused: if there is no room on the page, and ``is_kept``.
    """
    left, top, width, height = anchor
    wide, high = size
    corners = {
        "below": (left, top + height + GAP),
        "above": (left, top - high - GAP),
        "left": (left - wide - GAP, top),
        "right": (left + width + GAP, top),
    }
    if side == "beside":
        side = "right" if left + width + GAP + wide <= page.width else "left"
    x, y = corners[side]
    if is_kept and not (0 <= x <= page.width - wide and 0 <= y <= page.height - high):
        raise Refused("there is no room for it on the page; say where in px")
    return x, y


def centred(axis: str, box: Box, page: Page) -> list[int]:
    """The left top corner of a box in the middle of a page along an axis."""
    left = box[0] if axis == "vertically" else (page.width - box[2]) // 2
    top = box[1] if axis == "horizontally" else (page.height - box[3]) // 2
    return [left, top]


def aligned(edge: str, box: Box, anchor: Box) -> list[int]:
    """The left top corner of a box whose edge is on one line with that of another."""
    axis = 0 if edge in ("left", "right") else 1
    at = anchor[axis] + (anchor[axis + 2] - box[axis + 2] if edge in ("right", "bottom") else 0)
    return [at, box[1]] if axis == 0 else [box[0], at]
