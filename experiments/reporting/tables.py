"""Tables made of the records of runs: agents by environments, metrics, kinds of fields, forms and users."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...envs.core.scoring import FieldResult
from ..running.comparisons import run_title
from ..running.episodes import Episode, headline_of
from ..running.intervals import clusters_of, combined_mean, scores_of, share_with_interval, task_parts
from ..running.runs import Run
from ..terminal.console import env_title, places, title
from ..terminal.metrics import METRICS

_FAR = 0.2
_HARDEST = 15
_FAILURES = 50
_UNKNOWN: dict[str, Any] = {"mean": None, "ci95": None}


@dataclass(frozen=True)
class Cell:
    """A metric of a run in the score table; ``end``, ``low`` and ``high`` are per cent of a full bar."""

    mean: float | None
    ci95: list[float] | None
    decimals: int = 3
    end: float = 0.0
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class ScoreTable:
    """The runs of one environment: metrics by name, and for each run its cells in that order."""

    env: str
    metrics: dict[str, str]
    rows: list[tuple[int, Run, list[Cell]]]

    @property
    def titles(self) -> list[str]:
        """What the metrics are called."""
        return list(self.metrics.values())

    @property
    def main(self) -> list[int]:
        """The columns of the metrics that are no details."""
        return [i for i in range(len(self.metrics)) if i not in self.details]

    @property
    def details(self) -> list[int]:
        """The columns of the metrics that are details."""
        return [i for i, name in enumerate(self.metrics) if name in METRICS and METRICS[name].verbose_only]


@dataclass(frozen=True)
class KindRow:
    """How the fields of one kind went; ``spoilt`` of ``kept`` fields that must stay empty were written in.

    ``accuracy`` is the paper's: right ones among those asked for; ``strict`` counts each spoilt field as one more that
    is wrong. Both are ``{"mean": m, "ci95": [low, high]}``.
    """

    kind: str
    right: int
    asked: int
    spoilt: int
    kept: int
    accuracy: dict[str, Any]
    strict: dict[str, Any]

    @property
    def is_flattered(self) -> bool:
        """Whether the paper's metric is far above the strict one."""
        return self.accuracy["mean"] is not None and self.accuracy["mean"] - self.strict["mean"] >= _FAR


@dataclass(frozen=True)
class HardField:
    """A field that went wrong; ``example`` is one time that it did, in the task ``task``."""

    right: int
    asked: int
    task: str
    example: FieldResult


@dataclass(frozen=True)
class FieldFindings:
    """How the fields of a run went.

    Attributes:
        kinds: by kind of field, the last row over all.
        hardest: the fields that went wrong most often.
        left_out: how many more went wrong.
        single: whether every episode has one field only, so that ``hardest`` lists episodes.
    """

    kinds: list[KindRow]
    hardest: list[HardField]
    left_out: int
    single: bool


def score_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """A table of metrics for each environment, in the order of the runs."""
    by_env: dict[str, list[tuple[int, Run]]] = defaultdict(list)
    for number, run in enumerate(runs):
        by_env[env_title(run.summary)].append((number, run))
    return [_score_table(env, numbered) for env, numbered in by_env.items()]


@dataclass(frozen=True)
class Matrix:
    """Agents by environments or suites: a cell for each pair, ``None`` where the agent has no run there.

    Attributes:
        columns: the environments or suites, and the title of the most important metric of each.
        rows: the agents with their cells.
        sampled: the most episodes of a run on a sample of tasks; ``None`` if every run has every task.
    """

    columns: list[tuple[str, str]]
    rows: list[tuple[str, list[Cell | None]]]
    sampled: int | None


def suite_of(summary: dict[str, Any]) -> str:
    """The suite of a run's environment."""
    return str(summary["env"]).partition("/")[0]


def matrix_of(runs: Sequence[Run], column_of: Callable[[dict[str, Any]], str] = env_title) -> Matrix:
    """The most important metric of each agent in each environment, or in what else ``column_of`` names.

    Where several runs of an agent fall into a column, their means count alike.
    """
    scored: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    metrics: dict[str, str] = {}
    for run, name in zip(runs, _row_names(runs), strict=True):
        scores, column = run.summary["scores"], column_of(run.summary)
        cells = scored[name][column]
        if scores:
            metric = metrics.setdefault(column, headline_of(scores))
            cells += [scores[metric]] * (metric in scores)
    columns = list(dict.fromkeys(column_of(run.summary) for run in runs))
    rows = [(name, [_matrix_cell(cells[column]) for column in columns]) for name, cells in scored.items()]
    sampled = max((run.summary["episodes"] for run in runs if run.summary.get("sampled")), default=None)
    return Matrix([(column, title(metrics.get(column, "–"))) for column in columns], rows, sampled)


