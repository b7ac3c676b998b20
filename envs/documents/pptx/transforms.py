"""Boxes of shapes, and frames of stretched, turned and mirrored groups.

See ECMA-376-1, 20.1.7.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from .xml import Node, find, number, truth

_TURN = 60_000
"""Parts of a degree that angles are written in."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A box in EMU before it is turned, and degrees clockwise around its centre."""

    left: float
    top: float
    width: float
    height: float
    angle: float = 0

    @property
    def centre(self) -> tuple[float, float]:
        """X and y of its centre."""
        return self.left + self.width / 2, self.top + self.height / 2

    def around(self, x: float, y: float) -> Placed:
        """The box with another centre."""
        return replace(self, left=x - self.width / 2, top=y - self.height / 2)


@dataclass(frozen=True, slots=True)
class Frame:
    """How a group maps its members.

    Attributes:
        box: of the group, in the coordinates of what it is in.
        inner: left, top, width and height of the same box in the coordinates of its members.
        mirrored: whether left and right, and top and bottom, are swapped.
        outer: the frame of the group that this one is in; ``None``: it is directly on the slide.
    """

    box: Placed
    inner: tuple[float, float, float, float]
    mirrored: tuple[bool, bool] = (False, False)
    outer: Frame | None = None

    def out(self, box: Placed) -> Placed:
        """A box in the group, in coordinates of the slide."""
        x, y = self._stretch
        left = self.box.left + (box.left - self.inner[0]) * x
        top = self.box.top + (box.top - self.inner[1]) * y
        placed = self._turned(self._mirrored(Placed(left, top, box.width * x, box.height * y, box.angle)), 1)
        return placed if self.outer is None else self.outer.out(placed)

    def into(self, box: Placed) -> Placed:
        """A box on the slide, in coordinates of the group: the inverse of ``out``."""
        box = box if self.outer is None else self.outer.into(box)
        box = self._mirrored(self._turned(box, -1))
        x, y = self._stretch
        left = self.inner[0] + (box.left - self.box.left) / x
        top = self.inner[1] + (box.top - self.box.top) / y
        return Placed(left, top, box.width / x, box.height / y, box.angle)

    @property
    def _stretch(self) -> tuple[float, float]:
        _, _, width, height = self.inner
        x = self.box.width / width if width and self.box.width else 1.0
        y = self.box.height / height if height and self.box.height else 1.0
        return x, y

    def _mirrored(self, box: Placed) -> Placed:
        (x, y), (middle, level) = box.centre, self.box.centre
        x = 2 * middle - x if self.mirrored[0] else x
        y = 2 * level - y if self.mirrored[1] else y
        angle = -box.angle if self.mirrored[0] != self.mirrored[1] else box.angle
        return replace(box.around(x, y), angle=angle)

    def _turned(self, box: Placed, way: int) -> Placed:
        if not self.box.angle:
            return box
        angle = math.radians(way * self.box.angle)
        (x, y), (middle, level) = box.centre, self.box.centre
        right, down = x - middle, y - level
        x = middle + right * math.cos(angle) - down * math.sin(angle)
        y = level + right * math.sin(angle) + down * math.cos(angle)
        return replace(box.around(x, y), angle=box.angle + way * self.box.angle)


def placed_by(transform: Node) -> Placed | None:
    """The box in a shape's ``xfrm``, or ``None``."""
    offset, extent = find(transform, "a:off"), find(transform, "a:ext")
    if offset is None or extent is None:
        return None
    left, top = number(offset, "x"), number(offset, "y")
    return Placed(left, top, number(extent, "cx"), number(extent, "cy"), number(transform, "rot") / _TURN)


def frame_of(transform: Node, outer: Frame | None, box: Placed | None = None) -> Frame:
    """The frame of a group by its ``xfrm``; ``box``: its place, if that differs."""
    own = placed_by(transform) or Placed(0, 0, 0, 0)
    box = box or own
    offset, extent = find(transform, "a:chOff"), find(transform, "a:chExt")
    if offset is None or extent is None:
        inner = own.left, own.top, own.width, own.height
    else:
        inner = number(offset, "x"), number(offset, "y"), number(extent, "cx"), number(extent, "cy")
    return Frame(box, inner, mirrored(transform), outer)


def mirrored(transform: Node) -> tuple[bool, bool]:
    """Whether a transform swaps left and right, and top and bottom."""
    if transform is None:
        return False, False
    return bool(truth(transform.get("flipH"))), bool(truth(transform.get("flipV")))


def write_box(transform: Node, box: Placed, is_turned: bool) -> None:
    """Write a box into an ``xfrm`` that has an offset and an extent.

    The angle is written only if ``is_turned``.
    """
    offset, extent = find(transform, "a:off"), find(transform, "a:ext")
    offset.set("x", str(round(box.left)))
    offset.set("y", str(round(box.top)))
    extent.set("cx", str(max(0, round(box.width))))
    extent.set("cy", str(max(0, round(box.height))))
    if is_turned:
        write_angle(transform, box.angle)


def write_angle(transform: Node, degrees: float) -> None:
    """Write the angle of an ``xfrm``."""
    angle = round(degrees * _TURN) % (360 * _TURN)
    if angle or transform.get("rot") is not None:
        transform.set("rot", str(angle))
