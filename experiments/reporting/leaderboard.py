"""Leaderboards: agents ranked in a suite, compared with the best, and their costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...envs.core.metrics import title
from ..running.conditions import GROUND_TRUTH
from ..running.intervals import combined_mean
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, cells_of, format_interval, mean_cell
from .comparisons import headline_difference, outer_interval
from .plots import Panel, Point, Series

Usage = Mapping[str, float]
"""What the episodes of a run used in all: amounts by name."""
_TOKENS: tuple[str, ...] = ("input_tokens", "output_tokens")
_AMOUNTS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("$ an episode", ("cost",), ".4f"),
    ("tokens an episode", _TOKENS, ",.0f"),
)
"""What may be in columns: title, the amounts that it sums, and its format."""
_MAX_MISSING = 0.02
"""The largest share of what an agent lacks with which it has a rank."""


@dataclass
class Entry:
    """An agent in a suite, under the conditions that are the same in all its runs.

    Attributes:
        agent: its name.
        conditions: flow, wrappers and what else may make its tasks easier.
        sizes: how many episodes each environment of the suite has: the most that any agent was asked for.
        by_env: its runs by environment.
        usage: the totals of all episodes.
    """

    agent: str
    conditions: str
    sizes: Mapping[str, int]
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
        """The mean of the most important metric over environments, and its interval, of what is there."""
        headlines = [run.headline[1] for run in self.runs if run.headline]
        return combined_mean(headlines) if headlines else None

    def mean_with_missing(self, at: float) -> float:
        """The mean over all environments if whatever is missing counts ``at``."""
        return sum(self._env_mean(env, at) for env in self.sizes) / len(self.sizes)

    def _env_mean(self, env: str, at: float) -> float:
        runs = self.by_env.get(env, ())
        means = [at + (run.headline[1]["mean"] - at) * self._share(run, env) for run in runs if run.headline]
        return (sum(means) + at * (len(runs) - len(means))) / len(runs) if runs else at

    def _share(self, run: Run, env: str) -> float:
        """The share of an environment's episodes of which a run has a score, or which crashed."""
        n: int = run.summary["episodes"] - run.summary["unscored"]
        return n / max(self.sizes[env], run.requested or 0, 1)

    @cached_property
    def missing(self) -> float:
        """The share that is missing: episodes that are not there or unscored, and whole environments."""
        return round(self.mean_with_missing(1) - self.mean_with_missing(0), 9)

    @cached_property
    def n_crashes_of_environments(self) -> int:
        """How many episodes an environment ended by an exception."""
        return sum(run.summary["environment_crashes"] for run in self.runs)

    @cached_property
    def ground_truth(self) -> list[str]:
        """What in its runs knows answers, so that it bounds what others can reach."""
        return list(dict.fromkeys(name for run in self.runs for name in run.summary["ground_truth"]))

    @cached_property
    def why_unranked(self) -> str:
        """Why it has no rank; empty if it has one."""
        if self.ground_truth:
            return f"no rank: {GROUND_TRUTH} ({', '.join(self.ground_truth)})"
        if self.n_crashes_of_environments:
            count = self.n_crashes_of_environments
            again = "go on with resume=true retry=errors after mending"
            return f"no rank: the environment crashed in {count} episode{'s' * (count != 1)}; {again}"
        if self.missing > _MAX_MISSING:
            return f"no rank: {100 * self.missing:.1f} % are missing"
        return "" if self.score else "no rank: no episode has a score"

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
    """A leaderboard for each suite in which there are several agents, or one under several conditions.

    Args:
        runs: of the agents.
        usages: of the runs.
    """
    sizes: dict[str, dict[str, int]] = defaultdict(dict)
    for run in runs:
        n = max(run.requested or 0, run.summary["episodes"])
        sizes[run.suite][run.env_title] = max(n, sizes[run.suite].get(run.env_title, 0))
    suites: dict[str, dict[str, Entry]] = defaultdict(dict)
    for run, usage in zip(runs, usages, strict=True):
        entry = Entry(str(run.summary["agent"]), run.conditions, sizes[run.suite])
        entry = suites[run.suite].setdefault(run.title, entry)
        entry.by_env[run.env_title].append(run)
        entry.usage.update(usage)
    return [_leaderboard(suite, list(entries.values())) for suite, entries in suites.items() if len(entries) > 1]


