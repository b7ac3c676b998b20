"""FormGym/…-GUI: fill in paper forms in a photo editor, with mouse and keyboard (FormGym)."""

from __future__ import annotations

from typing import Any, cast

from ...core.env import PaperworkEnv
from ..accounting.env import DatabaseEnv
from ..datasets.funsd import FunsdEnv
from ..env import AutoLoansEnv, DocTransferEnv
from ..scans.env import ScansEnv
from ..state import PaperFormState
from .layout import HEIGHT, WIDTH
from .photo_editor import TOOLS, PhotoEditor


class PhotoEditorEnv(PaperworkEnv):
    """Puts the pages of a paper environment, the next base of its class, into a photo editor.

    The window, 1280 x 800 pixels, is observed as ``"page"``; the tools are mouse and keyboard, in pixels of the window.
    The marks on the page are scored as without the editor; text in an open text box does not count until it is
    confirmed. A click that opens a text box confirms the one before, so a field takes two steps.

    Args:
        *args: those of the paper environment.
        steps: the number of steps in which to finish, for the goal to state; ``None``: it states none. Gymnasium counts
            them by ``max_episode_steps``.
        **kwargs: those of the paper environment.
    """

    tools = TOOLS
    window = (HEIGHT, WIDTH)

    def __init__(self, *args: Any, steps: int | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._steps = steps

    def open_task(self, task_id: str) -> Any:
        """The editor with the page of a task; see ``PaperworkEnv.open_task``."""
        page = super().open_task(task_id)  # type: ignore[safe-super]  # the paper environment's
        return PhotoEditor(cast(PaperFormState, page), self._steps, self.source_in_window)


class AutoLoansGuiEnv(PhotoEditorEnv, AutoLoansEnv):
    """The tasks of ``AutoLoansEnv`` in a photo editor.

    An episode is registered with 300 steps: the five minutes that the paper gives its agents, at a second a step.

    >>> env = AutoLoansGuiEnv()
    >>> observation, info = env.reset(seed=0)
    >>> *_, info = env.step(env.action_space.action("press_key", key="t"))
    >>> env.state.space.mode
    'text'
    """


class DocTransferGuiEnv(PhotoEditorEnv, DocTransferEnv):
    """The tasks of ``DocTransferEnv`` in a photo editor: the other form is in a tab, to be read there."""

    source_in_window = True


class DatabaseGuiEnv(PhotoEditorEnv, DatabaseEnv):
    """The tasks of ``DatabaseEnv`` in a photo editor: a tab takes queries and shows their rows."""


class ScansGuiEnv(PhotoEditorEnv, ScansEnv):
    """The tasks of ``ScansEnv`` in a photo editor."""


class FunsdGuiEnv(PhotoEditorEnv, FunsdEnv):
    """The tasks of ``FunsdEnv`` in a photo editor."""
