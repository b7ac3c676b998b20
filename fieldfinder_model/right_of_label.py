"""The plainest locator: an answer stands right of its label."""

from __future__ import annotations

from collections.abc import Sequence

from ..envs.core.locators import Box, Detection
from .matching.label import Label
from .reader import PageReader, shares
from .reading.blanks import blank_right
from .reading.page import PageReading

_GAP, _LONGEST = 0.5, 12.0
"""From the label to the answer, and how long that is at most, in heights of the label."""


class RightOfLabel(PageReader):
    """A box right of each label, up to the next word or vertical rule, twelve heights long at most."""

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """The box right of each label."""
        return [
            Detection(_beside(label.box, reading), share) for label, share in zip(labels, shares(labels), strict=True)
        ]


def _beside(label: Box, reading: PageReading) -> Box:
    _, top, right, bottom = label
    height = bottom - top
    left = right + _GAP * height
    end = min(left + _LONGEST * height, blank_right(label, reading))
    return left, top, max(end, left + height), bottom
