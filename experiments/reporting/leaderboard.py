"""Leaderboards: agents ranked in a suite, compared with the best, and their costs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hydra.utils import get_class

from ...envs.core.metrics import title
from ..running.intervals import combined_mean
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, cells_of, format_interval, mean_cell
from .comparisons import headline_difference
from .plots import Panel, Point, Series
from .run_tables import agent_names

Usage = Mapping[str, float]
"""What the episodes of a run used in all: amounts by name."""
_TOKENS: tuple[str, ...] = ("input_tokens", "output_tokens")
_AMOUNTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("$ an episode", ("cost",), ".4f"),
    ("tokens an episode", _TOKENS, ",.0f"),
)
"""What may be in columns: title, the amounts that it sums, and its format."""


@dataclass
class Entry:
    """An agent in a suite.

    Attributes:
        agent: its name, with the flow and wrappers where these differ.
        by_env: its runs by environment.
        usage: the totals of all episodes.
    """

    agent: str
    by_env: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    usage: Counter[str] = field(default_factory=Counter)

    @property
    def runs(self) -> Iterator[Run]:
        """Its runs, one environment after the other."""
        return (run for runs in self.by_env.values() for run in runs)

    @cached_property
    def n_episodes(self) -> int:
        """The episodes of all runs."""
        return sum(run.summary["episodes"] for run in self.runs)

    @cached_property
    def score(self) -> dict[str, Any] | None:
        """The mean of the most important metric over environments, and its interval."""
        headlines = [run.headline[1] for run in self.runs if run.headline]
        return combined_mean(headlines) if headlines else None

    @cached_property
    def is_privileged(self) -> bool:
        """Whether the agent is given the answers, so that it bounds what others can reach."""
        return any(_is_privileged(run) for run in self.runs)

    def per_episode(self, *names: str) -> float:
        """What an episode used of some amounts together."""
        return sum(self.usage[name] for name in names) / max(self.n_episodes, 1)


@dataclass(frozen=True)
class Leaderboard:
    """The agents of a suite, and the plot of their costs, if any has some."""

    table: Table
    legend: list[tuple[int, str]]
    plot: Panel | None


def leaderboards(runs: Sequence[Run], usages: Sequence[Usage]) -> list[Leaderboard]:
    """A leaderboard for each suite in which there are several agents.

    Args:
        runs: of the agents.
        usages: of the runs.
    """
    suites: dict[str, dict[str, Entry]] = defaultdict(dict)
    for run, agent, usage in zip(runs, agent_names(runs), usages, strict=True):
        entry = suites[run.suite].setdefault(agent, Entry(agent))
        entry.by_env[run.env_title].append(run)
        entry.usage.update(usage)
    return [_leaderboard(suite, list(entries.values())) for suite, entries in suites.items() if len(entries) > 1]


def _leaderboard(suite: str, entries: Sequence[Entry]) -> Leaderboard:
    n_envs = len({env for entry in entries for env in entry.by_env})
    # The best first; those without a rank after all others.
    ranked = sorted(
        entries,
        key=lambda e: (e.is_privileged, len(e.by_env) < n_envs, -(e.score["mean"] if e.score else -math.inf)),
    )
    amounts = [amount for amount in _AMOUNTS if any(entry.per_episode(*amount[1]) for entry in entries)]
    titles = ("rank", "agent", "mean", "difference to the best", "environments", "episodes", *(a[0] for a in amounts))
    rivals = [entry for entry in ranked if not entry.is_privileged]
    best = next((entry for entry in rivals if entry.score), None)
    means = [entry.score["mean"] for entry in rivals if entry.score and len(entry.by_env) == n_envs]
    rows = []
    for entry in ranked:
        # Ties share a rank.
        is_ranked = entry.score and not entry.is_privileged and len(entry.by_env) == n_envs
        rank = 1 + sum(mean > entry.score["mean"] for mean in means) if is_ranked and entry.score else EMPTY
        used = [(entry.per_episode(*names), form) for _, names, form in amounts]
        cells = (
            rank,
            Cell(entry.agent, _why_unranked(entry, n_envs), "agent"),
            mean_cell(entry.score, full=1.0),
            _difference_cell(entry, best),
            f"{len(entry.by_env)} of {n_envs}",
            _episodes_cell(entry),
            *(format(amount, form) if amount else EMPTY for amount, form in used),
        )
        rows.append(Row(cells_of(cells)))
    metrics = dict.fromkeys(title(run.headline[0]) for entry in entries for run in entry.runs if run.headline)
    columns = tuple(Column(name, is_text=name == "agent") for name in titles)
    table = Table(f"{suite}: {', '.join(metrics)}", columns, rows, "scores leaders")
    return Leaderboard(table, *_plot(suite, [entry for entry in ranked if entry.score]))


def _is_privileged(run: Run) -> bool:
    """Whether the run is of an agent of ours that asks for the solution."""
    # Agents of others are not imported: that would run code of whoever made the run.
    with suppress(ValueError, ImportError):
        target = str(run.spec.agent.get("_target_") if run.spec else None)
        return target.startswith("formgym.") and bool(getattr(get_class(target), "privileged", False))
    return False


def _why_unranked(entry: Entry, n_envs: int) -> tuple[str, ...]:
    """Why an agent has no rank, as notes on its name."""
    if entry.is_privileged:
        return ("is given the answers",)
    missing = n_envs - len(entry.by_env)
    return (f"no rank: {missing} of {n_envs} environments are missing",) if missing else ()


def _episodes_cell(entry: Entry) -> Cell:
    failures = {"unscored": "unscored", "crashed": "crashes"}
    counts = {reason: sum(run.summary[key] for run in entry.runs) for reason, key in failures.items()}
    notes = tuple(f"{count} {reason}" for reason, count in counts.items() if count)
    return Cell(str(entry.n_episodes), notes, "bad" if notes else "")


def _difference_cell(entry: Entry, best: Entry | None) -> Cell:
    """The mean paired difference over the environments of both."""
    if best is None or entry is best:
        return EMPTY
    pairs = [(runs[0], best.by_env[env][0]) for env, runs in entry.by_env.items() if env in best.by_env]
    differences = [difference for pair in pairs if (difference := headline_difference(*pair)) is not None]
    if not differences:
        return EMPTY
    score = combined_mean(differences)
    return Cell(f"{score['mean']:+.3f}", (format_interval(score["ci95"]),), "figure")


def _plot(suite: str, entries: Sequence[Entry]) -> tuple[list[tuple[int, str]], Panel | None]:
    """The legend and plot of means by cost, or by tokens where a price is unknown."""
    paying = [entry for entry in entries if entry.per_episode("cost", *_TOKENS)]
    is_priced = all(entry.usage["cost"] for entry in paying)
    names = ("cost",) if is_priced else _TOKENS
    what, unit, form = ("cost", "US dollars", "${:g}") if is_priced else ("tokens", "tokens", "{:,g}")
    drawn = [(entry, x) for entry in paying if entry.score and (x := entry.per_episode(*names))]
    if not drawn:
        return [], None
    series = [Series([Point.of(x, entry.score)]) for entry, x in drawn if entry.score]
    panel = Panel(f"{suite}: mean by {what}", f"{unit} an episode (log scale)", series, form)
    return list(enumerate(entry.agent for entry, _ in drawn)), panel
