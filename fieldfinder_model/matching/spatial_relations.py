"""Standing: how well what is printed stands to a label as what the label belongs to does."""

from __future__ import annotations

import math

from ...envs.core.locators import Box
from ..reading.boxes import shared_height, shared_width
from ..reading.page import PageReading

_RIGHT, _CROSSING, _UNDER = 0.4, 0.6, 0.3
"""How near stands what is right of a label, the head of the row under the head of a column, and what is under it."""
_HIGHEST_BAND, _LEAST_RULE = 9.0, 6.0
"""How high a row of cells is at most, and how long its rules are at least, in heights of a letter."""
_NEAR = 0.5


class Standing:
    """How boxes stand to each other on a page.

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading
        self._bands: dict[Box, tuple[float, float] | None] = {}

    def nearness(self, label: Box, box: Box) -> float:
        """How well a box stands to a label, from 0 to 1: left of it, above it, or in the same row of cells, and near.

        Args:
            label: in pixels.
            box: of something else.
        """
        letter = self._reading.letter
        near = _nearness(label, box, letter)
        if near < _NEAR and self._share_band(label, box):
            near = max(near, _in_line(label, box, letter))
        return near

    def _share_band(self, one: Box, other: Box) -> bool:
        """Whether two boxes stand between the same rules, as the cells of a row do."""
        a, b = self._band(one), self._band(other)
        slack = 0.4 * self._reading.letter
        return a is not None and b is not None and abs(a[0] - b[0]) < slack and abs(a[1] - b[1]) < slack

    def _band(self, box: Box) -> tuple[float, float] | None:
        """The heights of the rules above and below a box, if they are near enough to be those of a row."""
        if box not in self._bands:
            self._bands[box] = self._found_band(box)
        return self._bands[box]

    def _found_band(self, box: Box) -> tuple[float, float] | None:
        level, letter, middle = self._reading.level, self._reading.letter, (box[0] + box[2]) / 2
        y = (level[:, 1] + level[:, 3]) / 2
        over = (level[:, 0] <= middle) & (level[:, 2] >= middle) & (level[:, 2] - level[:, 0] > _LEAST_RULE * letter)
        above, below = y[over & (y <= box[1] + 3)], y[over & (y >= box[3] - 3)]
        if not len(above) or not len(below) or below.min() - above.max() > _HIGHEST_BAND * letter:
            return None
        return float(above.max()), float(below.min())


def _nearness(label: Box, box: Box, letter: float) -> float:
    across = max(0.0, -shared_width(box, label)) / letter
    if shared_height(box, label) > 0.3 * min(box[3] - box[1], label[3] - label[1]):
        return _in_line(label, box, letter)
    if box[3] <= label[1] + 0.5 * letter:
        return math.exp(-(label[1] - box[3]) / letter / 12 - across / 12)
    down = (box[1] - label[3]) / letter
    beneath = _UNDER * math.exp(-(down + across) / 12)
    return max(beneath, _CROSSING * math.exp(-down / 40)) if box[2] <= label[0] else beneath


def _in_line(label: Box, box: Box, letter: float) -> float:
    across = max(0.0, -shared_width(box, label)) / letter
    return math.exp(-across / 120) * (1.0 if box[0] < label[0] else _RIGHT)
