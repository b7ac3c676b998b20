"""The marks that an agent writes on a page, and which of them cover each other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from ..core.boxes import Rect
from ..core.painting import Stamp


@dataclass(slots=True, eq=False)
class Mark:
    """Text that the agent has written on the page.

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

    def __post_init__(self) -> None:
        half_width, half_height = max(self.stamp.sprite.advance, 2) // 2, self.stamp.sprite.line_height // 2
        x, y = self.stamp.x, self.stamp.y
        self.box = x - half_width, y - half_height, x + half_width, y + half_height


class MarkIndex:
    """The marks of a page by bands of rows, to find those that cover each other without looking at all.

    Args:
        size: of the text in pixels; marks whose ink overlaps by a seventh of it, across and down, cover each other.
    """

    _HEIGHT = 64

    def __init__(self, size: int) -> None:
        self._least = size / 7
        self._bands: dict[int, list[Mark]] = defaultdict(list)

    def add(self, mark: Mark) -> None:
        """Add a mark, and link it with those that it overlaps."""
        least, (left, top, right, bottom) = self._least, mark.stamp.rect
        for band in self._bands_of(mark):
            for other in band:
                x0, y0, x1, y1 = other.stamp.rect
                meets = x0 + least < right and left + least < x1 and y0 + least < bottom and top + least < y1
                if meets and other not in mark.overlapping:
                    mark.overlapping += (other,)
                    other.overlapping += (mark,)
            band.append(mark)

    def remove(self, mark: Mark) -> None:
        """Take a mark away; it still knows those that it overlapped."""
        for band in self._bands_of(mark):
            band.remove(mark)
        for other in mark.overlapping:
            other.overlapping = tuple(one for one in other.overlapping if one is not mark)

    def _bands_of(self, mark: Mark) -> list[list[Mark]]:
        _, top, _, bottom = mark.stamp.rect
        first, last = top // self._HEIGHT, (bottom - 1) // self._HEIGHT
        return [self._bands[number] for number in ((first,) if first == last else range(first, last + 1))]
