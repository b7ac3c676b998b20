"""Confidence intervals by clusters: Student's t with a jackknife of means, Wilson's of rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs.core.metrics import METRICS, at_worst
from ...envs.registration import index
from .episodes import Episode

Clusters = Mapping[str, NDArray[np.intp]]
"""Factors that episodes share, such as form and user: the level of each episode, shape ``(n,)``, by factor."""

_MAX_COUNT = 1e9
_Z = 1.959963984540054
_T = (12.7062, 4.3027, 3.1824)
"""The 97.5 % quantiles of Student's t for one, two and three degrees of freedom."""
_MIN_RARE = 8
"""In how many clusters the rarer outcome must be for their likeness to be estimated."""
FEW_CLUSTERS = 8
"""Below so many clusters tables mark an interval: it is wide, and says little of how much clusters differ."""
_CLUSTER_PARTS = ("form", "user", "case", "page", "document", "name")
"""The parts of a task's id that are drawn from a larger population; numbers of instances and fields are not."""


def counted(episodes: Sequence[Episode]) -> list[Episode]:
    """The episodes of a run that count in its means: those with a score, and crashes with the worst of each metric.

    Left out are those that a provider failed, or a person gave up. See ``at_worst`` for what a crash counts.
    """
    scored = [episode.metrics for episode in episodes if episode.metrics is not None]
    names = dict.fromkeys(name for metrics in scored for name in metrics)
    if not names and episodes:
        names = dict.fromkeys([_headline_of_env(episodes[0].env)])
    worst = {name: at_worst(name, (metrics[name] for metrics in scored if name in metrics)) for name in names}
    return [
        episode.model_copy(update={"metrics": worst}) if episode.crashed else episode
        for episode in episodes
        if episode.crashed or episode.metrics is not None
    ]


def _headline_of_env(env: str) -> str:
    """The most important metric of an environment of which no episode has a score."""
    return "success" if env.startswith("DocEdit/") and "Grounding" not in env else "strict_accuracy"


def scores_of(episodes: Sequence[Episode]) -> dict[str, dict[str, Any]]:
    """Mean and interval of each metric over the episodes that count and have it."""
    some = counted(episodes)
    names = dict.fromkeys(name for episode in some for name in episode.metrics or ())
    # Most metrics are there in the same episodes, which have the same clusters.
    clusters: dict[tuple[int, ...], Clusters] = {}
    scores = {}
    for name in names:
        at = tuple(i for i, episode in enumerate(some) if name in (episode.metrics or ()))
        having = [some[i] for i in at]
        if at not in clusters:
            clusters[at] = clusters_of(having)
        scores[name] = _score(name, having, clusters[at])
    return scores


