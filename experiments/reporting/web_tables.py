"""The results on web forms: tables by form, by size of form, and by kind of field.

All of it is made from the records of episodes. The forms of the suite are read only for the groups of difficulty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...envs.core.scoring import FieldResult
from ...envs.web_forms.forms.form import web_form, web_forms
from ...envs.web_forms.scoring import ATOMIC_KINDS
from ..running.episodes import Episode
from ..running.intervals import clusters_of, scores_of, share_with_interval
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, cells_of, format_number, mean_cell
from ..terminal.metrics import title as metric_title
from .paper_tables import published, published_row, with_conditions

SUITE, ATOMIC, OWN = "FormFactory/", "Atomic", "Captured"
GROUPS = 5
"""Of difficulty."""
EPISODIC = ("click_accuracy", "value_accuracy", "field_accuracy", "strict_accuracy", "success", "description_bleu")
"""The metrics of episodes in tables, in order."""
OF_FIELDS = ("click_accuracy", "value_accuracy", "field_accuracy", "description_bleu")
"""The metrics of single fields."""

_DESCRIPTION = "Description"
_KINDS = tuple(dict.fromkeys(ATOMIC_KINDS.values()))
Scores = Mapping[str, dict[str, Any]]


@dataclass(frozen=True)
class FormSize:
    """The size of a form.

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
    """An agent and its settings: it is a line in the plots, and a row in the tables.

    Attributes:
        name: the agent, and in brackets the wrappers, settings and flow that not every run has.
        forms: its scored episodes by form, of whole forms; custom forms by the folder of their capture.
        single: its scored episodes of single fields.
    """

    name: str
    forms: dict[str, list[Episode]] = field(default_factory=dict)
    single: list[Episode] = field(default_factory=list)

    @property
    def whole(self) -> list[Episode]:
        """Its scored episodes of whole forms."""
        return [episode for episodes in self.forms.values() for episode in episodes]


@dataclass(frozen=True)
class Result:
    """The results of one condition: the number of episodes or fields, and metrics."""

    condition: str
    count: int
    scores: Scores


@dataclass(frozen=True)
class Group:
    """The results on a form, on all forms of one size, or on a kind of field.

    Attributes:
        name: of the form, the size or the kind.
        notes: what tables have beside the name.
        results: of each condition.
        size: of the forms, for plots.
    """

    name: str
    notes: tuple[str, ...]
    results: list[Result]
    size: int = 0


def numbers_table(
    title: str, headings: Sequence[str], counted: str, metrics: Sequence[str], groups: Sequence[Group]
) -> Table:
    """The numbers of some groups.

    Args:
        title: of the table.
        headings: of the groups' names and notes.
        counted: what the results are over.
        metrics: the columns; those that no result has are left out.
        groups: of results.
    """
    found = {name for group in groups for result in group.results for name in result.scores}
    names = [name for name in metrics if name in found]
    texts = [Column(heading, is_text=True) for heading in (*headings, "agent")]
    rows = []
    for number, group in enumerate(groups):
        for result in group.results:
            means = (mean_cell(result.scores.get(name)) for name in names)
            about = (group.name, *group.notes, Cell(result.condition, style="agent"), result.count)
            rows.append(Row(cells_of([*about, *means]), group=str(number)))
    columns = (*texts, Column(counted), *(Column(metric_title(name)) for name in names))
    return Table(title, columns, rows, "numbers", merged=len(headings))


def conditions(runs: Iterable[Run]) -> list[Condition]:
    """The conditions of runs; of runs that differ only in seed or length, the last."""
    runs = [run for run in runs if str(run.summary["env"]).startswith(SUITE)]
    flows = {run.summary["flow"] for run in runs}
    found: dict[str, Condition] = {}
    for run in runs:
        form, settings = _form_and_settings(run)
        parts = [run.summary["flow"]] * (len(flows) > 1) + [f"{k}={v}" for k, v in settings.items()]
        name = with_conditions(run, [*parts, *run.summary["wrappers"]])
        condition = found.setdefault(name, Condition(name))
        scored = [episode.without_rounds() for episode in run.episodes if episode.error is None]
        if scored and form == ATOMIC:
            condition.single[:] = scored
        elif scored:
            condition.forms[form] = scored
    return list(found.values())


def _form_and_settings(run: Run) -> tuple[str, dict[str, Any]]:
    """The form of a run, or the folder of its capture, and its other settings."""
    form, settings = str(run.summary["env"]).removeprefix(SUITE).rsplit("-v", 1)[0], dict(run.summary["settings"])
    return (str(Path(settings.pop("capture", form))) if form == OWN else form), settings


def sizes(found: Iterable[Condition]) -> list[FormSize]:
    """The forms with episodes of some condition, the smallest first."""
    episodes = {form: episode for condition in found for form, (episode, *_) in condition.forms.items()}
    made = [_size(form, episode.fields) for form, episode in episodes.items()]
    return sorted(made, key=lambda size: (size.fields, size.kinds, size.form))


def form_groups(found: Sequence[Condition], forms: Sequence[FormSize]) -> list[Group]:
    """The results on each form."""
    return [
        Group(words(size.form), (str(size.fields), str(size.kinds), str(size.group)), results_on(found, [size.form]))
        for size in forms
    ]


def form_table(groups: Sequence[Group]) -> Table:
    """The numbers of ``form_groups``."""
    return numbers_table("Form by form", ("form", "fields", "types", "group"), "episodes", EPISODIC, groups)


