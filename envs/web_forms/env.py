"""FormFactory: fill in a web form by clicks and keys on pixels (FormFactory)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...assets import ROOT
from ..core.asset_cache import cached, derived
from ..core.env import PaperworkEnv
from ..core.tasks import SEEDS, EndlessTasks, TaskSplit, chosen_names, endless_secret
from .forms.form import WebForm, web_form, web_forms
from .html.themes import theme_of, themes
from .instances.instance_generator import Instance, frozen_instances, make_instance
from .replay.capture import load_pictures
from .replay.captured_page import CapturedPage
from .scoring import ATOMIC_KINDS, ScoredField, scored_fields
from .state import WebFormState, WebTask, field_goal, form_goal
from .tools import HEIGHT, TOOLS, WIDTH

if TYPE_CHECKING:
    from .chromium.chromium_page import ChromiumPage, ChromiumPages

CAPTURES = ROOT / "web_captures"
"""The captures of the shipped forms: a folder for each form, and in it one for each theme."""
BACKENDS = ("replay", "chromium")
TEST = "test_"
"""The prefix of the numbers of shipped instances in task ids; endless ones are plain seeds."""


class WebFormEnv(PaperworkEnv):
    """Fill in web forms from a text, and submit them.

    Tasks are ``form/test_number``, and ``form/seed`` in the train split. ``reset(options=...)`` takes ``{"task":
    ...}``, or ``{"form": ...}`` and ``{"theme": ...}``; the rest is drawn. Before submission, rewards follow the score
    of the draft; an episode that ends without submission takes them back.

    Args:
        forms: names of shipped forms; ``None``: all.
        split: ``"test"``: the shipped instances, 50 of each form; ``"train"``: endless ones, named by their seeds.
        secret: the seed of the endless instances; a private number makes a private test.
        theme: the look of all pages; ``None``: each task has one of ``themes()``.
        backend: ``"replay"``: photographed pages, no browser; ``"chromium"``: a real browser.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form, split, theme or backend is unknown, or the split has no such secret.
    """

    tools = TOOLS
    split: TaskSplit
    has_controls = True
    """Whether the state lists the controls of the page."""

    def __init__(
        self,
        forms: str | Sequence[str] | None = None,
        split: str = "test",
        secret: int = 0,
        theme: str | None = None,
        backend: str = "replay",
        **kwargs: Any,
    ) -> None:
        self.forms = chosen_names(forms, web_forms(), "form")
        self.split = TaskSplit("form", self.forms, _shipped_numbers, endless_secret(split, secret))
        self._theme = _checked_theme(theme)
        if backend not in BACKENDS:
            raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
        self._backend = backend
        super().__init__((HEIGHT, WIDTH), **kwargs)
        self._browser: ChromiumPages | None = None
        self._next_theme: str | None = None
        self.task_ids = self._all_tasks()

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: see the class.

        Raises:
            ValueError: if the options name no form, theme or task of this environment.
        """
        options = dict(options)
        self._next_theme = _checked_theme(options.pop("theme", None))
        return super().pick_task(options)

    def open_task(self, task_id: str) -> WebFormState:
        """The empty form.

        Raises:
            ValueError: if there is no such task.
        """
        form, instance = self._form_and_instance(task_id)
        task = _shipped_task(form.name, instance.number) if self.split.secret is None else _task(form, instance)
        return WebFormState(task, self._page(form, instance))

    def close(self) -> None:
        """Release the browser, if there is one."""
        if self._browser is not None:
            self._browser.close()
            self._browser = None
        super().close()

    def _all_tasks(self) -> Sequence[str]:
        return self.split.task_ids()

    def _form_and_instance(self, task_id: str, called: str = "") -> tuple[WebForm, Instance]:
        """The form and the instance of a task ``form/number``; see ``TaskSplit.parse``."""
        name, number = self.split.parse(task_id, called)
        if self.split.secret is not None:
            return web_form(name), make_instance(name, "train", int(number), self.split.secret)
        return web_form(name), frozen_instances(name)[int(number.removeprefix(TEST))]

    def _page(self, form: WebForm, instance: Instance) -> CapturedPage | ChromiumPage:
        theme = self._next_theme or self._theme or theme_of(instance.number)
        self._next_theme = None
        captured = CapturedPage(load_pictures(CAPTURES / form.name / theme), instance.files)
        if self._backend == "replay":
            return captured
        if self._browser is None:
            from .chromium.chromium_page import ChromiumPages

            self._browser = ChromiumPages()
        return self._browser.open(form.name, theme, captured)


