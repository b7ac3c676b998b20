"""Windows about labels as arrays: observations, origins, cells and points.

A window is ``ROWS`` by ``COLUMNS`` cells of ``CELL`` pixels about a label. Boxes and points are in pixels of the scaled
page, on which letters are 7 pixels high (``network.inputs``); pictures show it at half that size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]

ROWS, COLUMNS = 20, 36
CELLS = ROWS * COLUMNS
CELL = (4, 8)
"""Height and width of a cell."""
SIZE = (ROWS * CELL[0], COLUMNS * CELL[1])
"""Height and width of a window."""
HALF = 2
"""How many pixels of the scaled page, across and down, are one of a picture."""
CHANNELS, PLANES = 4, 8
_ANCHOR = (6 * CELL[0], 12 * CELL[1])
"""Where in a window the right end of a label's middle line lies, from the top and from the left."""
_LONG_LABEL = 160
"""How much further left the window of a long label begins at most."""
_TICK = 24
"""How far left of a long label its window begins: a tick box may stand there."""
_MARGIN = (16, 48)
"""How near to the lower and right edge of a window a row or a column must not be."""
_JITTER = (8, 24)
"""How far down and across a window is moved at most in training."""
_NEAR = (24.0, 64.0)
"""The distances down and across at which the planes of distance are at 0.88 of their range."""
_Y = (np.arange(ROWS) + 0.5) * CELL[0]
_X = (np.arange(COLUMNS) + 0.5) * CELL[1]


def origins_of(labels: Floats, others: Floats) -> Ints:
    """The top and left of the window of each label, even numbers: (n, 2).

    A window is about its label. If the target names the head of a column or of a row too and that is far away, the
    window is moved along to where the two cross.

    Args:
        labels: boxes (n, 4).
        others: boxes of another part of the target (n, 4); NaN where there is none.
    """
    top = (labels[:, 1] + labels[:, 3]) / 2 - _ANCHOR[0]
    left = labels[:, 2] - _ANCHOR[1]
    # The beginning of a long label is worth more than what is far right of it.
    left = np.minimum(left, np.maximum(labels[:, 0] - _TICK, left - _LONG_LABEL))
    x, y = (others[:, 0] + others[:, 2]) / 2, (others[:, 1] + others[:, 3]) / 2
    is_column = (others[:, 3] <= labels[:, 1] + CELL[0]) & (others[:, 0] >= labels[:, 2])
    is_row = (labels[:, 3] <= others[:, 1] + CELL[0]) & (labels[:, 0] >= others[:, 2])
    left = np.where(is_column & (x > left + SIZE[1] - _MARGIN[1]), x - SIZE[1] / 2, left)
    top = np.where(is_row & (y > top + SIZE[0] - _MARGIN[0]), y - SIZE[0] / 2, top)
    return _even(np.stack([top, left], 1))


def jittered(origins: Ints, rng: np.random.Generator) -> Ints:
    """The origins, each moved at random."""
    down, across = _JITTER
    return _even(origins + rng.integers([-down, -across], [down + 1, across + 1], origins.shape))


