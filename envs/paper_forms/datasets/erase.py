"""Erase an answer from a scanned page: remove its ink, restore paper and rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, area, expand, intersection, shift, union
from ...core.painting import Image, Patch
from .rules import CONTRAST, Mask, band_of, frame_of, mend, rules_of

_SMOOTH = 4


def filled_in(pixels: Image, hole: Mask, paper: Mask) -> Image:
    """``pixels`` with the hole filled from the paper beside it, grain included."""
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
    # The grain of the paper, mirrored at the edge of the hole.
    mirror = np.where(share[:, 0] < 0.5, 2 * left - columns, 2 * right - columns).clip(0, pixels.shape[1] - 1)
    grain = np.where(paper[rows, mirror][:, None], pixels[rows, mirror] - smooth[rows, mirror], 0)
    filled[rows, columns] = np.round(blend + grain).clip(0, 255)
    return filled


def _smoothed(pixels: Image, paper: Mask) -> NDArray[np.float32]:
    """For each pixel, the mean of the nearby paper in its row."""
    known = paper.astype(np.float32)[:, :, None]
    beside = ((0, 0), (_SMOOTH + 1, _SMOOTH), (0, 0))
    sums = [np.cumsum(np.pad(part, beside), axis=1) for part in (pixels * known, known)]
    total, count = (part[:, 2 * _SMOOTH + 1 :] - part[:, : -2 * _SMOOTH - 1] for part in sums)
    mean: NDArray[np.float32] = total / np.maximum(count, 1)
    return mean


def _nearest_paper(
    paper: Mask, rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The columns of the next paper left and right of each pixel; -1 if none."""
    places = np.where(paper, np.arange(paper.shape[1]), -1)
    left = np.maximum.accumulate(places, axis=1)
    flipped = np.where(paper, np.arange(paper.shape[1])[::-1], -1)[:, ::-1]
    back = np.maximum.accumulate(flipped, axis=1)[:, ::-1]
    right = np.where(back < 0, -1, paper.shape[1] - 1 - back)
    return left[rows, columns], right[rows, columns]


_MARGIN = 40
"""The margin in pixels around an answer in which its rules and its paper are searched."""
_MAX_REACH = 24
"""The distance in pixels over which connected ink is followed."""
_EDGE_WIDTH = 6
"""The width of the edges of boxes, where ink that is connected to nothing belongs to the nearest box."""
_MIN_DARK, _MIN_SHADED = 0.64, 0.2
"""If more than this share is dark, at an answer and beside it, its ink cannot be separated from the shaded paper."""
_AMBIGUOUS = 1.5
"""Where two boxes overlap, the ink belongs to the one that is smaller by this factor; otherwise ink decides."""


def erased(page: Image, boxes: Sequence[Rect], others: Sequence[Rect]) -> Patch:
    """The part of a page around one answer, without that answer.

    Args:
        page: uint8 (height, width, 3), not changed.
        boxes: of the words of the answer; at least one.
        others: boxes of all other words, whose ink is kept.
    """
    height, width = page.shape[:2]
    region = padded(boxes, (height, width))
    window = expand(region, _MARGIN, (height, width))
    pixels = page[window[1] : window[3], window[0] : window[2]]
    darkness = _darkness(pixels)
    ink = darkness > CONTRAST
    inside = _mask([region], window)
    own = _mask(boxes, window)
    if ink[own].mean() > _MIN_DARK and _shaded(ink, _relative(union(boxes), window)):
        hole = _dilated(own, 2) & inside & ~_mask(others, window)
        filled = filled_in(pixels, hole, ~hole & ~_mask(others, window))
    else:
        filled = _cleaned(pixels, darkness, boxes, others, region, window)
    left, top, right, bottom = _relative(region, window)
    return Patch(np.ascontiguousarray(filled[top:bottom, left:right]), region[0], region[1])


def _shaded(ink: Mask, answer: Rect) -> bool:
    """Whether at least two sides of an answer are shaded.

    A side is shaded if most lines of pixels in it are partly dark; rules darken only a few.
    """
    left, top, right, bottom = answer
    sides = (
        ink[max(top - 5, 0) : top, left:right],
        ink[bottom : bottom + 5, left:right],
        ink[top:bottom, max(left - 5, 0) : left].T,
        ink[top:bottom, right : right + 5].T,
    )
    shaded = sum(side.size > 0 and float(np.median(side.mean(axis=1))) > _MIN_SHADED for side in sides)
    return right - left > 30 and shaded >= 2


