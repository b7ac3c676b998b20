"""Statistics: the mean of a figure and how sure one can be of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .episodes import Episode

_RESAMPLES = 2_000


def mean_with_interval(values: Sequence[float]) -> dict[str, Any]:
    """``{"mean": m, "ci95": [low, high]}``: the mean and its 95 % bootstrap interval (percentile, fixed seed).

    ``ci95`` is ``None`` for fewer than two values.
    """
    data = np.asarray(values, np.float64)
    if len(data) < 2:
        return {"mean": float(data.mean()) if len(data) else None, "ci95": None}
    rng = np.random.default_rng(0)
    means = [data[rng.integers(len(data), size=len(data))].mean() for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return {"mean": float(data.mean()), "ci95": [float(low), float(high)]}


def scores_of(episodes: Sequence[Episode]) -> dict[str, dict[str, Any]]:
    """Each figure's mean and interval over the episodes that were scored."""
    scored = [episode.figures for episode in episodes if episode.figures is not None]
    names = list(scored[0]) if scored else []
    return {name: mean_with_interval([figures[name] for figures in scored]) for name in names}
