"""FormFactory: fill in a web form by clicks and keys on pixels (FormFactory)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from ...assets import ROOT
from ..core.env import PaperworkEnv
from ..core.tasks import SEEDS, EndlessTasks, endless_secret
from ..core.vector import BatchVectorEnv
from .captured.page import CapturedPage
from .captured.pictures import load_pictures
from .form import WebForm, web_form, web_forms
from .instances.frozen import frozen_instances
from .instances.generate import make_instance
from .instances.instance import Instance
from .markup.themes import themes
from .scoring import ATOMIC_KINDS, ScoredField, scored_fields
from .state import WebFormState, WebTask, WindowedPage
from .tools import HEIGHT, TOOLS, WIDTH

if TYPE_CHECKING:
    from .chromium.page import ChromiumPages

CAPTURES = ROOT / "web_captures"
"""Where the captures of the shipped forms lie: a folder a form, and in it one a theme."""
BACKENDS = ("captured", "chromium")


class WebFormEnv(PaperworkEnv):
    """Fill in web forms from a text, and submit them.

    Tasks are ``form/number``. ``reset(options=...)`` takes ``{"task": "form/number"}``, or ``{"form": ...}`` and
    ``{"theme": ...}``; what is left open is drawn. The reward before submission is of the draft; an episode that ends
    without submission takes it back.

    Args:
        forms: names of shipped forms; ``None``: all.
        split: ``"test"``: the shipped instances, 50 of each form; ``"train"``: endless ones, named by their seeds.
        secret: another number gives other endless instances; one that nobody knows, a private test.
        theme: the look of all pages; ``None``: each task has one of ``themes()``.
        backend: ``"captured"``: photographed pages, no browser; ``"chromium"``: a real browser.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form, split, theme or backend is unknown, or the split has no such secret.
    """

    tools = TOOLS
    options: ClassVar[tuple[str, ...]] = ("form", "theme")

    def __init__(
        self,
        forms: str | Sequence[str] | None = None,
        split: str = "test",
        secret: int = 0,
        theme: str | None = None,
        backend: str = "captured",
        **kwargs: Any,
    ) -> None:
        self._secret = endless_secret(split, secret)
        self.forms = _forms_named(forms)
        self._theme = _checked_theme(theme)
        if backend not in BACKENDS:
            raise ValueError(f"backend must be one of {', '.join(BACKENDS)}, not {backend!r}")
        self._backend = backend
        super().__init__((HEIGHT, WIDTH), **kwargs)
        self._browser: ChromiumPages | None = None
        self._next_theme: str | None = None
        self._instances = self._all_instances()
        self._task_ids = self._all_tasks()

    @property
    def task_ids(self) -> Sequence[str]:
        """All pairs ``form/number``."""
        return self._task_ids

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: see the class.

        Raises:
            ValueError: if the options name no form, theme or task of this environment.
        """
        options = dict(options)
        self._next_theme = _checked_theme(options.pop("theme", None))
        form = options.pop("form", None)
        if form is None:
            return super().pick_task(options)
        if form not in self.forms or options:
            raise ValueError(f"no form {form!r} here; there are {', '.join(self.forms)}, and options task, form, theme")
        return f"{form}/{self._drawn().rpartition('/')[2]}"

    def _drawn(self) -> str:
        """An instance of any form, drawn at random."""
        return self._instances[int(self.np_random.integers(len(self._instances)))]

    def open_task(self, task_id: str) -> WebFormState:
        """The empty form.

        Raises:
            ValueError: if there is no such task.
        """
        form, instance = self._form_and_instance(task_id)
        return WebFormState(self._task(task_id, form, instance), self._page(form, instance))

    def close(self) -> None:
        """Let the browser go, if there is one."""
        if self._browser is not None:
            self._browser.close()
            self._browser = None
        super().close()

    def _all_instances(self) -> Sequence[str]:
        """Every instance as ``form/number``."""
        if self._secret is not None:
            return EndlessTasks(self.forms)
        return tuple(f"{form}/{instance.number}" for form in self.forms for instance in frozen_instances(form))

    def _all_tasks(self) -> Sequence[str]:
        return self._instances

    def _task(self, task_id: str, form: WebForm, instance: Instance) -> WebTask:
        return WebTask(task_id, _goal(form, instance), instance.source, scored_fields(form, instance.values))

    def _form_and_instance(self, task_id: str) -> tuple[WebForm, Instance]:
        form, _, number = task_id.partition("/")
        if not self._knows(form, number, task_id):
            numbers = "the number of an instance" if self._secret is None else f"a seed from 0 to {SEEDS - 1}"
            raise ValueError(f"no task {task_id!r}; tasks are form/number with {', '.join(self.forms)} and {numbers}")
        if self._secret is None:
            return web_form(form), frozen_instances(form)[int(number)]
        return web_form(form), make_instance(form, "train", int(number), self._secret)

    def _knows(self, form: str, number: str, task_id: str) -> bool:
        if self._secret is not None:
            return task_id in EndlessTasks(self.forms)
        numbers = map(str, range(len(frozen_instances(form)))) if form in self.forms else ()
        return number in numbers

    def _page(self, form: WebForm, instance: Instance) -> WindowedPage:
        looks = themes()
        theme = self._next_theme or self._theme or looks[instance.number % len(looks)]
        captured = CapturedPage(load_pictures(CAPTURES / form.name / theme), instance.files)
        if self._backend == "captured":
            return captured
        if self._browser is None:
            from .chromium.page import ChromiumPages

            self._browser = ChromiumPages()
        return self._browser.open(form.name, theme, captured)


