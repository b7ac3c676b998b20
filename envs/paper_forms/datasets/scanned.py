"""Pages of users' own data sets as environments: put one answer back on its page, or all of them (FormGym).

After FormGym (Toles et al., 2025), whose agents write answers back that were erased from FUNSD, XFUND and Form-NLU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from PIL import Image as PillowImage

from ...core.asset_cache import cached, derived
from ...core.data_sets import DataSet
from ...core.env import PaperworkEnv
from ...core.pages import DESK, packed, page_image, unpacked
from ...core.painting import Image, Patch, Rect
from ..state import Page
from ..task import PaperTask
from ..tools import TOOLS
from .erase import erased
from .scanned_data import Key, ScannedPage
from .scanned_tasks import field_task, page_task

_WHITE = (255, 255, 255)


class ScannedEnv(PaperworkEnv):
    """Write given values into the fields of a scanned page.

    With ``answers="one"`` tasks are ``page#field``: one answer is missing on the page, and the others stand. With
    ``answers="all"`` tasks are pages: all answers that belong to a question are missing, one target each.

    Args:
        data: the data set, for messages.
        folder: where its pages were found.
        pages: by name, at least one, all of one canvas.
        answers: ``"one"`` or ``"all"``.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if ``answers`` is neither, or no page has an answer.
    """

    tools = TOOLS

    def __init__(
        self, data: DataSet, folder: Path, pages: Mapping[str, ScannedPage], answers: str, **kwargs: Any
    ) -> None:
        if answers not in ("one", "all"):
            raise ValueError(f"answers must be 'one' or 'all', not {answers!r}")
        super().__init__(next(iter(pages.values())).canvas, **kwargs)
        self.folder = folder
        self._pages = pages
        self._places = {task: place for page in pages.values() for task, place in _places(page, answers).items()}
        if not self._places:
            reasons = ", ".join(f"{n} x {reason}" for reason, n in self.skipped.items()) or "none is labelled as one"
            raise data.error(f"no answer that makes a task in {folder} ({reasons})")

    @property
    def task_ids(self) -> Sequence[str]:
        """All tasks, page by page."""
        return self._task_ids

    @cached_property
    def _task_ids(self) -> tuple[str, ...]:
        return tuple(self._places)

    @cached_property
    def skipped(self) -> Mapping[str, int]:
        """Why entities that are labelled as answers are no tasks, and how many."""
        return sum((Counter(page.skipped) for page in self._pages.values()), Counter[str]())

    def task(self, task_id: str) -> PaperTask:
        """What a task asks for.

        Raises:
            ValueError: if there is no such task.
        """
        page, key = self._place(task_id)
        return page_task(page) if key is None else field_task(page, key)

    def open_task(self, task_id: str) -> Page:
        """The page without the answers that its task is about.

        Raises:
            ValueError: if there is no such task, or its picture cannot be read.
        """
        page, key = self._place(task_id)
        task = self.task(task_id)
        if not page.filled:
            return Page(task, _picture(page))
        return Page(task, _cleared(page)) if key is None else Page(task, _picture(page), under=(_erasure(page, key),))

    def _place(self, task_id: str) -> _Place:
        """The page of a task and its answer there; ``None`` for all of them."""
        if task_id not in self._places:
            raise ValueError(f"no task {task_id!r} in {self.folder}; tasks are such as {self._task_ids[0]!r}")
        return self._places[task_id]


_Place = tuple[ScannedPage, Key | None]


def _places(page: ScannedPage, answers: str) -> dict[str, _Place]:
    asked: list[Key] = [key for key, gold in page.answers.items() if gold.value is not None]
    if answers == "all":
        return {page.name: (page, None)} if asked else {}
    return {f"{page.name}#{key}": (page, key) for key in asked}


# -- Pictures ------------------------------------------------------------------------------------------------------


def _picture(page: ScannedPage) -> Image:
    try:
        # Erasing takes the paper from beside an answer: a desk around the page would be in the way.
        return page_image(page.image, page.canvas, _WHITE if page.filled else DESK)
    except (OSError, PillowImage.DecompressionBombError) as error:
        raise ValueError(f"{page.image} is no picture that can be read: {error}") from error


@cached
def _erasure(page: ScannedPage, key: Key) -> Patch:
    """What hides one answer of a page."""
    return erased(_picture(page), page.words[key], _boxes(page, {key}))


@derived
def _cleared(page: ScannedPage) -> Image:
    """A page without any of its answers, read-only."""
    return unpacked(_packed(page), page.canvas)


@cached
def _packed(page: ScannedPage) -> bytes:
    pixels, gone = _picture(page).copy(), set[Key]()
    for key in page.answers:
        gone.add(key)
        # Ink that an erased answer has left behind is anyone's: only what still stands is kept.
        patch = erased(pixels, page.words[key], _boxes(page, gone))
        left, top, right, bottom = patch.rect
        pixels[top:bottom, left:right] = patch.pixels
    return packed(pixels.tobytes())


def _boxes(page: ScannedPage, without: set[Key]) -> list[Rect]:
    return [box for key, boxes in page.words.items() if key not in without for box in boxes]
