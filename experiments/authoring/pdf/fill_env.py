"""A person's form as an environment without right answers: pages to write on, and facts in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....envs.core.env import PaperworkEnv, State
from ....envs.core.painting import DESK, Image
from ....envs.core.scoring import Gold
from ....envs.paper_forms.custom.folder import page_tasks
from ....envs.paper_forms.paged_form import PagedForm, blank_page
from ....envs.paper_forms.paper_form import PaperForm
from ....envs.paper_forms.state import PaperFormState, PaperTask
from ....envs.paper_forms.tools import tools_of

GOAL = "Fill in the form from the facts in the source text. What they do not say stays empty: nothing is guessed."
_LINES = 80
"""Lines of text on a page without fields, which says how large its text is."""


class FillEnv(PaperworkEnv):
    """Fill in a form of which nobody knows the right answers; every score is 0.

    Args:
        pages: their pictures, uint8 (height, width, 3).
        form: its fields; ``None``: there are none, and text is written anywhere.
        facts: in words.
        **kwargs: see ``PaperworkEnv``.
    """

    task_ids = ("form",)

    def __init__(self, pages: Sequence[Image], form: PaperForm | None, facts: str, **kwargs: Any) -> None:
        self.tools = tools_of(signed=True, database=False, n_pages=len(pages))
        self._size = max(page.shape[0] for page in pages), max(page.shape[1] for page in pages)
        self._pages, self._facts = pages, facts
        if form is None:
            self._tasks = [PaperTask("form", GOAL, facts, round(max(self._size) / _LINES), ())] * len(pages)
        else:
            empty = {field.name: Gold(field.matcher, None) for field in form.fields}
            self._tasks = page_tasks(form, empty, "form", GOAL, facts)
        super().__init__(self._size, **kwargs)

    def open_task(self, task_id: str) -> State:
        """The empty form."""
        if len(self._pages) > 1:
            return PagedForm([blank_page(task, self._size) for task in self._tasks], self._picture, self._facts)
        return PaperFormState(self._tasks[0], self._picture(0))

    def _picture(self, index: int) -> Image:
        """The picture of a page on a sheet of the size of the largest."""
        page = self._pages[index]
        sheet = np.empty((*self._size, 3), np.uint8)
        sheet[:] = DESK
        sheet[: page.shape[0], : page.shape[1]] = page
        return sheet
