"""Groups of layers that are cut off at an edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...core.painting import Image, Layer, Rect, intersection


@dataclass(slots=True, eq=False)
class Group:
    """Layers of which only what lies inside ``rect`` is seen."""

    rect: Rect
    layers: Sequence[Layer] = field(default_factory=list)

    @property
    def solid(self) -> None:
        """Not known."""

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


def _part(target: Image, rect: Rect, clip: Rect) -> Image:
    """The pixels of ``rect`` in ``target``, the pixels of ``clip``."""
    left, top, right, bottom = rect
    return target[top - clip[1] : bottom - clip[1], left - clip[0] : right - clip[0]]
