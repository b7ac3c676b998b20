"""The tables of the FormGym paper with our rows, and the published results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from statistics import mean

from pydantic import Field

from ...envs.core.files import Data, load
from ..running.conditions import GROUND_TRUTH
from ..running.intervals import counted
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, format_number, mean_cell

Place = tuple[str, str]
"""A task and a flow; without a flow, where the paper has one column for the task, runs of any flow stand there."""


def _places(*tasks: str, flows: Sequence[str] = ("one_shot", "iterative")) -> tuple[Place, ...]:
    return tuple((task, flow) for task in tasks for flow in flows)


_FLOWS = {"one_shot": ", one-shot", "iterative": ", iterative", "": ""}
_OFFICIAL = "Official"
"""The published forms: the task is an option of the environment."""
_SAME_ROW = ("task", "scorer")
"""Its options that make no other row: figures are by the published grading whatever the reward goes by."""
_TABLES: Mapping[str, tuple[Place, ...]] = {
    "Table 3, the published forms: auto loans": _places(f"{_OFFICIAL} text", f"{_OFFICIAL} doc_transfer"),
    "Table 3, the published forms: database and FUNSD": _places(
        f"{_OFFICIAL} database", f"{_OFFICIAL} funsd", flows=("",)
    ),
    "Auto loans, facts as text": _places("AutoLoans-Text"),
    "Auto loans, document transfer": _places("AutoLoans-DocTransfer"),
    "Database": _places("Database"),
    "Scanned forms": _places("FUNSD", "XFUND", "FormNLU", "Scans", flows=("one_shot",)),
}
PAPER_ACCURACY = "published_accuracy"
"""Right fields that have an answer among all fields of a page, by the published grading."""
_HALVES = ("alone", "+ FieldFinder")
_FIELD_FINDER = "field_finder"
_SHIPPED = f"{_FIELD_FINDER} (fieldfinder"
"""FieldFinder with the locator that it has by default: runs with another one are rows of their own."""


class FormGymResults(Data):
    """Published results of FormGym: per cent of fields by model, task and flow; ``None`` where there is none.

    Attributes:
        source: where the metrics are from.
        note: how to read them.
        denominators: of how many fields a user the figures of a task are, where that is known.
        pages: those that the figures of a task are of, where they are not all of the task's.
        models: the models, in the order of the numbers.
        base: without FieldFinder.
        field_finder: with it.
    """

    source: str
    note: str
    denominators: dict[str, int] = Field(default_factory=dict)
    pages: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    models: tuple[str, ...]
    base: dict[str, tuple[float | None, ...]]
    field_finder: dict[str, tuple[float | None, ...]]


class FormFactoryResults(Data):
    """The published results of FormFactory: Click and Value by model and column.

    Attributes:
        source: where the numbers are from.
        note: how to read them.
        columns: the atomic types of fields, and whole forms.
        click: in per cent, by model.
        value: in per cent, of descriptions BLEU from 0 to 1; by model.
    """

    source: str
    note: str
    columns: tuple[str, ...]
    click: dict[str, tuple[float, ...]]
    value: dict[str, tuple[float, ...]]


class Published(Data):
    """The published results of both papers."""

    form_gym: tuple[FormGymResults, ...]
    form_factory: FormFactoryResults


def paper_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables in which some run has a row."""
    tables = []
    for title, places in _TABLES.items():
        ours = list(_our_rows(runs, places))
        if ours:
            columns = [Column(half, group=_heading(place)) for place in places for half in _HALVES]
            rows = [*ours, *_published_rows(places)]
            tables.append(Table(title, (Column("agent", is_text=True), *columns), rows, "paper"))
    return tables


def _heading(place: Place) -> str:
    task, flow = place
    fields = [
        f"{results.denominators[task]} fields" for results in published().form_gym if task in results.denominators
    ]
    return ", of ".join([task.removeprefix(f"{_OFFICIAL} ").replace("_", " ") + _FLOWS[flow], *fields])


def published_row(model: str, cells: Iterable[Cell]) -> Row:
    """A row of published results."""
    return Row((Cell(model, ("published",)), *cells), style="published")


@lru_cache(maxsize=1)
def published() -> Published:
    """The published results."""
    return load(Published, Path(__file__).with_name("published.json"))


