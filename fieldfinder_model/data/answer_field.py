"""The blank space around an erased answer: the field it was written in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ...envs.core.boxes import Box, Rect, overlap_height, overlap_width
from ...envs.paper_forms.datasets.rules import MIN_RULE, Mask, ink_in, long_runs
from ...envs.paper_forms.examples import Gray

_MARGIN = 0.02
"""The left and right margins, as a share of the page's width."""
_SHARED = 0.25
"""A box that shares this much of the lower one's height is on the answer's line."""
_TOUCHING = 3
"""Boxes may overlap by this many pixels and still count as side by side."""
_RULE = 0.6
"""Rules run along this much of the answer's width or height."""
_TAILS = 0.35
"""This share of an answer's height may hang below the rule it is written on."""
_MAX_LINE = 30


def field_of(box: Rect, gray: Gray, taken: Sequence[Box]) -> Rect:
    """The blank space that an answer may fill.

    To the left and right it goes up to the next thing on the answer's line, the next vertical rule or the margin (2 %
    of the page's width); up and down by half a line (half the answer's height, of 30 pixels at most), and no further
    than the next thing or rule. It holds the answer's box in any case.

    Args:
        box: of the answer, in pixels.
        gray: the page without the answer.
        taken: boxes of everything else on the page, erased or not: printed words and other answers.
    """
    height, width = gray.shape
    left, top, right, bottom = box
    half = max(min(bottom - top, _MAX_LINE), 8) / 2
    room = (round(_MARGIN * width), max(0, round(top - half)), round((1 - _MARGIN) * width), round(bottom + half))
    limits = room[0], room[1], room[2], min(height, room[3])
    beside = [other for other in taken if overlap_height(other, box) > _SHARED * min(other[3] - other[1], bottom - top)]
    over = [other for other in taken if overlap_width(other, box) > 2]
    across, down = _rules(gray, box, limits)
    return (
        _before(left, limits[0], [o[2] for o in beside if o[2] <= left + _TOUCHING], down),
        _before(top, limits[1], [o[3] for o in over if o[3] <= top + _TOUCHING], across),
        _after(right, limits[2], [o[0] for o in beside if o[0] >= right - _TOUCHING], down),
        _after(bottom, limits[3], [o[1] for o in over if o[1] >= bottom - _TOUCHING], across, _TAILS * (bottom - top)),
    )


def _before(edge: int, furthest: int, ends: Iterable[float], rules: Sequence[int], reach: float = 2) -> int:
    """Where a field begins: at the nearest thing or rule to the left or above."""
    stops = [furthest, *(int(np.ceil(end)) for end in ends), *(rule + 1 for rule in rules if rule < edge + reach)]
    return min(max(stops), edge)


def _after(edge: int, furthest: int, starts: Iterable[float], rules: Sequence[int], reach: float = 2) -> int:
    """Where a field ends: at the nearest thing or rule to the right or below."""
    stops = [furthest, *(int(start) for start in starts), *(rule for rule in rules if rule >= edge - reach)]
    return max(min(stops), edge)


def _rules(gray: Gray, box: Rect, room: Rect) -> tuple[list[int], list[int]]:
    """The rows of horizontal and the columns of vertical rules around an answer."""
    left, top, right, bottom = box
    above, below = (max(top - MIN_RULE, 0), min(bottom + MIN_RULE, len(gray)))
    band = min(room[0], left), above, max(room[2], right), below
    ink = ink_in(gray, band)
    down = _thickened(long_runs(ink.T, max(MIN_RULE, int(0.9 * (bottom - top)))).T, axis=1)
    across = _thickened(long_runs(ink, max(MIN_RULE, min(right - left, 60))), axis=0)
    rows = across[:, left - band[0] : right - band[0]].mean(axis=1) > _RULE
    columns = down[top - above : bottom - above].mean(axis=0) > _RULE
    inner = [int(i) + above for i in np.flatnonzero(rows)]
    return inner, [int(i) + band[0] for i in np.flatnonzero(columns)]


def _thickened(rules: Mask, axis: int) -> Mask:
    """The rules, one pixel thicker on both sides, so that tilted ones are unbroken."""
    wide = rules.copy()
    before, after = np.moveaxis(wide, axis, 0), np.moveaxis(rules, axis, 0)
    before[1:] |= after[:-1]
    before[:-1] |= after[1:]
    return wide