class AtomicEnv(WebFormEnv):
    """Enter one value into one field of a form, without submission (atomic tasks).

    Tasks are ``form/field/test_number``, and ``form/field/seed`` in the train split, of fields on a form's first page.
    ``options={"kind": ...}`` draws one of a kind: String, Drop-down, Checkbox, Radio, Description, Date, Check, File.

    Args:
        kinds: the kinds of fields; ``None``: all.
        **kwargs: see ``WebFormEnv``.
    """

    def __init__(self, kinds: str | Sequence[str] | None = None, **kwargs: Any) -> None:
        self._kinds = kinds_named(kinds)
        super().__init__(**kwargs)

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: see the class.

        Raises:
            ValueError: if the options name no kind, form, theme or task of this environment.
        """
        options = dict(options)
        if not {"kind", "form"} & options.keys():
            return super().pick_task(options)
        if "task" in options:
            raise ValueError("option 'task' does not go with 'kind' or 'form': it says both")
        kinds = kinds_named(options.pop("kind")) if "kind" in options else self._kinds
        form = options.pop("form", None)
        if form is not None and form not in self.forms:
            raise ValueError(f"no form {form!r} here; there are {', '.join(self.forms)}")
        tasks = self._tasks_of([form] if form else self.forms, kinds)
        return super().pick_task({"task": tasks[int(self.np_random.integers(len(tasks)))], **options})

    def open_task(self, task_id: str) -> WebFormState:
        """The empty form, and one value to enter.

        Raises:
            ValueError: if there is no such task.
        """
        form_name, _, rest = task_id.partition("/")
        name, _, number = rest.rpartition("/")
        form, instance = self._form_and_instance(f"{form_name}/{number}", task_id)
        if name not in {field.name for field in _atomic_fields(form, tuple(ATOMIC_KINDS.values()))}:
            raise ValueError(f"no task {task_id!r}: {form.name} has no field {name!r} that can be filled in at once")
        while not (field := _scored(form, instance, name)).needs_entry:
            if self.split.secret is None:
                raise ValueError(f"no task {task_id!r}: the field has no value there")
            # Of the train split every seed is a task: that of the next one in which there is something to enter.
            instance = make_instance(form_name, "train", (instance.number + 1) % SEEDS, self.split.secret)
        goal, source = field_goal(form.title, field)
        fields = scored_fields(form, {name: instance.values[name]})
        return WebFormState(WebTask(task_id, goal, source, fields, must_submit=False), self._page(form, instance))

    def _all_tasks(self) -> Sequence[str]:
        return self._tasks_of(self.forms, self._kinds)

    def _tasks_of(self, forms: Sequence[str], kinds: tuple[str, ...]) -> Sequence[str]:
        fields = [(form, field) for form in forms for field in _atomic_fields(web_form(form), kinds)]
        if not fields:
            raise ValueError(f"none of {', '.join(forms)} has a field of the kind {', '.join(kinds)} on its first page")
        if self.split.secret is not None:
            return EndlessTasks([f"{form}/{field.name}" for form, field in fields])
        return tuple(task for form in forms for task in _frozen_tasks(form, kinds))


@cached
def _shipped_numbers(form: str) -> tuple[str, ...]:
    return tuple(f"{TEST}{instance.number}" for instance in frozen_instances(form))


@derived
def _shipped_task(form: str, number: int) -> WebTask:
    return _task(web_form(form), frozen_instances(form)[number])


def _task(form: WebForm, instance: Instance) -> WebTask:
    number = instance.number if instance.split == "train" else f"{TEST}{instance.number}"
    fields = scored_fields(form, instance.values)
    return WebTask(f"{form.name}/{number}", form_goal(form.title, instance.files), instance.source, fields)


@cached
def _frozen_tasks(form: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The atomic tasks of the shipped instances of a form."""
    definition = web_form(form)
    names = [field.name for field in _atomic_fields(definition, kinds)]
    tasks = []
    for instance in frozen_instances(form):
        to_enter = {field.name for field in scored_fields(definition, instance.values) if field.needs_entry}
        tasks += [f"{form}/{name}/{TEST}{instance.number}" for name in names if name in to_enter]
    return tuple(tasks)


def _scored(form: WebForm, instance: Instance, name: str) -> ScoredField:
    return next(one for one in scored_fields(form, {name: instance.values[name]}) if one.name == name)


def _atomic_fields(form: WebForm, kinds: Sequence[str]) -> Iterator[Any]:
    """The fields that are visible at first and depend on no other."""
    for field in form.fields:
        free = field.page == 0 and field.when is None and field.options_by is None and field.row <= 1
        if free and ATOMIC_KINDS[field.control] in kinds:
            yield field


def kinds_named(kinds: str | Sequence[str] | None) -> tuple[str, ...]:
    """Kinds of fields, checked; ``None``: all.

    Raises:
        ValueError: if one is unknown, or there are none.
    """
    known = tuple(dict.fromkeys(ATOMIC_KINDS.values()))
    names = known if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no kind {unknown[0]!r}; there are {', '.join(known)}")
    if not names:
        raise ValueError(f"kinds must name at least one of {', '.join(known)}")
    return names


def _checked_theme(theme: str | None) -> str | None:
    if theme is not None and theme not in themes():
        raise ValueError(f"no theme {theme!r}; there are {', '.join(themes())}")
    return theme
