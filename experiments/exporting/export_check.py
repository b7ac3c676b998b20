"""``formgym export --check``: replay an export in environments made for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import gymnasium as gym

from ... import __version__
from ...envs.core.texts import one_line, truncate
from ..running.rollout import page_digest
from ..running.secrets import with_secret
from ..terminal import progress, say, say_failure
from . import chat_rows, step_rows, target_rows
from .export_folder import Export, counted, file_sha256, read_export
from .row_files import FORMATS, Row, pixel_digest

_MAX_PRINTED = 10
_MAX_LENGTH = 80
_BROKEN = (ValueError, OSError, LookupError, TypeError, AttributeError, gym.error.Error)
"""The exceptions that files and rows raise that were changed."""
Result = tuple[int, str]
"""How many rows were replayed, and how they differ from the replay; empty if they do not."""
_Numbered = tuple[int, Row]


def check_export(folder: Path) -> bool:
    """Replay an export and print what differs; whether nothing does.

    Raises:
        ValueError: if the folder is no export.
    """
    export = read_export(folder)
    problems = list(_changed_files(folder, export))
    checked = 0
    with progress("checking", export.rows) as advance:
        for n_rows, problem in _replayed(folder, export):
            advance(n_rows)
            checked += n_rows
            problems += [problem] if problem else []
    if checked != export.rows:
        problems.append(f"{counted(checked, export.content)} could be replayed of {export.rows:,}")
    _print_result(folder, export, checked, problems)
    return not problems


def _print_result(folder: Path, export: Export, checked: int, problems: list[str]) -> None:
    for problem in problems[:_MAX_PRINTED]:
        say_failure(f"{folder}: {problem}")
    if len(problems) > _MAX_PRINTED:
        say(f"... and {len(problems) - _MAX_PRINTED:,} more")
    if problems and export.formgym != __version__:
        say(f"It was written by formgym {export.formgym}; this is {__version__}.")
    verdict = f"{len(problems):,} problems" if problems else "the pictures, rewards and scores are the same"
    say(f"{counted(checked, export.content)} replayed in new environments: {verdict}.")


def _changed_files(folder: Path, export: Export) -> Iterator[str]:
    for name, digest in export.sha256.items():
        if not (folder / name).is_file():
            yield f"{name} is missing"
        elif file_sha256(folder / name) != digest:
            yield f"{name} was changed after it was written"


def _replayed(folder: Path, export: Export) -> Iterator[Result]:
    if export.format == "minari":
        from .minari_files import replayed

        yield from replayed(folder)
        return
    for name in export.sha256:
        try:
            rows = enumerate(FORMATS[export.format].read(folder / name), start=1)
            for n_rows, problem in _replayed_rows(rows, export.content):
                yield n_rows, problem and f"{name}, {problem}"
        except _BROKEN as error:
            yield 0, f"{name} cannot be read: {one_line(str(error))}"


def _replayed_rows(rows: Iterator[_Numbered], content: str) -> Iterator[Result]:
    """The results of rows, by pages or episodes."""
    replay, key = _REPLAYS[content]
    made: tuple[Any, Any] = (None, None)
    for _, group in groupby(rows, key=lambda numbered: [numbered[1].get(column) for column in key]):
        numbered = list(group)
        first = numbered[0][1]
        try:
            if made[0] != (first["env"], first["options"]):
                made = (first["env"], first["options"]), _new_env(first)
            yield from replay(made[1], numbered)
        except _BROKEN as error:
            yield 0, f"row {numbered[0][0]} cannot be replayed: {one_line(str(error))}"


def _new_env(row: Row) -> Any:
    return gym.make(row["env"], disable_env_checker=True, **with_secret(json.loads(row["options"]))).unwrapped


def _targets(env: Any, rows: list[_Numbered]) -> list[Result]:
    """The results of a page's rows."""
    task = rows[0][1]["page"]
    expected = {row["number"]: row for row in target_rows.page_rows(env, task, page_digest)}
    differences = {i: _difference(row, expected.get(row["number"])) for i, row in rows}
    equal = {i: row for i, row in rows if not differences[i]}
    right = target_rows.are_right(env, task, {row["number"]: row["box"] for row in equal.values()})
    differences |= {i: "its box is no right answer" for i, row in equal.items() if not right[row["number"]]}
    return [(1, difference and f"row {i}: {difference}") for i, difference in differences.items()]


def _steps(env: Any, rows: list[_Numbered]) -> list[Result]:
    """The results of an episode's rows."""
    first, calls = rows[0][1], [json.loads(row["action"]) for _, row in rows]
    expected = step_rows.episode_rows(env, first["task"], first["seed"], calls, page_digest)
    differences = ((i, _difference(row, again)) for (i, row), again in zip(rows, expected, strict=True))
    return [(1, difference and f"row {i}: {difference}") for i, difference in differences]


def _chats(env: Any, rows: list[_Numbered]) -> list[Result]:
    """The results of conversations."""
    differences = ((i, _difference(row, chat_rows.replayed_row(env, row, page_digest))) for i, row in rows)
    return [(1, difference and f"row {i}: {difference}") for i, difference in differences]


_REPLAYS: Mapping[str, tuple[Callable[[Any, list[_Numbered]], list[Result]], tuple[str, ...]]] = {
    "targets": (_targets, target_rows.KEY),
    "steps": (_steps, step_rows.KEY),
    "chats": (_chats, chat_rows.KEY),
}
"""By what a row is: how rows that are equal in some columns are replayed together, and the columns."""


def _difference(row: Row, expected: Mapping[str, Any] | None) -> str:
    """How a row differs from the columns of its replay, in which pictures are digests."""
    if expected is None:
        return f"there is no target {row['number']} on {row['page']}"
    for column, value in expected.items():
        found = row.get(column)
        if isinstance(found, bytes):
            found = pixel_digest(found)
        if column == "images":
            found = list(map(pixel_digest, found or ()))
        if found != value and (column in row or column not in step_rows.PICTURES):
            found, value = (truncate(one_line(str(one)), _MAX_LENGTH) for one in (found, value))
            return f"{column} is {found}, and {value} in the replay"
    return ""
