"""Rectangles of one colour, and outlines made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .boxes import Rect, intersection
from .pages import Colour
from .painting import Image, Layer


@dataclass(slots=True, eq=False)
class SolidRect:
    """A rectangle of one colour."""

    rect: Rect
    colour: Colour

    @property
    def opaque_rect(self) -> Rect:
        """The whole rectangle."""
        return self.rect

    def draw(self, target: Image, clip: Rect) -> None:
        """Fill the part inside ``clip``."""
        both = intersection(self.rect, clip)
        if both is not None:
            left, top, right, bottom = both
            part = target[top - clip[1] : bottom - clip[1], left - clip[0] : right - clip[0]]
            part[...] = np.asarray(self.colour, np.uint8)


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
    return [SolidRect(side, colour) for side in sides]
