"""``PagedForm``: the state of a form with several pages, of which one is shown; they are scored as one form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.boxes import Rect
from ..core.env import State
from ..core.painting import Image, LayeredPage
from ..core.scoring import Score
from ..core.texts import TextExtents
from ..core.tools import Call
from .state import Counts, PaperFormState, PaperTask, metrics_of


def blank_page(task: PaperTask, size: tuple[int, int], **kwargs: Any) -> PaperFormState:
    """A page without its picture, which takes no memory; see ``PagedForm``."""
    return PaperFormState(task, np.broadcast_to(np.uint8(255), (*size, 3)), paper=size, **kwargs)


class PagedForm(State):
    """A form of several pages.

    All pages have one size, that of the paper: smaller ones are at its left top corner. ``source`` begins with the
    number of the page that is shown.

    Args:
        pages: see ``blank_page``; their names of fields differ.
        picture: the picture of a page by its index, which is taken when it is shown for the first time.
        source: the facts, in words.
        source_page: another page to take facts from.

    Attributes:
        pages: the states of all pages.
        shown: the index of the page that is shown, on which tools work.
    """

    def __init__(
        self,
        pages: Sequence[PaperFormState],
        picture: Callable[[int], Image],
        source: str,
        source_page: LayeredPage | None = None,
    ) -> None:
        self.pages, self._picture, self._source = tuple(pages), picture, source
        self.task_id, self.goal = self.pages[0].task_id, self.pages[0].goal
        self.source_page = source_page
        self._seen: set[int] = set()
        self.turn_to(0)

    @property
    def page(self) -> PaperFormState:
        """The page that is shown."""
        return self.pages[self.shown]

    @property
    def paper(self) -> tuple[int, int]:
        """Height and width of the paper in pixels."""
        return self.page.paper

    @property
    def text_extents(self) -> TextExtents:  # type: ignore[override]
        """How large typed text is."""
        return self.page.text_extents

    def turn_to(self, index: int) -> None:
        """Show a page by its index."""
        self.shown = index
        if index not in self._seen:
            self._seen.add(index)
            self.page.background = self._picture(index)
        self.background, self.layers, self.places = self.page.background, self.page.layers, self.page.places
        self.source = f"Page {index + 1} of {len(self.pages)}.\n\n{self._source}".rstrip()

    def take_dirty(self) -> list[Rect]:
        """The rectangles of the page that changed since the last call."""
        return self.page.take_dirty()

    def metrics(self) -> dict[str, float]:
        """The metrics of all pages together; see ``PaperFormState.metrics``."""
        return metrics_of(Counts(*map(sum, zip(*(page.counts for page in self.pages), strict=True))))

    def score(self) -> Score:
        """The score with the result of every field of all pages."""
        return Score(self.metrics(), tuple(field for page in self.pages for field in page.score().fields))

    def solution(self) -> list[Call]:
        """Calls that correct the page that is shown and then the others, and terminate."""
        calls: list[Call] = []
        for index in sorted(range(len(self.pages)), key=lambda index: (index != self.shown, index)):
            if own := self.pages[index].solution()[:-1]:
                turning: list[Call] = [{"tool": "turn_page", "page": index + 1}] if index != self.shown else []
                calls += [*turning, *own]
        return [*calls, {"tool": "terminate"}]

    def dump(self) -> dict[str, Any]:
        """The form as a JSON object."""
        pages = [page.dump()["marks"] for page in self.pages]
        return {"task": self.task_id, "shown": self.shown, "pages": pages, "finished": self.finished}
