"""FormGym/AutoLoans-GUI: fill in an auto-loan application in a photo editor, with mouse and keyboard (FormGym)."""

from __future__ import annotations

from functools import partial

from ...core.pages import page_image
from ...core.painting import Image
from ...core.vector import BatchVectorEnv
from ..auto_loans import AutoLoansEnv
from ..paper_form import form_folder, paper_form
from .layout import HEIGHT, WIDTH
from .photo_editor import TOOLS, Editor


class AutoLoansGuiEnv(AutoLoansEnv):
    """The tasks of ``AutoLoansEnv`` in the window of a small photo editor, 1280 pixels wide and 800 high.

    What is observed as ``"page"`` is the window; the tools are mouse and keyboard, in pixels of the window. What is on
    the page is scored as ever; what is still in an open text box does not count, until it is confirmed.

    An episode is registered with 300 steps: the five minutes that the paper gives its agents, at an action a second. A
    click that opens a text box confirms the one before, so that a field takes two actions, and no form as many as 300.

    Args:
        forms: see ``AutoLoansEnv``.
        **kwargs: see ``AutoLoansEnv``.

    Raises:
        ValueError: see ``AutoLoansEnv``.
    """

    tools = TOOLS
    window = (HEIGHT, WIDTH)

    def open_task(self, task_id: str) -> Editor:  # type: ignore[override]  # the parent's page, in its window
        """The empty form in the editor.

        Raises:
            ValueError: if there is no such task.
        """
        page = super().open_task(task_id)
        return Editor(page, paper_form(self._forms[task_id.partition("/")[0]]).title)

    def _background(self, form: str) -> Image:
        """The page in its own size: the editor has a desk of its own."""
        folder = self._forms[form]
        return page_image(form_folder(folder) / "page.png", paper_form(folder).size)


make_batch = partial(BatchVectorEnv, AutoLoansGuiEnv)
"""``AutoLoansGuiEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""
