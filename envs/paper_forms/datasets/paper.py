"""The paper of a scanned page: holes in it filled from beside them, grain included."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.painting import Image
from .rules import Mask

_SMOOTH = 4


def filled_in(pixels: Image, hole: Mask, paper: Mask) -> Image:
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
