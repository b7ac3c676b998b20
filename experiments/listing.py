"""List: what every registered environment is, how large, and where its data come from."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any, cast

import gymnasium as gym
from rich import box
from rich.markup import escape
from rich.table import Table

from ..envs.core.env import PaperworkEnv
from ..envs.registration import ids, index
from .console import console

_COUNTED = 32
"""In how many tasks of an environment fields are counted; opening thousands of scans would take minutes."""


def environments() -> list[dict[str, Any]]:
    """What is known of each environment, in the order of the index.

    Each has ``id``, ``description``, ``data``, ``licence``, ``max_episode_steps``, and ``missing``: why it cannot be
    made, or ``None``. Those that can have ``tasks``, ``pages``, ``fields``, ``fields_exact`` and ``page_size`` (height,
    width); for the others these are ``None``.
    """
    return [_described(env_id) for env_id in ids()]


def print_environments(as_json: bool = False) -> None:
    """Print all environments, as a table or as JSON."""
    rows = environments()
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    console.print(_table(rows))
    for row in rows:
        if row["missing"] is not None:
            console.print(f"[yellow]{row['id']}:[/yellow] {escape(row['missing'])}", highlight=False, soft_wrap=True)
    console.print("Try one yourself: formgym play ID. Run an agent: formgym evaluate.")


def _described(env_id: str) -> dict[str, Any]:
    entry = index()["environments"][env_id]
    about = {name: entry[name] for name in ("description", "data", "licence", "max_episode_steps")}
    try:
        return {"id": env_id, **about, **_measured(env_id), "missing": None}
    except (ValueError, ImportError, OSError) as error:
        unknown = dict.fromkeys(("tasks", "pages", "fields", "fields_exact", "page_size"))
        return {"id": env_id, **about, **unknown, "missing": " ".join(str(error).split())}


def _measured(env_id: str) -> dict[str, Any]:
    with warnings.catch_warnings():
        # That a copy of a data set lacks a split is for those who evaluate on it.
        warnings.simplefilter("ignore")
        made = gym.make(env_id, disable_env_checker=True)
    env = cast(PaperworkEnv, made.unwrapped)
    tasks = env.task_ids
    looked_at = tasks[:: -(-len(tasks) // _COUNTED)]
    fields = sum(len(env.open_task(task).score().fields) for task in looked_at)
    return {
        "tasks": len(tasks),
        # The id of a task names its page first.
        "pages": len({re.split("[/#]", task)[0] for task in tasks}),
        "fields": round(fields * len(tasks) / len(looked_at)),
        "fields_exact": len(looked_at) == len(tasks),
        "page_size": list(env.open_task(tasks[0]).background.shape[:2]),
    }


def _table(rows: list[dict[str, Any]]) -> Table:
    table = Table(box=box.HORIZONTALS, show_lines=True, pad_edge=False, collapse_padding=True)
    table.add_column("id")
    for name in ("tasks", "pages", "fields", "pixels", "steps"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(_about(row), *_figures(row), str(row["max_episode_steps"]))
    return table


def _about(row: dict[str, Any]) -> str:
    data = f"[dim]{escape(row['data'])}; {escape(row['licence'])}[/dim]"
    missing = "" if row["missing"] is None else "\n[yellow]not here, see below[/yellow]"
    return f"[bold]{row['id']}[/bold]\n{escape(row['description'])}\n{data}{missing}"


def _figures(row: dict[str, Any]) -> list[str]:
    if row["missing"] is not None:
        return ["–"] * 4
    height, width = row["page_size"]
    about = "" if row["fields_exact"] else "≈"
    return [f"{row['tasks']:,}", f"{row['pages']:,}", f"{about}{row['fields']:,}", f"{width}×{height}"]
