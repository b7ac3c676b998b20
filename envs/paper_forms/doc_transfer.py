"""FormGym/AutoLoans-DocTransfer: fill in a form from another form (FormGym)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import permutations
from typing import Any

from ..core.asset_cache import cached
from ..core.pages import DESK, packed_page, page_image, unpacked
from ..core.tasks import EndlessTasks
from ..core.vector import BatchVectorEnv
from .auto_loans import AutoLoansEnv
from .form_tasks import User, form_task
from .paper_form import form_folder
from .paper_form_state import PaperFormState
from .profiles.profile import users


class DocTransferEnv(AutoLoansEnv):
    """Fill in a form; most facts are on another form, shown as ``"source_page"``.

    Tasks are ``form/source/user``, where ``source`` is the form with the user's answers on it; sentences state only
    what is not there. In the test split, each form has one source in ``task_ids``, and any other can be requested:
    ``reset(options=...)`` takes ``{"task": "form/source/user"}`` or any of ``"form"``, ``"source"``, ``"user"``. In the
    train split, all pairs of forms are drawn.

    Args:
        forms: see ``AutoLoansEnv``; at least two.
        **kwargs: see ``AutoLoansEnv``.

    Raises:
        ValueError: see ``AutoLoansEnv``.
    """

    options = ("form", "source", "user")

    def __init__(self, forms: Sequence[str] | None = None, **kwargs: Any) -> None:
        super().__init__(forms, source_page=True, **kwargs)
        if len(self.forms) < 2:
            raise ValueError(f"a form is filled in from another one; there must be two at least, not {self.forms}")

    def open_task(self, task_id: str) -> PaperFormState:
        """The empty form, with the filled-in one as source page.

        Raises:
            ValueError: if there is no such task.
        """
        form, source, user = self._parts(task_id)
        task = form_task(self._forms[form], user, task_id, self._forms[source])
        source_page = unpacked(_filled_in(self._forms[source], user, self._canvas), self._canvas)
        return PaperFormState(task, self._background(form), source_page=source_page)

    def _all_tasks(self) -> Sequence[str]:
        if self._secret is not None:
            return EndlessTasks([f"{form}/{source}" for form, source in permutations(self.forms, 2)])
        return tuple(f"{form}/{self._usual_source(form)}/{user}" for form in self.forms for user in users())

    def _chosen(self, options: Mapping[str, str]) -> str:
        form, source, user = self._drawn_task().split("/")
        if options.get("source") == form:
            form = self._usual_source(form)
        form = options.get("form", form)
        if "form" in options or source == form:
            source = self._usual_source(form)
        return "/".join((form, options.get("source", source), options.get("user", user)))

    def _usual_source(self, form: str) -> str:
        """The form after ``form``, its source in the test split."""
        return self.forms[(self.forms.index(form) + 1) % len(self.forms)] if form in self.forms else form

    def _parts(self, task_id: str) -> tuple[str, str, User]:
        """Form, source and user of a task."""
        form, source, user = (*task_id.split("/", 2), "", "")[:3]
        if not {form, source} <= set(self.forms) or source == form:
            raise ValueError(f"no task {task_id!r}; tasks are form/source/user, with two of {', '.join(self.forms)}")
        return form, source, self._form_and_user(f"{form}/{user}")[1]


make_batch = partial(BatchVectorEnv, DocTransferEnv)
"""``DocTransferEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""


@cached
def _filled_in(form: str, user: User, canvas: tuple[int, int]) -> bytes:
    """A form with all answers of a user on it, compressed."""
    page = PaperFormState(form_task(form, user, user.name), page_image(form_folder(form) / "page.png", canvas, DESK))
    for call in page.solution()[:-1]:
        page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
    return packed_page(page.background, page.layers)