def _cleaned(
    pixels: Image,
    darkness: NDArray[np.int16],
    boxes: Sequence[Rect],
    others: Sequence[Rect],
    region: Rect,
    window: Rect,
) -> Image:
    """The window without the answer's ink; only pixels in the region change."""
    left, top, right, bottom = _relative(region, window)
    answer = _relative(union(boxes), window)
    tallest = max(box[3] - box[1] for box in boxes)
    ink, inside = darkness > CONTRAST, _mask([region], window)
    across = rules_of(darkness, answer, (top, bottom), 1.2 * tallest)
    down = rules_of(darkness.T, _transposed(answer), (left, right), 1.1 * tallest, 2.2 * tallest)
    band = band_of(across, ink.shape) | band_of(down, ink.T.shape).T
    if len(boxes) == 1:
        band |= frame_of(ink, answer)
    letters = ink & ~band
    mine = _claimed(letters, boxes, others, window) & inside
    hole = _dilated(mine, 2) & ~(letters & ~mine) & ~band & inside
    filled = filled_in(pixels, hole, ~_dilated(ink, 2) & (darkness <= CONTRAST // 2) & ~hole)
    mend(filled, across, darkness, letters, mine)
    mend(filled.transpose(1, 0, 2), down, darkness.T, letters.T, mine.T)
    return filled


def padded(boxes: Sequence[Rect], size: tuple[int, int]) -> Rect:
    """The rectangle around an answer in which erasing may change pixels.

    Args:
        boxes: of the words of the answer.
        size: height and width of the page.
    """
    tallest = max(bottom - top for _, top, _, bottom in boxes)
    return expand(union(boxes), min(max(tallest, 10), 20), size)


def _relative(rect: Rect, window: Rect) -> Rect:
    """``rect`` in coordinates of ``window``."""
    return shift(rect, -window[0], -window[1])


def _darkness(pixels: Image) -> NDArray[np.int16]:
    """How much darker than the paper each pixel's darkest channel is."""
    gray = pixels.min(axis=2).astype(np.int16)
    darkness: NDArray[np.int16] = np.int16(np.percentile(gray, 80)) - gray
    return darkness


def _areas(boxes: Sequence[Rect], window: Rect) -> NDArray[np.float64]:
    """For each pixel, the area of the smallest box around it; infinite if none."""
    areas = np.full((window[3] - window[1], window[2] - window[0]), np.inf)
    for box in boxes:
        shared = intersection(box, window)
        if shared is not None:
            left, top, right, bottom = _relative(shared, window)
            view = areas[top:bottom, left:right]
            np.minimum(view, area(box), out=view)
    return areas


def _mask(boxes: Sequence[Rect], window: Rect) -> Mask:
    return np.isfinite(_areas(boxes, window))


def _with_gaps(boxes: Sequence[Rect]) -> list[Rect]:
    """The boxes and the gaps between words of a line, where commas may be."""
    gaps = [
        (a[2], max(a[1], b[1]), b[0], max(a[3], b[3]) + 2)
        for a, b in pairwise(boxes)
        if 0 < b[0] - a[2] <= 2 * (a[3] - a[1]) and min(a[3], b[3]) - max(a[1], b[1]) > (a[3] - a[1]) / 2
    ]
    return [*boxes, *gaps]


def _without_line_edges(boxes: Sequence[Rect]) -> list[Rect]:
    """The boxes without upper and lower edges, where ink may be of other lines."""
    return [(b[0], b[1] + min((b[3] - b[1]) // 4, 4), b[2], b[3] - min((b[3] - b[1]) // 4, 4)) for b in boxes]


def _transposed(rect: Rect) -> Rect:
    """``rect`` on the transposed page."""
    return rect[1], rect[0], rect[3], rect[2]


def _dilated(mask: Mask, times: int = 1) -> Mask:
    """``mask`` expanded by one pixel in all eight directions, ``times`` times."""
    for _ in range(times):
        wide = mask.copy()
        wide[:, 1:] |= mask[:, :-1]
        wide[:, :-1] |= mask[:, 1:]
        mask = wide.copy()
        mask[1:] |= wide[:-1]
        mask[:-1] |= wide[1:]
    return mask


def _claimed(letters: Mask, boxes: Sequence[Rect], others: Sequence[Rect], window: Rect) -> Mask:
    """The ink of the answer: in its boxes, connected to it, or nearest to it."""
    boxes = _with_gaps(boxes)
    own, foreign = _areas(_without_line_edges(boxes), window), _areas(_without_line_edges(others), window)
    mine, theirs = letters & (own * _AMBIGUOUS < foreign), letters & (foreign * _AMBIGUOUS < own)
    free = letters & ~mine & ~theirs
    _grow_in_turns(mine, theirs, free, _MAX_REACH)
    near = np.isfinite(own), np.isfinite(foreign)
    _grow_in_turns(*near, _dilated(np.isfinite(_areas(boxes, window)), 2) & ~near[0] & ~near[1], _EDGE_WIDTH)
    return mine | (free & near[0])


def _grow_in_turns(mine: Mask, theirs: Mask, free: Mask, steps: int) -> None:
    """Grow two masks in turns into the free pixels, in place."""
    for _ in range(steps):
        before = int(free.sum())
        for mask in (mine, theirs):
            new = _dilated(mask) & free
            mask |= new
            free &= ~new
        if int(free.sum()) == before:
            return
