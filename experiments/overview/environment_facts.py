"""Facts of an environment, counted by opening it: tasks, pages, users, fields."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any, cast

from ...envs.core.env import PaperworkEnv
from ...envs.core.grounding import GroundingEnv
from ...envs.core.tasks import page_of
from ...envs.registration import index
from ...envs.web_forms.env import WebFormEnv
from ...envs.web_forms.forms.form import web_form
from ..running.rollout import bare_env

_MAX_OPENED = 32
"""On how many forms or documents of an environment fields are counted; opening thousands of scans takes minutes."""
_PEOPLE = ("/user", "/case")
"""The end of task patterns that name the person of a form."""
_EXTERNAL = "set/name"
"""The pattern of tasks that have a document each."""
_DOCUMENTS = ("document/number", _EXTERNAL)


def facts_of(env_id: str) -> dict[str, Any]:
    """The facts of an environment, or ``missing``: why it cannot be opened."""
    try:
        return _counted(usual_env(env_id), index()["environments"][env_id]["task"])
    except (ValueError, ImportError, OSError) as error:
        return {"missing": " ".join(str(error).split())}


def usual_env(env_id: str) -> PaperworkEnv:
    """The bare environment of an id with its usual arguments, made without warnings.

    Raises:
        ValueError, ImportError, OSError: if it cannot be made; most often its data are not there.
    """
    with warnings.catch_warnings():
        # That a copy of a data set lacks a split is for those who evaluate on it.
        warnings.simplefilter("ignore")
        return bare_env(env_id)


def _counted(env: PaperworkEnv, pattern: str) -> dict[str, Any]:
    """The facts of an environment whose tasks are named by ``pattern``."""
    tasks = env.task_ids
    by_form: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        by_form[task if pattern == _EXTERNAL else page_of(task)].append(task)
    step = 1 if isinstance(env, GroundingEnv) else -(-len(by_form) // _MAX_OPENED)
    opened = list(by_form.values())[::step]
    fields = sum(_fields_on(env, of_form, pattern) for of_form in opened)
    users = {task.rsplit("/", 1)[1] for task in tasks} if pattern.endswith(_PEOPLE) else ()
    return {
        "tasks": len(tasks),
        "pages": sum(_pages_of(env, of_form, pattern) for of_form in by_form.values()),
        "users": len(users) or None,
        "fields": round(fields * len(by_form) / len(opened)),
        "fields_exact": len(opened) == len(by_form),
        "page_size": list(env.observation_space["page"].shape[:2]),  # type: ignore[index]
    }


def _pages_of(env: PaperworkEnv, tasks: list[str], pattern: str) -> int:
    """How many pages the tasks of a form or document have; paper forms have one."""
    if isinstance(env, GroundingEnv):
        return len(tasks)
    if pattern in _DOCUMENTS:
        return len(cast(Any, env.open_task(tasks[0])).document.pages)
    if isinstance(env, WebFormEnv):
        return len(web_form(page_of(tasks[0])).pages)
    return 1


def _fields_on(env: PaperworkEnv, tasks: list[str], pattern: str) -> int:
    """How many places to write a form has."""
    if isinstance(env, GroundingEnv):
        return sum(len(env.open_page(task).targets) for task in tasks)
    if pattern in _DOCUMENTS:
        document = cast(Any, env.open_task(tasks[0])).document
        return sum(element.type != "group" for element in document.elements())
    if "/field/" in pattern:
        return len({task.split("/")[1] for task in tasks})
    first = len(env.open_task(tasks[0]).score().fields)
    return first if "/" in tasks[0] else first * len(tasks)
