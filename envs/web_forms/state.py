"""A web form as the state of an episode: a page in a window, and its score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..core.boxes import Rect
from ..core.env import FieldBox, PageControl, State
from ..core.painting import Image, Layer
from ..core.scoring import Score
from ..core.tools import Call
from .forms.form_fields import Value
from .replay.captured_page import CapturedPage
from .replay.control_actions import control_calls, controls_of, solution
from .scoring import FormScore, ScoredField

if TYPE_CHECKING:
    from .chromium.chromium_page import ChromiumPage


@dataclass(frozen=True)
class WebTask:
    """A task on a page.

    Attributes:
        id: the task's.
        goal: what to do.
        source: the text with the facts.
        fields: the fields that count.
        must_submit: whether the form must be submitted.
    """

    id: str
    goal: str
    source: str
    fields: tuple[ScoredField, ...]
    must_submit: bool = True

    @property
    def gold(self) -> dict[str, Value]:
        """The expected value of every field that counts."""
        return {field.name: field.gold for field in self.fields}

    @cached_property
    def blank_score(self) -> FormScore:
        """The score before anything is done, to copy."""
        return FormScore(self.fields)


def form_goal(title: str, files: Sequence[str], rule: str = "") -> str:
    """What to do with a whole form; a rule of its own comes before the names of the files."""
    rules = " ".join(filter(None, ["Leave fields that the text says nothing about as they are.", rule]))
    goal = f'Fill in the web form "{title}" from the text, with mouse and keyboard, and submit it. {rules}'
    return goal + files_at_hand(files)


def files_at_hand(files: Sequence[str]) -> str:
    """What a goal says of the files that can be chosen, if there are any."""
    return f" The files at hand: {', '.join(files)}." if files else ""


def field_goal(title: str, field: ScoredField) -> tuple[str, str]:
    """What to do with a single field, and the text with its value."""
    value = ", ".join(field.gold) if isinstance(field.gold, list) else field.gold
    goal = f'On the form "{title}", enter the given value into the field "{field.label}", then terminate.'
    return goal, f"{field.label}: {'ticked' if value is True else value}"


class WebFormState(State):
    """A form that is being filled in.

    Args:
        task: the task.
        page: the page.

    Attributes:
        typed_texts: texts that are not yet part of the score.
    """

    def __init__(self, task: WebTask, page: CapturedPage | ChromiumPage) -> None:
        self.task, self.page = task, page
        self.task_id, self.goal, self.source = task.id, task.goal, task.source
        self.typed_texts: list[str] = []
        self._score = task.blank_score.copy()
        self._labels = {field.name: field.label for field in task.fields}
        self._ticked = {field.name for field in task.fields if field.control == "checkbox"}
        self._edits: int | None = None

    @property
    def background(self) -> Image:  # type: ignore[override]
        """The page's picture."""
        return self.page.background

    @property
    def scroll_y(self) -> int:  # type: ignore[override]
        """How many pixels of the page are above the window."""
        return self.page.scroll_y if isinstance(self.page, CapturedPage) else 0

    @property
    def paper(self) -> tuple[int, int]:
        """Height and width of the window, or of a page that is smaller."""
        height, width = self.background.shape[:2]
        return min(height, self.page.canvas.window.height) if isinstance(self.page, CapturedPage) else height, width

    @property
    def layers(self) -> Sequence[Layer]:  # type: ignore[override]
        """The layers over the background."""
        return self.page.layers

    @property
    def places(self) -> Sequence[FieldBox]:  # type: ignore[override]
        """The boxes of the controls in the window.

        One box of several to tick is called ``"field: option"``.
        """
        height, width = self.paper
        return [
            FieldBox(one.name, one.box, one.role in ("checkbox", "radio"))
            for one in self.controls()
            if one.role != "button" and one.box[2] > 0 and one.box[0] < width and one.box[3] > 0 and one.box[1] < height
        ]

    def controls(self) -> list[PageControl]:
        """The controls of the current page, as it is now."""
        page = self.page if isinstance(self.page, CapturedPage) else self.page.clone()
        return list(controls_of(page, self._labels))

    def control_calls(self, action: str, id: int, text: str = "") -> list[Call]:
        """The clicks and keys that use a control; see ``control_actions.control_calls``.

        Raises:
            ToolError: if there is no such control on the page, or it cannot be used so.
        """
        return control_calls(self.page.clone(), action, id, text)

    @property
    def is_submitted(self) -> bool:
        """Whether the values count: the form was submitted, or need not be."""
        return self.page.submitted is not None or not self.task.must_submit

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call.

        If the form was submitted, the episode ends.
        """
        if self.page.submitted is not None:
            self.finished = True
        return self.page.take_dirty()

    def metrics(self) -> dict[str, float]:
        """The metrics of the score: of the draft, or of what was submitted."""
        self._update_score()
        return self._score.metrics(self.is_submitted, self.finished)

    def score(self) -> Score:
        """The score with the result of every field."""
        self._update_score()
        return self._score.score(self.is_submitted, self.finished)

    def solution(self) -> list[Call]:
        """Clicks and keys that enter all answers and submit them."""
        return solution(self.page.clone(), self.task.gold, self.task.must_submit)

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {"task": self.task_id, "finished": self.finished, "page": self.page.dump()}

    def _update_score(self) -> None:
        """Update the score with the last actions."""
        page = self.page
        if self.typed_texts:
            for text in self.typed_texts:
                self._score.output(text)
            self.typed_texts.clear()
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
            if isinstance(page, CapturedPage) and page.submitted is None:
                self._score.update(page.take_changes())
            else:
                self._score.enter(page.draft() if page.submitted is None else page.submitted)
