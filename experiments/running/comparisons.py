"""Paired comparisons: differences of two agents on the same tasks."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..terminal.metrics import SHARES, headline_of
from .episodes import Episode
from .intervals import clusters_of, mean_with_interval
from .run_folder import Run

_MAX_RUNS = 6
"""The most runs on one environment that are all compared; further ones only with the best."""


@dataclass(frozen=True)
class McNemar:
    """McNemar's exact test of two agents that succeed or fail on the same tasks.

    Attributes:
        only_first: how many tasks the first alone gets right.
        only_second: how many the second alone gets right.
        p: the two-sided p value, not corrected for several comparisons.
    """

    only_first: int
    only_second: int
    p: float


@dataclass(frozen=True)
class Difference:
    """The mean difference, first minus second, with its 95 % interval by clusters.

    ``mcnemar`` is there where every value of both is 0 or 1.
    """

    mean: float
    ci95: list[float] | None
    mcnemar: McNemar | None


@dataclass(frozen=True)
class Comparison:
    """Two runs on the episodes that both have played and scored.

    Attributes:
        env: the environment with its settings.
        first: the agent, its flow and wrappers.
        second: the same of the other one.
        episodes: how many both have.
        metrics: the differences by metric, the most important first.
    """

    env: str
    first: str
    second: str
    episodes: int
    metrics: dict[str, Difference]


def compare_runs(runs: Sequence[Run]) -> list[Comparison]:
    """The comparisons of runs that share an environment, its settings and some tasks."""
    by_env: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_env[run.env_title].append(run)
    found = (_compare(env, *pair) for env, alike in by_env.items() for pair in _pairs(alike))
    return [comparison for comparison in found if comparison.metrics]


def sweep_summary(runs: Sequence[Run], comparisons: Sequence[Comparison], folder: Path) -> dict[str, Any]:
    """The ``summary.json`` of a sweep: the runs' summaries and their comparisons."""
    return {
        "runs": [{"folder": os.path.relpath(run.folder, folder), **run.summary} for run in runs],
        "comparisons": [asdict(comparison) for comparison in comparisons],
    }


def exact_mcnemar(only_first: int, only_second: int) -> McNemar:
    """McNemar's test by the binomial distribution of the differing tasks."""
    n = only_first + only_second
    tail = sum(math.comb(n, k) for k in range(min(only_first, only_second) + 1))
    return McNemar(only_first, only_second, min(1.0, 2 * tail / 2**n))


def _pairs(runs: Sequence[Run]) -> Iterable[tuple[Run, Run]]:
    if len(runs) <= _MAX_RUNS:
        return combinations(runs, 2)
    best = max(runs, key=_headline_mean)
    return ((best, run) for run in runs if run is not best)


def _headline_mean(run: Run) -> float:
    scores = run.summary["scores"]
    return scores[headline_of(scores)]["mean"] if scores else -math.inf


def _compare(env: str, first: Run, second: Run) -> Comparison:
    pairs = _same_tasks(first, second)
    differences = {name: difference for name in SHARES if (difference := _difference(name, pairs)) is not None}
    titles = first.title, second.title
    if titles[0] == titles[1]:
        titles = f"{titles[0]}, seed {first.summary['seed']}", f"{titles[1]}, seed {second.summary['seed']}"
    return Comparison(env, *titles, episodes=len(pairs), metrics=differences)


def headline_difference(first: Run, second: Run) -> Difference | None:
    """The difference of two runs' most important metric on the tasks of both, if any."""
    scores = second.summary["scores"]
    return _difference(headline_of(scores), _same_tasks(first, second)) if scores else None


def _same_tasks(first: Run, second: Run) -> list[tuple[Episode, Episode]]:
    """The episodes of the tasks that both have played and scored."""
    others = dict(_played(second.episodes))
    return [(episode, others[key]) for key, episode in _played(first.episodes) if key in others]


def _played(episodes: Iterable[Episode]) -> Iterator[tuple[tuple[str, int], Episode]]:
    """The scored episodes by their task and how many times it was played before."""
    times = Counter[str]()
    for episode in episodes:
        times[episode.task] += 1
        if episode.metrics is not None:
            yield (episode.task, times[episode.task]), episode.without_rounds()


def _difference(name: str, pairs: Sequence[tuple[Episode, Episode]]) -> Difference | None:
    both = [(one, other) for one, other in pairs if name in (one.metrics or {}) and name in (other.metrics or {})]
    if not both:
        return None
    values = np.array([[(episode.metrics or {})[name] for episode in pair] for pair in both])
    score = mean_with_interval(values[:, 0] - values[:, 1], clusters_of([one for one, _ in both]))
    wins = values[:, 0] > values[:, 1], values[:, 0] < values[:, 1]
    is_binary = bool(np.isin(values, (0, 1)).all())
    return Difference(**score, mcnemar=exact_mcnemar(*(int(won.sum()) for won in wins)) if is_binary else None)
