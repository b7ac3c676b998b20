"""The tasks of a page of one's own: ``gold.json``, and what it says of fields, submission and server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import pydantic

from ...core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ...core.files import Data, load
from ...core.matchers import MATCHERS
from ..forms.form_fields import LISTS, Control, Value, default_matcher
from ..scoring import ScoredField

GOLD = "gold.json"
"""Its name in a page's folder."""
LiveControl = Literal[Control, "time", "month", "week", "datetime-local", "range", "color"]
"""The kind of control of a field of any page."""
Names = Annotated[tuple[str, ...], pydantic.Field(min_length=1)]
Side = Annotated[int, pydantic.Field(ge=200, le=4_000)]


class GoldField(Data):
    """A field of a page.

    Attributes:
        label: as it is seen.
        control: its kind; custom widgets count as what they stand for.
        matcher: how its texts are compared; that of its kind by default.
        selector: a CSS selector of its control or of what holds its controls; ``A >>> B`` finds B in the shadow root
            or frame of A. By default the control whose ``name``, or else whose ``id``, is the field's name.
        page: the file of the folder, or the path of the server, on which it is, for whoever reads the file.
        texts: of a hidden control that buttons set: what is on the button of each of its values.
    """

    label: str
    control: LiveControl
    matcher: str = ""
    selector: str = ""
    page: str = ""
    texts: dict[str, str] = pydantic.Field(default_factory=dict)

    @pydantic.field_validator("matcher")
    @classmethod
    def _known(cls, matcher: str) -> str:
        if matcher and matcher not in MATCHERS:
            raise ValueError(f"unknown matcher {matcher!r}; there are {', '.join(MATCHERS)}")
        return matcher

    def problem(self, value: Value) -> str:
        """Why ``value`` is of no kind that the control holds, or nothing."""
        allowed: tuple[type, ...] = (str,)
        if self.control == "checkbox":
            allowed = (bool,)
        elif self.control in LISTS:
            allowed = (list,)
        elif self.control == "file":
            allowed = (str, list)
        if value is None or isinstance(value, allowed):
            return ""
        names = {bool: "true or false", list: "a list of texts", str: "a text"}
        return f"its value is {' or '.join(names[one] for one in allowed)}, not {value!r}"


class GoldTask(Data):
    """A task.

    Attributes:
        name: unique in the file.
        source: the text with the facts to enter.
        values: the expected values of fields in the end, by name; choices by their value or visible text. The others
            must stay as they are.
        files: names of the files that can be chosen.
    """

    name: Annotated[str, pydantic.Field(min_length=1)]
    source: Annotated[str, pydantic.Field(max_length=MAX_SOURCE_LENGTH)] = ""
    values: dict[str, Value] = pydantic.Field(default_factory=dict)
    files: tuple[Annotated[str, pydantic.Field(pattern=r"^[^/\\\x00]+$")], ...] = ()


class GoldServer(Data):
    """The page's own server, a program that runs in the page's folder.

    Attributes:
        command: the program and its arguments; ``{port}`` in them, and in the variable ``PORT``, is a free port: the
            same one again, unless it is taken. Of our variables it has ``PATH``, ``HOME`` and ``LANG`` only.
        port: the port that it listens on, where it cannot be told one.
        ready: the path that it answers when it is ready.
    """

    command: Names
    port: Annotated[int, pydantic.Field(ge=1, le=65_535)] | None = None
    ready: Annotated[str, pydantic.Field(pattern="^/")] = "/"


class GoldFile(Data):
    """The tasks of a page.

    Attributes:
        title: the page's.
        goal: what to do, of all tasks.
        tasks: each with its text and values.
        fields: by name.
        page: the file of the folder, or the path of the server, to open.
        server: the page's own server; by default its folder is served.
        submit: a selector of the control that submits it, where that is not seen from a form's ``submit`` event.
        submitted: a selector of what is visible only once the page has been submitted.
        next: selectors of the buttons that lead to further fields, for the solution.
        now: what the page's clock shows when it opens, in UTC.
        width: of the window in pixels.
        height: of the window in pixels.
    """

    title: str = ""
    goal: Annotated[str, pydantic.Field(max_length=MAX_GOAL_LENGTH // 2)] = ""
    tasks: Annotated[tuple[GoldTask, ...], pydantic.Field(min_length=1)]
    fields: dict[str, GoldField] = pydantic.Field(default_factory=dict)
    page: str = "index.html"
    server: GoldServer | None = None
    submit: str = ""
    submitted: str = ""
    next: tuple[str, ...] = ()
    now: datetime = datetime(2026, 3, 2, 9, 0)
    width: Side = 1024
    height: Side = 768

    @pydantic.model_validator(mode="after")
    def _consistent(self) -> GoldFile:
        names = [task.name for task in self.tasks]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two tasks are called {twice[0]!r}")
        for task in self.tasks:
            for name, value in task.values.items():
                if name not in self.fields:
                    known = ", ".join(self.fields) or "none yet"
                    raise ValueError(f"task {task.name!r}: {name!r} is no field; the fields are: {known}")
                if problem := self.fields[name].problem(value):
                    kind = self.fields[name].control
                    raise ValueError(f"task {task.name!r}: {name!r} is a {kind}: {problem}")
        return self

    def scored(self, task: GoldTask, initial: Mapping[str, Value]) -> tuple[ScoredField, ...]:
        """Every field, with the value that a task expects and that of the untouched page."""
        return tuple(
            ScoredField(
                name,
                field.label or name,
                field.control,
                field.matcher or default_matcher(field.control),
                task.values.get(name),
                initial.get(name),
            )
            for name, field in self.fields.items()
        )


def load_gold(folder: Path) -> GoldFile:
    """The tasks of the page in a folder.

    Raises:
        ValueError: if they are missing, broken or ask for nothing; the message names file, task and field.
    """
    gold = load(GoldFile, folder / GOLD)
    for task in gold.tasks:
        if all(value in (None, "", []) for value in task.values.values()):
            raise ValueError(f"{folder / GOLD}: task {task.name!r} asks for nothing: give it values")
    page = (folder / gold.page.lstrip("/")).resolve()
    if gold.server is None and not (page.is_file() and page.is_relative_to(folder.resolve())):
        raise ValueError(f"{folder / GOLD}: page: there is no file {gold.page!r} in {folder}")
    return gold
