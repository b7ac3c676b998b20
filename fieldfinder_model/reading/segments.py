"""Lines and segments: which words stand side by side, and which belong together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...envs.core.locators import Box
from ..examples import Word
from .boxes import around, shared_height, shared_width

_GAP = 1.6
"""From how many heights on a gap parts two segments of a line."""
_LINES_BACK = 12


def rows_of(words: Sequence[Word]) -> list[list[int]]:
    """The indices of words line by line, each from left to right.

    Args:
        words: of a page, in no order.
    """
    rows: list[list[int]] = []
    for i in sorted(range(len(words)), key=lambda i: words[i].box[1] + words[i].box[3]):
        row = _row_for(words, words[i].box, rows[-_LINES_BACK:])
        if row is None:
            rows.append([i])
        else:
            row.append(i)
    return [sorted(row, key=lambda i: words[i].box[0]) for row in rows]


def _row_for(words: Sequence[Word], box: Box, rows: Sequence[list[int]]) -> list[int] | None:
    """The line that a word stands on: that of which the nearest word is level with it."""
    best: tuple[float, list[int]] | None = None
    for row in rows:
        near = words[min(row, key=lambda j: -shared_width(words[j].box, box))].box
        if shared_height(near, box) > 0.5 * min(near[3] - near[1], box[3] - box[1]):
            distance = abs(near[1] + near[3] - box[1] - box[3])
            if best is None or distance < best[0]:
                best = distance, row
    return best[1] if best else None


def segments_of(
    words: Sequence[Word], rows: Sequence[Sequence[int]], uprights: NDArray[np.int32]
) -> list[tuple[int, ...]]:
    """Runs of words of one line with no wide gap and no vertical rule between them.

    Args:
        words: of a page.
        rows: their indices line by line.
        uprights: vertical rules, int32 (n, 4).
    """
    segments: list[tuple[int, ...]] = []
    for row in rows:
        run = [row[0]]
        for one, other in pairwise(row):
            a, b = words[one].box, words[other].box
            height = max(a[3] - a[1], b[3] - b[1], 6.0)
            if b[0] - a[2] > _GAP * height or _ruled(uprights, a, b):
                segments.append(tuple(run))
                run = []
            run.append(other)
        segments.append(tuple(run))
    return segments


def _ruled(uprights: NDArray[np.int32], a: Box, b: Box) -> bool:
    """Whether a vertical rule stands between two words of a line."""
    top, bottom = max(a[1], b[1]), min(a[3], b[3])
    between = (uprights[:, 2] > a[2] - 1) & (uprights[:, 0] < b[0] + 1)
    height = np.minimum(uprights[:, 3], bottom) - np.maximum(uprights[:, 1], top)
    return bool((between & (height > 0.5 * (bottom - top))).any())


def continued(boxes: Sequence[Box], level: NDArray[np.int32]) -> dict[int, int]:
    """For each segment the one that goes on with it in the next line, if there is one.

    Args:
        boxes: of the segments.
        level: horizontal rules, int32 (n, 4): text does not go on across them.
    """
    following = {}
    array = np.array(boxes, np.float64).reshape(-1, 4)
    for i, box in enumerate(boxes):
        below = np.flatnonzero((array[:, 1] > box[1]) & (array[:, 1] - box[3] < 40) & (array[:, 0] < box[2]))
        steps = ((_step(box, boxes[j]), j) for j in map(int, below) if not _barred(level, box, boxes[j]))
        near = [(step, j) for step, j in steps if step is not None]
        if near:
            following[i] = min(near)[1]
    return following


def _step(upper: Box, lower: Box) -> float | None:
    """How far a segment is from the one above it; ``None``: too far to go on with it."""
    height = max(6.0, min(upper[3] - upper[1], lower[3] - lower[1]))
    gap = lower[1] - upper[3]
    narrower = min(upper[2] - upper[0], lower[2] - lower[0])
    if not -0.4 * height < gap < 0.9 * height or shared_width(upper, lower) <= 0.3 * narrower:
        return None
    return abs(gap) + 0.2 * abs(upper[0] - lower[0])


def _barred(level: NDArray[np.int32], upper: Box, lower: Box) -> bool:
    left, right = max(upper[0], lower[0]), min(upper[2], lower[2])
    width = np.minimum(level[:, 2], right) - np.maximum(level[:, 0], left)
    between = (level[:, 1] >= upper[3] - 3) & (level[:, 3] <= lower[1] + 3)
    return bool((between & (width > 0.5 * (right - left))).any())


def envelope(words: Sequence[Word], indices: Sequence[int]) -> Box:
    """The box about some of the words."""
    return around(words[i].box for i in indices)
