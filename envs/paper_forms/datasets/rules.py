"""Find the ruled lines on a scanned page, and repair them where an answer was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect
from ...core.painting import Image
from ..scans.degradation import long_runs

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]

CONTRAST = 40
"""Ink is darker than paper by this much."""
MIN_RULE = 20
"""Runs of ink that are shorter, in pixels, are no rules."""
_MIN_LONG = 100
"""A line of this length in pixels hardly consists of letters."""
_MAX_DEVIATION = 2.5
"""The maximum distance in pixels of a rule's runs from a straight line."""
_EVEN, _VERY_EVEN = 0.9, 0.97
_MAX_TOUCHED = 0.5
"""How much of an underline letters may touch; of the row of their feet it is more."""
_MAX_DASH, _MAX_DASH_GAP = 4, 7
"""The greatest height of a dash, and between dashes, in pixels."""
_MIN_DASHES, _MAX_DARK, _REGULAR = 5, 0.85, 0.7
"""The number of dashes that make a line, how much of it they cover at most, and how many of them are at equal steps."""
_MAX_SLOPE = 1 / 50
"""Of a line that an answer interrupts."""
_PERIODS = range(4, 41)
"""The lengths in pixels after which a dashed line may repeat itself."""
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
    """A thin horizontal line: its middle row in each column, half its thickness, and whether it is dashed."""

    centre: Numbers
    columns: Numbers
    half: int
    dashed: bool

    def rows(self, offset: int, height: int) -> Numbers:
        """The row at ``offset`` from its middle, in each of its columns."""
        return np.clip(self.centre + offset, 0, height - 1)

    def doubles(self, other: Rule) -> bool:
        """Whether it is part of a line beside it, such as the feet of letters on that line."""
        _, here, there = np.intersect1d(self.columns, other.columns, return_indices=True)
        if self is other or not len(here):
            return False
        shorter = len(here) == len(self.columns) <= len(other.columns) - 2 * _MAX_DASH_GAP
        apart = float(np.median(np.abs(self.centre[here] - other.centre[there])))
        return apart <= self.half + other.half + 4 and (shorter if self.dashed == other.dashed else other.dashed)


