"""FormGym/AutoLoans-Text: fill in an auto-loan form from sentences (FormGym)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from ..core.env import PaperworkEnv
from ..core.pages import DESK, page_image
from ..core.painting import Image
from ..core.tasks import SEEDS, EndlessTasks, endless_secret
from ..core.vector import BatchVectorEnv
from .form_tasks import User, form_task
from .paper_form import canvas_of, form_folder, forms_by_name
from .paper_form_state import PaperFormState
from .paper_tools import TOOLS
from .profiles.profile import users


class AutoLoansEnv(PaperworkEnv):
    """Fill in an application form for one user.

    Tasks are ``form/user``. ``reset(options=...)`` takes ``{"task": "form/user"}``, or ``{"form": ..., "user": ...}``;
    without one of the two, it is drawn at random. Pages are in the top left corner of a canvas that holds the largest.

    Args:
        forms: names of shipped forms, or your own folders (written with a slash) after ``formgym import``; ``None``:
            all shipped forms. A task names a folder by its last part.
        split: ``"test"``: the shipped users; ``"train"``: endless users, made from their seeds and named by them.
        secret: with "train", another number gives other endless users; one that nobody knows gives a private test.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form is unknown or broken, there is no such split, or the split has no such secret.
    """

    tools = TOOLS
    options: ClassVar[tuple[str, ...]] = ("form", "user")
    """The parts of a task's id, which ``reset`` takes as options."""
    window: ClassVar[tuple[int, int] | None] = None
    """Height and width of the observed window, if it is not the page itself."""

    def __init__(self, forms: Sequence[str] | None = None, split: str = "test", secret: int = 0, **kwargs: Any) -> None:
        self._forms = forms_by_name(forms, "paper_forms")
        self._secret = endless_secret(split, secret)
        self._canvas = canvas_of(self._forms.values())
        super().__init__(self.window or self._canvas, **kwargs)
        self.forms = tuple(self._forms)
        self._task_ids = self._all_tasks()

    @property
    def task_ids(self) -> Sequence[str]:
        """All pairs ``form/user``."""
        return self._task_ids

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task of an episode; for the options see the class.

        Raises:
            ValueError: if the options name no form or user of this environment.
        """
        if not set(self.options) & set(options):
            return super().pick_task(options)
        unknown = set(options) - set(self.options)
        if unknown:
            raise ValueError(f"reset options {', '.join(self.options)} do not go with {sorted(unknown)[0]!r}")
        return self._chosen({name: str(value) for name, value in options.items()})

    def open_task(self, task_id: str) -> PaperFormState:
        """The empty form of a task.

        Raises:
            ValueError: if there is no such task.
        """
        form, user = self._form_and_user(task_id)
        return PaperFormState(form_task(self._forms[form], user, task_id), self._background(form))

    def _all_tasks(self) -> Sequence[str]:
        if self._secret is not None:
            return EndlessTasks(self.forms)
        return tuple(f"{form}/{user}" for form in self.forms for user in users())

    def _chosen(self, options: Mapping[str, str]) -> str:
        """The task that the options name; missing parts come from a random task."""
        form, user = self._drawn_task().split("/")
        return f"{options.get('form', form)}/{options.get('user', user)}"

    def _drawn_task(self) -> str:
        return super().pick_task({})

    def _form_and_user(self, task_id: str) -> tuple[str, User]:
        form, _, user = task_id.partition("/")
        known = user in users() if self._secret is None else task_id in EndlessTasks(self.forms)
        if form not in self.forms or not known:
            people = ", ".join(users()) if self._secret is None else f"a seed from 0 to {SEEDS - 1}"
            raise ValueError(f"no task {task_id!r}; tasks are form/user with {', '.join(self.forms)} and {people}")
        return form, User(user, self._secret)

    def _background(self, form: str) -> Image:
        return page_image(form_folder(self._forms[form]) / "page.png", self._canvas, DESK)


make_batch = partial(BatchVectorEnv, AutoLoansEnv)
"""``AutoLoansEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""
