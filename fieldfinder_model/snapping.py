"""Places made to agree with the page: no box straddles a rule that its label stands beside."""

from __future__ import annotations

import numpy as np

from ..envs.core.locators import Box
from .matching.label import Label
from .reading.page import PageReading


def snapped(box: Box, label: Label, reading: PageReading) -> Box:
    """A box on the label's side of a horizontal rule that runs through it.

    Args:
        box: in pixels.
        label: that it belongs to.
        reading: of the page.
    """
    left, top, right, bottom = box
    height = bottom - top
    level = reading.level
    if len(level):
        middle = (level[:, 1] + level[:, 3]) / 2
        wide = np.minimum(level[:, 2], right) - np.maximum(level[:, 0], left) >= 0.6 * max(2.0, right - left)
        through = wide & (middle > top + 0.02 * height) & (middle < bottom - 0.22 * height)
        if through.any():
            rule = float(min(middle[through], key=lambda y: abs(y - (top + bottom) / 2)))
            under = (label.box[1] + label.box[3]) / 2 > rule
            top, bottom = (rule + 2, rule + 2 + height) if under else (rule + 1 - height, rule + 1)
    return left, top, right, bottom
