"""``formgym report gallery``: every page, empty and filled in, as a web page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ... import __version__
from ...envs.core.env import PaperworkEnv, State
from ...envs.core.files import atomic_write
from ...envs.core.painting import Image
from ...envs.core.scoring import FieldResult
from ...envs.core.tasks import first_tasks, page_of
from ...envs.registration import ids, index
from ...envs.web_forms.env import AtomicEnv, WebFormEnv
from ...envs.web_forms.forms.form import web_form, web_forms
from ...envs.web_forms.html.themes import themes
from ...envs.web_forms.scoring import ATOMIC_KINDS
from ..terminal import console, say_written, track
from .environment_facts import usual_env
from .page_images import webp
from .report import template

_MAX_PAGES = 100
"""The most pages of an environment; data sets have thousands."""


@dataclass(frozen=True)
class Box:
    """The box of a field, in per cent of its page, and the result of the field."""

    left: float
    top: float
    width: float
    height: float
    field: FieldResult


@dataclass(frozen=True)
class Plate:
    """A page of the gallery: its task, and the file names of its pictures."""

    task: str
    goal: str
    views: list[tuple[str, str]]
    source: str | None
    boxes: list[Box]
    counts: dict[str, int]


@dataclass(frozen=True)
class Room:
    """The pages of one environment; ``missing`` says why there are none."""

    env_id: str
    about: dict[str, Any]
    plates: list[Plate]
    n_pages: int
    missing: str | None = None


def gallery(out: Path) -> Path:
    """Write ``index.html`` and its pictures into a folder, and print where it is.

    Args:
        out: the folder; it is made if need be.

    Returns:
        The page to open.
    """
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    rooms = []
    for env_id in track(ids(), "drawing pages"):
        rooms.append(_room(env_id, out))
        summary = rooms[-1].missing or f"{len(rooms[-1].plates)} pages"
        console.print(f"{env_id}: {summary}", highlight=False, soft_wrap=True)
    html = template("gallery.html.jinja").render(rooms=rooms, version=__version__)
    atomic_write(out / "index.html", html.encode(errors="replace"))
    say_written(out / "index.html", f"{out / 'index.html'}")
    return out / "index.html"


def _room(env_id: str, out: Path) -> Room:
    about = index()["environments"][env_id]
    try:
        env = usual_env(env_id)
    except (ValueError, ImportError, OSError) as error:
        return Room(env_id, about, [], 0, " ".join(str(error).split()))
    tasks = _of_each_kind(env) if isinstance(env, AtomicEnv) else list(first_tasks(env.task_ids))
    plates = [_plate(env, task, f"{env_id.split('/')[1]}-{n}", out) for n, task in enumerate(tasks[:_MAX_PAGES])]
    return Room(env_id, about, plates, len(tasks))


def _plate(env: PaperworkEnv, task: str, name: str, out: Path) -> Plate:
    observation, _ = env.reset(options={"task": task} | _look(env, task))
    empty = _saved(observation["page"], f"{name}-empty", out)
    source = _saved(observation["source_page"], f"{name}-source", out) if "source_page" in observation else None
    filled = [_saved(page, f"{name}-filled-{n}", out) for n, page in enumerate(_filled(env))]
    fields = env.state.score().fields
    parts = [f", {n} of {len(filled)}" if len(filled) > 1 else "" for n in range(1, len(filled) + 1)]
    return Plate(
        task=task,
        goal=env.state.goal,
        views=[("empty", empty), *((f"filled in{part}", page) for part, page in zip(parts, filled, strict=True))],
        source=source,
        boxes=[] if isinstance(env, WebFormEnv) else _boxes(env.state, fields),
        counts=_counts(fields),
    )


def _look(env: PaperworkEnv, task: str) -> dict[str, str]:
    """The theme of a web form: forms take turns with all of them."""
    if not isinstance(env, WebFormEnv):
        return {}
    looks = themes()
    return {"theme": looks[web_forms().index(page_of(task)) % len(looks)]}


def _of_each_kind(env: AtomicEnv) -> list[str]:
    """The first task of each kind of field."""
    kinds: dict[str, str] = {}
    for task in env.task_ids:
        form, name, _ = task.split("/")
        control = next(field.control for field in web_form(form).fields if field.name == name)
        kinds.setdefault(ATOMIC_KINDS[control], task)
    return list(kinds.values())


def _filled(env: PaperworkEnv) -> Iterator[Image]:
    """The page filled in; of a web form, each of its pages."""
    for call in env.solution()[:-1]:
        before, background = env.page(), env.state.background
        env.step(env.action_space.from_call(call))
        if isinstance(env, WebFormEnv) and env.state.background is not background:
            yield before
    yield env.page()


def _saved(page: Any, name: str, out: Path) -> str:
    path = f"pictures/{name}.webp"
    (out / path).write_bytes(webp(np.asarray(page), effort=75))
    return path


def _boxes(state: State, fields: tuple[FieldResult, ...]) -> list[Box]:
    if len(state.places) != len(fields):
        return []
    height, width = state.background.shape[:2]
    boxes = []
    for place, field in zip(state.places, fields, strict=True):
        left, top, right, bottom = place.box
        across, down = 100 / width, 100 / height
        boxes.append(Box(left * across, top * down, (right - left) * across, (bottom - top) * down, field))
    return boxes


def _counts(fields: tuple[FieldResult, ...]) -> dict[str, int]:
    return {
        "fields": len(fields),
        "answered": sum(field.expected is not None for field in fields),
        "to be ticked or left": sum(field.matcher == "checkbox" for field in fields),
        "wrong": sum(not field.correct for field in fields),
    }
