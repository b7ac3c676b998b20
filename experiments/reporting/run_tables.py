"""Tables of runs: agents by environments, metrics by run, by form or user."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...envs.core.metrics import METRICS, places, title
from ..running.episodes import Episode
from ..running.intervals import combined_mean, scores_of, task_parts
from ..running.run_folder import Run
from ..terminal.console import EMPTY, NOTHING, Cell, Column, Row, Table, cells_of, mean_cell, table_of

Scores = Mapping[str, dict[str, Any]]
"""The mean and interval of each metric."""


def metric_table(
    heading: str,
    columns: Sequence[Column],
    names: Sequence[str],
    rows: Iterable[tuple[Sequence[object], Scores]],
    style: str,
    cell: Callable[[str, dict[str, Any] | None], Cell] = lambda name, score: mean_cell(score, places(name)),
) -> Table:
    """A table with a column for each metric.

    Args:
        heading: of the table.
        columns: those before the metrics.
        names: of the metrics.
        rows: their cells before the metrics, and their scores.
        style: a class of the reports' style sheet.
        cell: of a metric's name and score, which may be missing.
    """
    body = [Row(cells_of([*about, *(cell(name, scores.get(name)) for name in names)])) for about, scores in rows]
    return Table(heading, (*columns, *(Column(title(name)) for name in names)), body, style)


# -- Agents by environments --------------------------------------------------------------------------------------------


def _headlines(
    runs: Sequence[Run], place_of: Callable[[Run], str]
) -> tuple[dict[str, str], dict[str, dict[str, Cell]]]:
    """The most important metric of each environment or suite, and by agent the means of it.

    Where several runs of an agent fall into one cell, their means have equal weight.
    """
    metrics: dict[str, str] = dict.fromkeys(map(place_of, runs), NOTHING)
    for run in reversed(runs):
        if run.headline:
            metrics[place_of(run)] = run.headline[0]
    scores: dict[str, dict[str, list[dict[str, Any]]]]
    scores = {run.title: {place: [] for place in metrics} for run in runs}
    for run in runs:
        if score := run.scores.get(metrics[place_of(run)]):
            scores[run.title][place_of(run)].append(score)
    cells = {
        agent: {place: mean_cell(combined_mean(some), 2) if some else EMPTY for place, some in by_place.items()}
        for agent, by_place in scores.items()
    }
    return metrics, cells


def suite_matrix(runs: Sequence[Run]) -> Table:
    """Agents by suites, for the terminal."""
    metrics, cells = _headlines(runs, lambda run: run.suite)
    columns = (Column("agent", is_text=True), *(Column(suite, title(metric)) for suite, metric in metrics.items()))
    rows = [Row(cells_of([agent, *by_suite.values()])) for agent, by_suite in cells.items()]
    sample = sample_note(runs)
    return Table(f"Means and 95 % intervals (†: by so few clusters){sample and f': {sample}'}", columns, rows)


def environment_matrix(runs: Sequence[Run]) -> Table:
    """Environments by agents, for reports."""
    metrics, cells = _headlines(runs, lambda run: run.env_title)
    columns = (Column("environment", "metric", is_text=True), *map(Column, cells))
    rows = []
    suites = list(dict.fromkeys(run.suite for run in runs))
    for env, metric in sorted(metrics.items(), key=lambda item: suites.index(item[0].partition("/")[0])):
        suite, _, name = env.partition("/")
        first = Cell(name.replace("-v0", ""), (title(metric),))
        rows.append(Row((first, *(by_env[env] for by_env in cells.values())), group=suite))
    return Table("All environments", columns, rows, "matrix")


def sample_note(runs: Sequence[Run]) -> str:
    """Which runs are of a sample of the tasks, and its size; empty if none is."""
    sampled = [run for run in runs if run.summary.get("sampled")]
    if not sampled:
        return ""
    agents = sorted({str(run.summary["agent"]) for run in sampled})
    whose = "" if len(sampled) == len(runs) else f"{', '.join(agents)} on "
    return f"{whose}a sample of at most {max(run.summary['episodes'] for run in sampled)} episodes an environment"


# -- Metrics -----------------------------------------------------------------------------------------------------------


def metrics_of(runs: Iterable[Run]) -> list[str]:
    """The names of the metrics that some run has, the most important first."""
    found = dict.fromkeys(name for run in runs for name in run.scores)
    return [name for name in METRICS if name in found] + [name for name in found if name not in METRICS]


def score_table(runs: Sequence[Run], names: Sequence[str], links: Sequence[str] = ()) -> Table:
    """Runs of one environment by metrics.

    Args:
        runs: a row each.
        names: of the metrics.
        links: the id of the part of a report about each run.
    """
    # A full bar is 1 for shares, the greatest value for counts.
    scores = [(name, score) for run in runs for name, score in run.scores.items()]
    full = {
        n: max([1.0, *(v for name, s in scores if name == n for v in (s["mean"], *(s["ci95"] or ())))]) for n in names
    }
    rows = []
    for run, link in zip(runs, links or [""] * len(runs), strict=True):
        agent = Cell(str(run.summary["agent"]), (run.conditions,), link=link)
        rows.append(
            ((agent, Cell(str(run.summary["episodes"]), run.failures, "bad" if run.failures else "")), run.scores)
        )
    columns = Column("agent", "conditions", is_text=True), Column("episodes")
    heading = f"{runs[0].env_title}: means and 95 % intervals"
    return metric_table(
        heading, columns, names, rows, "scores", lambda name, score: mean_cell(score, places(name), full=full[name])
    )


def group_scores(episodes: Sequence[Episode]) -> dict[str, dict[str, tuple[int, Scores]]]:
    """The scored episodes by each part of their ids, such as form and user.

    Parts with only one value, or a different one in each episode, are left out.
    """
    scored = [episode for episode in episodes if episode.error is None]
    parts = [task_parts(episode) for episode in scored]
    groups: dict[str, dict[str, tuple[int, Scores]]] = {}
    for part in parts[0] if parts and all(parts) else ():
        by_value: dict[str, list[Episode]] = defaultdict(list)
        for episode, values in zip(scored, parts, strict=True):
            by_value[values.get(part, "")].append(episode)
        if 1 < len(by_value) < len(scored):
            groups[part] = {value: (len(some), scores_of(some)) for value, some in sorted(by_value.items())}
    return groups


def group_tables(episodes: Sequence[Episode]) -> list[Table]:
    """A table for each part of the tasks' ids in ``group_scores``."""
    names = list(scores_of(episodes))
    tables = []
    for part, groups in group_scores(episodes).items():
        rows = (((value, count), scores) for value, (count, scores) in groups.items())
        columns = Column(part, is_text=True), Column("episodes")
        tables.append(metric_table(f"By {part}", columns, names, rows, "kinds"))
    return tables


def all_metrics(runs: Iterable[Run]) -> Table:
    """Every metric of every run, a row each, for CSV files."""
    rows = []
    for run in runs:
        about = [run.env_title, run.summary["agent"], run.conditions]
        counts = [run.summary[name] for name in ("seed", "episodes", "unscored", "crashes")]
        for name, score in run.scores.items():
            rows.append([*about, *counts, name, score["mean"], *(score["ci95"] or ("", ""))])
    headings = "environment,agent,conditions,seed,episodes,unscored,crashed,metric,mean,low,high"
    return table_of("All metrics", headings.split(","), rows)
