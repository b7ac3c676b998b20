"""Paired comparisons: differences of two agents, task by task."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...envs.core.metrics import SHARES
from ..running.episodes import Episode
from ..running.intervals import clusters_of, counted, mean_with_interval
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Table, format_number, mean_cell
from .run_tables import metric_table

_MAX_RUNS = 6
"""The most runs on one environment that are all compared; further ones only with the best."""
_MIN_P = 0.001
_ByTask = dict[tuple[str, int], Episode]


@dataclass(frozen=True)
class Comparison:
    """Two runs, task by task.

    Attributes:
        env: the environment with its settings.
        first: the agent, its flow and wrappers.
        second: the same of the other one.
        episodes: how many both have, with a score or crashed.
        missing: how many one of them lacks.
        metrics: the mean differences, first minus second, by metric, the most important first: ``mean`` over the
            episodes that both have; ``ci95``, by clusters, over those that one lacks too, each once at 0 and once at 1,
            of which it has the outer bounds; and ``mcnemar`` where nothing is missing and every value of both is 0 or
            1, see ``exact_mcnemar``.
    """

    env: str
    first: str
    second: str
    episodes: int
    missing: int
    metrics: dict[str, dict[str, Any]]


def compare_runs(runs: Sequence[Run]) -> list[Comparison]:
    """The comparisons of runs that share an environment, its settings and some tasks."""
    by_env: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        by_env[run.env_title].append(run)
    comparisons = (_compare(*pair) for alike in by_env.values() for pair in _pairs(alike))
    return [comparison for comparison in comparisons if comparison.metrics]


def headline_difference(first: Run | None, second: Run) -> dict[str, Any] | None:
    """The difference of two runs' most important metric on the tasks of either, if the second has any.

    Args:
        first: ``None``: an agent that has not played the environment.
        second: minus this one.

    Returns:
        ``mean`` over the tasks of both, ``None`` if there are none; ``at_0`` and ``at_1``, the scores where what the
        first lacks is 0 and what the second lacks is 1, and the reverse.
    """
    if second.headline is None:
        return None
    return _difference(second.headline[0], _by_task(first.episodes if first else ()), _by_task(second.episodes))


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
    tasks = _by_task(first.episodes), _by_task(second.episodes)
    found = {name: _difference(name, *tasks) for name in SHARES}
    differences = {name: _bounded(one) for name, one in found.items() if one is not None and one["mean"] is not None}
    one, other = first.title, second.title
    if one == other:
        one, other = (f"{run.title}, seed {run.summary['seed']}" for run in (first, second))
    scored = [{key for key, episode in some.items() if episode.metrics is not None} for some in tasks]
    n_both, n_all = len(scored[0] & scored[1]), len(tasks[0].keys() | tasks[1].keys())
    return Comparison(first.env_title, one, other, n_both, n_all - n_both, differences)


def _by_task(episodes: Sequence[Episode]) -> _ByTask:
    """The episodes by their task and how many times it was played before, crashes with what they count."""
    light = [episode.without_rounds() for episode in episodes]
    counting = {episode.index: episode for episode in counted(light)}
    times = Counter[str]()
    found = {}
    for episode in light:
        times[episode.task] += 1
        found[episode.task, times[episode.task]] = counting.get(episode.index, episode)
    return found


def _difference(name: str, first: _ByTask, second: _ByTask) -> dict[str, Any] | None:
    """The difference of a metric from 0 to 1; ``None`` if no task has it."""
    pairs = [(first.get(key), second.get(key)) for key in first | second]
    # A metric that an episode with a score has not is no missing value.
    pairs = [pair for pair in pairs if not any(e and e.metrics is not None and name not in e.metrics for e in pair)]
    if not any(_value(name, episode) is not None for pair in pairs for episode in pair):
        return None
    values = np.array([[_value(name, episode) for episode in pair] for pair in pairs], np.float64).T
    clusters = clusters_of([episode for one, other in pairs if (episode := one or other)])
    is_missing = np.isnan(values)
    at_0, at_1 = (
        mean_with_interval(
            np.where(is_missing[0], bound, values[0]) - np.where(is_missing[1], 1 - bound, values[1]), clusters, (-1, 1)
        )
        for bound in ((0, 1) if is_missing.any() else (0,) * 2)
    )
    both = values[:, ~is_missing.any(axis=0)]
    is_binary = not is_missing.any() and np.isin(both, (0, 1)).all()
    return {
        "mean": float((both[0] - both[1]).mean()) if both.size else None,
        "at_0": at_0,
        "at_1": at_1,
        "mcnemar": exact_mcnemar(int((both[0] > both[1]).sum()), int((both[0] < both[1]).sum())) if is_binary else None,
    }


def _value(name: str, episode: Episode | None) -> float | None:
    return None if episode is None or episode.metrics is None else episode.metrics.get(name)


def _bounded(difference: dict[str, Any]) -> dict[str, Any]:
    """A difference with the outer bounds of its intervals."""
    return {
        "mean": difference["mean"],
        "ci95": outer_interval(difference["at_0"], difference["at_1"]),
        "mcnemar": difference["mcnemar"],
        **{name: value for name, value in difference["at_0"].items() if name == "clusters"},
    }


def outer_interval(at_0: dict[str, Any], at_1: dict[str, Any]) -> list[float] | None:
    """The lower bound of the one interval and the upper one of the other; ``None`` if one is missing."""
    return [at_0["ci95"][0], at_1["ci95"][1]] if at_0["ci95"] and at_1["ci95"] else None


def difference_table(comparisons: Sequence[Comparison], names: Sequence[str]) -> Table:
    """The differences between pairs of runs on the same tasks of one environment."""
    columns = Column("first", is_text=True), Column("second", is_text=True), Column("episodes")
    rows = (((row.first, row.second, _episodes_cell(row)), row.metrics) for row in comparisons)
    heading = f"{comparisons[0].env}: differences on the same tasks"
    return metric_table(heading, columns, names, rows, "scores", lambda _, difference: _difference_cell(difference))


def _episodes_cell(comparison: Comparison) -> Cell:
    """How many episodes both have, and how many one lacks."""
    missing = comparison.missing
    return Cell(str(comparison.episodes), (f"{missing} missing",) if missing else (), "bad" if missing else "")


def _difference_cell(difference: dict[str, Any] | None) -> Cell:
    """The mean and interval of a difference, and the p value of McNemar's test."""
    if difference is None:
        return EMPTY
    notes = list(mean_cell(difference).notes)
    if test := difference["mcnemar"]:
        p = f"p = {format_number(test['p'])}" if test["p"] >= _MIN_P else f"p < {_MIN_P}"
        notes.append(f"{test['only_first']} : {test['only_second']}, {p}")
    return Cell(f"{difference['mean']:+.3f}", tuple(notes), "figure")
