"""The ink of a page, parted into rules and letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from ..examples import Gray

Mask = NDArray[np.uint8]
"""uint8 (height, width), 1 where something is."""

_SHORTEST = 0.035
"""How long a rule is at least, as a share of the page's width."""
_SOLID = 9
"""Dark areas as thick as this are no rules."""
_DARKEST_PAPER = 120


@dataclass(frozen=True, eq=False)
class Ink:
    """Where a page is dark, and why.

    Attributes:
        dark: all ink.
        across: horizontal rules.
        down: vertical rules.
        letters: all but rules and specks.
    """

    dark: Mask
    across: Mask
    down: Mask
    letters: Mask


def ink_of(gray: Gray) -> Ink:
    """The ink of a page.

    Args:
        gray: uint8 (height, width).
    """
    threshold, _ = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark = (gray < max(threshold, _DARKEST_PAPER)).astype(np.uint8)
    length = max(24, int(_SHORTEST * gray.shape[1]))
    solid = opened(dark, _SOLID, _SOLID)
    across, down = _rules(dark, length) & (1 - solid), _rules(dark.T.copy(), length).T & (1 - solid)
    return Ink(dark, across, down, _letters(dark, across | down))


def _rules(dark: Mask, length: int) -> Mask:
    """Horizontal strokes as long as ``length``, and twice as long where they are slanted or broken."""
    slanted = opened(dilated(dark, 3, 1), 1, int(1.8 * length)) & dark
    return opened(dark, 1, length) | slanted


def opened(mask: Mask, height: int, width: int) -> Mask:
    """What of a mask holds a rectangle of a height and a width."""
    return cast(Mask, cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((height, width), np.uint8)))


def dilated(mask: Mask, height: int, width: int) -> Mask:
    """A mask grown by a rectangle of a height and a width."""
    return cast(Mask, cv2.dilate(mask, np.ones((height, width), np.uint8)))


def _letters(dark: Mask, rules: Mask) -> Mask:
    rest = dark & (1 - dilated(rules, 3, 3))
    _, labels, sizes, _ = cv2.connectedComponentsWithStats(rest, connectivity=8)
    large = (sizes[:, cv2.CC_STAT_AREA] >= 8) & (
        (sizes[:, cv2.CC_STAT_HEIGHT] >= 4) | (sizes[:, cv2.CC_STAT_WIDTH] >= 10)
    )
    large[0] = False
    return cast(Mask, large.astype(np.uint8)[labels])


def strokes(rules: Mask, across: bool) -> NDArray[np.int32]:
    """The rules of a mask as boxes, int32 (n, 4): left, top, right, bottom.

    Args:
        rules: horizontal rules or vertical ones.
        across: which of them.
    """
    bridged = dilated(rules, 1, 5) if across else dilated(rules, 5, 1)
    _, _, stats, _ = cv2.connectedComponentsWithStats(bridged, connectivity=8)
    boxes = np.column_stack([stats[1:, 0], stats[1:, 1], stats[1:, 0] + stats[1:, 2], stats[1:, 1] + stats[1:, 3]])
    width, height = stats[1:, 2], stats[1:, 3]
    long, thick = (width, height) if across else (height, width)
    kept: NDArray[np.int32] = boxes[(long >= 14) & (thick <= np.maximum(14, 0.2 * long))].astype(np.int32)
    return kept
