"""Relations: where elements are, seen from an anchor."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ..scene.elements import Box, Element

_OVERLAP = -4
"""How many pixels something may reach into what it is beside."""


def distance(element: Element, anchor: Element, relation: str) -> float | None:
    """How far an element is from another on the side that is told, in pixels, edge to edge.

    What is aside as well as below counts as farther; ``None``: it is not on that side, or, for ``inside`` and
    ``between``, not in it.

    Args:
        element: what is looked for.
        anchor: what it is related to; for ``between``, one in the box of ``room_between``.
        relation: one of ``lexicon.RELATIONS``.
    """
    gaps = _gaps(element, anchor)
    if relation in ("inside", "between"):
        return _off_middle(element, anchor) if _is_inside(element, anchor) else None
    aside = max(gaps["left of"], gaps["right of"], 0)
    apart = max(gaps["below"], gaps["above"], 0)
    if relation == "beside":
        # What is level with the anchor is beside it rather than what is below or above.
        return math.hypot(aside, 2 * apart)
    if gaps[relation] < _OVERLAP:
        return None
    return max(gaps[relation], 0.0) + 3 * (aside if relation in ("below", "above") else apart)


def is_in_line(element: Element, anchor: Element, relation: str) -> bool:
    """Whether an element stands straight below, above or beside an anchor, by half of the smaller one; or in it."""
    if relation in ("inside", "between"):
        return distance(element, anchor, relation) is not None
    axis = 0 if relation in ("below", "above") else 1
    start, length = element.bbox[axis], element.bbox[axis + 2]
    other, other_length = anchor.bbox[axis], anchor.bbox[axis + 2]
    shared = min(start + length, other + other_length) - max(start, other)
    return shared >= 0.5 * min(length, other_length)


def room_between(one: Box, other: Box) -> Box:
    """The box between two; where they are level, or one above the other, it is as high, or as wide, as both."""
    starts, lengths = zip(*(_room((one[i], one[i + 2]), (other[i], other[i + 2])) for i in (0, 1)), strict=True)
    return (*starts, *lengths)


def _room(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Start and length of what is between two stretches; of both together where they overlap."""
    (start, length), (far, far_length) = sorted((one, other))
    if far >= start + length:
        return start + length, max(far - start - length, 1)
    return start, max(length, far + far_length - start)


def _gaps(element: Element, anchor: Element) -> Mapping[str, float]:
    left, top, width, height = element.bbox
    other_left, other_top, other_width, other_height = anchor.bbox
    return {
        "below": top - (other_top + other_height),
        "above": other_top - (top + height),
        "left of": other_left - (left + width),
        "right of": left - (other_left + other_width),
    }


def _is_inside(element: Element, anchor: Element) -> bool:
    (x, y), (left, top, width, height) = element.centre, anchor.bbox
    is_smaller = element.bbox[2] * element.bbox[3] < width * height
    return is_smaller and left <= x <= left + width and top <= y <= top + height


def _off_middle(element: Element, anchor: Element) -> float:
    return math.dist(element.centre, anchor.centre)
