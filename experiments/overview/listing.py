"""``formgym list``: environments with their size and the origin of their data."""

from __future__ import annotations

from fnmatch import fnmatchcase
from importlib import import_module
from textwrap import fill
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from ...envs.core.data_sets import DataSet
from ...envs.registration import ids, index
from ..running.command_line import suggestion
from ..terminal.console import console, print_json, say, track

_DESCRIBED = ("description", "task", "source", "data", "licence", "max_episode_steps")
_UNKNOWN = dict.fromkeys(("tasks", "pages", "users", "fields", "fields_exact", "page_size", "missing"))
"""The facts of an environment, as far as they are known."""
_NONE = "–"
UNREAD = "your data are there; with --deep they are read and counted"
"""The note on an environment whose data are there and are not read."""
_SUITES = {
    "FormGym": "write on the picture of a paper form",
    "FormFactory": "fill in a web form by mouse and keyboard, from pixels",
    "DocEdit": "edit a document as a sentence asks",
}
_ALIKE = {"FormFactory": "forms", "DocEdit": "documents"}
"""What most environments of a suite are one of; the argument that names it is called the same."""
_NEXT = """
"your data": needs a data set of yours. What one asks, holds and needs:
formgym list NAME, such as formgym list BugReport or formgym list 'DocEdit/*'.
Try one yourself: formgym play ID. Run an agent: formgym sweep env=ID."""


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
    rows = []
    for env_id in track(ids(), "opening") if deep else ids():
        entry = index()["environments"][env_id]
        rows.append({"id": env_id, **{name: entry[name] for name in _DESCRIBED}, **_UNKNOWN, **_facts_of(env_id, deep)})
    return rows


def _facts_of(env_id: str, deep: bool) -> dict[str, Any]:
    """The facts of an environment, counted or from the index, or ``missing`` for absent user data."""
    if deep:
        # Imports all suites, which would be most of the time of a short listing.
        from .environment_facts import facts_of

        return facts_of(env_id)
    entry = index()["environments"][env_id]
    if "facts" in entry:
        return dict(entry["facts"])
    module, name = entry["data_set"].split(":")
    data_set: DataSet = getattr(import_module(f"...envs.{module}", __package__), name)
    try:
        data_set.root(None)
    except ValueError as error:
        return {"missing": str(error)}
    return {}


def print_environments(pattern: str | None = None, deep: bool = False) -> None:
    """Print environments: all of them in brief, or those of a pattern in full.

    Args:
        pattern: of ids, with ``*``; or a part of them, in any case. ``None``: all, by suite.
        deep: see ``environments``.

    Raises:
        ValueError: if no id is like the pattern.
    """
    rows = [row for row in environments(deep) if pattern is None or _is_like(row["id"], pattern)]
    if not rows:
        names = [env_id.partition("/")[2] for env_id in ids()]
        raise ValueError(f"no environment is like {pattern!r}; {suggestion(pattern or '', names)}")
    for suite in dict.fromkeys(_suite(row) for row in rows):
        of_suite = [row for row in rows if _suite(row) == suite]
        if pattern is None:
            _print_suite(suite, of_suite)
        else:
            console.print(_table(of_suite))
    if pattern is not None or deep:
        _print_notes(rows)
    if pattern is None:
        say(_NEXT)
    print_json(rows)


def _is_like(env_id: str, pattern: str) -> bool:
    return fnmatchcase(env_id.lower(), pattern.lower()) or pattern.lower() in env_id.lower()


def _print_suite(suite: str, rows: list[dict[str, Any]]) -> None:
    """A suite in brief: environments that are alike by name, the others a row each."""
    alike = [row for row in rows if suite in _ALIKE and row["description"] and _is_single(row)]
    tasks = sum(row["tasks"] or 0 for row in rows)
    console.print(f"\n[bold]{suite}[/bold]: {_SUITES[suite]}; {tasks:,} tasks", highlight=False)
    if alike:
        names = ", ".join(row["id"].partition("/")[2].removesuffix("-v0") for row in alike)
        text = f"{suite}/NAME-v0, {len(alike)} {_ALIKE[suite]}: {names}"
        say(fill(text, 79, initial_indent="  ", subsequent_indent="  "))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 2), width=80)
    table.add_column(no_wrap=True, min_width=max(len(row["id"]) for row in rows if row not in alike))
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    for row in rows:
        if row not in alike:
            n_tasks = "your data" if row["missing"] else _NONE if row["tasks"] is None else f"{row['tasks']:,} tasks"
            table.add_row(row["id"], n_tasks, escape(row["description"].rstrip(".")))
    console.print(table, highlight=False)


def _is_single(row: dict[str, Any]) -> bool:
    """Whether an environment is of one form or document, as most of its suite are."""
    return isinstance(index()["environments"][row["id"]]["kwargs"].get(_ALIKE[_suite(row)]), str)


def _print_notes(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        if note := row["missing"] or (UNREAD if row["tasks"] is None else ""):
            console.print(f"[yellow]{row['id']}:[/yellow] {escape(note)}", highlight=False, soft_wrap=True)


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
        about = f"[bold]{row['id']}[/bold]\n{escape(row['description'].rstrip('.'))}"
        about += "" if row["missing"] is None else "\n[yellow]not here, see below[/yellow]"
        origin = (
            f"\n[dim]source:[/dim] {escape(row['source'])}\n[dim]{escape(row['data'])}; {escape(row['licence'])}[/dim]"
        )
        table.add_row(
            about + origin * (origin != above), *(cells[i] for i in known_columns), str(row["max_episode_steps"])
        )
        above = origin
    return table


def _facts(row: dict[str, Any]) -> list[str]:
    if row["tasks"] is None:
        return [_NONE] * 5
    height, width = row["page_size"]
    about = "" if row["fields_exact"] else "≈"
    users = _NONE if row["users"] is None else f"{row['users']:,}"
    return [f"{row['tasks']:,}", f"{row['pages']:,}", users, f"{about}{row['fields']:,}", f"{width}×{height}"]
