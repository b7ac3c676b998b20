"""Measure an edit by its pixels, inside and outside the expected change.

Image similarity over a whole page rewards doing nothing, because most of a page does not change; so the metrics are
separated by the expected change, and ``changed_iou`` measures whether the edit changed the right place at all.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ...core.boxes import Rect, iou
from ...core.painting import Image

Map = NDArray[np.float64]
"""A number for each pixel, float64 (height, width)."""

WINDOW = 11
"""The width of SSIM's window."""
_RADIUS = WINDOW // 2
_SIGMA = 1.5
_C1, _C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
_LUMA = np.array([0.299, 0.587, 0.114])
"""BT.601, as in the published SSIM."""
_BLOCK = 32


def changed_box(before: Image, after: Image) -> Rect | None:
    """The smallest rectangle around all pixels that differ; None if none does.

    Args:
        before: uint8 (height, width, 3).
        after: another of the same size.

    Raises:
        ValueError: if their sizes differ.
    """
    _same_size(before, after)
    differs = (before != after).reshape(len(before), -1)
    rows = np.flatnonzero(differs.any(axis=1))
    if not len(rows):
        return None
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero(differs[top:bottom].any(axis=0)) // 3
    return int(columns[0]), top, int(columns[-1]) + 1, bottom


def box_iou(one: Rect | None, other: Rect | None) -> float:
    """Intersection over union of two rectangles; 1 if both are None, 0 if one is."""
    if one is None or other is None:
        return float(one is other)
    return iou(one, other)


def ssim_map(one: Image, other: Image) -> Map:
    """Structural similarity (SSIM) around each pixel, -1 to 1.

    See Wang et al. 2004, section III.B and equation 13. An 11 x 11 Gaussian window of sigma 1.5 over the luma (BT.601,
    not rounded), K1 = .01, K2 = .03. Beyond their edges the pictures are mirrored, so that every pixel has its value;
    the published code leaves out the outermost five.

    Args:
        one: uint8 (height, width, 3).
        other: another of the same size.

    Raises:
        ValueError: if their sizes differ.
    """
    similarity = np.ones(one.shape[:2])
    box = changed_box(one, other)
    if box is None:
        return similarity
    # A window in which the pictures are equal has the value 1 exactly: it need not be computed.
    area = padded(box, _RADIUS, one)
    here = _slices(area)
    similarity[here] = _similarity(_context(one, area), _context(other, area))
    return similarity


def padded(box: Rect, margin: int, picture: Image) -> Rect:
    """A rectangle with a margin, cropped to the picture."""
    left, top, right, bottom = box
    height, width = picture.shape[:2]
    return max(left - margin, 0), max(top - margin, 0), min(right + margin, width), min(bottom + margin, height)


def picture_metrics(before: Image, edited: Image, expected: Image) -> dict[str, float]:
    """Metrics of an edit from its pixels.

    Args:
        before: the page before the edit: uint8 (height, width, 3).
        edited: the page after it.
        expected: the page after the expected edit.

    Returns:
        ``changed_iou``: of the box around what was changed and the box around what should have been; 1 if both are
        empty, 0 if one is. ``ssim_inside`` and ``mae_inside``: how ``edited`` compares with ``expected`` in the box of
        the expected change and five pixels around it, so that no window of SSIM outside sees a pixel that should have
        changed. ``ssim_outside`` and ``mae_outside``: the same beyond it. The metrics of a side that has no pixels
        are left out. All are finite; ``ssim_*`` from -1 to 1, the others from 0 to 1.

    Raises:
        ValueError: if the sizes differ.
    """
    box = changed_box(before, expected)
    metrics = {"changed_iou": box_iou(changed_box(before, edited), box)}
    inside = np.zeros(before.shape[:2], np.bool_)
    if box is not None:
        inside[_slices(padded(box, _RADIUS, before))] = True
    similarity, distance = ssim_map(edited, expected), _distance(edited, expected)
    for side, where in (("inside", inside), ("outside", ~inside)):
        if where.any():
            metrics[f"ssim_{side}"] = float(similarity[where].mean())
            metrics[f"mae_{side}"] = float(distance[where].mean())
    return metrics


