"""The tables of the FormGym paper with our rows, and the published results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...envs.core.files import Data, load
from ..running.conditions import GROUND_TRUTH
from ..running.run_folder import Run
from ..terminal.console import EMPTY, Cell, Column, Row, Table, format_number, mean_cell

_FLOWS = {"one_shot": "one-shot", "iterative": "iterative"}
_BOTH = tuple(_FLOWS)
_TABLES = (
    ("Auto loans, facts as text", ("AutoLoans-Text",), _BOTH),
    ("Auto loans, document transfer", ("AutoLoans-DocTransfer",), _BOTH),
    ("Database", ("Database",), _BOTH),
    ("Scanned forms", ("FUNSD", "XFUND", "FormNLU", "Scans"), ("one_shot",)),
)
"""Title, tasks and flows of each table. The paper numbers its four 3 to 6."""
_FIRST_NUMBER = 3
_HALVES = ("alone", "+ FieldFinder")
_FIELD_FINDER = "field_finder"
_SHIPPED = f"{_FIELD_FINDER} (fieldfinder"
"""FieldFinder with the locator that it has by default: runs with another one are rows of their own."""


class FormGymResults(Data):
    """The published results of FormGym: per cent of fields by model, task and flow.

    Attributes:
        source: where the metrics are from.
        note: how to read them.
        models: the models, in the order of the numbers.
        base: without FieldFinder.
        field_finder: with it.
    """

    source: str
    note: str
    models: tuple[str, ...]
    base: dict[str, tuple[float, ...]]
    field_finder: dict[str, tuple[float, ...]]


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

    form_gym: FormGymResults
    form_factory: FormFactoryResults


def paper_tables(runs: Sequence[Run]) -> list[Table]:
    """The tables in which some run has a row."""
    tables = []
    for number, (title, tasks, flows) in enumerate(_TABLES, start=_FIRST_NUMBER):
        places = [(task, flow) for task in tasks for flow in flows]
        ours = list(_our_rows(runs, places))
        if ours:
            groups = [f"{task}, {_FLOWS[flow]}" for task, flow in places]
            columns = [Column(half, group=group) for group in groups for half in _HALVES]
            rows = [*ours, *_published_rows(places)]
            tables.append(Table(f"Table {number}: {title}", (Column("agent", is_text=True), *columns), rows, "paper"))
    return tables


def published_row(model: str, cells: Iterable[Cell]) -> Row:
    """A row of published results."""
    return Row((Cell(model, ("published",)), *cells), style="published")


@lru_cache(maxsize=1)
def published() -> Published:
    """The published results."""
    return load(Published, Path(__file__).with_name("published.json"))


def _our_rows(runs: Sequence[Run], places: Sequence[tuple[str, str]]) -> Iterator[Row]:
    """A row for each agent; of runs that differ only in seed or length, the last."""
    found: dict[str, list[Cell]] = {}
    for run in runs:
        place = (_task_of(run), run.summary["flow"])
        if place in places and "field_accuracy" in run.summary["scores"]:
            has_finder = any(wrapper.split(" ")[0] == _FIELD_FINDER for wrapper in run.summary["wrappers"])
            cells = found.setdefault(_row_name(run), [EMPTY] * len(_HALVES) * len(places))
            cells[len(_HALVES) * places.index(place) + has_finder] = _cell(run.summary["scores"])
    for name, cells in found.items():
        yield Row((Cell(name), *cells))


def _row_name(run: Run) -> str:
    """The agent with other wrappers and settings than the paper's."""
    settings = (f"{name}={value}" for name, value in run.summary["settings"].items())
    wrappers = (name for name in run.summary["wrappers"] if name != _FIELD_FINDER and not name.startswith(_SHIPPED))
    return with_conditions(run, [*wrappers, *run.summary["options"], *settings])


def with_conditions(run: Run, conditions: Sequence[str]) -> str:
    """The agent of a run with some conditions in brackets, marked if something in it knows answers."""
    parts = [*conditions, *([GROUND_TRUTH] if run.knows_answers else [])]
    return f"{run.summary['agent']} ({', '.join(parts)})" if parts else str(run.summary["agent"])


def _task_of(run: Run) -> str:
    """The task of an environment: ``AutoLoans-Text`` of ``FormGym/AutoLoans-Text-v0``."""
    return str(run.summary["env"]).removeprefix("FormGym/").rsplit("-v", 1)[0]


def _cell(scores: dict[str, Any]) -> Cell:
    """Field accuracy in per cent, with its interval and the numbers of placements."""
    accuracy = mean_cell(scores["field_accuracy"], 1, unit=100)
    placements = (format_number(scores[name]["mean"], 1) for name in ("correct_placements", "incorrect_placements"))
    return replace(accuracy, notes=(*accuracy.notes, " + ".join(placements)))


def _published_rows(places: Sequence[tuple[str, str]]) -> Iterator[Row]:
    keys = [" ".join(place) for place in places]
    results = published().form_gym
    if set(keys) & set(results.base):
        for i, model in enumerate(results.models):
            parts = (part.get(key) for key in keys for part in (results.base, results.field_finder))
            yield published_row(
                model, [Cell(format_number(values[i], 1), style="figure") if values else EMPTY for values in parts]
            )
