"""Boxes: left, top, width and height in pixels, and what they have to do with each other."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.painting import Rect, envelope, intersection
from .elements import Box


def rect_of(box: Box) -> Rect:
    """Left, top, right and bottom of a box."""
    left, top, width, height = box
    return left, top, left + width, top + height


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share a pixel."""
    return intersection(rect_of(one), rect_of(other)) is not None


def enclosing(boxes: Iterable[Box]) -> Box:
    """The smallest box around boxes, of which there is at least one."""
    left, top, right, bottom = envelope([rect_of(box) for box in boxes])
    return left, top, right - left, bottom - top
