"""FormGym/FUNSD: put one answer back on a scanned form that it was erased from (FormGym).

The data are the user's own copy of FUNSD (Jaume et al., 2019), in its own layout; none of it comes with this package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any

from ..core.env import PaperworkEnv
from ..core.pages import page_image
from ..core.painting import Patch, envelope
from ..core.scoring import Gold
from ..core.texts import shortened
from ..core.vector import BatchVectorEnv
from .erase import erased
from .funsd_data import CANVAS, HOW, data_folder, funsd_pages
from .page import Page
from .task import PaperTask, Target
from .tools import TOOLS

_SHOWN_LABEL = 500


class FunsdEnv(PaperworkEnv):
    """Write a given value into the field of a scanned form that it was erased from.

    Tasks are ``page#entity``; exactly one answer is missing on the page, and the others stand.

    Args:
        root: the folder with ``training_data`` and ``testing_data``; without it, ``funsd``, ``FUNSD`` or ``dataset`` in
            the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        split: ``"test"``, ``"train"``, or ``None`` for the test split where there is one.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such split.
    """

    tools = TOOLS

    def __init__(self, root: str | None = None, split: str | None = None, **kwargs: Any) -> None:
        super().__init__(CANVAS, **kwargs)
        self.folder = data_folder(root, split)
        self._pages = funsd_pages(self.folder)
        self._task_ids = tuple(f"{name}#{entity}" for name, page in self._pages.items() for entity in page.answers)
        if not self._task_ids:
            raise ValueError(f"no answer that is linked to a question in {self.folder / 'annotations'}. {HOW}")

    @property
    def task_ids(self) -> Sequence[str]:
        """All ``page#entity``, page by page."""
        return self._task_ids

    @cached_property
    def skipped(self) -> Mapping[str, int]:
        """Why entities that are labelled as answers are no tasks, and how many."""
        return sum((Counter(page.skipped) for page in self._pages.values()), Counter[str]())

    def task(self, task_id: str) -> PaperTask:
        """What a task asks for.

        Raises:
            ValueError: if there is no such task.
        """
        return funsd_task(self.folder, *self._place(task_id))

    def open_task(self, task_id: str) -> Page:
        """The page without one of its answers.

        Raises:
            ValueError: if there is no such task.
        """
        name, entity = self._place(task_id)
        background = page_image(self._pages[name].image, CANVAS)
        return Page(self.task(task_id), background, under=(_erasure(self.folder, name, entity),))

    def _place(self, task_id: str) -> tuple[str, int]:
        """The page of a task and its answer there."""
        name, _, entity = task_id.partition("#")
        page = self._pages.get(name)
        if page is None or not entity.isdecimal() or int(entity) not in page.answers:
            example = self._task_ids[0]
            raise ValueError(f"no task {task_id!r} in {self.folder}; tasks are page#entity, such as {example!r}")
        return name, int(entity)


make_batch = partial(BatchVectorEnv, FunsdEnv)
"""``FunsdEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""


@lru_cache(maxsize=8192)
def funsd_task(folder: Path, name: str, entity: int) -> PaperTask:
    """The task of putting one answer back on its page."""
    page = funsd_pages(folder)[name]
    query, answer = page.queries[entity], page.answers[entity]
    shown = shortened(query, _SHOWN_LABEL)
    return PaperTask(
        task_id=f"{name}#{entity}",
        goal=f"Write the value given in the source text into the field “{shown}” of this page.",
        source=f"Field: {shown}\nValue: {answer}",
        text_size=page.text_size,
        targets=(Target("answer", query, envelope(page.words[entity]), Gold("text", answer)),),
    )


@lru_cache(maxsize=4096)
def _erasure(folder: Path, name: str, entity: int) -> Patch:
    """What hides one answer of a page."""
    page = funsd_pages(folder)[name]
    others = [box for other, boxes in page.words.items() if other != entity for box in boxes]
    return erased(page_image(page.image, CANVAS), page.words[entity], others)