def size_groups(found: Sequence[Condition], forms: Sequence[FormSize], key: Callable[[FormSize], int]) -> list[Group]:
    """The episodes of all forms of a size together, for each size by ``key``."""
    alike: dict[int, list[str]] = defaultdict(list)
    for size in forms:
        alike[key(size)].append(size.form)
    return [
        Group(str(value), (", ".join(map(words, alike[value])),), results_on(found, alike[value]), value)
        for value in sorted(alike)
    ]


def size_table(title: str, of: str, groups: Sequence[Group]) -> Table:
    """The numbers of ``size_groups``."""
    return numbers_table(title, (of, "forms"), "episodes", EPISODIC, groups)


def kind_groups(found: Iterable[Condition]) -> dict[str, list[Group]]:
    """The results on each kind of field, as single fields and in whole forms."""
    found = list(found)
    return {
        "Single fields (atomic)": _kind_groups({condition.name: condition.single for condition in found}),
        "Fields of whole forms (episodic)": _kind_groups({condition.name: condition.whole for condition in found}),
    }


def kind_tables(found: Sequence[Condition]) -> list[Table]:
    """The numbers of ``kind_groups``."""
    return [
        numbers_table(title, ("kind of field",), "fields", OF_FIELDS, groups)
        for title, groups in kind_groups(found).items()
        if groups
    ]


def paper_table(found: Iterable[Condition]) -> Table:
    """FormFactory's table: a row for each condition, then the published rows.

    Click and Value are in per cent, but for the Value of descriptions, which is BLEU from 0 to 1.
    """
    table = published().form_factory
    rows = [Row((Cell(condition.name), *_paper_cells(condition, table.columns))) for condition in found]
    for model, clicks in table.click.items():
        halves = zip(table.columns, clicks, table.value[model], strict=True)
        rows.append(published_row(model, [cell for half in halves for cell in _click_and_value(*half)]))
    columns = (Column(half, group=column) for column in table.columns for half in ("Click", "Value"))
    return Table("As in the FormFactory paper", (Column("agent", is_text=True), *columns), rows, "paper")


def _paper_cells(condition: Condition, columns: Sequence[str]) -> Iterator[Cell]:
    """The single fields of each kind, and whole forms in the last column."""
    by_kind = _fields_by_kind(condition.single)
    scores = {kind: _kind_result(kind, fields).scores for kind, fields in by_kind.items()}
    scores[columns[-1]] = scores_of(condition.whole)
    for column in columns:
        some = scores.get(column, {})
        if {"click_accuracy", "value_accuracy"} <= set(some):
            unit = 1 if column == _DESCRIPTION else 100
            yield from _click_and_value(
                column, 100 * some["click_accuracy"]["mean"], unit * some["value_accuracy"]["mean"]
            )
        else:
            yield from (EMPTY, EMPTY)


def _click_and_value(column: str, click: float, value: float) -> tuple[Cell, Cell]:
    return Cell(format_number(click, 1)), Cell(format_number(value, 3 if column == _DESCRIPTION else 1))


def results_on(found: Iterable[Condition], forms: Sequence[str]) -> list[Result]:
    """The results of the conditions that have episodes of any of the forms."""
    results = []
    for condition in found:
        episodes = [episode for form in forms for episode in condition.forms.get(form, ())]
        if episodes:
            results.append(Result(condition.name, len(episodes), scores_of(episodes)))
    return results


def words(form: str) -> str:
    """``PersonalLoan`` as ``Personal Loan``; of a folder its name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", Path(form).name)


def _size(form: str, fields: Sequence[FieldResult]) -> FormSize:
    kinds = len({result.kind for result in fields})
    rank = (len(fields), kinds, form.casefold())
    return FormSize(
        form, len(fields), kinds, 1 + GROUPS * min(bisect_left(_ranks(), rank), len(_ranks()) - 1) // len(_ranks())
    )


@lru_cache(maxsize=1)
def _ranks() -> list[tuple[int, int, str]]:
    """Fields, atomic types and name of each form of the suite, the smallest first."""
    forms = [web_form(name) for name in web_forms()]
    return sorted(
        (len(f.fields), len({ATOMIC_KINDS[x.control] for x in f.fields}), f.name.replace("_", "")) for f in forms
    )


def _kind_groups(episodes: Mapping[str, Sequence[Episode]]) -> list[Group]:
    by_condition = {name: _fields_by_kind(some) for name, some in episodes.items()}
    kinds = {kind for fields in by_condition.values() for kind in fields}
    return [
        Group(kind, (), [_kind_result(name, fields[kind]) for name, fields in by_condition.items() if kind in fields])
        for kind in (*_KINDS, "all")
        if kind in kinds
    ]


def _fields_by_kind(episodes: Iterable[Episode]) -> dict[str, list[tuple[Episode, list[FieldResult]]]]:
    """The fields with an answer, by kind and for all kinds, of each episode."""
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


def _kind_result(condition: str, episodes: Sequence[tuple[Episode, Sequence[FieldResult]]]) -> Result:
    measured = [(episode, [_metrics(result) for result in fields]) for episode, fields in episodes]
    names = [name for name in OF_FIELDS if any(name in metrics for _, some in measured for metrics in some)]
    scores = {name: _share(name, measured) for name in names}
    return Result(condition, sum(len(fields) for _, fields in episodes), scores)


def _metrics(result: FieldResult) -> dict[str, float]:
    return {**result.metrics, "field_accuracy": float(result.correct)}


def _share(name: str, measured: Sequence[tuple[Episode, Sequence[Mapping[str, float]]]]) -> dict[str, Any]:
    """The mean of a metric over the fields that have it, with its interval."""
    values = [[metrics[name] for metrics in some if name in metrics] for _, some in measured]
    clusters = clusters_of([episode for episode, _ in measured])
    return share_with_interval([sum(some) for some in values], [len(some) for some in values], clusters)
