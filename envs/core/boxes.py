"""Geometry of boxes: left, top, right, bottom."""

from __future__ import annotations

from collections.abc import Iterable

from .locators import Box


def area(box: Box) -> float:
    """The area in square pixels; 0 if the edges are in the wrong order."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def iou(a: Box, b: Box) -> float:
    """Intersection over union, from 0 to 1."""
    both = shared(a, b)
    return both / (area(a) + area(b) - both) if both else 0.0


def covers(a: Box, b: Box, share: float) -> bool:
    """Whether two boxes share more than a part of the smaller one."""
    return shared(a, b) > share * min(area(a), area(b))


def centre(box: Box) -> tuple[float, float]:
    """The x and y of a box's centre."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def holds(box: Box, point: tuple[float, float]) -> bool:
    """Whether a point lies in a box, edges included."""
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def around(boxes: Iterable[Box]) -> Box:
    """The envelope of boxes; ``ValueError`` if there are none."""
    edges = list(zip(*boxes, strict=True))
    if not edges:
        raise ValueError("no boxes: there is no envelope")
    return min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])


def shared_height(a: Box, b: Box) -> float:
    """The height that two boxes share, in pixels; negative: their vertical distance."""
    return min(a[3], b[3]) - max(a[1], b[1])


def shared_width(a: Box, b: Box) -> float:
    """The width that two boxes share, in pixels; negative: their horizontal distance."""
    return min(a[2], b[2]) - max(a[0], b[0])


def on_one_line(a: Box, b: Box) -> bool:
    """Whether two boxes are on one line: they share much of the smaller height."""
    return shared_height(a, b) > 0.3 * min(a[3] - a[1], b[3] - b[1])


def overlap(a: Box, b: Box, margin: float = 0.0) -> bool:
    """Whether two boxes overlap, or are less than ``margin`` pixels apart."""
    return shared_width(a, b) > -margin and shared_height(a, b) > -margin
