"""``formgym list``: environments with their size and the origin of their data."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from ..envs.core.data_sets import DataSet
from ..envs.registration import ids, index
from .terminal.console import console

_UNKNOWN = dict.fromkeys(("tasks", "pages", "users", "fields", "fields_exact", "page_size", "missing"))
"""The facts of an environment, as far as they are known."""
_NONE = "–"
UNREAD = "your data are there; with --deep they are read and counted"
"""The note on an environment whose data are there and are not read."""


def environments(deep: bool = False) -> list[dict[str, Any]]:
    """The facts of each environment, in the order of the index.

    Each has ``id``, ``description``, ``task`` (how its tasks are named), ``source`` (what states the answers),
    ``data``, ``licence``, ``max_episode_steps``, and ``missing``: why it cannot be made, or ``None``. Those that can
    have ``tasks``, ``pages``, ``users``, ``fields`` (places to write on all pages), ``fields_exact`` and ``page_size``
    (height, width); for the others these are ``None``.

    Args:
        deep: whether to open every environment and count. Otherwise the index has the facts of what is shipped;
            users' own data are only located, and their counts are ``None``.
    """
    return [_described(env_id, deep) for env_id in ids()]


def _described(env_id: str, deep: bool) -> dict[str, Any]:
    entry = index()["environments"][env_id]
    about = {name: entry[name] for name in ("description", "task", "source", "data", "licence", "max_episode_steps")}
    return {"id": env_id, **about, **_UNKNOWN, **(_opened(env_id) if deep else _known(entry))}


def _opened(env_id: str) -> dict[str, Any]:
    # Imports all suites, which would be most of the time of a short listing.
    from .reporting.environment_facts import facts_of

    return facts_of(env_id)


def _known(entry: dict[str, Any]) -> dict[str, Any]:
    """The facts of an environment in the index, or ``missing`` for absent user data."""
    if "facts" in entry:
        return dict(entry["facts"])
    module, name = entry["data_set"].split(":")
    data_set: DataSet = getattr(import_module(f"..envs.{module}", __package__), name)
    try:
        data_set.root(None)
    except ValueError as error:
        return {"missing": str(error)}
    return {}


def print_environments(as_json: bool = False, deep: bool = False) -> None:
    """Print all environments, as a table or as JSON; see ``environments``."""
    rows = environments(deep)
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for suite in dict.fromkeys(_suite(row) for row in rows):
        console.print(_table([row for row in rows if _suite(row) == suite]))
    for row in rows:
        if note := row["missing"] or (UNREAD if row["tasks"] is None else ""):
            console.print(f"[yellow]{row['id']}:[/yellow] {escape(note)}", highlight=False, soft_wrap=True)
    console.print("Try one yourself: formgym play ID. Run an agent: formgym evaluate.")


def _suite(row: dict[str, Any]) -> str:
    return str(row["id"]).partition("/")[0]


def _table(rows: list[dict[str, Any]]) -> Table:
    """The environments of one suite; equal sources of neighbours are not repeated."""
    table = Table(box=box.HORIZONTALS, show_lines=True, pad_edge=False, collapse_padding=True)
    table.add_column("id", min_width=max(len(row["id"]) for row in rows))
    names = ("tasks", "pages", "users", "elements" if _suite(rows[0]) == "DocEdit" else "fields", "pixels")
    known = [_facts(row) for row in rows]
    known_columns = [i for i in range(len(names)) if any(cells[i] != _NONE for cells in known)]
    for name in (*(names[i] for i in known_columns), "steps"):
        table.add_column(name, justify="right", no_wrap=True)
    above = ""
    for row, cells in zip(rows, known, strict=True):
        origin = _origin(row)
        about = _about(row) if origin == above else f"{_about(row)}\n{origin}"
        table.add_row(about, *(cells[i] for i in known_columns), str(row["max_episode_steps"]))
        above = origin
    return table


def _about(row: dict[str, Any]) -> str:
    missing = "" if row["missing"] is None else "\n[yellow]not here, see below[/yellow]"
    return f"[bold]{row['id']}[/bold]\n{escape(row['description'].rstrip('.'))}{missing}"


def _origin(row: dict[str, Any]) -> str:
    return f"[dim]source:[/dim] {escape(row['source'])}\n[dim]{escape(row['data'])}; {escape(row['licence'])}[/dim]"


def _facts(row: dict[str, Any]) -> list[str]:
    if row["tasks"] is None:
        return [_NONE] * 5
    height, width = row["page_size"]
    about = "" if row["fields_exact"] else "≈"
    users = _NONE if row["users"] is None else f"{row['users']:,}"
    return [f"{row['tasks']:,}", f"{row['pages']:,}", users, f"{about}{row['fields']:,}", f"{width}×{height}"]
