"""The results on web forms: tables and plots by form, by size of form, and by kind of field.

All of it is made from the records of episodes. The forms of the suite are read only for the groups of difficulty.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...envs.core.metrics import title
from ...envs.core.tasks import page_of
from ...envs.web_forms.forms.form import web_form, web_forms
from ...envs.web_forms.scoring import ATOMIC_KINDS
from ..running.episodes import Episode
from ..running.intervals import clusters_of, scores_of, share_with_interval
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, format_number, mean_cell
from .paper_tables import published, published_row, with_conditions
from .plots import Panel, Point, Series
from .run_tables import Scores, metric_table

EPISODIC = ("click_accuracy", "value_accuracy", "field_accuracy", "strict_accuracy", "success", "description_bleu")
"""The metrics of episodes in tables, in order."""
OF_FIELDS = ("click_accuracy", "value_accuracy", "field_accuracy", "description_bleu")
"""The metrics of single fields."""
PLOTTED = ("value_accuracy", "click_accuracy", "field_accuracy")
"""The plotted metrics, with a panel for each."""
GROUPS = 5
"""Of difficulty."""
_SUITE, _ATOMIC, _OWN, _DESCRIPTION = "FormFactory", "Atomic", "Custom", "Description"
_PUBLISHED, _SAME_ROW = "Published", ("mode", "root", "allow_commands")
"""The published forms, and the options that make no other row of them: atomic and episodic tasks are columns."""
_KINDS = tuple(dict.fromkeys(ATOMIC_KINDS.values()))


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
class Group:
    """The results on a form, on all forms of one size, or on a kind of field.

    Attributes:
        labels: the name of the form, the size or the kind, and what tables have beside it.
        results: by condition, how many episodes or fields there are, and their scores.
        size: of the forms, for plots.
    """

    labels: tuple[str, ...]
    results: dict[str, tuple[int, Scores]]
    size: int = 0


@dataclass(frozen=True)
class Plot:
    """Panels side by side, the legend of their series, and a table of the numbers."""

    title: str
    about: str
    legend: list[tuple[int, str]]
    panels: list[Panel]
    table: Table


@dataclass(frozen=True)
class WebResults:
    """The results on web forms in a report: FormFactory's table, plots, and tables."""

    paper: Table
    plots: list[Plot]
    tables: list[Table]


def web_results(runs: Sequence[Run]) -> WebResults | None:
    """The results on web forms; ``None`` if there are none."""
    found = conditions(runs)
    whole = [condition for condition in found if condition.forms]
    if not whole and not any(condition.single for condition in found):
        return None
    tables = [
        _numbers_table(heading, ("kind of field",), "fields", OF_FIELDS, groups)
        for heading, groups in kind_groups(found).items()
        if groups
    ]
    forms = sizes(whole)
    by_form = [
        Group((words(form.form), *map(str, (form.fields, form.kinds, form.group))), _results_on(whole, [form.form]))
        for form in forms
    ]
    if by_form:
        headings = ("form", "fields", "types", "group")
        tables.append(_numbers_table("Form by form", headings, "episodes", EPISODIC, by_form))
    return WebResults(paper_table(found), list(_plots(whole, forms, by_form)) if forms else [], tables)


def conditions(runs: Iterable[Run]) -> list[Condition]:
    """The conditions of runs; of runs that differ only in seed or length, the last."""
    runs = [run for run in runs if run.suite == _SUITE]
    flows = {run.summary["flow"] for run in runs}
    found: dict[str, Condition] = {}
    for run in runs:
        form, settings = _form_and_settings(run)
        is_published = form == _PUBLISHED
        is_atomic = form == _ATOMIC or (is_published and run.summary["settings"].get("mode") == "atomic")
        parts = ["published forms"] * is_published + [run.summary["flow"]] * (len(flows) > 1)
        parts += [f"{k}={v}" for k, v in settings.items()]
        name = with_conditions(run, [*parts, *run.summary["wrappers"], *run.summary["options"]])
        condition = found.setdefault(name, Condition(name))
        scored = [episode.without_rounds() for episode in run.episodes if episode.error is None]
        if scored and is_atomic:
            condition.single[:] = scored
        elif scored:
            condition.forms.update(_by_published_form(scored) if is_published else {form: scored})
    return list(found.values())


