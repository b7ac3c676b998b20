"""FormGym/Official: the published FormGym's tasks, from your checkout (FormGym, section "Tasks")."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from ...core.asset_cache import cached
from ...core.env import PaperworkEnv
from ...core.pages import page_image
from ...core.painting import Image, LayeredPage, Patch, SolidRect
from ...core.tasks import TaskSplit
from ..datasets.funsd import CANVAS as FUNSD_CANVAS
from ..state import PaperFormState, answers_as_layers
from ..tools import DATABASE_TOOLS, TOOLS, TYPING_TOOLS
from .pages import CANVAS, FORMGYM, PublishedPage, checkout
from .state import SCORERS, PublishedFormState
from .tasks import DOMAINS, PublishedTask, official_tasks

USERS = (0, 1, 2, 3)
_TOOLS = {"text": TOOLS, "doc_transfer": TOOLS, "database": DATABASE_TOOLS, "funsd": TYPING_TOOLS}
_WHITE = (255, 255, 255)


class OfficialEnv(PaperworkEnv):
    """Fill in a published form for one of the four published users.

    Users, facts and values are read from the checkout's ``user_features.py`` and ``fields.py`` as data; nothing of it
    is run. A field whose value cannot be read is left out, with a warning, and counted in ``skipped`` by file and line.
    Tasks are ``page/user``; ``reset(options=...)`` takes ``{"task": "page/user"}`` or ``{"page": ...}``.

    - ``"text"``: the facts that the page needs, in sentences.
    - ``"doc_transfer"``: the page before this one, filled in for the same user, is the ``"source_page"``; sentences
      state the facts that it lacks.
    - ``"database"``: the facts are in the SQLite table ``features``, which ``query_sql`` queries.
    - ``"funsd"``: one answer of a page of FUNSD's test split is painted white, and given with its question.

    Args:
        root: the checkout, with ``annotations``, ``pngs``, ``user_features.py`` and ``fields.py``; without it,
            ``formgym_official``, ``FormGym`` or ``formgym`` in the folder named by the environment variable
            FORMGYM_DATA, or that folder itself.
        task: ``"text"``, ``"doc_transfer"``, ``"database"`` or ``"funsd"``.
        user: 0, 1, 2 or 3; ``None``: all of them (FUNSD has one).
        domain: what names of pages begin with: ``"al"`` or ``"xx"`` for texts and forms, ``"cr"`` or ``"db"`` for
            databases; ``None``: the paper's, which is the first of these.
        pages: ``"paper"``: of the auto loans the paper's four; ``"all"``: all that have values.
        scorer: whose verdicts ``field_accuracy`` counts: ``"strict"``: ours, and the reward follows
            ``strict_accuracy``; ``"published"``: those of the published code, which the reward follows. Each field of a
            score has both.
        version: whose published grading, ``"A"`` of the paper's checkout or ``"B"`` of the public one; ``None``: that
            of this checkout.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the checkout is not there or broken, or there is no such task, user, domain or scorer.

    Attributes:
        skipped: counts of the fields and pages that are left out, by the reason.
    """

    split: TaskSplit

    def __init__(
        self,
        root: str | None = None,
        task: str = "text",
        user: int | None = None,
        domain: str | None = None,
        pages: str = "paper",
        scorer: str = "strict",
        version: str | None = None,
        **kwargs: Any,
    ) -> None:
        _check("task", task, tuple(DOMAINS))
        domain, known = domain or DOMAINS[task][0], USERS[: 1 if task == "funsd" else None]
        _check(f"domain of task={task!r}", domain, DOMAINS[task])
        _check("user", user, (None, *known))
        _check("pages", pages, ("paper", "all"))
        _check("scorer", scorer, SCORERS)
        _check("version", version, (None, "A", "B"))
        self.folder, self._scorer = checkout(root), scorer
        users = known if user is None else (user,)
        self._tasks, self.skipped = official_tasks(self.folder, task, domain, pages == "paper", users, version)
        if not self._tasks:
            reasons = ", ".join(f"{n} x {reason}" for reason, n in list(self.skipped.items())[:5])
            raise FORMGYM.error(
                f"no tasks on the pages {domain!r} of {self.folder} ({reasons or 'no page has fields'})"
            )
        self.tools = _TOOLS[task]
        self.reward_metric = "field_accuracy" if scorer == "published" else "strict_accuracy"
        super().__init__(FUNSD_CANVAS if task == "funsd" else CANVAS, source_page=task == "doc_transfer", **kwargs)
        names = tuple(dict.fromkeys(task_id.split("/")[0] for task_id in self._tasks))
        self.split = TaskSplit("page", names, partial(_users_of, tuple(self._tasks)), None)
        self.task_ids = self.split.task_ids()

    def open_task(self, task_id: str) -> PublishedFormState:
        """The empty page of a task.

        Raises:
            ValueError: if there is no such task, or its picture cannot be read.
        """
        self.split.parse(task_id)
        task = self._tasks[task_id]
        white = [SolidRect(box, _WHITE) for box in task.page.fields.values()] if task.erased else []
        source = task.other and LayeredPage(_picture(task.other.page), _answers(task.other))
        return PublishedFormState(
            task, _picture(task.page), self._scorer, white, task.database and task.database.query, source
        )


def _check(name: str, value: object, known: Sequence[object]) -> None:
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, not {value!r}")


def _users_of(tasks: Sequence[str], page: str) -> list[str]:
    return [user for name, user in (task.split("/") for task in tasks) if name == page]


def _picture(page: PublishedPage) -> Image:
    try:
        return page_image(page.image, page.canvas)
    except (OSError, ValueError) as error:
        raise ValueError(f"{page.image} is no picture that can be read: {error}") from error


@cached
def _answers(task: PublishedTask) -> tuple[Patch, ...]:
    """The answers of a page, as layers over it."""
    return answers_as_layers(PaperFormState(task, _picture(task.page)))