def _row_names(runs: Sequence[Run]) -> list[str]:
    """What each run is called in a matrix: the agent, with its flow and wrappers if it has runs with others."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        kinds[run.summary["agent"]].add(run_title(run.summary))
    return [
        run_title(run.summary) if len(kinds[run.summary["agent"]]) > 1 else str(run.summary["agent"]) for run in runs
    ]


def _matrix_cell(scores: Sequence[dict[str, Any]]) -> Cell | None:
    if not scores:
        return None
    score = scores[0] if len(scores) == 1 else combined_mean(scores)
    return Cell(score["mean"], score["ci95"])


def worth_showing(episodes: Sequence[Episode], most: int) -> list[Episode]:
    """Up to ``most`` episodes: one that is unscored, if any, the worst, and in the end the best."""
    unscored = [episode for episode in episodes if episode.headline is None]
    scored = sorted((episode for episode in episodes if episode.headline is not None), key=_worth)
    worst_first = [*unscored[:1], *scored[:-1], *unscored[1:]]
    if not scored:
        return worst_first[:most]
    return [*worst_first[: max(most - 1, 1)], scored[-1]][:most]


def field_findings(episodes: Iterable[Episode]) -> FieldFindings:
    """How the fields of the scored episodes went."""
    records = [(episode, field) for episode in episodes if episode.error is None for field in episode.fields]
    single = len(records) == len({episode.index for episode, _ in records})
    groups: dict[Any, list[tuple[Episode, FieldResult]]] = defaultdict(list)
    for episode, field in records:
        groups[episode.index if single else (field.name, field.label)].append((episode, field))
    hard = [_hard_field(group) for group in groups.values() if not all(field.correct for _, field in group)]
    hard.sort(key=lambda h: (h.right / h.asked, -h.asked))
    shown = hard[: _FAILURES if single else _HARDEST]
    return FieldFindings(_kinds(records) if records else [], shown, len(hard) - len(shown), single)


@dataclass(frozen=True)
class GroupRow:
    """The episodes of one form, user or the like: how many, and their metrics with intervals, by name."""

    name: str
    episodes: int
    scores: dict[str, dict[str, Any]]


def groups(episodes: Sequence[Episode]) -> dict[str, list[GroupRow]]:
    """The scored episodes by each part of their tasks' ids, such as form and user: a table for each part.

    Parts that have one value only, or one of their own in each episode, make no table.
    """
    scored = [episode for episode in episodes if episode.error is None]
    parts = [task_parts(episode) for episode in scored]
    tables = {}
    for part in parts[0] if parts and all(parts) else ():
        by_value: dict[str, list[Episode]] = defaultdict(list)
        for episode, found in zip(scored, parts, strict=True):
            by_value[found[part]].append(episode)
        if 1 < len(by_value) < len(scored):
            # Not every episode has every metric; each row has every column all the same.
            unknown = dict.fromkeys(scores_of(scored), _UNKNOWN)
            tables[part] = [GroupRow(name, len(of), unknown | scores_of(of)) for name, of in sorted(by_value.items())]
    return tables


def _worth(episode: Episode) -> float:
    return episode.headline[1] if episode.headline else 0.0


def _score_table(env: str, numbered: list[tuple[int, Run]]) -> ScoreTable:
    found = dict.fromkeys(name for _, run in numbered for name in run.summary["scores"])
    names = [n for n in METRICS if n in found] + [n for n in found if n not in METRICS]
    longest = {name: _longest([run.summary["scores"].get(name) for _, run in numbered]) for name in names}
    rows = [
        (number, run, [_cell(name, run.summary["scores"].get(name), longest[name]) for name in names])
        for number, run in numbered
    ]
    return ScoreTable(env, {name: title(name) for name in names}, rows)


def _longest(scores: Iterable[dict[str, Any] | None]) -> float:
    """What a full bar stands for: 1 for shares, the greatest value for counts."""
    values = [value for score in scores if score for value in (score["mean"], *(score["ci95"] or ()))]
    return max([1.0, *(float(value) for value in values if value is not None)])


def _cell(name: str, score: dict[str, Any] | None, longest: float) -> Cell:
    if score is None or score["mean"] is None:
        return Cell(None, None)
    low, high = score["ci95"] or (score["mean"], score["mean"])
    shares = (_percent(value / longest) for value in (score["mean"], low, high))
    return Cell(score["mean"], score["ci95"], places(name), *shares)


def _percent(share: float) -> float:
    return round(100 * min(max(share, 0.0), 1.0), 2)


def _kinds(records: Sequence[tuple[Episode, FieldResult]]) -> list[KindRow]:
    by_kind: dict[str, list[tuple[Episode, FieldResult]]] = defaultdict(list)
    for episode, field in records:
        by_kind[field.kind or field.matcher].append((episode, field))
    rows = [_kind_row(kind, by_kind[kind]) for kind in sorted(by_kind)]
    return [*rows, _kind_row("all", records)] if len(rows) > 1 else rows


def _kind_row(kind: str, records: Sequence[tuple[Episode, FieldResult]]) -> KindRow:
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    episodes = {episode.index: episode for episode, _ in records}
    for episode, field in records:
        count, is_asked = counts[episode.index], field.expected is not None
        count[0] += is_asked and field.correct
        count[1] += is_asked
        count[2] += not is_asked and not field.correct
        count[3] += not is_asked
    right, asked, spoilt, kept = (list(column) for column in zip(*counts.values(), strict=True))
    judged = [a + s for a, s in zip(asked, spoilt, strict=True)]
    clusters = clusters_of(list(episodes.values()))
    accuracy, strict = (share_with_interval(right, whole, clusters) for whole in (asked, judged))
    return KindRow(kind, sum(right), sum(asked), sum(spoilt), sum(kept), accuracy, strict)


def _hard_field(group: list[tuple[Episode, FieldResult]]) -> HardField:
    """The example shown is one with something entered, if there is one."""
    wrong = [(episode, field) for episode, field in group if not field.correct]
    episode, example = next(((e, f) for e, f in wrong if f.entered), wrong[0])
    return HardField(len(group) - len(wrong), len(group), episode.task, example)
