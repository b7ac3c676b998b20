"""List: what every registered environment is, how large, and where its data come from."""

from __future__ import annotations

import json
import warnings
from collections import defaultdict
from typing import Any, cast

import gymnasium as gym
from rich import box
from rich.markup import escape
from rich.table import Table

from ..envs.core.env import PaperworkEnv
from ..envs.core.tasks import page_of
from ..envs.registration import ids, index
from .console import console

_COUNTED = 32
"""On how many pages of an environment fields are counted; opening thousands of scans would take minutes."""
_NONE = "–"
_PEOPLE = ("/user", "/case")
"""How the pattern of tasks ends where it names for whom a form is filled in."""
_NOUNS = {"form": ("forms", "fields"), "document": ("documents", "elements")}
"""What is counted, by what the ids of tasks begin with."""
_UNKNOWN = ("tasks", "pages", "users", "fields", "fields_exact", "page_size")


def environments() -> list[dict[str, Any]]:
    """What is known of each environment, in the order of the index.

    Each has ``id``, ``description``, ``task`` (how its tasks are named), ``source`` (where the answers are told),
    ``data``, ``licence``, ``max_episode_steps``, and ``missing``: why it cannot be made, or ``None``. Those that can
    have ``tasks``, ``pages``, ``users``, ``fields`` (places to write on all pages), ``fields_exact`` and ``page_size``
    (height, width); for the others these are ``None``.
    """
    return [_described(env_id) for env_id in ids()]


def print_environments(as_json: bool = False) -> None:
    """Print all environments, as a table or as JSON."""
    rows = environments()
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for suite in dict.fromkeys(_suite(row) for row in rows):
        console.print(_table([row for row in rows if _suite(row) == suite]))
    for row in rows:
        if row["missing"] is not None:
            console.print(f"[yellow]{row['id']}:[/yellow] {escape(row['missing'])}", highlight=False, soft_wrap=True)
    console.print("Try one yourself: formgym play ID. Run an agent: formgym evaluate.")


def _described(env_id: str) -> dict[str, Any]:
    entry = index()["environments"][env_id]
    about = {name: entry[name] for name in ("description", "task", "source", "data", "licence", "max_episode_steps")}
    try:
        return {"id": env_id, **about, **_measured(env_id), "missing": None}
    except (ValueError, ImportError, OSError) as error:
        return {"id": env_id, **about, **dict.fromkeys(_UNKNOWN), "missing": " ".join(str(error).split())}


def usual_env(env_id: str) -> PaperworkEnv:
    """The bare environment of an id with its usual arguments, made without a word.

    Raises:
        ValueError, ImportError, OSError: if it cannot be made; most often its data are not there.
    """
    with warnings.catch_warnings():
        # That a copy of a data set lacks a split is for those who evaluate on it.
        warnings.simplefilter("ignore")
        return cast(PaperworkEnv, gym.make(env_id, disable_env_checker=True).unwrapped)


def _measured(env_id: str) -> dict[str, Any]:
    env = usual_env(env_id)
    tasks = env.task_ids
    by_page: dict[str, list[str]] = defaultdict(list)
    for task in tasks:
        by_page[page_of(task)].append(task)
    task_pattern = index()["environments"][env_id]["task"]
    looked_at = list(by_page.values())[:: -(-len(by_page) // _COUNTED)]
    fields = sum(_fields_on(env, of_page, task_pattern) for of_page in looked_at)
    has_users = task_pattern.endswith(_PEOPLE)
    users = {task.rsplit("/", 1)[1] for task in tasks} if has_users else ()
    return {
        "tasks": len(tasks),
        "pages": len(by_page),
        "users": len(users) or None,
        "fields": round(fields * len(by_page) / len(looked_at)),
        "fields_exact": len(looked_at) == len(by_page),
        "page_size": list(env.observation_space["page"].shape[:2]),  # type: ignore[index]
    }


def _fields_on(env: PaperworkEnv, tasks: list[str], pattern: str) -> int:
    """How many places to write a page has: those of one user's task, or of all tasks that have one each."""
    if pattern.startswith("document/"):
        document = cast(Any, env.open_task(tasks[0])).document
        return sum(element.type != "group" for element in document.elements())
    if "/field/" in pattern:
        return len({task.split("/")[1] for task in tasks})
    first = len(env.open_task(tasks[0]).score().fields)
    return first if "/" in tasks[0] else first * len(tasks)


def _suite(row: dict[str, Any]) -> str:
    return str(row["id"]).partition("/")[0]


def _table(rows: list[dict[str, Any]]) -> Table:
    """The environments of one suite. What is told of the one above is not told again."""
    table = Table(box=box.HORIZONTALS, show_lines=True, pad_edge=False, collapse_padding=True)
    table.add_column("id", min_width=max(len(row["id"]) for row in rows))
    heads = {row["task"].partition("/")[0] for row in rows}
    pages, fields = _NOUNS.get(heads.pop() if len(heads) == 1 else "", ("pages", "fields"))
    names = ("tasks", pages, "users", fields, "pixels")
    known = [_figures(row) for row in rows]
    told = [i for i in range(len(names)) if any(figures[i] != _NONE for figures in known)]
    for name in (*(names[i] for i in told), "steps"):
        table.add_column(name, justify="right", no_wrap=True)
    above = ""
    for row, figures in zip(rows, known, strict=True):
        origin = _origin(row)
        about = _about(row) if origin == above else f"{_about(row)}\n{origin}"
        table.add_row(about, *(figures[i] for i in told), str(row["max_episode_steps"]))
        above = origin
    return table


def _about(row: dict[str, Any]) -> str:
    missing = "" if row["missing"] is None else "\n[yellow]not here, see below[/yellow]"
    return f"[bold]{row['id']}[/bold]\n{escape(row['description'].rstrip('.'))}{missing}"


def _origin(row: dict[str, Any]) -> str:
    return f"[dim]source:[/dim] {escape(row['source'])}\n[dim]{escape(row['data'])}; {escape(row['licence'])}[/dim]"


def _figures(row: dict[str, Any]) -> list[str]:
    if row["missing"] is not None:
        return [_NONE] * 5
    height, width = row["page_size"]
    about = "" if row["fields_exact"] else "≈"
    users = _NONE if row["users"] is None else f"{row['users']:,}"
    return [f"{row['tasks']:,}", f"{row['pages']:,}", users, f"{about}{row['fields']:,}", f"{width}×{height}"]
