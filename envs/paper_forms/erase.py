"""Erasing one answer from a scanned page, as if it had never been written.

The ink of the answer is told from the rules it stands on and from its neighbours' ink; its place is filled row by row
from the paper to its left and right, and rules that it touched are mended from their own untouched stretches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core.painting import Image, Patch, Rect, intersection

Mask = NDArray[np.bool_]

_CONTRAST = 40
"""Ink is darker than paper by this much."""
_BESIDE = 40
"""How far around an answer its rules and its paper are looked for."""
_FURTHEST = 24
"""How far ink is followed, in pixels."""
_NEAR = 6
"""Ink in the edges of boxes that hangs together with nothing belongs to the nearest; the edges are this wide."""
_SHORTEST_RULE = 20
_LONG = 100
"""A line of this length in pixels is hardly made up by letters."""
_STRAY = 2.5
"""How far from a straight line the runs of a rule may lie, in pixels."""
_EVEN, _VERY_EVEN = 0.9, 0.97
_UNBROKEN_EDGE = 0.9
_SHADED = 0.35
"""Where more than this of what surrounds an answer is dark, the paper is shaded and ink cannot be told from it."""
_SMOOTH = 4
_AMBIGUOUS = 1.5
"""Where two boxes overlap, the ink belongs to the one that is smaller by this factor; otherwise ink decides."""


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """A thin line from left to right: its middle row in each of its columns, and half its thickness."""

    centre: NDArray[np.int64]
    columns: NDArray[np.int64]
    half: int

    def rows(self, offset: int, height: int) -> NDArray[np.int64]:
        """The row beside its middle, in each of its columns."""
        return np.clip(self.centre + offset, 0, height - 1)


def erased(page: Image, boxes: Sequence[Rect], others: Sequence[Rect]) -> Patch:
    """The part of a page around one answer, with that answer erased.

    Args:
        page: uint8 (height, width, 3), not changed.
        boxes: of the words of the answer; at least one.
        others: boxes of all other words, whose ink is kept.
    """
    height, width = page.shape[:2]
    region = padded(boxes, (height, width))
    window = _grown(region, _BESIDE, (height, width))
    pixels = page[window[1] : window[3], window[0] : window[2]]
    darkness = _darkness(pixels)
    ink = darkness > _CONTRAST
    inside = _mask([region], window)
    own = _mask(boxes, window)
    around = ink[_dilated(own, 4) & ~_mask([*boxes, *others], window)]
    if around.mean() > _SHADED:
        hole = _dilated(own, 2) & inside & ~_mask(others, window)
        filled = _filled(pixels, hole, ~hole & ~_mask(others, window))
    else:
        filled = _cleaned(pixels, darkness, boxes, others, region, window)
    left, top, right, bottom = _moved(region, window)
    return Patch(np.ascontiguousarray(filled[top:bottom, left:right]), region[0], region[1])


def _cleaned(
    pixels: Image,
    darkness: NDArray[np.int16],
    boxes: Sequence[Rect],
    others: Sequence[Rect],
    region: Rect,
    window: Rect,
) -> Image:
    """The pixels of the window without the ink of the answer; nothing outside of the region changes."""
    left, top, right, bottom = _moved(region, window)
    answer = _moved(_envelope(boxes), window)
    tallest = max(box[3] - box[1] for box in boxes)
    ink, inside = darkness > _CONTRAST, _mask([region], window)
    across = _rules(darkness, answer, (top, bottom), 1.2 * tallest, 0)
    down = _rules(darkness.T, _turned(answer), (left, right), 1.1 * tallest, 2.2 * tallest)
    band = _band(across, ink.shape) | _band(down, ink.T.shape).T
    if len(boxes) == 1:
        band |= _frame(ink, answer)
    letters = ink & ~band
    mine = _claimed(letters, boxes, others, window) & inside
    hole = _dilated(mine, 2) & ~(letters & ~mine) & ~band & inside
    filled = _filled(pixels, hole, ~_dilated(ink, 2) & (darkness <= _CONTRAST // 2) & ~hole)
    _mend(filled, across, darkness, letters, mine)
    _mend(filled.transpose(1, 0, 2), down, darkness.T, letters.T, mine.T)
    return filled


def padded(boxes: Sequence[Rect], size: tuple[int, int]) -> Rect:
    """The rectangle outside of which erasing an answer changes nothing.

    Args:
        boxes: of the words of the answer.
        size: height and width of the page.
    """
    tallest = max(bottom - top for _, top, _, bottom in boxes)
    return _grown(_envelope(boxes), min(max(tallest, 10), 20), size)


def _envelope(boxes: Sequence[Rect]) -> Rect:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _grown(rect: Rect, by: int, size: tuple[int, int]) -> Rect:
    return max(rect[0] - by, 0), max(rect[1] - by, 0), min(rect[2] + by, size[1]), min(rect[3] + by, size[0])


def _moved(rect: Rect, window: Rect) -> Rect:
    """``rect`` in coordinates of ``window``."""
    return rect[0] - window[0], rect[1] - window[1], rect[2] - window[0], rect[3] - window[1]


def _darkness(pixels: Image) -> NDArray[np.int16]:
    """By how much each pixel's darkest channel is darker than the paper."""
    gray = pixels.min(axis=2).astype(np.int16)
    return np.int16(np.percentile(gray, 80)) - gray