def _our_rows(runs: Sequence[Run], places: Sequence[Place]) -> Iterator[Row]:
    """A row for each agent; of runs that differ only in seed or length, the last."""
    found: dict[str, list[Cell]] = {}
    for run in runs:
        place = _place_of(run, places)
        if place is not None and "field_accuracy" in run.summary["scores"]:
            has_finder = any(wrapper.split(" ")[0] == _FIELD_FINDER for wrapper in run.summary["wrappers"])
            cells = found.setdefault(_row_name(run, place), [EMPTY] * len(_HALVES) * len(places))
            cells[len(_HALVES) * places.index(place) + has_finder] = _cell(run, place[0])
    for name, cells in found.items():
        yield Row((Cell(name), *cells))


def _place_of(run: Run, places: Sequence[Place]) -> Place | None:
    """Where a run stands in a table, if it does."""
    task = str(run.summary["env"]).removeprefix("FormGym/").rsplit("-v", 1)[0]
    if task == _OFFICIAL:
        task += f" {run.summary['settings'].get('task', 'text')}"
    return next((place for place in ((task, run.summary["flow"]), (task, "")) if place in places), None)


def _row_name(run: Run, place: Place) -> str:
    """The agent with other wrappers and settings than the paper's."""
    usual = _SAME_ROW if place[0].startswith(_OFFICIAL) else ()
    settings = [f"{name}={value}" for name, value in run.summary["settings"].items() if name not in usual]
    wrappers = (name for name in run.summary["wrappers"] if name != _FIELD_FINDER and not name.startswith(_SHIPPED))
    flow = [run.summary["flow"]] if run.summary["flow"] not in (place[1], "one_shot") else []
    return with_conditions(run, [*flow, *wrappers, *run.summary["options"], *settings])


def with_conditions(run: Run, conditions: Sequence[str]) -> str:
    """The agent of a run with some conditions in brackets, marked if something in it knows answers."""
    parts = [*conditions, *([GROUND_TRUTH] if run.knows_answers else [])]
    return f"{run.summary['agent']} ({', '.join(parts)})" if parts else str(run.summary["agent"])


def _cell(run: Run, task: str) -> Cell:
    """The paper's accuracy in per cent, with its interval or its fields, and the numbers of placements."""
    scores = run.summary["scores"]
    accuracy = _pooled(run, task) if PAPER_ACCURACY in scores else mean_cell(scores["field_accuracy"], 1, unit=100)
    placements = (format_number(scores[name]["mean"], 1) for name in ("correct_placements", "incorrect_placements"))
    return replace(accuracy, notes=(*accuracy.notes, " + ".join(placements)))


def _pooled(run: Run, task: str) -> Cell:
    """The mean over users of the share of all fields of all their pages that are right, as the paper's figures are."""
    pages = {page for results in published().form_gym for page in results.pages.get(task, ())}
    episodes = [e for e in counted(run.episodes) if not pages or e.task.partition("/")[0] in pages]
    size = {episode.task.partition("/")[0]: len(episode.fields) for episode in episodes if episode.fields}
    right, total = Counter[str](), Counter[str]()
    for episode in episodes:
        page, _, user = episode.task.partition("/")
        right[user] += round((episode.metrics or {})[PAPER_ACCURACY] * size.get(page, 0))
        total[user] += size.get(page, 0)
    shares = [right[user] / total[user] for user in total if total[user]]
    if not shares:
        return EMPTY
    note = f"{format_number(mean(right.values()), 1)} of {format_number(mean(total.values()), 0)}"
    users = f"{len(shares)} users" if len(shares) > 1 else "1 user"
    return Cell(format_number(100 * mean(shares), 1), (note, users), "figure")


def _published_rows(places: Sequence[Place]) -> Iterator[Row]:
    keys = [" ".join(filter(None, place)) for place in places]
    for results in published().form_gym:
        if set(keys) & set(results.base):
            for i, model in enumerate(results.models):
                parts = (part.get(key) for key in keys for part in (results.base, results.field_finder))
                yield published_row(model, [_published_cell(values[i] if values else None) for values in parts])


def _published_cell(value: float | None) -> Cell:
    return EMPTY if value is None else Cell(format_number(value, 1), style="figure")