def observations(
    pictures: Sequence[Bytes], labels: Floats, others: Floats, origins: Ints, sizes: Floats
) -> dict[str, Bytes]:
    """Observations: ``picture`` (n, 4, 40, 144) and ``planes`` (n, 8, 20, 36).

    Args:
        pictures: of the page of each target: uint8 (4, height, width).
        labels: boxes (n, 4).
        others: boxes of another part of each target (n, 4); NaN where there is none.
        origins: of the windows.
        sizes: height and width of the page of each target (n, 2).
    """
    return {
        "picture": _crops(pictures, origins // HALF),
        "planes": _planes(labels, others, origins, sizes),
    }


def windows_about(
    picture: Bytes,
    scale: tuple[float, float],
    labels: Sequence[Box],
    others: Sequence[Box | None],
    rng: np.random.Generator | None = None,
) -> tuple[dict[str, Bytes], Ints]:
    """The observations and the origins of windows about labels of one page.

    Args:
        picture: of the page.
        scale: pixels of the scaled page to a pixel of the page, across and down.
        labels: boxes in pixels of the page.
        others: boxes of another part of each target; ``None`` where there is none.
        rng: moves the windows at random, as in training.
    """
    known = labels, [other or (np.nan,) * 4 for other in others]
    boxes, other_boxes = (np.array(each, float).reshape(-1, 4) * np.tile(scale, 2) for each in known)
    origins = origins_of(boxes, other_boxes)
    if rng is not None:
        origins = jittered(origins, rng)
    sizes = np.tile(np.array(picture.shape[1:], float) * HALF, (len(boxes), 1))
    return observations([picture] * len(boxes), boxes, other_boxes, origins, sizes), origins


def right_cells(boxes: Floats, origins: Ints) -> Flags:
    """The cells whose middles lie in a box, (n, CELLS).

    Of a box that holds the middle of no cell it is the one that the box's middle lies in; none if that is outside.
    """
    shifted = boxes - _shift(origins)
    across = (shifted[:, :1] <= _X) & (shifted[:, 2:3] >= _X)
    down = (shifted[:, 1:2] <= _Y) & (shifted[:, 3:] >= _Y)
    right: Flags = (down[:, :, None] & across[:, None]).reshape(-1, CELLS)
    nearest = cells_at((boxes[:, :2] + boxes[:, 2:]) / 2, origins)
    small = np.flatnonzero(~right.any(1) & (nearest >= 0))
    right[small, nearest[small]] = True
    return right


def points_of(cells: Ints, origins: Ints) -> Floats:
    """The middles of cells: x and y, (n, 2)."""
    rows, columns = np.divmod(cells, COLUMNS)
    return np.stack([origins[:, 1] + _X[columns], origins[:, 0] + _Y[rows]], 1)


def cells_at(points: Floats, origins: Ints) -> Ints:
    """The cells that points lie in, -1 outside of the window: (n,).

    Args:
        points: x and y (n, 2).
        origins: of the windows.
    """
    columns, rows = np.floor((points - origins[:, ::-1]) / CELL[::-1]).astype(np.int64).T
    is_inside = (columns >= 0) & (columns < COLUMNS) & (rows >= 0) & (rows < ROWS)
    return np.where(is_inside, rows * COLUMNS + columns, -1)


def _even(origins: NDArray[Any]) -> Ints:
    even: Ints = np.round(origins / HALF).astype(np.int64) * HALF
    return even


def _shift(origins: Ints) -> Ints:
    """What makes boxes of the page boxes of the windows, (n, 4)."""
    return origins[:, [1, 0, 1, 0]]


def _crops(pictures: Sequence[Bytes], corners: Ints) -> Bytes:
    """The parts of pictures in windows, 0 where they are off the page."""
    height, width = SIZE[0] // HALF, SIZE[1] // HALF
    crops = np.zeros((len(pictures), CHANNELS, height, width), np.uint8)
    for crop, picture, (top, left) in zip(crops, pictures, corners.tolist(), strict=True):
        y, x = max(top, 0), max(left, 0)
        part = picture[:, y : max(top + height, 0), x : max(left + width, 0)]
        crop[:, y - top : y - top + part.shape[1], x - left : x - left + part.shape[2]] = part
    return crops


def _planes(labels: Floats, others: Floats, origins: Ints, sizes: Floats) -> Bytes:
    """What a policy sees besides the page.

    The label; how far right of its ends and below its middle a cell is; the column and the row of another part of the
    target, and whether there is one; what is off the page.
    """
    label, other = labels - _shift(origins), others - _shift(origins)
    has_other = ~np.isnan(other[:, :1])
    other = np.where(has_other, other, 0)
    page = np.concatenate([-origins[:, ::-1], (sizes - origins)[:, ::-1]], 1).astype(np.float64)
    planes = np.zeros((len(label), PLANES, ROWS, COLUMNS), np.uint8)
    planes[:, 0] = _in_bytes(_covered_by(label))
    planes[:, 1] = _in_bytes(_squashed((_X - label[:, 2:3]) / _NEAR[1]))[:, None]
    planes[:, 2] = _in_bytes(_squashed((_X - label[:, :1]) / _NEAR[1]))[:, None]
    planes[:, 3] = _in_bytes(_squashed((_Y - (label[:, 1:2] + label[:, 3:]) / 2) / _NEAR[0]))[:, :, None]
    planes[:, 4] = _in_bytes(_columns_covered(other) * has_other)[:, None]
    planes[:, 5] = _in_bytes(_rows_covered(other) * has_other)[:, :, None]
    planes[:, 6] = _in_bytes(has_other)[:, :, None]
    planes[:, 7] = _in_bytes(1 - _covered_by(page))
    return planes


def _in_bytes(shares: NDArray[Any]) -> Bytes:
    """Numbers from 0 to 1 as bytes."""
    return np.asarray(shares * 255).astype(np.uint8)


def _squashed(distances: Floats) -> Floats:
    """Distances as numbers from 0 to 1; 0 becomes 0.5."""
    return np.asarray(np.tanh(distances) / 2 + 0.5)


def _covered_by(boxes: Floats) -> Floats:
    """How much of each cell a box covers, from 0 to 1."""
    return _rows_covered(boxes)[:, :, None] * _columns_covered(boxes)[:, None]


def _rows_covered(boxes: Floats) -> Floats:
    return _covered(boxes[:, 1], boxes[:, 3], ROWS, CELL[0])


def _columns_covered(boxes: Floats) -> Floats:
    return _covered(boxes[:, 0], boxes[:, 2], COLUMNS, CELL[1])


def _covered(starts: Floats, ends: Floats, cells: int, size: int) -> Floats:
    """How much of each cell in a line lies between two places, (n, cells)."""
    at = np.arange(cells) * size
    length = np.minimum(at + size, ends[:, None]) - np.maximum(at, starts[:, None])
    return np.asarray(np.clip(length, 0, size) / size)
