"""Tables of runs: agents by environments, metrics, differences, by form or user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..running.comparisons import Comparison, Difference
from ..running.episodes import Episode
from ..running.intervals import combined_mean, scores_of, task_parts
from ..running.run_folder import Run
from ..terminal.console import (
    EMPTY,
    Cell,
    Column,
    Row,
    Table,
    cells_of,
    format_interval,
    format_number,
    mean_cell,
    table_of,
)
from ..terminal.metrics import METRICS, headline_of, places, title

_MIN_P = 0.001
Scores = dict[str, dict[str, Any]]
"""The mean and interval of each metric."""


class Matrix:
    """The most important metric of each agent in each environment or suite.

    Where several runs of an agent fall into one cell, their means have equal weight.

    Args:
        runs: of the agents.
        column_of: the environment, suite or the like of a run.
    """

    def __init__(self, runs: Sequence[Run], column_of: Callable[[Run], str]) -> None:
        self._scores: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        self.metrics: dict[str, str] = dict.fromkeys(map(column_of, runs), "–")
        self.agents = agent_names(runs)
        for run, agent in zip(runs, self.agents, strict=True):
            scores, column = run.summary["scores"], column_of(run)
            if scores and self.metrics[column] == "–":
                self.metrics[column] = headline_of(scores)
            if self.metrics[column] in scores:
                self._scores[agent, column].append(scores[self.metrics[column]])
        self.agents = list(dict.fromkeys(self.agents))

    def cell(self, agent: str, column: str) -> Cell:
        """The mean of an agent, with its interval."""
        scores = self._scores[agent, column]
        return mean_cell(combined_mean(scores) if len(scores) > 1 else scores[0], 2) if scores else EMPTY


def suite_matrix(runs: Sequence[Run]) -> Table:
    """Agents by suites, for the terminal."""
    matrix = Matrix(runs, _suite)
    columns = [Column(suite, title(metric)) for suite, metric in matrix.metrics.items()]
    rows = [Row(cells_of([agent, *(matrix.cell(agent, suite) for suite in matrix.metrics)])) for agent in matrix.agents]
    sample = sample_note(runs)
    return Table(f"Means and 95 % intervals{sample and f': {sample}'}", (Column("agent", is_text=True), *columns), rows)


def environment_matrix(runs: Sequence[Run]) -> Table:
    """Environments by agents, for reports."""
    matrix = Matrix(runs, lambda run: run.env_title)
    columns = [Column(agent) for agent in matrix.agents]
    rows = []
    for env, metric in matrix.metrics.items():
        suite, _, name = env.partition("/")
        first = Cell(name.replace("-v0", ""), (title(metric),))
        rows.append(Row((first, *(matrix.cell(agent, env) for agent in matrix.agents)), group=suite))
    return Table("All environments", (Column("environment", "metric", is_text=True), *columns), rows, "matrix")


def sample_note(runs: Sequence[Run]) -> str:
    """Which runs are of a sample of the tasks, and its size; empty if none is."""
    sampled = [run for run in runs if run.summary.get("sampled")]
    if not sampled:
        return ""
    agents = sorted({str(run.summary["agent"]) for run in sampled})
    whose = "" if len(sampled) == len(runs) else f"{', '.join(agents)} on "
    return f"{whose}a sample of at most {max(run.summary['episodes'] for run in sampled)} episodes an environment"


def _suite(run: Run) -> str:
    return str(run.summary["env"]).partition("/")[0]


def agent_names(runs: Sequence[Run]) -> list[str]:
    """The agent of each run, with its flow and wrappers if it has runs with others."""
    titles: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        titles[run.summary["agent"]].add(run.title)
    return [run.title if len(titles[run.summary["agent"]]) > 1 else str(run.summary["agent"]) for run in runs]


def score_table(runs: Iterable[Run], names: Sequence[str], links: Sequence[str] = ()) -> Table:
    """Runs of one environment by metrics.

    Args:
        runs: a row each.
        names: of the metrics.
        links: the id of the part of a report about each run.
    """
    runs = list(runs)
    full = {name: _full_bar(run.summary["scores"].get(name) for run in runs) for name in names}
    rows = []
    for run, link in zip(runs, links or [""] * len(runs), strict=True):
        scores = run.summary["scores"]
        agent = Cell(str(run.summary["agent"]), (run.conditions,), link=link)
        episodes = Cell(str(run.summary["episodes"]), run.failures, "bad" if run.failures else "")
        means = (mean_cell(scores.get(name), places(name), full=full[name]) for name in names)
        rows.append(Row((agent, episodes, *means)))
    columns = (Column("agent", "flow, wrappers", is_text=True), Column("episodes"), *(Column(title(n)) for n in names))
    return Table(f"{runs[0].env_title}: means and 95 % intervals", columns, rows, "scores")


def metrics_of(runs: Iterable[Run]) -> list[str]:
    """The names of the metrics that some run has, the most important first."""
    found = dict.fromkeys(name for run in runs for name in run.summary["scores"])
    return [name for name in METRICS if name in found] + [name for name in found if name not in METRICS]


def _full_bar(scores: Iterable[dict[str, Any] | None]) -> float:
    """The value of a full bar: 1 for shares, the greatest value for counts."""
    values = [value for score in scores if score for value in (score["mean"], *(score["ci95"] or ()))]
    return max([1.0, *(float(value) for value in values if value is not None)])


def difference_table(comparisons: Sequence[Comparison], names: Sequence[str]) -> Table:
    """The differences between pairs of runs on the same tasks of one environment."""
    rows = [
        Row(cells_of([row.first, row.second, row.episodes, *(_difference_cell(row.metrics.get(n)) for n in names)]))
        for row in comparisons
    ]
    columns = (Column("first", is_text=True), Column("second", is_text=True), Column("episodes"))
    heading = f"{comparisons[0].env}: differences on the same tasks"
    return Table(heading, (*columns, *(Column(title(name)) for name in names)), rows, "scores")


def _difference_cell(difference: Difference | None) -> Cell:
    """The mean and interval of a difference, and the p value of McNemar's test."""
    if difference is None:
        return EMPTY
    notes = [] if difference.ci95 is None else [format_interval(difference.ci95)]
    if difference.mcnemar is not None:
        test = difference.mcnemar
        p = f"p = {format_number(test.p)}" if test.p >= _MIN_P else f"p < {_MIN_P}"
        notes.append(f"{test.only_first} : {test.only_second}, {p}")
    return Cell(f"{difference.mean:+.3f}", tuple(notes), "figure")


