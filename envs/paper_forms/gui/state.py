"""The editor as the state of an episode."""

from __future__ import annotations

from math import ceil
from typing import Any

from ...core.env import FieldBox, State
from ...core.painting import Rect
from ...core.scoring import Score
from ...core.tools import Call
from ..state import Page
from .chrome import window_image
from .screen import Screen
from .solution import solution
from .workspace import Workspace

_HINT = (
    "It is open in a photo editor: work with mouse and keyboard, write with the Text tool, and sign and initial with "
    "the Sign tool."
)


class Editor(State):
    """A page in the editor's window.

    Args:
        page: what is filled in; it is scored as ever.
        title: what the window is called.
    """

    def __init__(self, page: Page, title: str) -> None:
        self.space = Workspace(page)
        self.task_id, self.source = page.task_id, page.source
        self.goal = f"{page.goal} {_HINT}"
        self.background = window_image(title)
        self._screen = Screen(self.space)
        self.layers = self._screen.layers

    @property
    def places(self) -> tuple[FieldBox, ...]:  # type: ignore[override]
        """The fields whose middle can be seen, in pixels of the window."""
        view, page = self.space.view, self.space.page
        seen = (FieldBox(p.label, view.around(_whole(p.box)), p.ticked) for p in page.places)
        return tuple(place for place in seen if view.on_page(*map(int, place.centre)))

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        return self._screen.update()

    def metrics(self) -> dict[str, float]:
        """The metrics of the score; what is in an open text box does not count yet."""
        return self.space.page.metrics()

    def score(self) -> Score:
        """The score with the result of every field."""
        return self.space.page.score()

    def solution(self) -> list[Call]:
        """Clicks and keys that make everything right, and ``terminate``."""
        return solution(self.space)

    def dump(self) -> dict[str, Any]:
        """The editor as a JSON object."""
        return self.space.dump() | {"task": self.task_id, "finished": self.finished}


def _whole(box: tuple[float, float, float, float]) -> Rect:
    """A box in whole pixels, none of which lies outside of it."""
    left, top, right, bottom = box
    return ceil(left), ceil(top), int(right), int(bottom)
