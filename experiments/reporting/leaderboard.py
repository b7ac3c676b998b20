"""Leaderboards: agents ranked in a suite, compared with the best, and their costs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hydra.utils import get_class

from ..running.comparisons import headline_difference
from ..running.intervals import combined_mean
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, cells_of, format_interval, mean_cell
from ..terminal.metrics import headline_of, title
from .plots import Panel, Point, Series
from .run_tables import agent_names

Usage = Mapping[str, float]
"""What the episodes of a run used in all: amounts by name."""
_TOKENS = ("input_tokens", "output_tokens")


@dataclass
class Entry:
    """An agent in a suite.

    Attributes:
        agent: its name, with the flow and wrappers where these differ.
        runs: by environment.
        usage: the totals of all episodes.
    """

    agent: str
    runs: dict[str, list[Run]] = field(default_factory=lambda: defaultdict(list))
    usage: Counter[str] = field(default_factory=Counter)

    @property
    def n_episodes(self) -> int:
        """The episodes of all runs."""
        return sum(run.summary["episodes"] for runs in self.runs.values() for run in runs)

    @cached_property
    def score(self) -> dict[str, Any] | None:
        """The mean of the most important metric over environments, and its interval."""
        scores = [run.summary["scores"] for runs in self.runs.values() for run in runs]
        found = [score[headline_of(score)] for score in scores if score]
        return combined_mean(found) if found else None

    @cached_property
    def is_privileged(self) -> bool:
        """Whether the agent is given the answers, so that it bounds what others can reach."""
        return any(_is_privileged(run) for runs in self.runs.values() for run in runs)

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
        entry = suites[str(run.summary["env"]).partition("/")[0]].setdefault(agent, Entry(agent))
        entry.runs[run.env_title].append(run)
        entry.usage.update(usage)
    return [_leaderboard(suite, list(entries.values())) for suite, entries in suites.items() if len(entries) > 1]


def _leaderboard(suite: str, entries: Sequence[Entry]) -> Leaderboard:
    n_envs = len({env for entry in entries for env in entry.runs})
    ranked = sorted(entries, key=lambda entry: _rank(entry, n_envs))
    rivals = [entry for entry in ranked if not entry.is_privileged]
    best = next((entry for entry in rivals if entry.score), None)
    has_usage, has_cost = (any(entry.per_episode(*names) for entry in entries) for names in (_TOKENS, ("cost",)))
    columns = [Column("rank"), Column("agent", is_text=True), Column("mean"), Column("difference to the best")]
    columns += [Column("environments"), Column("episodes")]
    columns += [Column("$ an episode")] * has_cost + [Column("tokens an episode")] * has_usage
    rows = []
    for entry in ranked:
        notes = _why_unranked(entry, n_envs)
        costs = [_amount_cell(entry.per_episode("cost"), ".4f")] * has_cost
        costs += [_amount_cell(entry.per_episode(*_TOKENS), ",.0f")] * has_usage
        agent = Cell(entry.agent, notes, "agent")
        cells = (
            _place_cell(entry, rivals, n_envs),
            agent,
            mean_cell(entry.score, full=1.0),
            _difference_cell(entry, best),
        )
        rows.append(Row(cells_of([*cells, f"{len(entry.runs)} of {n_envs}", _episodes_cell(entry), *costs])))
    metrics = dict.fromkeys(
        title(headline_of(scores))
        for entry in entries
        for some in entry.runs.values()
        for run in some
        if (scores := run.summary["scores"])
    )
    table = Table(f"{suite}: {', '.join(metrics)}", tuple(columns), rows, "scores leaders")
    return Leaderboard(table, *_plot(suite, [entry for entry in ranked if entry.score]))


def _rank(entry: Entry, n_envs: int) -> tuple[bool, bool, float]:
    """Sorts the best first, and those without a rank after all others."""
    mean = entry.score["mean"] if entry.score else -math.inf
    return entry.is_privileged, len(entry.runs) < n_envs, -mean


def _is_privileged(run: Run) -> bool:
    """Whether the run is of an agent of ours that asks for the solution."""
    # Agents of others are not imported: that would run code of whoever made the run.
    with suppress(ValueError, ImportError):
        target = str(run.spec.agent.get("_target_") if run.spec else None)
        return target.startswith("formgym.") and bool(getattr(get_class(target), "privileged", False))
    return False


def _place_cell(entry: Entry, rivals: Sequence[Entry], n_envs: int) -> Cell:
    """The rank among those that played every environment; ties share it."""
    ranked = [rival.score["mean"] for rival in rivals if rival.score and len(rival.runs) == n_envs]
    if entry not in rivals or entry.score is None or len(entry.runs) < n_envs:
        return EMPTY
    return Cell(str(1 + sum(mean > entry.score["mean"] for mean in ranked)))


def _why_unranked(entry: Entry, n_envs: int) -> tuple[str, ...]:
    """Why an agent has no rank, as notes on its name."""
    if entry.is_privileged:
        return ("is given the answers",)
    missing = n_envs - len(entry.runs)
    return (f"no rank: {missing} of {n_envs} environments are missing",) if missing else ()


def _amount_cell(amount: float, form: str) -> Cell:
    return Cell(format(amount, form)) if amount else EMPTY


def _episodes_cell(entry: Entry) -> Cell:
    failures = Counter[str]()
    for run in (run for runs in entry.runs.values() for run in runs):
        failures.update(unscored=run.summary["unscored"], crashed=run.summary["crashes"])
    notes = tuple(f"{count} {reason}" for reason, count in failures.items() if count)
    return Cell(str(entry.n_episodes), notes, "bad" if notes else "")


def _difference_cell(entry: Entry, best: Entry | None) -> Cell:
    """The mean paired difference over the environments of both."""
    if best is None or entry is best:
        return EMPTY
    shared = [env for env in entry.runs if env in best.runs]
    found = [headline_difference(entry.runs[env][0], best.runs[env][0]) for env in shared]
    differences = [{"mean": one.mean, "ci95": one.ci95} for one in found if one is not None]
    if not differences:
        return EMPTY
    score = combined_mean(differences)
    return Cell(f"{score['mean']:+.3f}", (format_interval(score["ci95"]),), "figure")


def _plot(suite: str, entries: Sequence[Entry]) -> tuple[list[tuple[int, str]], Panel | None]:
    """The legend and plot of means by cost, or by tokens where a price is unknown."""
    paying = [entry for entry in entries if entry.per_episode("cost", *_TOKENS)]
    is_priced = all(entry.usage["cost"] for entry in paying)
    names = ("cost",) if is_priced else _TOKENS
    drawn = [entry for entry in paying if entry.per_episode(*names)]
    if not drawn:
        return [], None
    what, unit = ("cost", "US dollars") if is_priced else ("tokens", "tokens")
    form = "${:g}" if is_priced else "{:,g}"
    series = [Series([_point(entry, entry.per_episode(*names))]) for entry in drawn]
    panel = Panel(f"{suite}: mean by {what}", f"{unit} an episode (log scale)", series, form)
    return list(enumerate(entry.agent for entry in drawn)), panel


def _point(entry: Entry, x: float) -> Point:
    assert entry.score is not None
    mean, bounds = entry.score["mean"], entry.score["ci95"]
    low, high = bounds or (mean, mean)
    return Point(x, *(min(max(share, 0.0), 1.0) for share in (mean, low, high)))
