"""Forms of one's own: captured by ``formgym capture``, with tasks of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from ..core.env import PaperworkEnv
from ..core.vector import BatchVectorEnv
from .gold import Gold, GoldTask, check_gold, is_submitted, load_gold, scored
from .replay.page import CapturedPage
from .replay.pictures import load_pictures
from .state import WebFormState, WebTask
from .tools import HEIGHT, TOOLS, WIDTH

_HOW = "formgym capture PAGE --out DIR makes one, with PAGE a URL or an .html file: then capture=DIR"


class OwnFormEnv(PaperworkEnv):
    """Fill in a web form of one's own, and submit it, if it has a button for that.

    Tasks are those of ``gold.json`` in the capture's folder. The rest is as with the shipped forms.

    Args:
        capture: the folder of a capture.
        backend: ``"replay"``; there is no other.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if there is no capture, or its tasks are missing, broken, cannot be done or ask for nothing.
    """

    tools = TOOLS

    def __init__(self, capture: str | PathLike[str] | None = None, backend: str = "replay", **kwargs: Any) -> None:
        if capture is None:
            raise ValueError(f"capture is missing: the folder of a captured form; {_HOW}")
        if backend != "replay":
            raise ValueError(f"backend must be 'replay' for forms of one's own, not {backend!r}")
        self._folder = Path(capture).resolve()
        if not (self._folder / "capture.json").is_file():
            raise ValueError(f"there is no capture in {capture}; {_HOW}")
        self._pictures = load_pictures(self._folder)
        self._gold: Gold = load_gold(self._folder)
        check_gold(self._gold, self._pictures, self._folder / "gold.json")
        self._tasks: Mapping[str, GoldTask] = {task.name: task for task in self._gold.tasks}
        super().__init__((HEIGHT, WIDTH), **kwargs)
        for task in self._gold.tasks:
            self._check_asks(task)

    @property
    def task_ids(self) -> Sequence[str]:
        """The names of the tasks."""
        return tuple(self._tasks)

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
        told = WebTask(task_id, self._goal(task), task.source, fields, must_submit=is_submitted(page))
        return WebFormState(told, page)

    def _goal(self, task: GoldTask) -> str:
        files = f" The files at hand: {', '.join(task.files)}." if task.files else ""
        return (self._gold.goal or f'Fill in the web form "{self._gold.title}" with what the text tells.') + files

    def _check_asks(self, task: GoldTask) -> None:
        page = CapturedPage(self._pictures, task.files)
        if not any(field.is_wanted for field in scored(self._gold, task, page)):
            raise ValueError(f"{self._folder / 'gold.json'}: task {task.name!r} asks for nothing: give it values")


make_batch = partial(BatchVectorEnv, OwnFormEnv)
"""``OwnFormEnv`` as a ``BatchVectorEnv``."""
