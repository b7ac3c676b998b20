"""Rewards of grounding: how well predictions agree with the expected boxes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Reward = Callable[[ArrayLike, ArrayLike], Floats]
"""``reward(predicted, expected)``: boxes (..., 4) of left, top, right and bottom to rewards (...) in [0, 1].

A predicted point is a box without width and height. Units are any, the same in both.
"""

_SPREAD = 0.5
"""Standard deviation of a box's Gaussian as a share of its sides (GUI-G², section "Adaptive variance")."""
_TINY = 1e-9


def hit(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """1 where the middle of the prediction lies in the box, edges included."""
    points, boxes = _centres(predicted), np.asarray(expected, float)
    inside = (points >= boxes[..., :2]) & (points <= boxes[..., 2:])
    return np.asarray(inside.all(-1), float)


def iou(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """The intersection over union of the two boxes."""
    first, second = np.asarray(predicted, float), np.asarray(expected, float)
    sides = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    shared = np.clip(sides, 0, None).prod(-1)
    union = _sides(first).prod(-1) + _sides(second).prod(-1) - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def gaussian_point(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """A Gaussian as wide as the box, at the middle of the prediction (GUI-G²)."""
    spread = np.maximum(_sides(expected) * _SPREAD, _TINY)
    distance = (_centres(predicted) - _centres(expected)) / spread
    return np.asarray(np.exp(-0.5 * (distance**2).sum(-1)))


def gaussian_coverage(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """The overlap of two boxes' Gaussians (Bhattacharyya, GUI-G²); 0 for a point."""
    one, other = (np.maximum(_sides(box) * _SPREAD, _TINY) ** 2 for box in (predicted, expected))
    mean = (one + other) / 2
    distance = ((_centres(predicted) - _centres(expected)) ** 2 / mean).sum(-1) / 8
    shape = 0.5 * (np.log(mean) - 0.5 * (np.log(one) + np.log(other))).sum(-1)
    return np.asarray(np.exp(-distance - shape))


def well_formed(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """1 where the prediction is finite, on a page of size 1 by 1, and not inside out."""
    boxes = np.asarray(predicted, float)
    ordered = (boxes[..., 2:] >= boxes[..., :2]).all(-1)
    return np.asarray(ordered & (np.isfinite(boxes) & (boxes >= 0) & (boxes <= 1)).all(-1), float)


REWARDS: Mapping[str, Reward] = {
    "hit": hit,
    "iou": iou,
    "gaussian_point": gaussian_point,
    "gaussian_coverage": gaussian_coverage,
    "format": well_formed,
}
"""The rewards by name."""
FOR_BOXES = ("iou", "gaussian_coverage")
"""The rewards that are 0 for every point."""


def combined(weights: str | Mapping[str, float]) -> Reward:
    """The weighted mean of rewards; one may be given by its name alone.

    Raises:
        ValueError: if a name is unknown, a weight is negative or all are 0.
    """
    weights = {weights: 1.0} if isinstance(weights, str) else dict(weights)
    if unknown := [name for name in weights if name not in REWARDS]:
        raise ValueError(f"reward must be of {', '.join(REWARDS)}, not {unknown[0]!r}")
    total = sum(weights.values())
    if total <= 0 or min(weights.values()) < 0:
        raise ValueError(f"the weights of rewards must be 0 or more, and one above 0, not {weights}")
    return partial(_mean, {name: weight / total for name, weight in weights.items()})


def _mean(shares: Mapping[str, float], predicted: ArrayLike, expected: ArrayLike) -> Floats:
    return np.asarray(sum(share * REWARDS[name](predicted, expected) for name, share in shares.items()))


def _sides(boxes: ArrayLike) -> Floats:
    corners = np.asarray(boxes, float)
    return np.asarray(corners[..., 2:] - corners[..., :2])


def _centres(boxes: ArrayLike) -> Floats:
    corners = np.asarray(boxes, float)
    return np.asarray((corners[..., :2] + corners[..., 2:]) / 2)