def rules_of(
    darkness: NDArray[np.int16],
    boxes: Sequence[Rect],
    within: tuple[int, int],
    shortest_run: float,
    shortest_rule: float = 0,
    words: Mask | None = None,
) -> list[Rule]:
    """The horizontal lines that are no part of the answer.

    Args:
        darkness: of each pixel.
        boxes: the answer's envelope, and of its words those that may be underlined.
        within: the rows that matter, from and to.
        shortest_run: runs of ink shorter than this are letters.
        shortest_rule: lines shorter than this are letters; 0 where there are underlines.
        words: where there are no dashes of a line; ``None``: all lines are solid.
    """
    band, answer = slice(*within), boxes[0]
    ink = darkness > CONTRAST
    runs = _runs(ink[band], max(MIN_RULE, shortest_run), 2)
    # Only the part near the answer is traced: further away, rules may meet shaded boxes and borders.
    near = max(answer[0] - MIN_RULE, 0), min(answer[2] + MIN_RULE, darkness.shape[1])
    rules = []
    for rows, starts, ends in _chains(*runs, near):
        lefts, rights = starts.clip(*near), ends.clip(*near)
        first, last = int(starts.min()), int(ends.max())
        beyond = max(answer[0] - first, last - answer[2])
        as_wide = min(answer[0] - first, last - answer[2]) >= -max(3, (answer[2] - answer[0]) // 5)
        rule = _traced(rows + within[0], lefts, rights, dashed=False)
        middle = int(np.median(rule.centre))
        under = not shortest_rule and _is_under(rule, boxes, ink)
        if last - first < shortest_rule or not (beyond >= 8 or as_wide or under or last - first >= _MIN_LONG):
            continue
        aside = as_wide and rule.half <= 2 and not answer[1] + 2 <= middle < answer[3] - 2
        underline = as_wide and not shortest_rule and middle >= answer[3] - 4
        unbroken = (ends - starts).max() >= max(_MIN_LONG, 5 * shortest_run)
        if _evenness(rule, darkness, unbroken, underline) >= (_EVEN if beyond >= 8 or aside else _VERY_EVEN):
            rules.append(rule)
    if words is not None:
        free = ~words
        solid = long_runs(ink, MIN_RULE)
        solid[1:] |= solid[:-1]
        solid[:-1] |= solid[1:]
        thin = ink & free & ~solid & ~band_of(rules, ink.shape, 2)
        rules += [rule for rule in _dashed_rules(thin, answer, within) if _is_dashed(rule, ink, free)]
    rules = [_settled(rule, ink) for rule in rules]
    return [rule for rule in rules if not any(rule.doubles(other) for other in rules)]


def _is_under(rule: Rule, boxes: Sequence[Rect], ink: Mask) -> bool:
    """Whether a line underlines a word: below it, beyond its edges or apart from its letters."""
    row, left, right = int(np.median(rule.centre)), int(rule.columns[0]), int(rule.columns[-1])
    above = np.any([ink[rule.rows(-rule.half - step, len(ink)), rule.columns] for step in (1, 2)], axis=0)
    apart = float(above.mean()) < _MAX_TOUCHED
    return any(
        row >= b[3] - 4
        and min(right, b[2]) - max(left, b[0]) > (right - left) / 2
        and (apart or max(b[0] - left, right - b[2]) > 5)
        for b in boxes
    )


def _dashed_rules(ink: Mask, answer: Rect, within: tuple[int, int]) -> list[Rule]:
    """The lines of dashes or dots on both sides of an answer."""
    tall = np.lib.stride_tricks.sliding_window_view(np.pad(ink, ((_MAX_DASH, 0), (0, 0))), _MAX_DASH + 1, axis=0)
    tall_there = np.pad(tall.all(axis=2), ((0, _MAX_DASH), (0, 0)))
    thick = np.any([tall_there[i : i + len(ink)] for i in range(_MAX_DASH + 1)], axis=0)
    rows, starts, ends = _runs((ink & ~thick)[slice(*within)], 0.7 * MIN_RULE, _MAX_DASH_GAP)
    return [
        _traced(rows + within[0], starts, ends, dashed=True)
        for rows, starts, ends in _chains(rows, starts, ends, (0, ink.shape[1]), _MAX_SLOPE)
        if starts.min() < answer[0] - _MAX_DASH_GAP and ends.max() > answer[2] + _MAX_DASH_GAP
    ]


def _is_dashed(rule: Rule, ink: Mask, free: Mask) -> bool:
    """Whether dashes at equal steps, or hardly any gaps, are wherever there is no word."""
    dark, there = (np.any([m[rule.rows(o, len(ink)), rule.columns] for o in (-1, 0, 1)], axis=0) for m in (ink, free))
    steps = np.diff(np.flatnonzero(dark[1:] & ~dark[:-1] & there[1:]))
    if len(steps) < _MIN_DASHES:
        return False
    usual, cover = np.median(steps), dark[there].mean()
    regular = np.mean(np.abs(steps - usual) <= max(2, 0.3 * usual))
    return bool(max(regular, cover) >= _REGULAR and cover < _MAX_DARK)


def _settled(rule: Rule, ink: Mask) -> Rule:
    """The rule straight on where letters touch it, which pull at its trace."""
    beside = [ink[rule.rows(side * (rule.half + step), len(ink)), rule.columns] for side in (-1, 1) for step in (1, 2)]
    alone = ~np.any(beside, axis=0)
    if alone.sum() < MIN_RULE:
        return rule
    centre = np.interp(rule.columns, rule.columns[alone], rule.centre[alone])
    return Rule(np.round(centre).astype(np.int64), rule.columns, rule.half, rule.dashed)


def _evenness(rule: Rule, darkness: NDArray[np.int16], unbroken: bool, underline: bool) -> float:
    """The share of a line that is dark; below 1 it may consist of letters.

    An unbroken line may be fainter in places.
    """
    rows = np.array([darkness[rule.rows(o, len(darkness)), rule.columns] for o in (-1, 0, 1)])
    # On a tilted scan, a thin underline steps from row to row, and its ink is split between them.
    stepping = underline and rule.half <= 1
    along = rows.clip(0).sum(axis=0).clip(max=darkness.max()) if stepping else rows.max(axis=0)
    return float(np.mean(along > np.median(along) / (4 if unbroken else 2)))


def _runs(ink: Mask, shortest: float, gap: int) -> tuple[Numbers, Numbers, Numbers]:
    """Row, start and end of the long runs of ink; gaps are bridged."""
    edges = np.diff(np.pad(ink, ((0, 0), (1, 1))).astype(np.int8), axis=1)
    rows, starts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    apart = (rows[1:] != rows[:-1]) | (starts[1:] - ends[:-1] > gap)
    rows, starts = (each[np.insert(apart, 0, True)[: len(rows)]] for each in (rows, starts))
    ends = ends[np.append(apart, True)[: len(ends)]]
    long = ends - starts >= shortest
    return rows[long], starts[long], ends[long]


def _chains(
    rows: Numbers, starts: Numbers, ends: Numbers, near: tuple[int, int], slope: float = 0
) -> list[tuple[Numbers, Numbers, Numbers]]:
    """Groups of runs that touch, or are in line; a line of a tilted scan is many such runs."""
    there = ends.clip(*near) - starts.clip(*near) > MIN_RULE * (not slope)
    rows, starts, ends = rows[there], starts[there], ends[there]
    gap = np.maximum(starts[:, None] - ends, starts - ends[:, None])
    drop = abs(rows[:, None] - rows)
    linked = (drop <= 2 + slope * gap) if slope else (drop <= 1) & (gap <= 12)
    labels = grouped(len(rows), *np.nonzero(linked))
    return [(rows[labels == i], starts[labels == i], ends[labels == i]) for i in np.unique(labels)]


def grouped(number: int, one: Numbers, other: Numbers) -> Numbers:
    """For each of some things, the first that it is connected to, by pairs of their indices."""
    labels = np.arange(number)
    while True:
        least = labels.copy()
        np.minimum.at(least, one, labels[other])
        np.minimum.at(least, other, labels[one])
        least = least[least]
        if np.array_equal(least, labels):
            return labels
        labels = least


def _traced(rows: Numbers, starts: Numbers, ends: Numbers, dashed: bool) -> Rule:
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
    return Rule(np.round(np.median(views, axis=1)).astype(np.int64), columns, half, dashed)


def _straight(rows: Numbers, middles: NDArray[np.float64], lengths: Numbers) -> Mask:
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


def _edges(ink: Mask, first: int, last: int) -> tuple[Numbers, Numbers]:
    """The columns near ``first`` and near ``last`` that are ink from top to bottom."""
    full = np.flatnonzero(ink.mean(axis=0) >= _UNBROKEN_EDGE)
    return full[(abs(full - first) <= 3)], full[abs(full - last + 1) <= 3]


def band_of(rules: Sequence[Rule], shape: tuple[int, ...], wider: int = 0) -> Mask:
    """The pixels of the rules, their blurred edges included."""
    band = np.zeros(shape, np.bool_)
    for rule in rules:
        for offset in range(-rule.half - wider, rule.half + wider + 1):
            band[rule.rows(offset, shape[0]), rule.columns] = True
    return band


def mend(
    pixels: Image, rules: Sequence[Rule], darkness: NDArray[np.int16], letters: Mask, mine: Mask, crossing: Mask
) -> None:
    """Redraw the rules where the answer touched them, from clean columns in step with them.

    What is ``crossing`` them, such as other rules, is not drawn on.
    """
    height = len(pixels)
    for rule in rules:
        offsets = range(-rule.half, rule.half + 1)
        profile = np.array([darkness[rule.rows(o, height), rule.columns] for o in offsets])
        body = profile.sum(axis=0)
        touched = _touches(rule, mine)
        free = ~(touched | _touches(rule, letters | crossing))
        usual = np.median(body[free]) if free.any() else 0
        clean = np.flatnonzero(free & (rule.dashed | (body >= 0.7 * usual) & (body <= 1.3 * usual)))
        if not len(clean):
            continue
        touched |= ~free & (body > 1.3 * usual) & _touches(rule, mine, 8)
        dirty = np.flatnonzero(touched)
        lag = np.abs(clean[:, None] - dirty)
        source = clean[(lag + len(touched) * (lag % (_period(profile, free) if rule.dashed else 1))).argmin(axis=0)]
        for offset in offsets:
            rows = rule.rows(offset, height)
            drawn = ~crossing[rows[dirty], rule.columns[dirty]]
            pixels[rows[dirty][drawn], rule.columns[dirty][drawn]] = pixels[
                rows[source][drawn], rule.columns[source][drawn]
            ]


def _period(profile: NDArray[np.int16], free: Mask) -> int:
    """After how many columns a rule is most like itself."""
    unlike = []
    for period in _PERIODS:
        both = free[period:] & free[:-period]
        apart = np.abs(profile[:, period:] - profile[:, :-period]).sum(axis=0)
        unlike.append(apart[both].mean() if both.sum() > MIN_RULE else np.inf)
    return _PERIODS[int(np.argmin(unlike))]


def _touches(rule: Rule, letters: Mask, spread: int = 3) -> Mask:
    """In which columns letters touch a rule, or nearly."""
    rows = [rule.rows(side * (rule.half + step), len(letters)) for step in (1, 2) for side in (-1, 1)]
    hit = np.any([letters[r, rule.columns] for r in rows], axis=0)
    wide: Mask = np.convolve(hit, np.ones(2 * spread + 1), mode="same") > 0
    return wide[: len(hit)]
