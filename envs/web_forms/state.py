"""A web form as the state of an episode: a page in a window, and its score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..core.env import FieldBox, State
from ..core.painting import Image, Layer, Rect
from ..core.scoring import Score
from ..core.tools import Call
from .forms.fields import Value
from .forms.scoring import FormScore, ScoredField
from .replay.capture import Control
from .replay.page import CapturedPage
from .replay.solution import solution


class WindowedPage(Protocol):
    """A page in a window, whoever draws it.

    Attributes:
        background: what is seen, without ``layers``; another array when the whole of it changes.
        edits: a number that changes with what the form holds.
        submitted: what was submitted; ``None`` before.
        clicks: fields that were clicked, by name; whoever reads them clears them.
        choices: fields and what was chosen in them, likewise.
    """

    background: Image
    edits: int
    submitted: dict[str, Value] | None
    clicks: list[str]
    choices: list[tuple[str, str]]

    @property
    def layers(self) -> Sequence[Layer]:
        """What is drawn over the background."""

    def take_dirty(self) -> list[Rect]:
        """What has changed since the last call, in pixels of the window."""

    def click(self, x: int, y: int, times: int = 1) -> None:
        """Click at a pixel of the window."""

    def right_click(self, x: int, y: int) -> None:
        """Click with the right button."""

    def type_text(self, text: str) -> None:
        """Type characters."""

    def press_key(self, key: str) -> None:
        """Press a key of ``KEYS``."""

    def scroll(self, by: int) -> None:
        """Turn the wheel."""

    def draft(self) -> Mapping[str, Value]:
        """What every field holds; ``None``: hidden."""

    def missing(self, text: str) -> str:
        """The characters of ``text`` that the focused field cannot draw."""

    def twin(self) -> CapturedPage:
        """A captured page in the same state, without what is open over it; changing it changes nothing here."""

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object."""


@dataclass(frozen=True)
class WebTask:
    """What is to be done on a page.

    Attributes:
        id: the task's.
        goal: what to do.
        source: what it is to be done from.
        fields: what counts.
        must_submit: whether the form must be submitted.
    """

    id: str
    goal: str
    source: str
    fields: tuple[ScoredField, ...]
    must_submit: bool = True

    @property
    def gold(self) -> dict[str, Value]:
        """What every field that counts must hold."""
        return {field.name: field.gold for field in self.fields}


class WebFormState(State):
    """A form that is being filled in.

    Args:
        task: what is to be done.
        page: the page.

    Attributes:
        told: texts that were typed and are not yet taken into the score.
    """

    def __init__(self, task: WebTask, page: WindowedPage) -> None:
        self.task, self.page = task, page
        self.task_id, self.goal, self.source = task.id, task.goal, task.source
        self.told: list[str] = []
        self._score = FormScore(task.fields)
        self._labels = {field.name: field.label for field in task.fields}
        self._ticked = {field.name for field in task.fields if field.control == "checkbox"}
        self._edits: int | None = None

    @property
    def background(self) -> Image:  # type: ignore[override]
        """What is seen of the page."""
        return self.page.background

    @property
    def layers(self) -> Sequence[Layer]:  # type: ignore[override]
        """What is drawn over it."""
        return self.page.layers

    @property
    def places(self) -> Sequence[FieldBox]:  # type: ignore[override]
        """Where the controls are that can be seen; what is to be ticked of several is called ``"field: option"``."""
        twin = self.page if isinstance(self.page, CapturedPage) else self.page.twin()
        return [FieldBox(self._called(control), box, control.kind == "tick") for control, box in twin.controls_seen()]

    @property
    def is_handed_in(self) -> bool:
        """Whether what the form holds counts: it was submitted, or need not be."""
        return self.page.submitted is not None or not self.task.must_submit

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call; a form that was submitted ends the episode."""
        if self.page.submitted is not None:
            self.finished = True
        return self.page.take_dirty()

    def metrics(self) -> dict[str, float]:
        """The metrics of the score: of the draft, or of what was submitted."""
        self._take_in()
        return self._score.metrics(self.is_handed_in, self.finished)

    def score(self) -> Score:
        """The score with the result of every field."""
        self._take_in()
        return self._score.score(self.is_handed_in, self.finished)

    def solution(self) -> list[Call]:
        """Clicks and keys that make everything right and submit it."""
        return solution(self.page.twin(), self.task.gold, self.task.must_submit)

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {"task": self.task_id, "finished": self.finished, "page": self.page.dump()}

    def _called(self, control: Control) -> str:
        label = self._labels.get(control.name, control.name)
        return f"{label}: {control.value}" if control.radio or control.listed else label

    def _take_in(self) -> None:
        """Bring the score up to date with what was done."""
        page = self.page
        if self.told:
            for text in self.told:
                self._score.output(text)
            self.told.clear()
        if page.clicks:
            for name in page.clicks:
                self._score.click(name)
            page.clicks.clear()
        if page.choices:
            for name, value in page.choices:
                self._score.output(self._labels[name] if name in self._ticked else value)
            page.choices.clear()
        if page.edits != self._edits:
            self._edits = page.edits
            self._score.enter(page.draft() if page.submitted is None else page.submitted)
