"""The results on web forms: tables by form, by size of form, and by kind of field.

All of it is made from the records of episodes. The forms of the suite are read only for the groups of difficulty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...envs.core.scoring import FieldResult
from ...envs.web_forms.forms.form import web_form, web_forms
from ...envs.web_forms.forms.scoring import ATOMIC_KINDS
from ..running.episodes import Episode
from ..running.intervals import clusters_of, scores_of, share_with_interval
from ..running.runs import Run
from .paper_tables import published

SUITE, ATOMIC, OWN = "FormFactory/", "Atomic", "Captured"
RULER = "ruler"
GROUPS = 5
"""Of difficulty."""
EPISODIC = ("click_accuracy", "value_accuracy", "field_accuracy", "strict_accuracy", "success", "description_bleu")
"""The metrics of episodes that are shown, in this order."""
OF_FIELDS = ("click_accuracy", "value_accuracy", "field_accuracy", "description_bleu")
"""The metrics of single fields."""

_KINDS = tuple(dict.fromkeys(ATOMIC_KINDS.values()))
Scores = Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class FormSize:
    """How large a form is.

    Attributes:
        form: its name, as in its id.
        fields: how many it has, those of every row that can be opened included.
        kinds: how many atomic types are among them.
        group: of difficulty, from 1 to 5.
    """

    form: str
    fields: int
    kinds: int
    group: int


@dataclass(frozen=True)
class Condition:
    """An agent and what it had: it is a line in the plots, and a row in the tables.

    Attributes:
        name: the agent, and in brackets what is not as in every run.
        without_ruler: the same, the ruler left out.
        ruler: whether it had one.
        forms: its scored episodes by form, of whole forms; those of one's own by the folder of their capture.
        single: its scored episodes of single fields.
    """

    name: str
    without_ruler: str
    ruler: bool
    forms: dict[str, list[Episode]] = field(default_factory=dict)
    single: list[Episode] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """How one condition did: over how many episodes or fields, and its metrics by name."""

    condition: str
    count: int
    scores: Scores


@dataclass(frozen=True)
class Block:
    """The rows of a form, a size or a kind; ``notes`` has a cell for each further column of its heading."""

    name: str
    notes: tuple[str, ...]
    rows: list[Row]


@dataclass(frozen=True)
class Table:
    """A table: what its blocks are, their further headings, what is counted, and its metrics."""

    title: str
    of: str
    notes: tuple[str, ...]
    counted: str
    metrics: tuple[str, ...]
    blocks: list[Block]


def conditions(runs: Iterable[Run]) -> list[Condition]:
    """The conditions of runs on web forms; of runs that differ in nothing but seed or number of episodes, the last."""
    runs = [run for run in runs if str(run.summary["env"]).startswith(SUITE)]
    flows = {run.summary["flow"] for run in runs}
    found: dict[str, Condition] = {}
    for run in runs:
        wrappers = list(run.summary["wrappers"])
        form, settings = _form_and_settings(run)
        parts = [run.summary["flow"]] * (len(flows) > 1) + [f"{k}={v}" for k, v in settings.items()]
        name, bare = (_named(run, [*parts, *some]) for some in (wrappers, [w for w in wrappers if w != RULER]))
        condition = found.setdefault(name, Condition(name, bare, RULER in wrappers))
        scored = [episode.without_rounds() for episode in run.episodes if episode.error is None]
        if scored and form == ATOMIC:
            condition.single[:] = scored
        elif scored:
            condition.forms[form] = scored
    return list(found.values())


def _form_and_settings(run: Run) -> tuple[str, dict[str, Any]]:
    """The form of a run, and its settings but the folder of a capture, which names the form."""
    form, settings = str(run.summary["env"]).removeprefix(SUITE).rsplit("-v", 1)[0], dict(run.summary["settings"])
    return (str(Path(settings.pop("capture", form))) if form == OWN else form), settings


def sizes(found: Iterable[Condition]) -> list[FormSize]:
    """The forms of which some condition has episodes, the smallest first."""
    episodes = {form: episode for condition in found for form, (episode, *_) in condition.forms.items()}
    made = [_size(form, episode.fields) for form, episode in episodes.items()]
    return sorted(made, key=lambda size: (size.fields, size.kinds, size.form))


def form_table(found: Sequence[Condition], forms: Sequence[FormSize]) -> Table:
    """Form by form."""
    blocks = [
        Block(words(size.form), (str(size.fields), str(size.kinds), str(size.group)), rows_of(found, [size.form]))
        for size in forms
    ]
    return Table("Form by form", "form", ("fields", "types", "group"), "episodes", shown(blocks, EPISODIC), blocks)


def size_table(
    found: Sequence[Condition], forms: Sequence[FormSize], title: str, of: str, key: Callable[[FormSize], int]
) -> Table:
    """The episodes of all forms of a size together, for each size by ``key``."""
    alike: dict[int, list[FormSize]] = defaultdict(list)
    for size in forms:
        alike[key(size)].append(size)
    blocks = [
        Block(str(value), (_listed(alike[value]),), rows_of(found, [size.form for size in alike[value]]))
        for value in sorted(alike)
    ]
    return Table(title, of, ("forms",), "episodes", shown(blocks, EPISODIC), blocks)


def kind_tables(found: Sequence[Condition]) -> list[Table]:
    """By kind of field: where each field is a task of its own, and in whole forms."""
    whole = [(condition.name, [e for some in condition.forms.values() for e in some]) for condition in found]
    single = [(condition.name, condition.single) for condition in found]
    titles = ("Single fields (atomic)", "Fields of whole forms (episodic)")
    tables = (_kind_table(title, episodes) for title, episodes in zip(titles, (single, whole), strict=True))
    return [table for table in tables if table.blocks]


@dataclass(frozen=True)
class PaperRow:
    """Click and Value of one condition, or of a published model, in the columns of FormFactory's table.

    In per cent, but for the Value of descriptions, which is BLEU from 0 to 1; ``None``: not measured.
    """

    name: str
    published: bool
    cells: list[tuple[float, float] | None]


def paper_rows(found: Iterable[Condition]) -> list[PaperRow]:
    """FormFactory's table of atomic and episodic results: a row for each condition, then the published rows."""
    table = published().form_factory
    ours = [PaperRow(condition.name, False, _paper_cells(condition, table.columns)) for condition in found]
    theirs = [
        PaperRow(model, True, list(zip(table.click[model], table.value[model], strict=True))) for model in table.click
    ]
    return [*ours, *theirs]


