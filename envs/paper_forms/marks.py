"""The marks that an agent writes on a page, as layers over it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..core.boxes import Rect, expand, union
from ..core.painting import Image, LayerStack, Stamp


@dataclass(slots=True, eq=False)
class Mark:
    """Text that the agent has written on the page: a layer over it.

    Attributes:
        text: its text.
        x: of its centre, as a fraction of the page's width.
        y: of its centre, as a fraction of the page's height.
        signed: whether it is a signature rather than typed text.
        stamp: its picture.
        target: the index of the target that its centre lies in, if any.
        box: the pixels of its line of text: what a deletion must hit.
        is_clear: whether it is in the blank of its target and over no print.
        overlapping: the other marks with which it covers each other.
        rect: the pixels of its picture and of its line of text.
    """

    text: str
    x: float
    y: float
    signed: bool
    stamp: Stamp
    target: int | None
    box: Rect = field(init=False)
    is_clear: bool = False
    overlapping: tuple[Mark, ...] = ()
    rect: Rect = field(init=False)

    def __post_init__(self) -> None:
        half_width, half_height = max(self.stamp.sprite.advance, 2) // 2, self.stamp.sprite.line_height // 2
        x, y = self.stamp.x, self.stamp.y
        self.box = x - half_width, y - half_height, x + half_width, y + half_height
        self.extend_to(x, y)

    def extend_to(self, x: int, y: int) -> None:
        """Count a pixel as one of its line of text."""
        self.box = union([self.box, (x, y, x, y)])
        self.rect = union([self.stamp.rect, expand(self.box, 1)])

    @property
    def opaque_rect(self) -> None:
        """Not known: text hides little."""

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw the part inside ``clip``."""
        self.stamp.draw(target, clip)

    def link(self, layers: LayerStack[Any], size: float) -> None:
        """Link it with those marks among ``layers`` that it covers by a seventh of the text's size, across and down."""
        least, (left, top, right, bottom) = size / 7, self.stamp.rect
        for other in layers.reaching(self.stamp.rect):
            if not isinstance(other, Mark) or other is self:
                continue
            x0, y0, x1, y1 = other.stamp.rect
            if x0 + least < right and left + least < x1 and y0 + least < bottom and top + least < y1:
                self.overlapping += (other,)
                other.overlapping += (self,)

    def unlink(self) -> None:
        """Part it from the marks that it overlapped, which it still knows."""
        for other in self.overlapping:
            other.overlapping = tuple(one for one in other.overlapping if one is not self)