def _leaderboard(suite: str, entries: Sequence[Entry]) -> Leaderboard:
    # The best first, with what is missing at 0; those without a rank after all others.
    ranked = sorted(entries, key=lambda e: (bool(e.why_unranked), bool(e.ground_truth), -e.mean_with_missing(0)))
    amounts = [amount for amount in _AMOUNTS if any(entry.per_episode(*amount[1]) for entry in entries)]
    titles = ("rank", "agent", "mean", "difference to the best", "environments", "episodes", *(a[0] for a in amounts))
    best = next((entry for entry in ranked if entry.score and not entry.ground_truth), None)
    means = [entry.mean_with_missing(0) for entry in entries if not entry.why_unranked]
    rows = []
    for entry in ranked:
        # Ties share a rank.
        rank = EMPTY if entry.why_unranked else 1 + sum(mean > entry.mean_with_missing(0) for mean in means)
        used = [(entry.per_episode(*names), form) for _, names, form in amounts]
        cells = (
            rank,
            Cell(entry.agent, (entry.conditions, *([entry.why_unranked] if entry.why_unranked else [])), "agent"),
            _mean_cell(entry),
            _difference_cell(entry, best),
            f"{len(entry.by_env)} of {len(entry.sizes)}",
            _episodes_cell(entry),
            *(format(amount, form) if amount else EMPTY for amount, form in used),
        )
        rows.append(Row(cells_of(cells)))
    metrics = dict.fromkeys(title(run.headline[0]) for entry in entries for run in entry.runs if run.headline)
    columns = tuple(Column(name, is_text=name == "agent") for name in titles)
    table = Table(f"{suite}: {', '.join(metrics)}", columns, rows, "scores leaders")
    return Leaderboard(table, *_plot(suite, [entry for entry in ranked if entry.score]))


def _mean_cell(entry: Entry) -> Cell:
    """The mean of what is there, and its bounds with what is missing at 0 and at 1."""
    cell = mean_cell(entry.score, full=1.0)
    bounds = [entry.mean_with_missing(at) for at in (0, 1)]
    return replace(cell, notes=(*cell.notes, f"{format_interval(bounds)} with the missing")) if entry.missing else cell


def _episodes_cell(entry: Entry) -> Cell:
    runs = list(entry.runs)
    counts = {"unscored": "unscored", "crashed": "crashes"}
    found = {reason: sum(run.summary[key] for run in runs) for reason, key in counts.items()}
    found |= {
        "not played": sum(max(n * len(entry.by_env.get(env, ())) or n, 0) for env, n in entry.sizes.items())
        - entry.n_episodes
    }
    notes = tuple(f"{count} {reason}" for reason, count in found.items() if count > 0)
    return Cell(str(entry.n_episodes), notes, "bad" if notes else "")


def _difference_cell(entry: Entry, best: Entry | None) -> Cell:
    """The mean paired difference over the environments of both.

    Its interval is over all of the best one's environments and tasks.
    """
    if best is None or entry is best:
        return EMPTY
    pairs = [(entry.by_env[env][0] if env in entry.by_env else None, runs[0]) for env, runs in best.by_env.items()]
    differences = [difference for pair in pairs if (difference := headline_difference(*pair)) is not None]
    means = [difference["mean"] for difference in differences if difference["mean"] is not None]
    if not means:
        return EMPTY
    interval = outer_interval(*(combined_mean([one[key] for one in differences]) for key in ("at_0", "at_1")))
    return Cell(f"{sum(means) / len(means):+.3f}", (format_interval(interval),), "figure")


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
    return list(enumerate(f"{entry.agent} ({entry.conditions})" for entry, _ in drawn)), panel