def _by_published_form(episodes: Iterable[Episode]) -> dict[str, list[Episode]]:
    """Episodes by the form that their tasks name."""
    forms: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        forms[page_of(episode.task).replace("_", " ")].append(episode)
    return forms


def _form_and_settings(run: Run) -> tuple[str, dict[str, Any]]:
    """The form of a run, or the folder of its capture, and its other settings."""
    form, settings = run.summary["env"].partition("/")[2].rsplit("-v", 1)[0], dict(run.summary["settings"])
    if form == _PUBLISHED:
        settings = {name: value for name, value in settings.items() if name not in _SAME_ROW}
    return (str(Path(settings.pop("form", form))) if form == _OWN else form), settings


def words(form: str) -> str:
    """``PersonalLoan`` as ``Personal Loan``; of a folder its name."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", Path(form).name)


def _results_on(found: Iterable[Condition], forms: Sequence[str]) -> dict[str, tuple[int, Scores]]:
    """The results of the conditions that have episodes of any of the forms."""
    by_condition = {one.name: [episode for form in forms for episode in one.forms.get(form, ())] for one in found}
    return {name: (len(episodes), scores_of(episodes)) for name, episodes in by_condition.items() if episodes}


def _numbers_table(
    heading: str, headings: Sequence[str], counted: str, metrics: Sequence[str], groups: Sequence[Group]
) -> Table:
    """The numbers of some groups.

    Args:
        heading: of the table.
        headings: of the groups' labels.
        counted: what the results are over.
        metrics: the columns; those that no result has are left out.
        groups: of results.
    """
    results = [(i, group, name, *result) for i, group in enumerate(groups) for name, result in group.results.items()]
    names = [name for name in metrics if any(name in scores for *_, scores in results)]
    columns = (*(Column(text, is_text=True) for text in (*headings, "agent")), Column(counted))
    about = [((*group.labels, Cell(name, style="agent"), count), scores) for _, group, name, count, scores in results]
    table = metric_table(heading, columns, names, about, "numbers", lambda _, score: mean_cell(score))
    rows = [replace(row, group=str(i)) for row, (i, *_) in zip(table.rows, results, strict=True)]
    return replace(table, rows=rows, merged=len(headings))


# -- Plots by the size of a form ---------------------------------------------------------------------------------------

_ABOUT_POINTS = (
    "A point is a form, with the 95 % interval over its episodes; a line runs through the means over the episodes of "
    "all forms of the same size."
)
_ABOUT_GROUPS = (
    f"{_ABOUT_POINTS} Groups 1 to {GROUPS} are fifths of the forms of the suite by number of fields, the smallest in "
    "group 1; forms with as many fields are put in order by their atomic types, then by name."
)
_SIZES: tuple[tuple[str, str, str, str, Callable[[FormSize], int]], ...] = (
    ("By number of fields", _ABOUT_POINTS, "fields", "fields of the form", lambda form: form.fields),
    ("By number of atomic types", _ABOUT_POINTS, "types", "atomic types of the form", lambda form: form.kinds),
    ("By group of difficulty", _ABOUT_GROUPS, "group", "group of difficulty", lambda form: form.group),
)
"""The plots: title, explanation, heading of the size in tables, axis, and the size of a form."""


def _plots(found: Sequence[Condition], forms: Sequence[FormSize], by_form: Sequence[Group]) -> Iterator[Plot]:
    legend = list(enumerate(condition.name for condition in found))
    for heading, about, of, across, key in _SIZES:
        alike: dict[int, list[str]] = defaultdict(list)
        for form in forms:
            alike[key(form)].append(form.form)
        means = [
            Group((str(size), ", ".join(map(words, names))), _results_on(found, names), size)
            for size, names in sorted(alike.items())
        ]
        points = [replace(group, size=key(form)) for form, group in zip(forms, by_form, strict=True)]
        panels = [
            Panel(
                title(metric),
                across,
                [Series(*(_points(name, some, metric) for some in (points, means))) for _, name in legend],
            )
            for metric in PLOTTED
        ]
        shown = [panel for panel in panels if any(series.points for series in panel.series)]
        yield Plot(heading, about, legend, shown, _numbers_table(heading, (of, "forms"), "episodes", EPISODIC, means))


def _points(condition: str, groups: Sequence[Group], metric: str) -> list[Point]:
    scores = [(group.size, group.results[condition][1].get(metric)) for group in groups if condition in group.results]
    return [Point.of(size, score) for size, score in scores if score]


def sizes(found: Iterable[Condition]) -> list[FormSize]:
    """The forms with episodes of some condition, the smallest first."""
    episodes = {form: episode for condition in found for form, (episode, *_) in condition.forms.items()}
    made = []
    for form, episode in episodes.items():
        n_kinds = len({result.kind for result in episode.fields})
        place = bisect_left(_ranks(), (len(episode.fields), n_kinds, form.casefold()))
        group = 1 + GROUPS * min(place, len(_ranks()) - 1) // len(_ranks())
        made.append(FormSize(form, len(episode.fields), n_kinds, group))
    return sorted(made, key=lambda size: (size.fields, size.kinds, size.form))


@lru_cache(maxsize=1)
def _ranks() -> list[tuple[int, int, str]]:
    """Fields, atomic types and name of each form of the suite, the smallest first."""
    forms = [web_form(name) for name in web_forms()]
    return sorted(
        (len(f.fields), len({ATOMIC_KINDS[x.control] for x in f.fields}), f.name.replace("_", "")) for f in forms
    )


# -- Kinds of fields ---------------------------------------------------------------------------------------------------


def kind_groups(found: Sequence[Condition]) -> dict[str, list[Group]]:
    """The results on each kind of field, as single fields and in whole forms."""
    episodes = {
        "Single fields (atomic)": {condition.name: condition.single for condition in found},
        "Fields of whole forms (episodic)": {condition.name: condition.whole for condition in found},
    }
    groups: dict[str, list[Group]] = {}
    for heading, by_condition in episodes.items():
        results = {name: _kind_results(some) for name, some in by_condition.items()}
        groups[heading] = [
            Group((kind,), {name: by_kind[kind] for name, by_kind in results.items() if kind in by_kind})
            for kind in (*_KINDS, "all")
            if any(kind in by_kind for by_kind in results.values())
        ]
    return groups


def _kind_results(episodes: Iterable[Episode]) -> dict[str, tuple[int, Scores]]:
    """By kind, and for all kinds, the number and the scores of the fields with an answer."""
    metrics: dict[str, list[tuple[Episode, list[Mapping[str, float]]]]] = defaultdict(list)
    for episode in episodes:
        by_kind: dict[str, list[Mapping[str, float]]] = defaultdict(list)
        for result in episode.fields:
            if result.expected is not None and result.kind:
                for kind in (result.kind, "all"):
                    by_kind[kind].append({**result.metrics, "field_accuracy": float(result.correct)})
        for kind, some in by_kind.items():
            metrics[kind].append((episode, some))
    return {kind: (sum(len(fields) for _, fields in some), _shares(some)) for kind, some in metrics.items()}


def _shares(measured: Sequence[tuple[Episode, Sequence[Mapping[str, float]]]]) -> Scores:
    """The mean of each metric over the fields that have it, with its interval."""
    clusters = clusters_of([episode for episode, _ in measured])
    shares = {}
    for name in OF_FIELDS:
        values = [[metrics[name] for metrics in fields if name in metrics] for _, fields in measured]
        if any(values):
            shares[name] = share_with_interval([sum(some) for some in values], [len(some) for some in values], clusters)
    return shares


# -- FormFactory's table -----------------------------------------------------------------------------------------------


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
    scores = {kind: shares for kind, (_, shares) in _kind_results(condition.single).items()}
    scores[columns[-1]] = scores_of(condition.whole)
    for column in columns:
        click, value = (scores.get(column, {}).get(name) for name in ("click_accuracy", "value_accuracy"))
        if click and value:
            unit = 1 if column == _DESCRIPTION else 100
            yield from _click_and_value(column, 100 * click["mean"], unit * value["mean"])
        else:
            yield from (EMPTY, EMPTY)


def _click_and_value(column: str, click: float, value: float) -> tuple[Cell, Cell]:
    return Cell(format_number(click, 1)), Cell(format_number(value, 3 if column == _DESCRIPTION else 1))
