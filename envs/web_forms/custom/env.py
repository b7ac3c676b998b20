"""The environment of pages of one's own, played in Chromium as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from gymnasium import spaces

from ...core.env import PaperworkEnv
from ...core.tasks import check_task
from ...core.tools import Argument, Tool
from ..state import WebTask, files_at_hand
from ..tools import TOOLS
from .gold import GOLD, GoldTask, load_gold
from .live_page import LivePage
from .live_pages import LivePages
from .live_state import LiveFormState

_HOW = "formgym import PAGE --out DIR makes one, with PAGE a folder, a .zip, an .html file or a URL: then form=DIR"


class CustomFormEnv(PaperworkEnv):
    """Fill in a web page of one's own in Chromium, and submit it if it is a form.

    Tasks are those of ``gold.json`` in the page's folder. The page is not changed: it is served on loopback and reaches
    nothing else. What it tries besides (dialogs, other windows, downloads, other pages) is caught and reported in the
    feedback. See ``LivePage`` for how values are read and when the page counts as submitted.

    Args:
        form: the folder of a page with ``gold.json``.
        allow_commands: whether the command of the page's own server, if it has one, may be run.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if there is no such page, its tasks are broken or ask for nothing, or it needs a command to be run.
    """

    has_controls = True

    def __init__(self, form: str | PathLike[str] | None = None, allow_commands: bool = False, **kwargs: Any) -> None:
        if form is None:
            raise ValueError(f"form is missing: the folder of a page; {_HOW}")
        folder = Path(form).resolve()
        if not (folder / GOLD).is_file():
            raise ValueError(f"there is no {GOLD} in {form}; {_HOW}")
        self._gold = gold = load_gold(folder)
        self._pages = LivePages(folder, gold, allow_commands)
        self._tasks: Mapping[str, GoldTask] = {task.name: task for task in gold.tasks}
        self.task_ids = tuple(self._tasks)
        self.tools = live_tools(gold.width, gold.height)
        super().__init__((gold.height, gold.width), **kwargs)

    def open_task(self, task_id: str) -> LiveFormState:
        """The page as it is when it is opened.

        Raises:
            ValueError: if there is no such task.
            BrowserError: if there is no browser, or the page cannot be opened.
        """
        check_task(task_id, self._tasks, self.task_ids[0])
        task = self._tasks[task_id]
        if isinstance(self._state, LiveFormState):
            self._state.page.close()
        page = LivePage(self._pages, task)
        must_submit = bool(self._gold.submit or self._gold.submitted) or page.live.evaluate(
            "formgym.all('form').length > 0"
        )
        fields = self._gold.scored(task, page.draft())
        return LiveFormState(WebTask(task_id, self._goal(task), task.source, fields, must_submit), page)

    def close(self) -> None:
        """Close the page, its server and the claim on the browser."""
        if isinstance(self._state, LiveFormState):
            self._state.page.close()
        self._pages.close()
        super().close()

    def _goal(self, task: GoldTask) -> str:
        goal = self._gold.goal or f'Fill in the web form "{self._gold.title}" from the text.'
        return goal + files_at_hand(task.files)


def live_tools(width: int, height: int) -> tuple[Tool, ...]:
    """The tools of web forms for a window of so many pixels; their feedback ends with what the page has tried."""
    sides = {"x": width, "y": height}
    return tuple(
        Tool(
            tool.name,
            partial(_with_notes, tool.apply),
            {
                name: Argument(spaces.Discrete(sides[name]), one.description) if name in sides else one
                for name, one in tool.arguments.items()
            },
            tool.description,
        )
        for tool in TOOLS
    )


def _with_notes(apply: Callable[..., str], state: LiveFormState, **arguments: Any) -> str:
    return apply(state, **arguments) + state.page.take_notes()
