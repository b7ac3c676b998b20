"""Tasks of the site: a form, and the instance that tells what goes into it, named as ``test/7`` or ``train/123``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...core.tasks import SEEDS
from ..form import WebForm, form_folder, web_form, web_forms
from ..instances.frozen import NUMBER, frozen_instances
from ..instances.generate import make_instance
from ..instances.instance import Instance
from ..instances.recipe import Split

FIRST = "test/0"
"""The task that is shown where none is named."""

_TASK = re.compile(r"(test|train)/(0|[1-9][0-9]{0,9})")


@dataclass(frozen=True)
class Task:
    """A form and what goes into it.

    Attributes:
        id: such as ``test/7``.
        form: the form.
        instance: its values, its text and its files.
    """

    id: str
    form: WebForm
    instance: Instance


def find_task(form: str, task: str) -> Task:
    """The task of a form.

    Raises:
        LookupError: if there is no such form or task; the message says what there is.
    """
    if form not in web_forms():
        raise LookupError(f"There is no form {form!r}.")
    found = _TASK.fullmatch(task)
    if found is None:
        raise LookupError(f"There is no task {task!r}: tasks are named test/0, test/1, … or train/0, train/1, …")
    split: Split = "test" if found[1] == "test" else "train"
    return Task(task, web_form(form), _instance(form, split, int(found[2])))


def tasks_of(split: Split) -> int:
    """How many tasks of a split each form has."""
    return NUMBER if split == "test" else SEEDS


def _instance(form: str, split: Split, number: int) -> Instance:
    if number >= tasks_of(split):
        raise LookupError(f"There is no task {split}/{number}: the last one is {split}/{tasks_of(split) - 1}.")
    # Frozen instances are quicker to read than to make, and the same.
    if split == "test" and (form_folder(form) / "instances.json").exists():
        return frozen_instances(form)[number]
    return make_instance(form, split, number)
