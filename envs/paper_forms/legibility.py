"""Whether a text can be read where it is: it is in its blank, and over no print."""

from __future__ import annotations

from math import cos, radians, sin

import numpy as np

from ..core.boxes import Box, Rect, centre, encloses, expand, intersection
from ..core.painting import Image, Stamp

_BESIDE, _BELOW = 0.2, 0.25
"""How far ink may leave its blank, as a share of the text's size: on all sides, and below, where descenders cross the
rule of a line."""
_CONTRAST = 70
"""How much darker or lighter than its surroundings print is, in levels of 255."""
_RULE = 0.6
"""The share of a row or column under the ink that is print if it belongs to a rule or the side of a box."""
_PRINT = 0.08
"""The share of the ink that may lie on print, such as on specks of a scan."""


def is_in_blank(stamp: Stamp, blank: Box, size: float, margin: float, angle: float) -> bool:
    """Whether all ink is in a blank, give or take ``margin`` and a descender.

    Args:
        stamp: the text.
        blank: in pixels, upright about its middle.
        size: of the text in pixels.
        margin: how far a tick may leave its box, in pixels; 0 for texts.
        angle: of the lines of the page, in degrees counter-clockwise.
    """
    ink: Box = stamp.rect
    left, top, right, bottom = ink
    if angle:
        turn, (x, y) = radians(angle), centre(blank)
        dx, dy = (left + right) / 2 - x, (top + bottom) / 2 - y
        x, y = x + dx * cos(turn) - dy * sin(turn), y + dx * sin(turn) + dy * cos(turn)
        half_width, half_height = (right - left) / 2, (bottom - top - (right - left) * abs(sin(turn))) / 2
        left, top, right, bottom = x - half_width, y - half_height, x + half_width, y + half_height
    beside, below = margin or _BESIDE * size, margin or _BELOW * size
    return (
        blank[0] - beside <= left
        and blank[1] - beside <= top
        and right <= blank[2] + beside
        and bottom <= blank[3] + below
    )


def is_over_print(stamp: Stamp, page: Image, box: Rect | None = None) -> bool:
    """Whether ink lies on print of a page; rules and the sides of boxes are none.

    Args:
        stamp: the text.
        page: the page as it was printed, uint8 (height, width, 3).
        box: where everything printed is meant to be written over: a box that is ticked.
    """
    if box is not None and encloses(box, stamp.rect):
        return False
    under = intersection(stamp.rect, (0, 0, page.shape[1], page.shape[0]))
    if under is None:
        return False
    left, top, right, bottom = under
    # Letters cross several rows: every fourth shows whether there are any.
    sampled = page[top:bottom:4, left:right]
    darkest, lightest = int(np.minimum.reduce(sampled, axis=None)), int(np.maximum.reduce(sampled, axis=None))
    if lightest - darkest < _CONTRAST:
        return False
    gray = page[top:bottom, left:right, 1].astype(np.int16)
    is_light = 2 * gray.mean() > darkest + lightest
    dark = gray < lightest - _CONTRAST if is_light else gray > darkest + _CONTRAST
    dark &= ~(dark.mean(axis=1, keepdims=True) > _RULE) & ~(dark.mean(axis=0, keepdims=True) > _RULE)
    if box is not None and (own := intersection(box, under)):
        dark[own[1] - top : own[3] - top, own[0] - left : own[2] - left] = False
    x, y = stamp.rect[:2]
    ink = stamp.sprite.inverse_alpha[top - y : bottom - y, left - x : right - x, 0] < 128
    return bool(np.count_nonzero(dark & ink) > _PRINT * np.count_nonzero(ink))


def tick_box(blank: Box) -> Rect:
    """A box to be ticked with its sides, in whole pixels."""
    left, top, right, bottom = expand(blank, 3.0)
    return round(left), round(top), round(right), round(bottom)
