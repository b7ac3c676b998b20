"""FormFactory/Published: the published FormFactory's forms and instances, from your checkout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ...core.env import PaperworkEnv
from ...core.tasks import TaskSplit, chosen_names
from ..custom.env import live_tools
from ..custom.gold import GoldFile, GoldTask
from ..custom.live_page import LivePage
from ..custom.live_pages import LivePages
from ..custom.live_state import LiveFormState
from ..env import kinds_named
from ..scoring import ScoredField
from ..state import WebTask, field_goal, form_goal
from ..tools import HEIGHT, WIDTH
from .app import running_app
from .checkout import FORMFACTORY, PublishedForm, instances, published_forms
from .tasks import PublishedTask, Survey

MODES = ("episodic", "atomic")
_ANYTHING = "Fields that must be filled in and that the text says nothing about may hold anything."


class PublishedEnv(PaperworkEnv):
    """Fill in the published web forms, which their own app serves to Chromium, from the published texts.

    Tasks are ``form/number``, or ``form/field/number`` in atomic mode; ``reset(options=...)`` takes ``{"task": ...}``
    or ``{"form": ...}``. Values that a page cannot take do not count.

    Args:
        root: the checkout, with ``app.py`` and ``data``; without it, ``formfactory_official``, ``FormFactory`` or
            ``formfactory`` in the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        forms: names of forms; ``None``: all.
        mode: ``"episodic"``: whole forms, which must be submitted; ``"atomic"``: one value into one field.
        kinds: the kinds of fields of atomic tasks; ``None``: all.
        allow_commands: whether the checkout's ``app.py``, somebody else's program, may be run.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if there is no checkout, it may not be run or has no tasks, or there is no such form, mode or kind.
        BrowserError: if there is no browser.

    Attributes:
        skipped: counts of the keys, values, texts and forms that are left out, by the reason.
    """

    has_controls = True
    split: TaskSplit
    tools = live_tools(WIDTH, HEIGHT)

    def __init__(
        self,
        root: str | None = None,
        forms: str | Sequence[str] | None = None,
        mode: str = "episodic",
        kinds: str | Sequence[str] | None = None,
        allow_commands: bool = False,
        **kwargs: Any,
    ) -> None:
        if mode not in MODES:
            raise ValueError(f"mode must be one of {', '.join(MODES)}, not {mode!r}")
        names = chosen_names(forms, [form.name for form in published_forms()], "form")
        self._mode, self._kinds, self.folder = mode, kinds_named(kinds), FORMFACTORY.root(root).resolve()
        if not allow_commands:
            raise ValueError(
                f"the pages of {self.folder} are served by its app.py, somebody else's program: look at what it does, "
                "then allow it with allow_commands=True"
            )
        super().__init__((HEIGHT, WIDTH), **kwargs)
        self._app = running_app(self.folder)
        self._page: LivePage | None = None
        self.skipped = Counter[str]()
        chosen = [form for form in published_forms() if form.name in names]
        self._surveys = {form.name: survey for form in chosen if (survey := self._survey(form))}
        self.close()
        self.task_ids = tuple(task for survey in self._surveys.values() for task in self._tasks_of(survey))
        if not self.task_ids:
            reasons = "; ".join(list(self.skipped)[:5]) or "no fields of that kind"
            raise FORMFACTORY.error(f"no tasks in {self.folder}: {reasons}")
        self.split = TaskSplit("form", tuple(self._surveys), partial(_names_of, self.task_ids), None)

    def open_task(self, task_id: str) -> LiveFormState:
        """The page as the app serves it.

        Raises:
            ValueError: if there is no such task.
        """
        form, name = self.split.parse(task_id)
        field_name, _, number = name.rpartition("/")
        survey = self._surveys[form]
        task = survey.tasks[number]
        page = self._opened(survey.gold, task.page_task)
        if self._mode == "atomic":
            field = next(field for field in task.fields if field.name == field_name)
            goal, source = field_goal(survey.form.title, field)
            return LiveFormState(WebTask(task_id, goal, source, (field,), must_submit=False), page)
        goal = form_goal(survey.form.title, task.page_task.files, _ANYTHING if task.unscored else "")
        return LiveFormState(WebTask(task_id, goal, task.page_task.source, task.fields), page, task.unscored)

    def close(self) -> None:
        """Close the page, and release the browser."""
        if self._page is not None:
            self._page.close()
            self._page.pages.close()
            self._page = None
        super().close()

    def _opened(self, gold: GoldFile, task: GoldTask) -> LivePage:
        page = LivePage(LivePages(self.folder, gold, server=self._app), task)
        # Only now, as the browser ends with the last page.
        if self._page is not None:
            self._page.close()
            self._page.pages.close()
        self._page = page
        return page

    def _survey(self, form: PublishedForm) -> Survey | None:
        """What of a form can be played, if anything; the rest is counted. The app keeps it for all environments."""
        if form.name not in self._app.surveys:
            self._app.surveys[form.name] = self._surveyed(form)
        survey, skipped = self._app.surveys[form.name]
        self.skipped += skipped
        return survey

    def _surveyed(self, form: PublishedForm) -> tuple[Survey | None, Counter[str]]:
        read, skipped = instances(self.folder, form)
        route = next(filter(self._app.answers, form.routes), None) if read else None
        if route is None:
            return None, skipped or Counter([f"{form.name}: the app serves no page at {' or '.join(form.routes)}"])
        blank = GoldFile(title=form.title, page=route, tasks=(GoldTask(name="survey"),))
        survey = Survey(form, route, read, self._opened(blank, blank.tasks[0]).live)
        return (survey if survey.tasks else None), skipped + survey.skipped

    def _tasks_of(self, survey: Survey) -> Iterator[str]:
        for number, task in survey.tasks.items():
            if self._mode == "episodic":
                yield f"{survey.form.name}/{number}"
            else:
                yield from (f"{survey.form.name}/{field.name}/{number}" for field in self._atomic(survey, task))

    def _atomic(self, survey: Survey, task: PublishedTask) -> Iterator[ScoredField]:
        """The fields of a task that are to be seen at first and have a value of the chosen kinds."""
        for field in task.fields:
            if field.needs_entry and field.kind in self._kinds and survey.controls[field.name].visible:
                yield field


def _names_of(tasks: Sequence[str], form: str) -> list[str]:
    return [name for group, _, name in (task.partition("/") for task in tasks) if group == form]
