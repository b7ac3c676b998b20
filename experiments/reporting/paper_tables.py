"""The tables of the FormGym paper with the rows of our agents and the published rows; published results in general."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from ...envs.core.files import load
from ..running.runs import Run

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
_FIELD_FINDER = "field_finder"
_ORACLE = f"{_FIELD_FINDER} (oracle)"
"""FieldFinder with the locator that it has by default: runs with another one are rows of their own."""


class FormGymResults(BaseModel):
    """What FormGym's authors report: per cent of fields, a number for each model, by task and flow.

    Attributes:
        source: where the metrics are from.
        note: how to read them.
        models: the models, in the order of the numbers.
        base: without FieldFinder.
        field_finder: with it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    note: str
    models: tuple[str, ...]
    base: dict[str, tuple[float, ...]]
    field_finder: dict[str, tuple[float, ...]]


class FormFactoryResults(BaseModel):
    """What FormFactory's authors report: Click and Value by model, a number for each column.

    Attributes:
        source: where the numbers are from.
        note: how to read them.
        columns: the atomic types of fields, and whole forms.
        click: in per cent, by model.
        value: in per cent, of descriptions BLEU from 0 to 1; by model.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str
    note: str
    columns: tuple[str, ...]
    click: dict[str, tuple[float, ...]]
    value: dict[str, tuple[float, ...]]


class Published(BaseModel):
    """The results that the authors of the papers report."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    form_gym: FormGymResults
    form_factory: FormFactoryResults


@dataclass(frozen=True)
class PaperCell:
    """A condition of an agent: per cent of fields with its interval, and placements an episode."""

    accuracy: float
    ci95: tuple[float, float] | None = None
    correct: float | None = None
    incorrect: float | None = None


@dataclass(frozen=True)
class PaperRow:
    """An agent, or a published model, with and without FieldFinder, in each column; ``None``: not measured.

    Of runs that differ in nothing but their seed or number of episodes, it is the last one.
    """

    agent: str
    published: bool
    base: list[PaperCell | None]
    field_finder: list[PaperCell | None]


@dataclass(frozen=True)
class PaperTable:
    """One table of the paper: its number there, and a column for each task and flow."""

    number: int
    title: str
    columns: list[str]
    rows: list[PaperRow]


def paper_tables(runs: Sequence[Run]) -> list[PaperTable]:
    """The tables that some run has something to say in."""
    tables = []
    for number, (title, tasks, flows) in enumerate(_TABLES, start=_FIRST_NUMBER):
        places = [(task, flow) for task in tasks for flow in flows]
        ours = list(_our_rows(runs, places))
        if ours:
            columns = [f"{task}, {_FLOWS[flow]}" for task, flow in places]
            tables.append(PaperTable(number, title, columns, [*ours, *_published_rows(places)]))
    return tables


@lru_cache(maxsize=1)
def published() -> Published:
    """The published results."""
    return load(Published, Path(__file__).with_name("published.json"))


def _our_rows(runs: Sequence[Run], places: Sequence[tuple[str, str]]) -> Iterator[PaperRow]:
    found: dict[tuple[str, bool], list[PaperCell | None]] = {}
    for run in runs:
        place = (_task_of(run), run.summary["flow"])
        if place in places and "field_accuracy" in run.summary["scores"]:
            key = (_row_name(run), any(map(_finds, run.summary["wrappers"])))
            found.setdefault(key, [None] * len(places))[places.index(place)] = _cell(run.summary["scores"])
    empty: list[PaperCell | None] = [None] * len(places)
    for name in dict.fromkeys(name for name, _ in found):
        yield PaperRow(name, False, found.get((name, False), empty), found.get((name, True), empty))


def _row_name(run: Run) -> str:
    """The agent, and what else was not as the paper has it: other wrappers and settings make other rows."""
    summary = run.summary
    settings = [f"{name}={value}" for name, value in summary["settings"].items()]
    others = [*(w for w in summary["wrappers"] if w not in (_FIELD_FINDER, _ORACLE)), *settings]
    return f"{summary['agent']} ({', '.join(others)})" if others else str(summary["agent"])


def _finds(wrapper: str) -> bool:
    return wrapper.split(" ")[0] == _FIELD_FINDER


def _task_of(run: Run) -> str:
    """The task of a run's environment: ``FormGym/AutoLoans-Text-v0`` is ``AutoLoans-Text``."""
    return str(run.summary["env"]).removeprefix("FormGym/").rsplit("-v", 1)[0]


def _cell(scores: dict[str, Any]) -> PaperCell:
    accuracy = scores["field_accuracy"]
    bounds = accuracy["ci95"] and (100 * accuracy["ci95"][0], 100 * accuracy["ci95"][1])
    placed = (scores[name]["mean"] for name in ("correct_placements", "incorrect_placements"))
    return PaperCell(100 * accuracy["mean"], bounds, *placed)


def _published_rows(places: Sequence[tuple[str, str]]) -> Iterator[PaperRow]:
    keys = [" ".join(place) for place in places]
    metrics = published().form_gym
    if not set(keys) & set(metrics.base):
        return
    for i, model in enumerate(metrics.models):
        base, found = (
            [PaperCell(part[key][i]) if key in part else None for key in keys]
            for part in (metrics.base, metrics.field_finder)
        )
        yield PaperRow(model, True, base, found)