def _areas(boxes: Sequence[Rect], window: Rect) -> NDArray[np.float64]:
    """For each pixel the area of the smallest box it lies in; infinite where it lies in none."""
    areas = np.full((window[3] - window[1], window[2] - window[0]), np.inf)
    for box in boxes:
        shared = intersection(box, window)
        if shared is not None:
            left, top, right, bottom = _moved(shared, window)
            view = areas[top:bottom, left:right]
            np.minimum(view, (box[2] - box[0]) * (box[3] - box[1]), out=view)
    return areas


def _mask(boxes: Sequence[Rect], window: Rect) -> Mask:
    return np.isfinite(_areas(boxes, window))


def _with_gaps(boxes: Sequence[Rect]) -> list[Rect]:
    """The boxes and the gaps between words that follow one another on a line: commas and hyphens may stand there."""
    gaps = [
        (a[2], max(a[1], b[1]), b[0], max(a[3], b[3]) + 2)
        for a, b in pairwise(boxes)
        if 0 < b[0] - a[2] <= 2 * (a[3] - a[1]) and min(a[3], b[3]) - max(a[1], b[1]) > (a[3] - a[1]) / 2
    ]
    return [*boxes, *gaps]


def _hearts(boxes: Sequence[Rect]) -> list[Rect]:
    """The boxes without their upper and lower edges, where ink may well be a tail from the line above or below."""
    return [(b[0], b[1] + min((b[3] - b[1]) // 4, 4), b[2], b[3] - min((b[3] - b[1]) // 4, 4)) for b in boxes]


def _turned(rect: Rect) -> Rect:
    """``rect`` on the transposed page."""
    return rect[1], rect[0], rect[3], rect[2]


def _dilated(mask: Mask, times: int = 1) -> Mask:
    """``mask`` grown by one pixel in all eight directions, ``times`` times."""
    for _ in range(times):
        wide = mask.copy()
        wide[:, 1:] |= mask[:, :-1]
        wide[:, :-1] |= mask[:, 1:]
        mask = wide.copy()
        mask[1:] |= wide[:-1]
        mask[:-1] |= wide[1:]
    return mask


def _claimed(letters: Mask, boxes: Sequence[Rect], others: Sequence[Rect], window: Rect) -> Mask:
    """The ink of the answer: what lies in its boxes, what hangs together with that, and what is nearer than others'."""
    boxes = _with_gaps(boxes)
    own, foreign = _areas(_hearts(boxes), window), _areas(_hearts(others), window)
    mine, theirs = letters & (own * _AMBIGUOUS < foreign), letters & (foreign * _AMBIGUOUS < own)
    free = letters & ~mine & ~theirs
    _race(mine, theirs, free, _FURTHEST)
    near = np.isfinite(own), np.isfinite(foreign)
    _race(*near, _dilated(np.isfinite(_areas(boxes, window)), 2) & ~near[0] & ~near[1], _NEAR)
    return mine | (free & near[0])


def _race(mine: Mask, theirs: Mask, free: Mask, steps: int) -> None:
    """Grow two masks in turns into what is free, in place."""
    for _ in range(steps):
        before = int(free.sum())
        for mask in (mine, theirs):
            new = _dilated(mask) & free
            mask |= new
            free &= ~new
        if int(free.sum()) == before:
            return


# -- Rules: found as long runs of ink, mended along themselves -----------------------------------------------------


def _rules(
    darkness: NDArray[np.int16], answer: Rect, within: tuple[int, int], shortest_run: float, shortest_rule: float
) -> list[_Rule]:
    """The lines from left to right that are no part of the answer.

    Args:
        darkness: of each pixel.
        answer: the envelope of the answer.
        within: the rows that matter, from and to.
        shortest_run: runs of ink shorter than this are letters.
        shortest_rule: lines shorter than this are letters.
    """
    rows, starts, ends = _runs(darkness[within[0] : within[1]] > _CONTRAST, max(_SHORTEST_RULE, shortest_run))
    rows = rows + within[0]
    # Only what is near the answer is traced: further off, rules may run into shaded boxes and borders.
    near = max(answer[0] - _SHORTEST_RULE, 0), min(answer[2] + _SHORTEST_RULE, darkness.shape[1])
    lefts, rights = starts.clip(*near), ends.clip(*near)
    rules = []
    for chain in _chains(rows, lefts, rights, np.flatnonzero(rights - lefts > _SHORTEST_RULE)):
        first, last = int(starts[chain].min()), int(ends[chain].max())
        beyond = _beyond(first, last, answer)
        if last - first < shortest_rule or not (beyond or last - first >= _LONG):
            continue
        rule = _traced(rows[chain], lefts[chain], rights[chain])
        unbroken = (ends[chain] - starts[chain]).max() >= max(_LONG, 5 * shortest_run)
        if _evenness(rule, darkness, unbroken) >= (_EVEN if beyond else _VERY_EVEN):
            rules.append(rule)
    return rules


def _evenness(rule: _Rule, darkness: NDArray[np.int16], unbroken: bool) -> float:
    """How much of a line is dark: all, if the feet of letters do not make it up. An unbroken one may well be fainter."""
    along = np.max([darkness[rule.rows(o, len(darkness)), rule.columns] for o in (-1, 0, 1)], axis=0)
    return float(np.mean(along > np.median(along) / (4 if unbroken else 2)))


def _beyond(first: int, last: int, answer: Rect) -> bool:
    """Whether a line reaches well beyond the answer on one side, or is about as wide."""
    left, right = answer[0] - first, last - answer[2]
    return max(left, right) >= 8 or min(left, right) >= -max(3, (answer[2] - answer[0]) // 5)


def _runs(ink: Mask, shortest: float) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Row, start and end of the long runs of ink, gaps of two pixels overlooked."""
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
    """The runs that follow one another, a row up or down: a line of a tilted scan is many runs."""
    rows, starts, ends = rows[which], starts[which], ends[which]
    near = (abs(rows[:, None] - rows) <= 1) & (starts[:, None] <= ends + 12) & (starts <= ends[:, None] + 12)
    labels = np.arange(len(rows))
    while True:
        least = np.where(near, labels, len(rows)).min(axis=1, initial=len(rows))
        if np.array_equal(least, labels):
            return [which[labels == label] for label in np.unique(labels)]
        labels = least


def _traced(rows: NDArray[np.int64], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> _Rule:
    """The rule that runs make, led by the longest ones: the shorter may be feet of letters that stand on it."""
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
    return _Rule(np.round(np.median(views, axis=1)).astype(np.int64), columns, half)


def _straight(rows: NDArray[np.int64], middles: NDArray[np.float64], lengths: NDArray[np.int64]) -> Mask:
    """Which runs lie on the straight line that the longest of them suggest."""
    weights = lengths.astype(np.float64) ** 3
    x, y = middles - np.average(middles, weights=weights), rows - np.average(rows, weights=weights)
    slope = (weights * x * y).sum() / max((weights * x * x).sum(), 1e-9)
    near: Mask = np.abs(y - slope.clip(-0.1, 0.1) * x) <= _STRAY
    near[lengths.argmax()] = True
    return near


def _frame(ink: Mask, box: Rect) -> Mask:
    """The border of a tick box: unbroken lines along all four edges of a small square word."""
    frame = np.zeros(ink.shape, np.bool_)
    width, height = box[2] - box[0], box[3] - box[1]
    if not (min(width, height) >= 8 and max(width, height) <= 30 and 0.7 <= width / height <= 1.4):
        return frame
    left, right = _edges(ink[box[1] + 2 : box[3] - 2], box[0], box[2])
    top, bottom = _edges(ink[:, box[0] + 2 : box[2] - 2].T, box[1], box[3])
    if min(len(left), len(right), len(top), len(bottom)):
        frame[np.concatenate([top, bottom]), left.min() : right.max() + 1] = True
        frame[top.min() : bottom.max() + 1, np.concatenate([left, right])] = True
    return frame


def _edges(ink: Mask, first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns near ``first`` and near ``last`` that are ink from top to bottom."""
    full = np.flatnonzero(ink.mean(axis=0) >= _UNBROKEN_EDGE)
    return full[(abs(full - first) <= 3)], full[abs(full - last + 1) <= 3]


def _band(rules: Sequence[_Rule], shape: tuple[int, ...]) -> Mask:
    """The pixels of the rules, their blurred edges included."""
    band = np.zeros(shape, np.bool_)
    for rule in rules:
        for offset in range(-rule.half, rule.half + 1):
            band[rule.rows(offset, shape[0]), rule.columns] = True
    return band


def _mend(pixels: Image, rules: Sequence[_Rule], darkness: NDArray[np.int16], letters: Mask, mine: Mask) -> None:
    """Redraw the rules where the answer touched them, each from its nearest column that no letter touches."""
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


def _touches(rule: _Rule, letters: Mask, side: int) -> Mask:
    """Where letters touch a rule, or nearly, from above (-1) or below (1), column by column."""
    rows = [rule.rows(side * (rule.half + step), len(letters)) for step in (1, 2)]
    hit = np.any([letters[r, rule.columns] for r in rows], axis=0)
    wide: Mask = np.convolve(hit, np.ones(7), mode="same") > 0
    return wide


# -- Paper ---------------------------------------------------------------------------------------------------------


def _filled(pixels: Image, hole: Mask, paper: Mask) -> Image:
    """``pixels`` with the hole filled, row by row, from the paper to its left and right, grain included."""
    filled = pixels.copy()
    rows, columns = np.nonzero(hole)
    if not len(rows):
        return filled
    smooth = _smoothed(pixels, paper)
    left, right = _nearest_paper(paper, rows, columns)
    share = np.where(left < 0, 1.0, np.where(right < 0, 0.0, (columns - left) / np.maximum(right - left, 1)))[:, None]
    blend = smooth[rows, left] * (1 - share) + smooth[rows, right] * share
    blank = (left < 0) & (right < 0)
    blend[blank] = np.median(pixels[paper], axis=0) if paper.any() else 255
    # The grain of paper that lies as far beyond the edge as the pixel lies inside of it.
    mirror = np.where(share[:, 0] < 0.5, 2 * left - columns, 2 * right - columns).clip(0, pixels.shape[1] - 1)
    grain = np.where(paper[rows, mirror][:, None], pixels[rows, mirror] - smooth[rows, mirror], 0)
    filled[rows, columns] = np.round(blend + grain).clip(0, 255)
    return filled


def _smoothed(pixels: Image, paper: Mask) -> NDArray[np.float32]:
    """For each pixel the mean of the paper beside it in its row."""
    known = paper.astype(np.float32)[:, :, None]
    beside = ((0, 0), (_SMOOTH + 1, _SMOOTH), (0, 0))
    sums = [np.cumsum(np.pad(part, beside), axis=1) for part in (pixels * known, known)]
    total, count = (part[:, 2 * _SMOOTH + 1 :] - part[:, : -2 * _SMOOTH - 1] for part in sums)
    mean: NDArray[np.float32] = total / np.maximum(count, 1)
    return mean


def _nearest_paper(
    paper: Mask, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns of the paper to the left and right of each pixel in its row; -1 where there is none."""
    places = np.where(paper, np.arange(paper.shape[1]), -1)
    left = np.maximum.accumulate(places, axis=1)
    flipped = np.where(paper, np.arange(paper.shape[1])[::-1], -1)[:, ::-1]
    back = np.maximum.accumulate(flipped, axis=1)[:, ::-1]
    right = np.where(back < 0, -1, paper.shape[1] - 1 - back)
    return left[rows, columns], right[rows, columns]
