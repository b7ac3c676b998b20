"""Erase an answer from a scanned page: remove its ink, restore paper and rules."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, area, expand, intersection, shift, union
from ...core.painting import Image, Patch
from ..scans.degradation import long_runs
from .rules import CONTRAST, MIN_RULE, Mask, band_of, frame_of, grouped, mend, rules_of

_NEARBY = 12
"""The distance in pixels within which paper has one shade."""
_SHIFTS = np.array(
    [(down, right) for down in range(-30, 31, 3) for right in range(-60, 61, 4) if (down, right) != (0, 0)]
)
"""How far, down and to the right, the paper may be that an answer is covered with."""
_SAMPLE = 300
_MIN_BORDER = 40
"""The length in pixels of lines on shaded paper."""


def filled_in(pixels: Image, hole: Mask, paper: Mask) -> Image:
    """``pixels`` with the hole filled with pieces of paper from beside it, in the shade of the place."""
    filled = pixels.copy()
    shade = _shade(pixels, paper)
    size = np.array(hole.shape) - 1
    left = np.argwhere(hole)
    filled[hole] = np.round(shade[hole])
    while len(left):
        some = left[:: 1 + len(left) // _SAMPLE]
        y, x = np.moveaxis((some + _SHIFTS[:, None]).clip(0, size), 2, 0)
        covered = paper[y, x].mean(axis=1)
        if not covered.any():
            break
        best = _SHIFTS[np.argmax(covered / (100 + np.abs(_SHIFTS).sum(axis=1)))]
        y, x = (left + best).clip(0, size).T
        there = paper[y, x]
        rows, columns = left[there].T
        grain = pixels[y[there], x[there]] - shade[y[there], x[there]]
        filled[rows, columns] = np.round(shade[rows, columns] + grain).clip(0, 255)
        left = left[~there]
    return filled


def _shade(pixels: Image, paper: Mask) -> NDArray[np.float32]:
    """For each pixel the mean of the paper nearby, or of all paper; white if there is none."""
    known = paper.astype(np.float32)[:, :, None]
    total, count = pixels * known, known
    size = 2 * _NEARBY + 1
    for axis in (0, 1):
        around = [(_NEARBY + 1, _NEARBY) if each == axis else (0, 0) for each in range(3)]
        sums = [np.cumsum(np.pad(part, around), axis=axis) for part in (total, count)]
        total, count = (
            np.moveaxis(np.moveaxis(s, axis, 0)[size:] - np.moveaxis(s, axis, 0)[:-size], 0, axis) for s in sums
        )
    usual = pixels[paper].mean(axis=0) if paper.any() else np.full(3, 255.0)
    shade: NDArray[np.float32] = np.where(count > 0.5, total / np.maximum(count, 1), usual).astype(np.float32)
    return shade


_MARGIN = 40
"""The margin in pixels around an answer in which its rules and its paper are searched."""
_MAX_REACH = 24
"""The distance in pixels over which connected ink is followed."""
_MAX_GAP = 5
"""The widest gap between words of a line, in heights of the line."""
_MAX_BAND = 8
"""How many rows a stroke may be hidden by a rule that it crosses."""
_MAJORITY = 2
"""A letter belongs to the answer with so many times more of its ink in the answer's boxes than in others."""
_MAX_SHADED = 0.9
"""Where more than this share of a place is near to ink, it is shaded, and its ink is not distinct from the answer's."""
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
    others = [box for box in others if intersection(box, window)]
    pixels = page[window[1] : window[3], window[0] : window[2]]
    darkness = _darkness(pixels)
    ink = darkness > CONTRAST
    inside = _mask([region], window)
    own, words = _mask(boxes, window), _mask(others, window)
    lines = _dilated((long_runs(ink, _MIN_BORDER) | long_runs(ink.T, _MIN_BORDER).T) & ~own, 2)
    left, top, right, bottom = union(boxes)
    within, around = (_mask([(left - by, top, right + by, bottom)], window) & ~lines for by in (0, 6))
    if min(_dilated(ink)[place].mean() for place in (within, around & ~within) if place.any()) > _MAX_SHADED:
        hole = _dilated(own, 3) & inside & ~words & ~lines
        filled = filled_in(pixels, hole, ~(hole | words | lines | _dilated(~_dilated(ink, 2), 3)))
    else:
        filled = _cleaned(pixels, darkness, boxes, others, region, window)
    left, top, right, bottom = _relative(region, window)
    return Patch(np.ascontiguousarray(filled[top:bottom, left:right]), region[0], region[1])


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
    words = _mask([*map(_around, _with_gaps(boxes, others)), *others], window)
    underlined = [answer, *(_relative(box, window) for box in boxes if box[2] - box[0] > MIN_RULE)]
    across = rules_of(darkness, underlined, (top, bottom), 1.2 * tallest, words=words)
    down = rules_of(darkness.T, [_transposed(answer)], (left, right), 1.1 * tallest, 2.2 * tallest)
    rows, columns = band_of(across, ink.shape), band_of(down, ink.T.shape).T
    band = rows | columns
    if len(boxes) == 1:
        band |= frame_of(ink, answer)
    letters = ink & ~band
    mine = _claimed(letters, band, boxes, others, window) & inside
    hole = _dilated(mine, 2) & ~(letters & ~mine) & ~band & inside
    filled = filled_in(pixels, hole, ~_dilated(ink, 2) & (darkness <= CONTRAST // 2) & ~hole)
    mend(filled, across, darkness, letters, mine, columns)
    mend(filled.transpose(1, 0, 2), down, darkness.T, letters.T, mine.T, rows.T)
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


def _with_gaps(boxes: Sequence[Rect], others: Sequence[Rect]) -> list[Rect]:
    """The boxes and the gaps between words of a line, where commas or words without a box may be."""
    gaps = [
        (a[2], max(a[1], b[1]), b[0], max(a[3], b[3]) + 2)
        for a, b in pairwise(boxes)
        if 0 < b[0] - a[2] <= _MAX_GAP * (a[3] - a[1]) and min(a[3], b[3]) - max(a[1], b[1]) > (a[3] - a[1]) / 2
    ]
    return [*boxes, *(gap for gap in gaps if not any(intersection(gap, _trimmed(other)) for other in others))]


def _trimmed(box: Rect) -> Rect:
    """A box without its upper and lower edge, where ink may be of other lines."""
    edge = min((box[3] - box[1]) // 4, 4)
    return box[0], box[1] + edge, box[2], box[3] - edge


def _around(box: Rect) -> Rect:
    return box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2


def _beside(box: Rect) -> Rect:
    """Where hyphens and dots are beside a word."""
    third = (box[3] - box[1]) // 3
    return box[0] - 5, box[1] + third, box[2] + 5, box[3] - third


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


def _claimed(letters: Mask, band: Mask, boxes: Sequence[Rect], others: Sequence[Rect], window: Rect) -> Mask:
    """The ink of the answer: letters mostly in its boxes, and of larger strokes what is nearest to them."""
    largest = max(box[3] - box[1] for box in boxes) ** 2 / 2
    boxes = _with_gaps(boxes, others)
    own, foreign = (_areas(list(map(_trimmed, each)), window) for each in (boxes, others))
    mine, theirs = letters & (own * _AMBIGUOUS < foreign), letters & (foreign * _AMBIGUOUS < own)
    near = [letters & _mask([*map(_around, each), *map(_beside, each)], window) for each in (boxes, others)]
    letter = _connected(letters)
    number = int(letter.max()) + 1
    size, ours, other, *edges = (np.bincount(letter[each], minlength=number) for each in (letters, mine, theirs, *near))
    stroke, framed = _across(letter, band)
    crossing = np.bincount(stroke, ours, number) > _MAJORITY * np.bincount(stroke, other, number)
    stray = (ours == 0) & (other == 0)
    close = (edges[0] > edges[1]) & (2 * edges[0] > size)
    small = size < largest
    is_mine = small & ((ours > _MAJORITY * other) | stray & close & ~framed) | stray & ~framed & crossing[stroke]
    is_theirs = small & ~is_mine & ((other > _MAJORITY * ours) | stray)
    all_mine, all_theirs = letters & is_mine[letter], letters & is_theirs[letter]
    claimed: Mask = mine & ~all_theirs | all_mine
    theirs = theirs & ~all_mine | all_theirs
    _grow_in_turns(claimed, theirs, letters & ~claimed & ~theirs, _MAX_REACH)
    return claimed


def _across(letter: NDArray[np.int64], band: Mask) -> tuple[NDArray[np.int64], Mask]:
    """For each letter the first of those that go on beyond a rule, and whether it is between two rules."""
    pairs, number = [], int(letter.max()) + 1
    for step in range(2, _MAX_BAND):
        both = (letter[:-step] > 0) & (letter[step:] > 0) & band[1 : 1 + len(band) - step] & band[step - 1 : -1]
        pairs.append((letter[:-step][both], letter[step:][both]))
    one, other = (np.concatenate(each) for each in zip(*pairs, strict=True))
    ends = [np.bincount(letter[np.roll(band, way, axis=0)], minlength=number) > 0 for way in (1, -1)]
    return grouped(number, one, other), ends[0] & ends[1]


def _connected(mask: Mask) -> NDArray[np.int64]:
    """For each pixel of a mask, a number that those share that are connected; 0 elsewhere."""
    wide = np.pad(mask, 1)
    run = (wide[1:-1] & ~np.roll(wide, 1, axis=1)[1:-1]).cumsum().reshape(len(mask), -1)[:, 1:-1] * mask
    above = np.pad(run, 1)[:-2]
    pairs = [
        (run[both], upper[both])
        for upper in (above[:, :-2], above[:, 1:-1], above[:, 2:])
        for both in [mask & (upper > 0)]
    ]
    one, other = (np.concatenate(each) for each in zip(*pairs, strict=True))
    labels: NDArray[np.int64] = grouped(int(run.max()) + 1, one, other)[run]
    return labels


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