def combined_mean(scores: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of equally weighted means, with a MOVER interval (Zou, Donner 2008).

    Args:
        scores: of independent samples, each with ``mean`` and ``ci95``; without one of these there is no interval.
    """
    if len(scores) == 1:
        return scores[0]
    mean = sum(score["mean"] for score in scores) / len(scores)
    if any(score["ci95"] is None for score in scores):
        return {"mean": mean, "ci95": None}
    low, high = (math.sqrt(sum((score["mean"] - score["ci95"][side]) ** 2 for score in scores)) for side in (0, 1))
    few = [score["clusters"] for score in scores if "clusters" in score]
    interval = [mean - low / len(scores), mean + high / len(scores)]
    return {"mean": mean, "ci95": interval} | ({"clusters": min(few)} if few else {})


def _score(name: str, episodes: Sequence[Episode], clusters: Clusters) -> dict[str, Any]:
    values = np.array([(episode.metrics or {})[name] for episode in episodes], np.float64)
    is_count = name in METRICS and METRICS[name].is_count
    if not is_count and len(values) > 1 and np.isin(values, (0, 1)).all():
        return rate_with_interval(values, clusters)
    return mean_with_interval(values, clusters, (0, _MAX_COUNT if is_count else 1))


def clusters_of(episodes: Sequence[Episode]) -> Clusters:
    """The factors by which episodes are alike.

    A factor that is the same in all episodes is a given of the environment and left out, and so is one that is nested
    in a coarser one. Where no part of the tasks' ids is left, the task itself is the factor, so that a task that is
    played twice does not count twice.
    """
    labels: dict[str, list[str]] = {part: [] for part in (*_CLUSTER_PARTS, "task")}
    for episode in episodes:
        parts = task_parts(episode)
        for name in _CLUSTER_PARTS:
            labels[name].append(parts.get(name, "").split("#")[0].split("/")[0])
        labels["task"].append(episode.task)
    factors = {name: np.unique(values, return_inverse=True)[1] for name, values in labels.items() if values}
    kept: dict[str, NDArray[np.intp]] = {}
    for name in sorted(factors, key=lambda name: int(factors[name].max())):
        levels = factors[name]
        if levels.max() and not any(_is_nested(levels, coarser) for coarser in kept.values()):
            kept[name] = levels
    return kept


def task_parts(episode: Episode) -> dict[str, str]:
    """The parts of a task's id by name, such as form and user."""
    names = str(index()["environments"].get(episode.env, {}).get("task", "")).split("/")
    values = episode.task.split("/", len(names) - 1)
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else {}


def _is_nested(fine: NDArray[np.intp], coarse: NDArray[np.intp]) -> bool:
    """Whether each level of ``fine`` lies in one level of ``coarse``."""
    return len(np.unique(np.stack([fine, coarse]), axis=1).T) == int(fine.max()) + 1


def mean_with_interval(
    values: ArrayLike, clusters: Clusters | None = None, bounds: tuple[float, float] = (0, 1)
) -> dict[str, Any]:
    """The mean and its 95 % interval; see ``share_with_interval``."""
    return share_with_interval(values, np.ones(np.shape(values)), clusters, bounds)


def share_with_interval(
    parts: ArrayLike, wholes: ArrayLike, clusters: Clusters | None = None, bounds: tuple[float, float] = (0, 1)
) -> dict[str, Any]:
    """The share of all parts in all wholes, and its 95 % interval.

    The interval is that of Student's t with the variance of the jackknife that leaves out one cluster after the other
    (CV3 of MacKinnon, Nielsen and Webb, 2023), and as many degrees of freedom as there are clusters, less one. With
    crossed factors the variances of both are summed, less that of their cells (Cameron, Gelbach and Miller, 2011), and
    the factor with fewer levels gives the degrees of freedom.

    Args:
        parts: one for each episode.
        wholes: one for each episode.
        clusters: the factors that episodes share; none: episodes are independent.
        bounds: of a share; the interval lies within them if all values do.

    Returns:
        ``{"mean": m, "ci95": [low, high]}``; ``mean`` is ``None`` if the wholes sum to 0, ``ci95`` for fewer than two
        episodes. ``clusters`` has the number of clusters where there are fewer than ``FEW_CLUSTERS``.
    """
    part, whole = np.asarray(parts, np.float64), np.asarray(wholes, np.float64)
    if not whole.sum():
        return {"mean": None, "ci95": None}
    mean = float(part.sum() / whole.sum())
    if len(part) < 2:
        return {"mean": mean, "ci95": None}
    factors = _factors(len(part), clusters)
    half = _t(_n_clusters(factors) - 1) * math.sqrt(_variance(part, whole, factors))
    low, high = mean - half, mean + half
    if (part >= bounds[0] * whole).all() and (part <= bounds[1] * whole).all():
        low, high = max(low, bounds[0]), min(high, bounds[1])
    return {"mean": mean, "ci95": [float(low), float(high)]} | _mark(factors)


def rate_with_interval(outcomes: ArrayLike, clusters: Clusters) -> dict[str, Any]:
    """A rate and Wilson's interval for the effective number of trials, with Student's t.

    Where the rarer outcome is in few clusters, these do not show how alike they are: a cluster is one trial at most.

    Args:
        outcomes: 0 or 1 for each episode; two at least.
        clusters: the factors that episodes share.

    Returns:
        As ``share_with_interval``.
    """
    values = np.asarray(outcomes, np.float64)
    rate, factors = float(values.mean()), _factors(len(values), clusters)
    n_clusters, rare = _n_clusters(factors), values == (rate < 0.5)
    variance = _variance(values, np.ones_like(values), factors)
    trials = min(rate * (1 - rate) / variance, len(values)) if variance else len(values)
    if min(len(np.unique(levels[rare])) for levels in factors) < _MIN_RARE:
        trials = min(trials, n_clusters)
    z = _t(n_clusters - 1) if 0 < rate < 1 else _Z
    return {"mean": rate, "ci95": list(wilson(rate, trials, z))} | _mark(factors)


def wilson(share: float, n: float, z: float = _Z) -> tuple[float, float]:
    """The 95 % score interval of a share of ``n`` trials, within 0 and 1.

    Wilson (1927).

    Args:
        share: from 0 to 1.
        n: the number of trials.
        z: the quantile: by default that of the normal distribution.
    """
    centre = share + z**2 / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    low, high = ((centre + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
    return (max(low, 0.0) if share else 0.0), (min(high, 1.0) if share < 1 else 1.0)


def _factors(n: int, clusters: Clusters | None) -> list[NDArray[np.intp]]:
    """The levels of each factor; without factors each episode is a cluster."""
    return list((clusters or {}).values()) or [np.arange(n)]


def _n_clusters(factors: Sequence[NDArray[np.intp]]) -> int:
    """The number of levels of the factor that has the fewest."""
    return min(int(levels.max()) for levels in factors) + 1


def _mark(factors: Sequence[NDArray[np.intp]]) -> dict[str, int]:
    """The number of clusters, if there are few."""
    n = _n_clusters(factors)
    return {"clusters": n} if n < FEW_CLUSTERS else {}


def _variance(part: NDArray[np.float64], whole: NDArray[np.float64], factors: Sequence[NDArray[np.intp]]) -> float:
    """The variance of the share of all parts in all wholes, by one factor or two crossed ones; of more, their sum."""
    variances = [_jackknife(part, whole, levels) for levels in factors]
    if len(factors) != 2:
        return math.fsum(variances)
    cells = factors[0] * (int(factors[1].max()) + 1) + factors[1]
    shared = _jackknife(part, whole, np.unique(cells, return_inverse=True)[1])
    return max(math.fsum(variances) - shared, *variances)


def _jackknife(part: NDArray[np.float64], whole: NDArray[np.float64], levels: NDArray[np.intp]) -> float:
    """The variance of a share by leaving out one cluster after the other."""
    parts, wholes = np.bincount(levels, part), np.bincount(levels, whole)
    left = wholes.sum() - wholes
    shares = (parts.sum() - parts)[left > 0] / left[left > 0]
    n = len(parts)
    return float((n - 1) / n * ((shares - parts.sum() / wholes.sum()) ** 2).sum())


def _t(df: int) -> float:
    """The 97.5 % quantile of Student's t; by Hill's expansion from 4 degrees of freedom on, to three digits."""
    if df <= len(_T):
        return _T[max(df, 1) - 1]
    terms = (
        (_Z**3 + _Z) / 4,
        (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96,
        (3 * _Z**7 + 19 * _Z**5 + 17 * _Z**3 - 15 * _Z) / 384,
    )
    return _Z + math.fsum(term / df**power for power, term in enumerate(terms, start=1))
