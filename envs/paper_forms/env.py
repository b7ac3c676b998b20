"""FormGym/AutoLoans-Text and -DocTransfer: fill in an auto-loan form from sentences, or from another form (FormGym)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any, ClassVar
from zlib import crc32

from ..core.asset_cache import cached
from ..core.env import PaperworkEnv
from ..core.pages import page_image
from ..core.painting import Image, LayeredPage, Patch
from ..core.tasks import EndlessTasks, TaskSplit, endless_secret
from ..core.text_sprites import TYPED_FACE
from .form_tasks import PAYSLIP, User, filled_in, form_task, payslip_of, written_facts
from .paper_form import canvas_of, form_folder, forms_by_name
from .profile import users
from .state import PaperFormState, PaperTask, answers_as_layers
from .tools import TOOLS


class AutoLoansEnv(PaperworkEnv):
    """Fill in an application form for one user.

    Tasks are ``form/user``. ``reset(options=...)`` takes ``{"task": "form/user"}``, or ``{"form": ..., "user": ...}``;
    without one of the two, it is drawn at random. Pages are in the top left corner of a canvas that holds the largest;
    x and y of the tools are fractions of the page, whose size is ``info["paper_size"]``.

    The source is a list of sentences, a letter, an e-mail thread or a chat, by form and user; with some, a pay slip is
    the ``"source_page"``, which is black in the others.

    Args:
        forms: names of shipped forms, or your own folders (written with a slash) after ``formgym import``; ``None``:
            all shipped forms. A task names a folder by its last part.
        split: ``"test"``: the shipped users; ``"train"``: endless users, made from their seeds and named by them.
        secret: with "train", another number gives other endless users; one that nobody knows gives a private test.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form is unknown or broken, there is no such split, or the split has no such secret.

    >>> env = AutoLoansEnv(["cedar_valley_vehicle_loan"])
    >>> observation, info = env.reset(seed=0)
    >>> action = env.action_space.action("place_text", x=0.1, y=0.134, text="Ann")
    >>> observation, reward, terminated, truncated, info = env.step(action)
    >>> info["feedback"].split(",")[0]
    'Placed "Ann" at (0.100'
    """

    tools = TOOLS
    options: ClassVar[tuple[str, ...]] = ("form", "user")
    """The parts of a task's id, which ``reset`` takes as options."""

    def __init__(self, forms: Sequence[str] | None = None, split: str = "test", secret: int = 0, **kwargs: Any) -> None:
        self._forms = forms_by_name(forms, "paper_forms")
        self._canvas = canvas_of(self._forms.values())
        super().__init__(self._canvas, source_page=True, **kwargs)
        self.forms = tuple(self._forms)
        self._people = TaskSplit("form", self.forms, _users_of, endless_secret(split, secret))
        self.task_ids = self._all_tasks()

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
        """The empty form of a task; see ``PaperworkEnv.open_task``."""
        form, name = self._people.parse(task_id)
        user = User(name, self._people.secret)
        return self._opened(task_id, form, user, payslip_of(self._forms[form], user))

    def _opened(self, task_id: str, form: str, user: User, source: str | None) -> PaperFormState:
        task = form_task(self._forms[form], user, task_id, source)
        # A pay slip alone depends on the form: other pages are kept for all forms.
        page = source and _filled_in(source, user, self._forms[form] if source == PAYSLIP else source, self._canvas)
        return PaperFormState(task, _blank(self._forms[form], self._canvas), source_page=page or None)

    def _all_tasks(self) -> Sequence[str]:
        return self._people.task_ids()

    def _chosen(self, options: Mapping[str, str]) -> str:
        """The task that the options name; missing parts come from a random task."""
        form, user = self._drawn_task().split("/")
        return f"{options.get('form', form)}/{options.get('user', user)}"

    def _drawn_task(self) -> str:
        return super().pick_task({})


def _users_of(form: str) -> Sequence[str]:
    """The users for whom a form is filled in: all."""
    return users()


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

    >>> observation, info = DocTransferEnv().reset(seed=0)
    >>> observation["source_page"].shape == observation["page"].shape
    True
    """

    options = ("form", "source", "user")

    def __init__(self, forms: Sequence[str] | None = None, **kwargs: Any) -> None:
        super().__init__(forms, **kwargs)
        if len(self.forms) < 2:
            raise ValueError(f"a form is filled in from another one; there must be two at least, not {self.forms}")

    def open_task(self, task_id: str) -> PaperFormState:
        """The empty form, with the filled-in one as source page; see ``PaperworkEnv.open_task``."""
        form, source, user = (*task_id.split("/", 2), "", "")[:3]
        if not {form, source} <= set(self.forms) or source == form:
            raise ValueError(f"no task {task_id!r}; tasks are form/source/user, with two of {', '.join(self.forms)}")
        self._people.parse(f"{form}/{user}", task_id)
        return self._opened(task_id, form, User(user, self._people.secret), self._forms[source])

    def _all_tasks(self) -> Sequence[str]:
        if self._people.secret is not None:
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


def _blank(form: str, canvas: tuple[int, int]) -> Image:
    """The empty page of a form."""
    return page_image(form_folder(form) / "page.png", canvas)


def _filled_in(source: str, user: User, form: str, canvas: tuple[int, int]) -> LayeredPage:
    """The source page ``source`` of a task on ``form``, with a user's answers on it."""
    return LayeredPage(_blank(source, canvas), _answers(source, user, form, canvas))


@cached
def _answers(source: str, user: User, form: str, canvas: tuple[int, int]) -> tuple[Patch, ...]:
    task = filled_in(source, written_facts(source, user, form))
    return answers_as_layers(
        PaperFormState(task if source == PAYSLIP else _in_hand(task, user), _blank(source, canvas))
    )


_HANDS = {"Source Code Pro": 0.85, "Caveat": 1.0, TYPED_FACE: 1.0, "Kalam": 1.0}
"""The faces of filled-in pages, a typewriter's, a printer's and two of people who write by hand, and their sizes as
shares of the size of text that fits the page: characters of the typewriter are wide."""


def _in_hand(task: PaperTask, user: User) -> PaperTask:
    """A task written in the face in which a user fills in all of his or her forms."""
    face = list(_HANDS)[crc32(user.name.encode()) % len(_HANDS)]
    return replace(task, face=face, text_size=round(task.text_size * _HANDS[face]))
