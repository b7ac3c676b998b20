"""Rule-based locators: tick boxes, lines and white space around a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...envs.core.boxes import Box, overlap_height
from ...envs.core.locators import Detection
from ..matching.label import Label
from ..reading.page_reading import PageReading, blank_above, blank_below, blank_right, rule_under
from .page_reader import PageReader, shares

# In heights of the label.
_TICK_GAP = 1.3
_GAP = 0.5
_MIN_ROOM = 2.5
_MAX_LENGTH = 10.0
_RULE = 0.7


class RuleLocator(PageReader):
    """Finds the answer of a label by the first of several rules that applies."""

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """The place for each label."""
        return [
            Detection(_place(label.box, reading), share) for label, share in zip(labels, shares(labels), strict=True)
        ]


def _place(label: Box, reading: PageReading) -> Box:
    found = (rule(label, reading) for rule in _RULES)
    return next((box for box in found if box is not None), label)


def _tick(label: Box, reading: PageReading) -> Box | None:
    """The nearest tick box beside the label."""
    height = label[3] - label[1]
    level = [tick for tick in reading.ticks if overlap_height(tick, label) > 0.3 * height]
    gaps = {tick: max(label[0] - tick[2], tick[0] - label[2]) for tick in level}
    near = [tick for tick, gap in gaps.items() if -0.5 * height < gap < _TICK_GAP * height]
    return min(near, key=lambda tick: gaps[tick], default=None)


def _above_line(label: Box, reading: PageReading) -> Box | None:
    """The space above the line over the label, if there is room and none to the right."""
    height = label[3] - label[1]
    line = rule_under((label[0] - height, label[1] - height, label[2] + height, label[1]), reading, _RULE * height)
    if line is None or (
        _room(label, reading) > 2 * _MIN_ROOM * height and line[2] - line[0] < 0.5 * (label[2] - label[0])
    ):
        return None
    top = blank_above((line[0], line[1], line[2], line[1]), reading)
    cell_below = blank_below(label, reading) - label[3]
    if line[1] - top < 1.2 * height or cell_below > line[1] - top:
        return None
    right = min(line[0] + _MAX_LENGTH * height, max(line[2], label[2]))
    return label[0], line[1] - 1.2 * height, right, line[1] - 1


def _right(label: Box, reading: PageReading) -> Box | None:
    """The line or the white space right of the label."""
    _, top, right, bottom = label
    height, end = bottom - top, blank_right(label, reading)
    if end - right < _MIN_ROOM * height:
        return None
    left = right + _GAP * height
    line = rule_under((left, top, end, bottom), reading, _RULE * height)
    start = line[0] if line is not None and line[2] - line[0] > _MIN_ROOM * height else left
    return start, top, min(start + _MAX_LENGTH * height, end), bottom


def _below(label: Box, reading: PageReading) -> Box | None:
    """The white space below the label."""
    left, top, right, bottom = label
    height, end = bottom - top, blank_below(label, reading)
    if end - bottom < 0.9 * height:
        return None
    low = min(end, bottom + 1.6 * height)
    wide = blank_right((left, bottom, right, low), reading)
    return left, max(bottom, low - 1.3 * height), min(left + _MAX_LENGTH * height, wide), low


def _fallback(label: Box, reading: PageReading) -> Box | None:
    """Whatever space there is right of the label."""
    height = label[3] - label[1]
    return label[2], label[1], max(blank_right(label, reading), label[2] + height), label[3]


def _room(label: Box, reading: PageReading) -> float:
    return blank_right(label, reading) - label[2]


_RULES: tuple[Callable[[Box, PageReading], Box | None], ...] = (_tick, _above_line, _right, _below, _fallback)


_MAX_LENGTH_RIGHT = 12.0
"""The longest box right of a label, in heights of the label."""


class RightOfLabel(PageReader):
    """A box right of each label, up to the next word or vertical rule.

    It is at most twelve heights long.
    """

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """The box right of each label."""
        return [
            Detection(_beside(label.box, reading), share) for label, share in zip(labels, shares(labels), strict=True)
        ]


def _beside(label: Box, reading: PageReading) -> Box:
    _, top, right, bottom = label
    height = bottom - top
    left = right + _GAP * height
    end = min(left + _MAX_LENGTH_RIGHT * height, blank_right(label, reading))
    return left, top, max(end, left + height), bottom
