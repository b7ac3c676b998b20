"""Gallery: every page of the suite, empty and filled in, with the boxes of its fields, as a web page with pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..envs.core.env import PaperworkEnv, State
from ..envs.core.files import write_whole
from ..envs.core.scoring import FieldResult
from ..envs.core.tasks import first_tasks
from ..envs.registration import ids, index
from .console import console, say
from .listing import usual_env
from .pictures import png
from .report import template

_MOST = 100
"""How many pages of an environment are shown; data sets have thousands."""


@dataclass(frozen=True)
class Box:
    """A field over its page, in per cent of the page: where, what it wants, and what stands in it."""

    left: float
    top: float
    width: float
    height: float
    field: FieldResult


@dataclass(frozen=True)
class Plate:
    """A page of the gallery: its task, and pictures of it by their file names."""

    task: str
    goal: str
    empty: str
    filled: str
    source: str | None
    boxes: list[Box]
    figures: dict[str, int]


@dataclass(frozen=True)
class Room:
    """The pages of one environment; ``missing`` says why there are none."""

    env_id: str
    about: dict[str, Any]
    plates: list[Plate]
    n_pages: int
    missing: str | None = None


def gallery(out: Path) -> Path:
    """Write ``index.html`` and its pictures into a folder, and say where.

    Args:
        out: the folder; it is made if need be.

    Returns:
        The page to open.
    """
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    rooms = []
    for env_id in ids():
        rooms.append(_room(env_id, out))
        told = rooms[-1].missing or f"{len(rooms[-1].plates)} pages"
        console.print(f"{env_id}: {told}", highlight=False, soft_wrap=True)
    html = template("gallery.html.jinja").render(rooms=rooms, version=__version__)
    write_whole(out / "index.html", html.encode(errors="replace"))
    say(f"{out / 'index.html'}")
    return out / "index.html"


def _room(env_id: str, out: Path) -> Room:
    about = index()["environments"][env_id]
    try:
        env = usual_env(env_id)
    except (ValueError, ImportError, OSError) as error:
        return Room(env_id, about, [], 0, " ".join(str(error).split()))
    tasks = list(first_tasks(env.task_ids))
    plates = [_plate(env, task, f"{env_id.split('/')[1]}-{n}", out) for n, task in enumerate(tasks[:_MOST])]
    return Room(env_id, about, plates, len(tasks))


def _plate(env: PaperworkEnv, task: str, name: str, out: Path) -> Plate:
    observation, _ = env.reset(options={"task": task})
    empty = _saved(observation["page"], f"{name}-empty", out)
    source = _saved(observation["source_page"], f"{name}-source", out) if "source_page" in observation else None
    for call in env.solution()[:-1]:
        observation = env.step(env.action_space.from_call(call))[0]
    fields = env.state.score().fields
    return Plate(
        task=task,
        goal=env.state.goal,
        empty=empty,
        filled=_saved(observation["page"], f"{name}-filled", out),
        source=source,
        boxes=_boxes(env.state, fields),
        figures=_figures(fields),
    )


def _saved(page: Any, name: str, out: Path) -> str:
    path = f"pictures/{name}.png"
    (out / path).write_bytes(png(np.asarray(page)))
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


def _figures(fields: tuple[FieldResult, ...]) -> dict[str, int]:
    return {
        "fields": len(fields),
        "answered": sum(field.expected is not None for field in fields),
        "to be ticked or left": sum(field.matcher == "checkbox" for field in fields),
        "wrong": sum(not field.correct for field in fields),
    }
