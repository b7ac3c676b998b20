"""Find the ruled lines on a scanned page, and repair them where an answer was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect
from ...core.painting import Image

Mask = NDArray[np.bool_]

CONTRAST = 40
"""Ink is darker than paper by this much."""
MIN_RULE = 20
"""Runs of ink that are shorter, in pixels, are no rules."""
_MIN_LONG = 100
"""A line of this length in pixels hardly consists of letters."""
_MAX_DEVIATION = 2.5
"""The maximum distance in pixels of a rule's runs from a straight line."""
_EVEN, _VERY_EVEN = 0.9, 0.97
_UNBROKEN_EDGE, _ROUNDED_EDGE = 0.9, 0.8
"""The share of a tick box's edges that is ink: between its corners, and corners included."""


def ink_in(gray: NDArray[np.uint8], rect: Rect, around: int = 40) -> Mask:
    """Which pixels of a rectangle are ink: darker than the paper ``around`` it."""
    left, top, right, bottom = rect
    window = gray[max(top - around, 0) : bottom + around, max(left - around, 0) : right + around]
    dark: Mask = gray[top:bottom, left:right] < np.percentile(window, 80) - CONTRAST
    return dark


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A thin horizontal line: its middle row in each column, and half its thickness."""

    centre: NDArray[np.int64]
    columns: NDArray[np.int64]
    half: int

    def rows(self, offset: int, height: int) -> NDArray[np.int64]:
        """The row at ``offset`` from its middle, in each of its columns."""
        return np.clip(self.centre + offset, 0, height - 1)


def rules_of(
    darkness: NDArray[np.int16],
    answer: Rect,
    within: tuple[int, int],
    shortest_run: float,
    shortest_rule: float = 0,
) -> list[Rule]:
    """The horizontal lines that are no part of the answer.

    Args:
        darkness: of each pixel.
        answer: the envelope of the answer.
        within: the rows that matter, from and to.
        shortest_run: runs of ink shorter than this are letters.
        shortest_rule: lines shorter than this are letters; 0 where there are underlines.
    """
    rows, starts, ends = _runs(darkness[within[0] : within[1]] > CONTRAST, max(MIN_RULE, shortest_run))
    rows = rows + within[0]
    # Only the part near the answer is traced: further away, rules may meet shaded boxes and borders.
    near = max(answer[0] - MIN_RULE, 0), min(answer[2] + MIN_RULE, darkness.shape[1])
    lefts, rights = starts.clip(*near), ends.clip(*near)
    rules = []
    for chain in _chains(rows, lefts, rights, np.flatnonzero(rights - lefts > MIN_RULE)):
        first, last = int(starts[chain].min()), int(ends[chain].max())
        left, right = answer[0] - first, last - answer[2]
        as_wide = min(left, right) >= -max(3, (answer[2] - answer[0]) // 5)
        if last - first < shortest_rule or not (max(left, right) >= 8 or as_wide or last - first >= _MIN_LONG):
            continue
        rule = _traced(rows[chain], lefts[chain], rights[chain])
        middle = int(np.median(rule.centre))
        aside = as_wide and rule.half <= 2 and not answer[1] + 2 <= middle < answer[3] - 2
        underline = as_wide and not shortest_rule and middle >= answer[3] - 4
        unbroken = (ends[chain] - starts[chain]).max() >= max(_MIN_LONG, 5 * shortest_run)
        if _evenness(rule, darkness, unbroken, underline) >= (_EVEN if max(left, right) >= 8 or aside else _VERY_EVEN):
            rules.append(rule)
    return rules


def _evenness(rule: Rule, darkness: NDArray[np.int16], unbroken: bool, underline: bool) -> float:
    """The share of a line that is dark; below 1 it may consist of letters.

    An unbroken line may be fainter in places.
    """
    rows = np.array([darkness[rule.rows(o, len(darkness)), rule.columns] for o in (-1, 0, 1)])
    # On a tilted scan, a thin underline steps from row to row, and its ink is split between them.
    stepping = underline and rule.half <= 1
    along = rows.clip(0).sum(axis=0).clip(max=darkness.max()) if stepping else rows.max(axis=0)
    return float(np.mean(along > np.median(along) / (4 if unbroken else 2)))


def _runs(ink: Mask, shortest: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Row, start and end of the long runs of ink; gaps of two pixels are bridged."""
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    if not len(rows):
        return rows, starts, ends
    apart = np.flatnonzero((rows[1:] != rows[:-1]) | (starts[1:] - ends[:-1] > 2)) + 1
    begins = np.concatenate([[0], apart])
    finishes = np.concatenate([apart, [len(rows)]]) - 1
    rows, starts, ends = rows[begins], starts[begins], ends[finishes]
    long = ends - starts >= shortest
    return rows[long], starts[long], ends[long]


