"""FormGym/AutoLoans-Text: fill in an auto-loan application from facts told in sentences (FormGym)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from ..core.env import PaperworkEnv
from ..core.pages import page_image
from ..core.scoring import Gold
from ..core.vector import BatchVectorEnv
from .forms import FormField, PaperForm, form_folder, paper_form
from .page import Page
from .profiles import Profile, condition_facts, derived_facts, fact_book, profile, users
from .task import PaperTask, Target, text_size_for
from .templates import fill
from .tools import TOOLS

_DISTRACTORS = 20
TICK = "X"
"""What a box that must be ticked is ticked with."""


class AutoLoansEnv(PaperworkEnv):
    """Fill in an application form for one user.

    Tasks are ``form/user``. ``reset(options=...)`` takes ``{"task": "form/user"}``, or ``{"form": ..., "user": ...}``,
    one of which may be left to chance.

    Args:
        forms: names of shipped forms, or folders of your own that ``formgym capture`` has been in (written with a
            slash); all of one page size. A task names a folder by its last part.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a form is unknown or broken, or sizes differ.
    """

    tools = TOOLS

    def __init__(self, forms: Sequence[str], **kwargs: Any) -> None:
        if isinstance(forms, str):
            raise ValueError(f"forms is a list of names, not {forms!r}")
        sizes = {paper_form(name).size for name in forms}
        if len(sizes) != 1:
            raise ValueError(f"the forms of one environment have one page size; these have {sorted(sizes)}")
        super().__init__(sizes.pop(), **kwargs)
        self._forms = {Path(form).name: form for form in forms}
        if len(self._forms) < len(forms):
            raise ValueError(f"two forms are called alike: {sorted(forms)}; a task names a folder by its last part")
        self.forms = tuple(self._forms)
        self._task_ids = tuple(f"{form}/{user}" for form in self.forms for user in users())

    @property
    def task_ids(self) -> Sequence[str]:
        """All pairs ``form/user``."""
        return self._task_ids

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: see the class.

        Raises:
            ValueError: if the options name no form or user of this environment.
        """
        if not {"form", "user"} & set(options):
            return super().pick_task(options)
        unknown = set(options) - {"form", "user"}
        if unknown:
            raise ValueError(f"reset options 'form' and 'user' do not go with {sorted(unknown)[0]!r}")
        form = options.get("form", self.forms[int(self.np_random.integers(len(self.forms)))])
        user = options.get("user", users()[int(self.np_random.integers(len(users())))])
        return f"{form}/{user}"

    def open_task(self, task_id: str) -> Page:
        """The empty form.

        Raises:
            ValueError: if there is no such task.
        """
        form, _, user = task_id.rpartition("/")
        if form not in self.forms or user not in users():
            raise ValueError(
                f"no task {task_id!r}; tasks are form/user with {', '.join(self.forms)} and {', '.join(users())}"
            )
        source = self._forms[form]
        return Page(form_task(source, user), page_image(form_folder(source) / "page.png", paper_form(source).size))


make_batch = partial(BatchVectorEnv, AutoLoansEnv)
"""``AutoLoansEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, forms=...)``."""


@lru_cache(maxsize=1024)
def form_task(form_name: str, user: str) -> PaperTask:
    """The task of filling in a form for a shipped user."""
    form, person = paper_form(form_name), profile(user)
    task_id = f"{Path(form_name).name}/{user}"
    return PaperTask(
        task_id=task_id,
        goal=f"Fill in this form, “{form.title}”, for {person.facts['full_name']} from the facts in the source text. "
        "Leave empty what asks for something that the source does not tell, and what is for the office. "
        "Tick boxes with X. Sign and initial where the applicants have to.",
        source=_source(form, person, task_id),
        text_size=text_size_for([f.box[3] - f.box[1] for f in form.fields if f.matcher != "checkbox"]),
        targets=tuple(_target(field, person) for field in form.fields),
    )


def _target(field: FormField, person: Profile) -> Target:
    gold = Gold(field.matcher, _answer(field, person))
    if gold.value is not None and not gold.accepts(gold.value):
        raise ValueError(f"field {field.name}: the answer {gold.value!r} is no {field.matcher}")
    return Target(field.name, field.label, field.box, gold, field.comb)


def _answer(field: FormField, person: Profile) -> str | None:
    """The user's answer, or None if the field must stay empty."""
    if field.when is not None:
        fact, value = condition_facts(field.when)
        return TICK if person.facts.get(fact) == value else None
    return fill(field.value, person.facts) if field.value is not None else None


def _source(form: PaperForm, person: Profile, task_id: str) -> str:
    """The sentences of the facts that the form needs, and of some that it does not."""
    needed = derived_facts().base_facts({fact for field in form.fields for fact in field.facts})
    named = {fact for fact in fact_book().names if fact.endswith("first_name")}
    others = [fact for fact in fact_book().names if fact in person.root and fact not in needed | named]
    chosen = np.random.default_rng(crc32(task_id.encode())).permutation(len(others))[:_DISTRACTORS]
    return "\n".join(person.sentences(needed | named | {others[i] for i in chosen}))
