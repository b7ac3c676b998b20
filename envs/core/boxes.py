"""Boxes: left, top, right and bottom edges, and their geometry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of a page; (0, 0) is its upper left corner."""

Rect = tuple[int, int, int, int]
"""A box of whole pixels: left, top, right and bottom, of which right and bottom are excluded."""

Edge = TypeVar("Edge", int, float)
T = TypeVar("T")


def area(box: tuple[Edge, Edge, Edge, Edge]) -> Edge:
    """The area in square pixels; 0 if the edges are in the wrong order."""
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def centre(box: Box) -> tuple[float, float]:
    """The x and y of a box's centre.

    >>> centre((10, 20, 30, 60))
    (20.0, 40.0)
    """
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def contains(box: Box, x: float, y: float) -> bool:
    """Whether a point lies in a box, edges included."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def contains_pixel(box: Box, x: float, y: float) -> bool:
    """Whether a pixel lies in a box whose right and bottom edges are excluded."""
    return box[0] <= x < box[2] and box[1] <= y < box[3]


def encloses(outer: Box, inner: Box) -> bool:
    """Whether ``outer`` contains all of ``inner``."""
    return outer[0] <= inner[0] and outer[1] <= inner[1] and outer[2] >= inner[2] and outer[3] >= inner[3]


def intersection(
    a: tuple[Edge, Edge, Edge, Edge], b: tuple[Edge, Edge, Edge, Edge]
) -> tuple[Edge, Edge, Edge, Edge] | None:
    """The common part of two boxes; ``None`` if it is empty."""
    # Compared, not passed to `max` and `min`: it is called dozens of times in a step.
    left, top = a[0] if a[0] > b[0] else b[0], a[1] if a[1] > b[1] else b[1]
    right, bottom = a[2] if a[2] < b[2] else b[2], a[3] if a[3] < b[3] else b[3]
    return (left, top, right, bottom) if left < right and top < bottom else None


def intersection_area(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    return max(0.0, overlap_width(a, b)) * max(0.0, overlap_height(a, b))


def iou(a: Box, b: Box) -> float:
    """Intersection over union, from 0 to 1.

    >>> iou((0, 0, 10, 10), (5, 0, 15, 10))
    0.3333333333333333
    """
    both = intersection_area(a, b)
    return both / (area(a) + area(b) - both) if both else 0.0


def overlaps_by(a: Box, b: Box, share: float) -> bool:
    """Whether two boxes share more than a part of the smaller one."""
    return intersection_area(a, b) > share * min(area(a), area(b))


def union(boxes: Iterable[tuple[Edge, Edge, Edge, Edge]]) -> tuple[Edge, Edge, Edge, Edge]:
    """The smallest box around boxes.

    Raises:
        ValueError: if there are none.

    >>> union([(0, 0, 10, 10), (5, -5, 20, 5)])
    (0, -5, 20, 10)
    """
    edges = list(zip(*boxes, strict=True))
    if not edges:
        raise ValueError("no boxes: there is no union")
    return min(edges[0]), min(edges[1]), max(edges[2]), max(edges[3])


def expand(
    box: tuple[Edge, Edge, Edge, Edge], by: Edge, size: tuple[int, ...] | None = None
) -> tuple[Edge, Edge, Edge, Edge]:
    """A box with every edge moved outwards, cut at the edges of a page of ``size`` (height, width, ...).

    >>> expand((10, 20, 30, 60), 15, size=(70, 100))
    (0, 5, 45, 70)
    """
    left, top, right, bottom = box[0] - by, box[1] - by, box[2] + by, box[3] + by
    if size is None:
        return left, top, right, bottom
    return max(left, 0), max(top, 0), min(right, size[1]), min(bottom, size[0])


def shift(box: tuple[Edge, Edge, Edge, Edge], right: Edge, down: Edge) -> tuple[Edge, Edge, Edge, Edge]:
    """A box moved to the right and down."""
    return box[0] + right, box[1] + down, box[2] + right, box[3] + down


def overlap_height(a: Box, b: Box) -> float:
    """The height that two boxes share, in pixels; negative: their vertical distance."""
    return min(a[3], b[3]) - max(a[1], b[1])


def overlap_width(a: Box, b: Box) -> float:
    """The width that two boxes share, in pixels; negative: their horizontal distance."""
    return min(a[2], b[2]) - max(a[0], b[0])


def on_one_line(a: Box, b: Box) -> bool:
    """Whether two boxes are on one line: they share much of the smaller height."""
    return overlap_height(a, b) > 0.3 * min(a[3] - a[1], b[3] - b[1])


def are_near(a: Box, b: Box, margin: float = 0.0) -> bool:
    """Whether two boxes overlap, or are less than ``margin`` pixels apart."""
    return overlap_width(a, b) > -margin and overlap_height(a, b) > -margin


class RowBands(Generic[T]):
    """Things by the bands of rows that they are in, to find those near some rows without a look at all of them."""

    _HEIGHT = 64

    def __init__(self) -> None:
        self._bands: defaultdict[int, list[T]] = defaultdict(list)

    def between(self, top: float, bottom: float) -> list[list[T]]:
        """The things of each band that some of the rows from ``top`` to ``bottom`` are in: lists to be changed."""
        first, last = int(top // self._HEIGHT), int(bottom // self._HEIGHT)
        return [self._bands[first]] if first == last else [self._bands[i] for i in range(first, last + 1)]
