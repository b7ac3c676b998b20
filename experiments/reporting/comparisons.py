"""Paired comparisons: differences of two agents on the same tasks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...envs.core.metrics import SHARES
from ..running.episodes import Episode
from ..running.intervals import clusters_of, mean_with_interval
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Table, format_interval, format_number
from .run_tables import metric_table

_MAX_RUNS = 6
"""The most runs on one environment that are all compared; further ones only with the best."""
_MIN_P = 0.001


@dataclass(frozen=True)
class Comparison:
    """Two runs on the episodes that both have played and scored.

    Attributes:
        env: the environment with its settings.
        first: the agent, its flow and wrappers.
        second: the same of the other one.
        episodes: how many both have.
        metrics: the mean differences, first minus second, by metric, the most important first: ``mean`` and ``ci95``,
            by clusters, and ``mcnemar`` where every value of both is 0 or 1; see ``exact_mcnemar``.
    """

    env: str
    first: str
    second: str
    episodes: int
    metrics: dict[str, dict[str, Any]]


def compare_runs(runs: Sequence[Run]) -> list[Comparison]:
    """The comparisons of runs that share an environment, its settings and some tasks."""
    by_env: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_env[run.env_title].append(run)
    comparisons = (_compare(*pair) for alike in by_env.values() for pair in _pairs(alike))
    return [comparison for comparison in comparisons if comparison.metrics]


def headline_difference(first: Run, second: Run) -> dict[str, Any] | None:
    """The difference of two runs' most important metric on the tasks of both, if any."""
    return _difference(second.headline[0], _same_tasks(first, second)) if second.headline else None


def exact_mcnemar(only_first: int, only_second: int) -> dict[str, float]:
    """McNemar's exact test of two agents that succeed or fail on the same tasks.

    Args:
        only_first: how many tasks the first alone gets right.
        only_second: how many the second alone gets right.

    Returns:
        These numbers, and the two-sided ``p`` value, which is not corrected for several comparisons.
    """
    n = only_first + only_second
    tail = sum(math.comb(n, k) for k in range(min(only_first, only_second) + 1))
    return {"only_first": only_first, "only_second": only_second, "p": min(1.0, 2 * tail / 2**n)}


def _pairs(runs: Sequence[Run]) -> Iterable[tuple[Run, Run]]:
    if len(runs) <= _MAX_RUNS:
        return combinations(runs, 2)
    best = max(runs, key=lambda run: run.headline[1]["mean"] if run.headline else -math.inf)
    return ((best, run) for run in runs if run is not best)


def _compare(first: Run, second: Run) -> Comparison:
    pairs = _same_tasks(first, second)
    differences = {name: difference for name in SHARES if (difference := _difference(name, pairs)) is not None}
    one, other = first.title, second.title
    if one == other:
        one, other = (f"{run.title}, seed {run.summary['seed']}" for run in (first, second))
    return Comparison(first.env_title, one, other, len(pairs), differences)


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


def _difference(name: str, pairs: Sequence[tuple[Episode, Episode]]) -> dict[str, Any] | None:
    both = [(one, other) for one, other in pairs if name in (one.metrics or {}) and name in (other.metrics or {})]
    if not both:
        return None
    first, second = np.array([[(episode.metrics or {})[name] for episode in pair] for pair in both]).T
    score = mean_with_interval(first - second, clusters_of([one for one, _ in both]))
    is_binary = np.isin([first, second], (0, 1)).all()
    return score | {
        "mcnemar": exact_mcnemar(int((first > second).sum()), int((first < second).sum())) if is_binary else None
    }


def difference_table(comparisons: Sequence[Comparison], names: Sequence[str]) -> Table:
    """The differences between pairs of runs on the same tasks of one environment."""
    columns = Column("first", is_text=True), Column("second", is_text=True), Column("episodes")
    rows = (((row.first, row.second, row.episodes), row.metrics) for row in comparisons)
    heading = f"{comparisons[0].env}: differences on the same tasks"
    return metric_table(heading, columns, names, rows, "scores", lambda _, difference: _difference_cell(difference))


def _difference_cell(difference: dict[str, Any] | None) -> Cell:
    """The mean and interval of a difference, and the p value of McNemar's test."""
    if difference is None:
        return EMPTY
    notes = [] if difference["ci95"] is None else [format_interval(difference["ci95"])]
    if test := difference["mcnemar"]:
        p = f"p = {format_number(test['p'])}" if test["p"] >= _MIN_P else f"p < {_MIN_P}"
        notes.append(f"{test['only_first']} : {test['only_second']}, {p}")
    return Cell(f"{difference['mean']:+.3f}", tuple(notes), "figure")
