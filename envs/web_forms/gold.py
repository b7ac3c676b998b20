"""What is to be entered into a form of one's own: tasks as a JSON file beside its capture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pydantic

from ..core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ..core.files import Data, load
from ..core.matchers import MATCHERS
from .fields import Control, Value
from .replay.page import CapturedPage
from .replay.pictures import Pictures
from .replay.widgets import Button
from .scoring import ScoredField
from .solution import solution

GOLD = "gold.json"
"""Its name in a capture's folder."""


class GoldField(Data):
    """A field. ``matcher``: how texts are compared."""

    label: str
    control: Control
    matcher: str

    @pydantic.field_validator("matcher")
    @classmethod
    def _known(cls, matcher: str) -> str:
        if matcher not in MATCHERS:
            raise ValueError(f"unknown matcher {matcher!r}; there are {', '.join(MATCHERS)}")
        return matcher


class GoldTask(Data):
    """A task.

    Attributes:
        name: unique in the file.
        source: the text that tells what to enter.
        values: what fields must hold in the end; the others must stay as they are.
        files: names of the files that can be chosen.
    """

    name: Annotated[str, pydantic.Field(min_length=1)]
    source: Annotated[str, pydantic.Field(max_length=MAX_SOURCE_LENGTH)] = ""
    values: dict[str, Value] = pydantic.Field(default_factory=dict)
    files: tuple[str, ...] = ()


class Gold(Data):
    """The tasks of a form.

    Attributes:
        title: the form's.
        goal: what to do, of all tasks.
        tasks: each with its text and values.
        fields: what is told of each, by its name; of a control that has one.
    """

    title: str = ""
    goal: Annotated[str, pydantic.Field(max_length=MAX_GOAL_LENGTH // 2)] = ""
    tasks: Annotated[tuple[GoldTask, ...], pydantic.Field(min_length=1)]
    fields: dict[str, GoldField] = pydantic.Field(default_factory=dict)

    @pydantic.model_validator(mode="after")
    def _apart(self) -> Gold:
        names = [task.name for task in self.tasks]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two tasks are called {twice[0]!r}")
        return self


def load_gold(folder: Path) -> Gold:
    """The tasks beside a capture.

    Raises:
        ValueError: if they are missing or broken.
    """
    return load(Gold, folder / GOLD)


def scored(gold: Gold, task: GoldTask, page: CapturedPage) -> tuple[ScoredField, ...]:
    """Every field of a task, with what it must hold.

    Args:
        gold: the tasks.
        task: the one.
        page: untouched.
    """
    initial = page.draft()
    return tuple(
        ScoredField(
            name,
            field.label,
            field.control,
            field.matcher,
            task.values.get(name),
            initial.get(name),
        )
        for name, field in gold.fields.items()
    )


def is_submitted(page: CapturedPage) -> bool:
    """Whether the page has a button that submits it."""
    return any(isinstance(w, Button) and w.control.action == "submit" for w in page.widgets)


def check_gold(gold: Gold, pictures: Pictures, origin: Path) -> None:
    """Check that every value can be entered, by entering it.

    Raises:
        ValueError: if one cannot; the message names the task, the field and the reason.
    """
    there = CapturedPage(pictures).draft().keys()
    if unknown := sorted(gold.fields.keys() - there):
        raise ValueError(f"{origin}: fields: the page has no {unknown[0]!r}; there are {', '.join(sorted(there))}")
    for task in gold.tasks:
        try:
            _check_task(gold, task, pictures)
        except ValueError as error:
            raise ValueError(f"{origin}: task {task.name!r}: {error}") from None


def _check_task(gold: Gold, task: GoldTask, pictures: Pictures) -> None:
    for name, value in task.values.items():
        if name not in gold.fields:
            raise ValueError(f"{name!r} is no field; there are {', '.join(gold.fields)}")
        _check_kind(name, gold.fields[name].control, value)
    page = CapturedPage(pictures, task.files)
    if not any(field.is_wanted for field in scored(gold, task, page)):
        return
    solution(page, _wanted(gold, task, page), is_submitted(page))
    held = page.submitted if page.submitted is not None else page.draft()
    for field in scored(gold, task, CapturedPage(pictures, task.files)):
        if not field.accepts(held.get(field.name)):
            raise ValueError(f"{field.name!r} holds {held.get(field.name)!r} in the end instead of {field.gold!r}")


def _check_kind(name: str, control: str, value: Value) -> None:
    """Check that a value is of the kind that a control holds."""
    kinds: dict[str, tuple[type, ...]] = {"checkbox": (bool,), "checkbox_group": (list,), "multi_select": (list,)}
    wanted = kinds.get(control, (str, list) if control == "file" else (str,))
    if value is not None and not isinstance(value, wanted):
        told = {bool: "true or false", list: "a list of texts", str: "a text"}
        kind = " or ".join(told[one] for one in wanted)
        raise ValueError(f"{name!r} is a {control}: its value is {kind}, not {value!r}")


def _wanted(gold: Gold, task: GoldTask, page: CapturedPage) -> dict[str, Value]:
    return {field.name: field.gold for field in scored(gold, task, page)}
