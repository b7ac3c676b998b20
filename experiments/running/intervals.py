"""Confidence intervals: cluster bootstrap of means, Wilson's of rates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...envs.core.metrics import METRICS, at_worst
from ...envs.registration import index
from .episodes import Episode

Clusters = Mapping[str, NDArray[np.intp]]
"""Factors that episodes share, such as form and user: the level of each episode, shape ``(n,)``, by factor."""

_RESAMPLES = 2_000
_CHUNKS = 20
_Z = 1.959963984540054
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
    return {"mean": mean, "ci95": [mean - low / len(scores), mean + high / len(scores)]}


def _score(name: str, episodes: Sequence[Episode], clusters: Clusters) -> dict[str, Any]:
    values = np.array([(episode.metrics or {})[name] for episode in episodes], np.float64)
    is_count = name in METRICS and METRICS[name].is_count
    if not is_count and len(values) > 1 and np.isin(values, (0, 1)).all():
        return rate_with_interval(values, clusters, len({episode.task for episode in episodes}))
    return mean_with_interval(values, clusters)


def clusters_of(episodes: Sequence[Episode]) -> Clusters:
    """The factors by which episodes are resampled.

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


def mean_with_interval(values: ArrayLike, clusters: Clusters | None = None) -> dict[str, Any]:
    """The mean and its 95 % interval; see ``share_with_interval``."""
    return share_with_interval(values, np.ones(np.shape(values)), clusters)


def share_with_interval(parts: ArrayLike, wholes: ArrayLike, clusters: Clusters | None = None) -> dict[str, Any]:
    """The share of all parts in all wholes, and its 95 % interval.

    The interval is the percentile bootstrap with 2,000 resamples and a fixed seed. Levels of each factor are drawn with
    replacement, crossed factors independently of each other (the pigeonhole bootstrap, Owen 2007).

    Args:
        parts: one for each episode.
        wholes: one for each episode.
        clusters: the factors that episodes share; none: episodes are independent.

    Returns:
        ``{"mean": m, "ci95": [low, high]}``; ``mean`` is ``None`` if the wholes sum to 0, ``ci95`` for fewer than two
        episodes.
    """
    part, whole = np.asarray(parts, np.float64), np.asarray(wholes, np.float64)
    if not whole.sum():
        return {"mean": None, "ci95": None}
    mean = float(part.sum() / whole.sum())
    if len(part) < 2:
        return {"mean": mean, "ci95": None}
    low, high = np.percentile(_resampled(part, whole, clusters or {}), [2.5, 97.5])
    return {"mean": mean, "ci95": [float(low), float(high)]}


def rate_with_interval(outcomes: ArrayLike, clusters: Clusters, n_tasks: int) -> dict[str, Any]:
    """A rate and Wilson's interval for the effective number of trials.

    Args:
        outcomes: 0 or 1 for each episode; two at least.
        clusters: the factors that episodes share.
        n_tasks: how many different tasks there are: the number of trials if all outcomes are equal, which do not
            show how much clusters share.

    Returns:
        ``{"mean": m, "ci95": [low, high]}``.
    """
    values = np.asarray(outcomes, np.float64)
    rate = float(values.mean())
    spread = float(np.var(_resampled(values, np.ones_like(values), clusters)))
    trials = min(rate * (1 - rate) / spread, len(values)) if spread else n_tasks
    return {"mean": rate, "ci95": list(wilson(rate, trials))}


def wilson(share: float, n: float) -> tuple[float, float]:
    """The 95 % score interval of a share of ``n`` trials, within 0 and 1.

    Wilson (1927).
    """
    centre = share + _Z**2 / (2 * n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    low, high = ((centre + sign * half) / (1 + _Z**2 / n) for sign in (-1, 1))
    return (max(low, 0.0) if share else 0.0), (min(high, 1.0) if share < 1 else 1.0)


def _resampled(part: NDArray[np.float64], whole: NDArray[np.float64], clusters: Clusters) -> NDArray[np.float64]:
    """The share in each resample that has any whole."""
    codes = np.stack([*clusters.values()] or [np.arange(len(part))])
    # In chunks: of tens of thousands of episodes, all resamples at once would take a gigabyte.
    chunks = np.array_split(_weights(codes.tobytes(), codes.shape), _CHUNKS)
    sums = np.concatenate([chunk @ np.stack([part, whole], axis=1) for chunk in chunks])
    return np.asarray(sums[sums[:, 1] > 0, 0] / sums[sums[:, 1] > 0, 1])


@lru_cache(maxsize=1)
def _weights(codes: bytes, shape: tuple[int, int]) -> NDArray[np.uint16]:
    """How often each episode is in each resample, shape ``(resamples, episodes)``."""
    rng = np.random.default_rng(0)
    weights = np.ones((_RESAMPLES, shape[1]), np.uint16)
    for levels in np.frombuffer(codes, np.intp).reshape(shape):
        n_levels = int(levels.max()) + 1
        for chunk in np.array_split(weights, _CHUNKS):
            drawn = rng.multinomial(n_levels, np.full(n_levels, 1 / n_levels), size=len(chunk)).astype(np.uint16)
            chunk *= drawn[:, levels]
    return weights
