"""Simple layers: rectangles of one colour, outlines, and groups of layers that are cut off at an edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...core.pages import Colour
from ...core.painting import Image, Layer, Rect, intersection


@dataclass(slots=True, eq=False)
class Fill:
    """A rectangle of one colour."""

    rect: Rect
    colour: Colour

    def draw(self, target: Image, clip: Rect) -> None:
        """Fill what lies inside ``clip``."""
        both = intersection(self.rect, clip)
        if both is not None:
            _part(target, both, clip)[...] = np.asarray(self.colour, np.uint8)


@dataclass(slots=True, eq=False)
class Group:
    """Layers of which only what lies inside ``rect`` is seen."""

    rect: Rect
    layers: Sequence[Layer] = field(default_factory=list)

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw what lies inside ``clip``."""
        both = intersection(self.rect, clip)
        if both is None:
            return
        left, top, right, bottom = both
        part = _part(target, both, clip)
        for layer in self.layers:
            x0, y0, x1, y1 = layer.rect
            if x0 < right and left < x1 and y0 < bottom and top < y1:
                layer.draw(part, both)


def outline(rect: Rect, colour: Colour, thickness: int = 1) -> list[Layer]:
    """A frame of one colour, inside the edges of ``rect``."""
    left, top, right, bottom = rect
    t = thickness
    sides = [
        (left, top, right, top + t),
        (left, bottom - t, right, bottom),
        (left, top + t, left + t, bottom - t),
        (right - t, top + t, right, bottom - t),
    ]
    return [Fill(side, colour) for side in sides]


def grown(rect: Rect, by: int) -> Rect:
    """``rect`` with every edge moved outwards."""
    return rect[0] - by, rect[1] - by, rect[2] + by, rect[3] + by


def _part(target: Image, rect: Rect, clip: Rect) -> Image:
    """The pixels of ``rect`` in ``target``, the pixels of ``clip``."""
    left, top, right, bottom = rect
    return target[top - clip[1] : bottom - clip[1], left - clip[0] : right - clip[0]]