def group_scores(episodes: Sequence[Episode]) -> dict[str, dict[str, tuple[int, Scores]]]:
    """The scored episodes by each part of their ids, such as form and user.

    Parts with only one value, or a different one in each episode, are left out.
    """
    scored = [episode for episode in episodes if episode.error is None]
    parts = [task_parts(episode) for episode in scored]
    found = {}
    for part in parts[0] if parts and all(parts) else ():
        by_value: dict[str, list[Episode]] = defaultdict(list)
        for episode, values in zip(scored, parts, strict=True):
            by_value[values[part]].append(episode)
        if 1 < len(by_value) < len(scored):
            found[part] = {value: (len(some), scores_of(some)) for value, some in sorted(by_value.items())}
    return found


def group_tables(episodes: Sequence[Episode]) -> list[Table]:
    """A table for each part of the tasks' ids in ``group_scores``."""
    names = list(scores_of(episodes))
    return [
        Table(
            f"By {part}",
            (Column(part, is_text=True), Column("episodes"), *(Column(title(name)) for name in names)),
            [
                Row(cells_of([value, count, *(mean_cell(scores.get(name), places(name)) for name in names)]))
                for value, (count, scores) in rows.items()
            ],
            "kinds",
        )
        for part, rows in group_scores(episodes).items()
    ]


def all_metrics(runs: Iterable[Run]) -> Table:
    """Every metric of every run, a row each, for CSV files."""
    rows = []
    for run in runs:
        about = [run.env_title, run.summary["agent"], run.conditions, run.summary["seed"]]
        counts = [run.summary[name] for name in ("episodes", "unscored", "crashes")]
        for name, score in run.summary["scores"].items():
            low, high = score["ci95"] or ("", "")
            rows.append([*about, *counts, name, score["mean"], low, high])
    about_headings = ("environment", "agent", "conditions", "seed", "episodes", "unscored", "crashed")
    headings = (*about_headings, "metric", "mean", "low", "high")
    return table_of("All metrics", headings, rows)
