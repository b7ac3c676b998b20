"""Statistics: the mean of a figure and how sure one can be of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .episodes import Episode

_RESAMPLES = 2_000


def mean_with_interval(values: Sequence[float]) -> dict[str, Any]:
    """``{"mean": m, "ci95": [low, high]}``: the mean and its 95 % bootstrap interval (percentile, fixed seed).

    ``ci95`` is ``None`` for fewer than two values.
    """
    data = np.asarray(values, np.float64)
    if len(data) < 2:
        return {"mean": float(data.mean()) if len(data) else None, "ci95": None}
    # In parts: of tens of thousands of episodes, all resamples at once would take a gigabyte.
    means = np.concatenate([data[drawn].mean(axis=1) for drawn in np.array_split(_drawn(len(data)), 20)])
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": float(data.mean()), "ci95": [float(low), float(high)]}


def share_with_interval(parts: Sequence[float], wholes: Sequence[float]) -> dict[str, Any]:
    """``{"mean": m, "ci95": [low, high]}``: the share of all parts in all wholes, and its 95 % bootstrap interval.

    What is drawn anew is the pairs of part and whole, one for each episode: the fields of an episode go together.
    ``mean`` is ``None`` if the wholes sum to 0, ``ci95`` for fewer than two pairs.
    """
    part, whole = np.asarray(parts, np.float64), np.asarray(wholes, np.float64)
    if not whole.sum():
        return {"mean": None, "ci95": None}
    mean = float(part.sum() / whole.sum())
    if len(part) < 2:
        return {"mean": mean, "ci95": None}
    drawn = _drawn(len(part))
    sums = whole[drawn].sum(axis=1)
    shares = part[drawn].sum(axis=1)[sums > 0] / sums[sums > 0]
    low, high = np.percentile(shares, [2.5, 97.5])
    return {"mean": mean, "ci95": [float(low), float(high)]}


@lru_cache(maxsize=4)
def _drawn(n: int) -> NDArray[np.int32]:
    """Which of ``n`` episodes are in each resample: the same for every figure."""
    return np.random.default_rng(0).integers(n, size=(_RESAMPLES, n), dtype=np.int32)


def scores_of(episodes: Sequence[Episode]) -> dict[str, dict[str, Any]]:
    """Each figure's mean and interval over the episodes that were scored and have it."""
    scored = [episode.figures for episode in episodes if episode.figures is not None]
    names = dict.fromkeys(name for figures in scored for name in figures)
    return {name: mean_with_interval([figures[name] for figures in scored if name in figures]) for name in names}