def _similarity(one: Map, other: Map) -> Map:
    """SSIM of two pictures' luma without the window's margin, computed in strips."""
    similarity = np.empty((len(one) - 2 * _RADIUS, one.shape[1] - 2 * _RADIUS))
    for top in range(0, len(similarity), _BLOCK):
        rows = slice(top, top + _BLOCK + 2 * _RADIUS)
        similarity[top : top + _BLOCK] = _strip(one[rows], other[rows])
    return similarity


def _strip(one: Map, other: Map) -> Map:
    mean_1, mean_2, of_product, of_squares = _blurred(np.stack((one, other, one * other, one * one + other * other)))
    product, squares = mean_1 * mean_2, mean_1 * mean_1 + mean_2 * mean_2
    covariance, variances = of_product - product, of_squares - squares
    # Doubled by adding, both sides round alike: equal windows have the value 1 to the last bit.
    above: Map = (product + product + _C1) * (covariance + covariance + _C2)
    above /= (squares + _C1) * (variances + _C2)
    return above


def _blurred(maps: Map) -> Map:
    """Maps (n, height, width) blurred by the window, smaller by its margin.

    A map is at most a block high. A small band matrix multiplies blocks of pixels, which is several times as fast as a
    sum over the window's taps.
    """
    n, height, width = maps.shape[0], maps.shape[1] - 2 * _RADIUS, maps.shape[2] - 2 * _RADIUS
    n_blocks = -(-width // _BLOCK)
    room = np.zeros((n, height, n_blocks * _BLOCK + 2 * _RADIUS))
    np.matmul(_BAND[: maps.shape[1], :height].T, maps, out=room[..., : maps.shape[2]])
    blocks = sliding_window_view(room, _BLOCK + 2 * _RADIUS, axis=2)[:, :, ::_BLOCK].swapaxes(1, 2)
    across = (blocks @ _BAND).swapaxes(1, 2)
    return across.reshape(n, height, -1)[..., :width]


def _context(picture: Image, rect: Rect) -> Map:
    """The luma of a rectangle of a picture, with a margin mirrored at the edges."""
    left, top, right, bottom = rect
    known = padded(rect, _RADIUS, picture)
    luma = picture[_slices(known)] @ _LUMA
    rows = (_RADIUS - (top - known[1]), _RADIUS - (known[3] - bottom))
    columns = (_RADIUS - (left - known[0]), _RADIUS - (known[2] - right))
    return np.pad(luma, (rows, columns), mode="symmetric")


def _band() -> Map:
    """The window's weights down the diagonals of a matrix (block and margins, block)."""
    weights = np.exp(-(np.arange(-_RADIUS, _RADIUS + 1) ** 2) / (2 * _SIGMA**2))
    band = np.zeros((_BLOCK + 2 * _RADIUS, _BLOCK))
    for i in range(_BLOCK):
        band[i : i + WINDOW, i] = weights / weights.sum()
    return band


_BAND = _band()


def _distance(one: Image, other: Image) -> Map:
    """The mean difference of the channels at each pixel, 0 to 1."""
    apart = np.maximum(one, other) - np.minimum(one, other)
    total: Map = (apart[..., 0].astype(np.uint16) + apart[..., 1] + apart[..., 2]) / 765.0
    return total


def _same_size(one: Image, other: Image) -> None:
    if one.shape != other.shape:
        raise ValueError(f"pictures of one size are compared; these have {one.shape[:2]} and {other.shape[:2]}")


def _slices(rect: Rect) -> tuple[slice, slice]:
    left, top, right, bottom = rect
    return slice(top, bottom), slice(left, right)