def _chains(
    rows: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64], which: NDArray[np.int64]
) -> list[NDArray[np.int64]]:
    """Groups of runs that touch; a line of a tilted scan is many such runs."""
    rows, starts, ends = rows[which], starts[which], ends[which]
    near = (abs(rows[:, None] - rows) <= 1) & (starts[:, None] <= ends + 12) & (starts <= ends[:, None] + 12)
    labels = np.arange(len(rows))
    while True:
        least = np.where(near, labels, len(rows)).min(axis=1, initial=len(rows))
        if np.array_equal(least, labels):
            return [which[labels == label] for label in np.unique(labels)]
        labels = least


def _traced(rows: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> Rule:
    """The rule that runs make up; the longest count most, as others may be letters."""
    straight = _straight(rows, (starts + ends) / 2, ends - starts)
    rows, starts, ends = rows[straight], starts[straight], ends[straight]
    columns = np.arange(starts.min(), ends.max())
    covered = (starts[:, None] <= columns) & (columns < ends[:, None])
    weights = covered * (ends - starts)[:, None].astype(np.float64) ** 3
    total = weights.sum(axis=0)
    there = total > 0
    middles = np.interp(columns, columns[there], (rows @ weights)[there] / total[there])
    views = np.lib.stride_tricks.sliding_window_view(np.pad(middles, 20, mode="edge"), 41)
    thick = (weights > weights.max(axis=0) / 27).sum(axis=0)
    half = int(np.ceil(float(np.median(thick[there])) / 2))
    return Rule(np.round(np.median(views, axis=1)).astype(np.int64), columns, half)


def _straight(rows: NDArray[np.int64], middles: NDArray[np.float64], lengths: NDArray[np.int64]) -> Mask:
    """Which runs are on the straight line through the longest ones."""
    weights = lengths.astype(np.float64) ** 3
    x, y = middles - np.average(middles, weights=weights), rows - np.average(rows, weights=weights)
    slope = (weights * x * y).sum() / max((weights * x * x).sum(), 1e-9)
    near: Mask = np.abs(y - slope.clip(-0.1, 0.1) * x) <= _MAX_DEVIATION
    near[lengths.argmax()] = True
    return near


def frame_of(ink: Mask, box: Rect) -> Mask:
    """The border of a tick box: unbroken lines on all edges of a small square word."""
    frame = np.zeros(ink.shape, np.bool_)
    width, height = box[2] - box[0], box[3] - box[1]
    if not (min(width, height) >= 9 and max(width, height) <= 30 and 0.7 <= width / height <= 1.4):
        return frame
    left, right = _edges(ink[box[1] + 2 : box[3] - 2], box[0], box[2])
    top, bottom = _edges(ink[:, box[0] + 2 : box[2] - 2].T, box[1], box[3])
    if min(len(left), len(right), len(top), len(bottom)):
        across, down = slice(left.min(), right.max() + 1), slice(top.min(), bottom.max() + 1)
        lines = [ink[row, across] for row in (top[0], bottom[-1])] + [
            ink[down, column] for column in (left[0], right[-1])
        ]
        if min(line.mean() for line in lines) >= _ROUNDED_EDGE:
            frame[np.concatenate([top, bottom]), across] = True
            frame[down, np.concatenate([left, right])] = True
    return frame


def _edges(ink: Mask, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns near ``first`` and near ``last`` that are ink from top to bottom."""
    full = np.flatnonzero(ink.mean(axis=0) >= _UNBROKEN_EDGE)
    return full[(abs(full - first) <= 3)], full[abs(full - last + 1) <= 3]


def band_of(rules: Sequence[Rule], shape: tuple[int, ...]) -> Mask:
    """The pixels of the rules, their blurred edges included."""
    band = np.zeros(shape, np.bool_)
    for rule in rules:
        for offset in range(-rule.half, rule.half + 1):
            band[rule.rows(offset, shape[0]), rule.columns] = True
    return band


def mend(pixels: Image, rules: Sequence[Rule], darkness: NDArray[np.int16], letters: Mask, mine: Mask) -> None:
    """Redraw the rules where the answer touched them, from the nearest clean column."""
    height = len(pixels)
    for rule in rules:
        body = np.sum([darkness[rule.rows(o, height), rule.columns] for o in range(-rule.half, rule.half + 1)], axis=0)
        touches = {side: _touches(rule, letters, side) for side in (-1, 1)}
        free = ~(touches[-1] | touches[1])
        if not free.any():
            continue
        clean = np.flatnonzero(free & (body <= 1.3 * np.median(body[free])))
        for side in (-1, 1):
            touched = np.flatnonzero(_touches(rule, mine, side) & ~_touches(rule, letters & ~mine, side))
            source = clean[np.abs(clean[:, None] - touched).argmin(axis=0)]
            for offset in range(0, side * (rule.half + 1), side):
                rows = rule.rows(offset, height)
                pixels[rows[touched], rule.columns[touched]] = pixels[rows[source], rule.columns[source]]


def _touches(rule: Rule, letters: Mask, side: int) -> Mask:
    """In which columns letters touch a rule from above (-1) or below (1), or nearly."""
    rows = [rule.rows(side * (rule.half + step), len(letters)) for step in (1, 2)]
    hit = np.any([letters[r, rule.columns] for r in rows], axis=0)
    wide: Mask = np.convolve(hit, np.ones(7), mode="same") > 0
    return wide
