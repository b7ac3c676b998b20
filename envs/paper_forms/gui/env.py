"""FormGym/AutoLoans-GUI: fill in an auto-loan form in a photo editor (FormGym)."""

from __future__ import annotations

from functools import partial

from ...core.pages import page_image
from ...core.painting import Image
from ...core.vector import BatchVectorEnv
from ..env import AutoLoansEnv
from ..paper_form import form_folder, paper_form
from .layout import HEIGHT, WIDTH
from .photo_editor import TOOLS, PhotoEditor


class AutoLoansGuiEnv(AutoLoansEnv):
    """The tasks of ``AutoLoansEnv`` in a small photo editor (1280 x 800 pixels).

    The window is observed as ``"page"``; the tools are mouse and keyboard, in pixels of the window. The marks on the
    page are scored as in ``AutoLoansEnv``; text in an open text box does not count until it is confirmed.

    An episode is registered with 300 steps: the five minutes that the paper gives its agents, at an action a second. A
    click that opens a text box confirms the one before, so a field takes two actions, and no form needs 300.

    Args:
        forms: see ``AutoLoansEnv``.
        **kwargs: see ``AutoLoansEnv``.

    Raises:
        ValueError: see ``AutoLoansEnv``.

    >>> env = AutoLoansGuiEnv()
    >>> observation, info = env.reset(seed=0)
    >>> *_, info = env.step(env.action_space.action("press_key", key="t"))
    >>> env.state.space.mode
    'text'
    """

    tools = TOOLS
    window = (HEIGHT, WIDTH)

    def open_task(self, task_id: str) -> PhotoEditor:  # type: ignore[override]  # the parent's page, in its window
        """The editor with the empty form.

        Raises:
            ValueError: if there is no such task.
        """
        page = super().open_task(task_id)
        return PhotoEditor(page, paper_form(self._forms[task_id.partition("/")[0]]).title)

    def _background(self, form: str) -> Image:
        """The page in its own size: the editor draws the desk around it."""
        folder = self._forms[form]
        return page_image(form_folder(folder) / "page.png", paper_form(folder).size)


make_batch = partial(BatchVectorEnv, AutoLoansGuiEnv)
"""``AutoLoansGuiEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""
