"""Boxes against boxes."""

from __future__ import annotations

from ...envs.core.locators import Corners


def intersection_over_union(one: Corners, other: Corners) -> float:
    """The area that two boxes share over the area that they cover together, from 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    shared = width * height
    return shared / (area(one) + area(other) - shared)


def area(box: Corners) -> float:
    """In square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])


def centre(box: Corners) -> tuple[float, float]:
    """The middle of a box, x and y."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def holds(box: Corners, point: tuple[float, float]) -> bool:
    """Whether a point lies in a box, edges included."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def distance(one: Corners, other: Corners) -> float:
    """How many pixels are between two boxes; 0 if they touch."""
    dx = max(one[0] - other[2], other[0] - one[2], 0.0)
    dy = max(one[1] - other[3], other[1] - one[3], 0.0)
    return float((dx * dx + dy * dy) ** 0.5)