def _paper_cells(condition: Condition, columns: Sequence[str]) -> list[tuple[float, float] | None]:
    """The single fields of each kind, and whole forms in the last column."""
    by_kind = _fields_by_kind(condition.single)
    scores = {kind: _kind_row(kind, fields).scores for kind, fields in by_kind.items()}
    scores[columns[-1]] = scores_of([episode for some in condition.forms.values() for episode in some])
    return [_paper_cell(scores.get(column, {}), 1 if column == "Description" else 100) for column in columns]


def _paper_cell(scores: Scores, unit: float) -> tuple[float, float] | None:
    if not {"click_accuracy", "value_accuracy"} <= set(scores):
        return None
    return 100 * scores["click_accuracy"]["mean"], unit * scores["value_accuracy"]["mean"]


def rows_of(found: Iterable[Condition], forms: Iterable[str]) -> list[Row]:
    """A row for each condition that has episodes of any of the forms."""
    names = list(forms)
    rows = []
    for condition in found:
        episodes = [episode for form in names for episode in condition.forms.get(form, ())]
        if episodes:
            rows.append(Row(condition.name, len(episodes), scores_of(episodes)))
    return rows


def shown(blocks: Sequence[Block], metrics: Sequence[str]) -> tuple[str, ...]:
    """Those of the metrics that some row has."""
    found = {name for block in blocks for row in block.rows for name in row.scores}
    return tuple(name for name in metrics if name in found)


def words(form: str) -> str:
    """``PersonalLoan`` as ``Personal Loan``; of a folder its name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", Path(form).name)


def _named(run: Run, others: Sequence[str]) -> str:
    return f"{run.summary['agent']} ({', '.join(others)})" if others else str(run.summary["agent"])


def _size(form: str, fields: Sequence[FieldResult]) -> FormSize:
    kinds = len({result.kind for result in fields})
    rank = (len(fields), kinds, form.casefold())
    return FormSize(
        form, len(fields), kinds, 1 + GROUPS * min(bisect_left(_ranks(), rank), len(_ranks()) - 1) // len(_ranks())
    )


@lru_cache(maxsize=1)
def _ranks() -> list[tuple[int, int, str]]:
    """Fields, atomic types and bare name of each form of the suite, the smallest first."""
    forms = [web_form(name) for name in web_forms()]
    return sorted(
        (len(f.fields), len({ATOMIC_KINDS[x.control] for x in f.fields}), f.name.replace("_", "")) for f in forms
    )


def _listed(forms: Sequence[FormSize]) -> str:
    return ", ".join(words(size.form) for size in forms)


def _kind_table(title: str, episodes: Sequence[tuple[str, Sequence[Episode]]]) -> Table:
    by_condition = {name: _fields_by_kind(some) for name, some in episodes}
    found = {kind for fields in by_condition.values() for kind in fields}
    blocks = []
    for kind in (kind for kind in (*_KINDS, "all") if kind in found):
        rows = [_kind_row(name, fields[kind]) for name, fields in by_condition.items() if kind in fields]
        blocks.append(Block(kind, (), rows))
    return Table(title, "kind of field", (), "fields", shown(blocks, OF_FIELDS), blocks)


def _fields_by_kind(episodes: Iterable[Episode]) -> dict[str, list[tuple[Episode, list[FieldResult]]]]:
    """The fields that have an answer by kind and for all kinds, for each episode that has any of the kind."""
    found: dict[str, list[tuple[Episode, list[FieldResult]]]] = defaultdict(list)
    for episode in episodes:
        by_kind: dict[str, list[FieldResult]] = defaultdict(list)
        for result in episode.fields:
            if result.expected is not None and result.kind:
                by_kind[result.kind].append(result)
                by_kind["all"].append(result)
        for kind, fields in by_kind.items():
            found[kind].append((episode, fields))
    return found


def _kind_row(condition: str, episodes: Sequence[tuple[Episode, Sequence[FieldResult]]]) -> Row:
    measured = [(episode, [_metrics(result) for result in fields]) for episode, fields in episodes]
    names = [name for name in OF_FIELDS if any(name in metrics for _, some in measured for metrics in some)]
    scores = {name: _share(name, measured) for name in names}
    return Row(condition, sum(len(fields) for _, fields in episodes), scores)


def _metrics(result: FieldResult) -> dict[str, float]:
    return {**result.metrics, "field_accuracy": float(result.correct)}


def _share(name: str, measured: Sequence[tuple[Episode, Sequence[Mapping[str, float]]]]) -> dict[str, Any]:
    """The mean of a metric over the fields that have it, with the interval by clusters of episodes."""
    values = [[metrics[name] for metrics in some if name in metrics] for _, some in measured]
    clusters = clusters_of([episode for episode, _ in measured])
    return share_with_interval([sum(some) for some in values], [len(some) for some in values], clusters)