class AtomicEnv(WebFormEnv):
    """Enter one value into one field of a form; nothing is submitted (FormFactory, atomic tasks).

    Tasks are ``form/number#field``, of fields on a form's first page. ``options={"kind": ...}`` draws one of a kind:
    String, Drop-down, Checkbox, Radio, Description, Date, Check, File.

    Args:
        kinds: the kinds of fields; ``None``: all.
        **kwargs: see ``WebFormEnv``.
    """

    def __init__(self, kinds: str | Sequence[str] | None = None, **kwargs: Any) -> None:
        self._kinds = _kinds_named(kinds)
        super().__init__(**kwargs)

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: see the class.

        Raises:
            ValueError: if the options name no kind, form, theme or task of this environment.
        """
        options = dict(options)
        if "task" in options:
            return super().pick_task(options)
        kinds = _kinds_named(options.pop("kind", None)) if "kind" in options else self._kinds
        forms = [f for f in self.forms if any(_atomic_fields(web_form(f), kinds))]
        if not forms:
            raise ValueError(f"none of {', '.join(self.forms)} has a field of the kind {', '.join(kinds)}")
        form = options.pop("form", forms[int(self.np_random.integers(len(forms)))])
        while True:
            task = super().pick_task({"form": form, **options})
            wanted = [field.name for field in self._wanted(task, kinds)]
            if wanted:
                return f"{task}#{wanted[int(self.np_random.integers(len(wanted)))]}"

    def open_task(self, task_id: str) -> WebFormState:
        """The empty form, and one value to enter.

        Raises:
            ValueError: if there is no such task.
        """
        whole, _, name = task_id.partition("#")
        form, instance = self._form_and_instance(whole)
        if name not in {field.name for field in self._wanted(whole, tuple(ATOMIC_KINDS.values()))}:
            raise ValueError(f"no task {task_id!r}: no field {name!r} with a value on the first page of {form.name}")
        gold = {name: instance.values[name]}
        field = next(one for one in scored_fields(form, gold) if one.name == name)
        told = ", ".join(field.gold) if isinstance(field.gold, list) else field.gold
        source = f"{field.label}: {'ticked' if told is True else told}"
        goal = f'On the form "{form.title}", enter what is given into the field "{field.label}", and terminate.'
        task = WebTask(task_id, goal, source, scored_fields(form, gold), must_submit=False)
        return WebFormState(task, self._page(form, instance))

    def _all_tasks(self) -> Sequence[str]:
        if self._secret is not None:
            return self._instances
        return tuple(f"{task}#{field.name}" for task in self._instances for field in self._wanted(task, self._kinds))

    def _wanted(self, task: str, kinds: Sequence[str]) -> Iterator[ScoredField]:
        form, instance = self._form_and_instance(task)
        names = {field.name for field in _atomic_fields(form, kinds)}
        return (field for field in scored_fields(form, instance.values) if field.is_wanted and field.name in names)


def _atomic_fields(form: WebForm, kinds: Sequence[str]) -> Iterator[Any]:
    """The fields that are shown from the first and depend on no other."""
    for field in form.fields:
        free = field.page == 0 and field.when is None and field.options_by is None and field.row <= 1
        if free and ATOMIC_KINDS[field.control] in kinds:
            yield field


def _goal(form: WebForm, instance: Instance) -> str:
    files = f" The files at hand: {', '.join(instance.files)}." if instance.files else ""
    return (
        f'Fill in the web form "{form.title}" with what the text tells, by mouse and keyboard, and submit it. Leave '
        f"alone what the text does not tell.{files}"
    )


def _forms_named(forms: str | Sequence[str] | None) -> tuple[str, ...]:
    known = web_forms()
    names = known if forms is None else (forms,) if isinstance(forms, str) else tuple(forms)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no form {unknown[0]!r}; there are {', '.join(known)}")
    if not names or len(set(names)) < len(names):
        raise ValueError("forms must name at least one form, each once")
    return names


def _kinds_named(kinds: str | Sequence[str] | None) -> tuple[str, ...]:
    known = tuple(dict.fromkeys(ATOMIC_KINDS.values()))
    names = known if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"no kind {unknown[0]!r}; there are {', '.join(known)}")
    return names


def _checked_theme(theme: str | None) -> str | None:
    if theme is not None and theme not in themes():
        raise ValueError(f"no theme {theme!r}; there are {', '.join(themes())}")
    return theme


make_batch = partial(BatchVectorEnv, WebFormEnv)
"""``WebFormEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""
make_atomic_batch = partial(BatchVectorEnv, AtomicEnv)
"""``AtomicEnv`` as a ``BatchVectorEnv``."""
