"""Custom forms: captured by ``formgym import``, with tasks in a JSON file."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import pydantic

from ..core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH, PaperworkEnv
from ..core.files import Data, load
from ..core.matchers import MATCHERS
from .forms.form_fields import Control, Value
from .replay.capture import Pictures, load_pictures
from .replay.captured_page import CapturedPage
from .replay.control_actions import solution
from .replay.widgets import Button
from .scoring import ScoredField
from .state import WebFormState, WebTask
from .tools import HEIGHT, TOOLS, WIDTH

GOLD = "gold.json"
"""Its name in a capture's folder."""


class GoldField(Data):
    """A field; ``matcher`` compares its texts."""

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
        source: the text with the facts to enter.
        values: the expected values of fields in the end; the others must stay as they are.
        files: names of the files that can be chosen.
    """

    name: Annotated[str, pydantic.Field(min_length=1)]
    source: Annotated[str, pydantic.Field(max_length=MAX_SOURCE_LENGTH)] = ""
    values: dict[str, Value] = pydantic.Field(default_factory=dict)
    files: tuple[str, ...] = ()


class GoldFile(Data):
    """The tasks of a form.

    Attributes:
        title: the form's.
        goal: what to do, of all tasks.
        tasks: each with its text and values.
        fields: label, control and matcher of each field, by its name.
    """

    title: str = ""
    goal: Annotated[str, pydantic.Field(max_length=MAX_GOAL_LENGTH // 2)] = ""
    tasks: Annotated[tuple[GoldTask, ...], pydantic.Field(min_length=1)]
    fields: dict[str, GoldField] = pydantic.Field(default_factory=dict)

    @pydantic.model_validator(mode="after")
    def _apart(self) -> GoldFile:
        names = [task.name for task in self.tasks]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two tasks are called {twice[0]!r}")
        return self


def scored(gold: GoldFile, task: GoldTask, page: CapturedPage) -> tuple[ScoredField, ...]:
    """Every field of a task, with its expected value.

    Args:
        gold: the tasks.
        task: one of them.
        page: untouched.
    """
    initial = page.draft()
    return tuple(
        ScoredField(name, field.label, field.control, field.matcher, task.values.get(name), initial.get(name))
        for name, field in gold.fields.items()
    )


def has_submit_button(page: CapturedPage) -> bool:
    """Whether the page has a button that submits it."""
    return any(isinstance(w, Button) and w.control.action == "submit" for w in page.values.widgets)


def check_gold(gold: GoldFile, pictures: Pictures, origin: Path) -> None:
    """Check that every value can be entered, by entering it.

    Raises:
        ValueError: if one cannot; the message names the task, the field and the reason.
    """
    if not gold.fields:
        raise ValueError(f"{origin} has no fields yet: formgym import PAGE --out {origin.parent} adds them")
    there = CapturedPage(pictures).draft().keys()
    if unknown := sorted(gold.fields.keys() - there):
        raise ValueError(f"{origin}: fields: the page has no {unknown[0]!r}; there are {', '.join(sorted(there))}")
    for task in gold.tasks:
        try:
            _check_task(gold, task, pictures)
        except ValueError as error:
            raise ValueError(f"{origin}: task {task.name!r}: {error}") from None


def _check_task(gold: GoldFile, task: GoldTask, pictures: Pictures) -> None:
    for name, value in task.values.items():
        if name not in gold.fields:
            raise ValueError(f"{name!r} is no field; there are {', '.join(gold.fields)}")
        _check_kind(name, gold.fields[name].control, value)
    page = CapturedPage(pictures, task.files)
    fields = scored(gold, task, page)
    if not any(field.needs_entry for field in fields):
        return
    solution(page, {field.name: field.gold for field in fields}, has_submit_button(page))
    held = page.submitted if page.submitted is not None else page.draft()
    for field in fields:
        if not field.accepts(held.get(field.name)):
            raise ValueError(f"{field.name!r} holds {held.get(field.name)!r} in the end instead of {field.gold!r}")


def _check_kind(name: str, control: str, value: Value) -> None:
    """Check that a value is of the kind that a control holds."""
    kinds: dict[str, tuple[type, ...]] = {"checkbox": (bool,), "checkbox_group": (list,), "multi_select": (list,)}
    allowed = kinds.get(control, (str, list) if control == "file" else (str,))
    if value is not None and not isinstance(value, allowed):
        names = {bool: "true or false", list: "a list of texts", str: "a text"}
        kind = " or ".join(names[one] for one in allowed)
        raise ValueError(f"{name!r} is a {control}: its value is {kind}, not {value!r}")


_HOW = "formgym import PAGE --out DIR makes one, with PAGE a URL or an .html file: then capture=DIR"


class CustomFormEnv(PaperworkEnv):
    """Fill in a custom web form, and submit it if it has a button for that.

    Tasks are those of ``gold.json`` in the capture's folder. All else is as in ``WebFormEnv``.

    Args:
        capture: the folder of a capture.
        backend: ``"replay"``; there is no other.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if there is no capture, or its tasks are missing, broken, cannot be done or ask for nothing.
    """

    tools = TOOLS
    has_controls = True

    def __init__(self, capture: str | PathLike[str] | None = None, backend: str = "replay", **kwargs: Any) -> None:
        if capture is None:
            raise ValueError(f"capture is missing: the folder of a captured form; {_HOW}")
        if backend != "replay":
            raise ValueError(f"backend must be 'replay' for forms of one's own, not {backend!r}")
        self._folder = Path(capture).resolve()
        if not (self._folder / "capture.json").is_file():
            raise ValueError(f"there is no capture in {capture}; {_HOW}")
        self._pictures = load_pictures(self._folder)
        self._gold = load(GoldFile, self._folder / GOLD)
        check_gold(self._gold, self._pictures, self._folder / GOLD)
        self._tasks: Mapping[str, GoldTask] = {task.name: task for task in self._gold.tasks}
        self.task_ids = tuple(self._tasks)
        super().__init__((HEIGHT, WIDTH), **kwargs)
        for task in self._gold.tasks:
            fields = scored(self._gold, task, CapturedPage(self._pictures, task.files))
            if not any(field.needs_entry for field in fields):
                raise ValueError(f"{self._folder / GOLD}: task {task.name!r} asks for nothing: give it values")

    def open_task(self, task_id: str) -> WebFormState:
        """The empty form.

        Raises:
            ValueError: if there is no such task.
        """
        if task_id not in self._tasks:
            raise ValueError(f"no task {task_id!r}; there are {', '.join(self._tasks)}")
        task = self._tasks[task_id]
        page = CapturedPage(self._pictures, task.files)
        fields = scored(self._gold, task, page)
        web_task = WebTask(task_id, self._goal(task), task.source, fields, must_submit=has_submit_button(page))
        return WebFormState(web_task, page)

    def _goal(self, task: GoldTask) -> str:
        files = f" The files at hand: {', '.join(task.files)}." if task.files else ""
        return (self._gold.goal or f'Fill in the web form "{self._gold.title}" from the text.') + files
