"""``formgym export --check``: replay an export in environments made for it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import gymnasium as gym

from ... import __version__
from ...envs.core.files import parse_json, read_foreign, validated
from ...envs.core.texts import one_line, truncate
from ..running.recorded import recorded_env
from ..running.rollout import page_digest
from ..terminal.console import progress, say, say_failure
from . import minari_files
from .command import EXPORT, MINARI, Export, counted, file_sha256
from .row_files import FORMATS, Columns, Row, converted, pixel_digest
from .rows import COLUMNS, KEYS, replayed_rows

_MAX_PRINTED = 10
_MAX_EXPORT = 1_000_000
"""Bytes of the description of an export."""
_MAX_LENGTH = 80
_CORRUPT_DATA_ERRORS = (ValueError, OSError, LookupError, TypeError, AttributeError, gym.error.Error)
"""Exceptions that corrupt files and rows raise."""
Result = tuple[int, str]
"""How many rows were replayed, and how they differ from the replay; empty if they do not."""


def check_export(folder: Path) -> bool:
    """Replay an export, print every difference, and return whether there are none.

    Raises:
        ValueError: if the folder is no export.
    """
    if not (folder / EXPORT).exists():
        raise ValueError(f"{folder} is no export: it has no {EXPORT}")
    path = folder / EXPORT
    export = validated(Export, parse_json(read_foreign(path, _MAX_EXPORT), str(path)), path)
    if unlike := [name for name in export.sha256 if not _is_own(name)]:
        raise ValueError(f"{path} names a file that no export has: {unlike[0]!r}")
    problems: list[str] = []
    checked = 0
    with progress("checking", export.rows) as advance:
        for n_rows, problem in _replayed(folder, export):
            advance(n_rows)
            checked += n_rows
            problems += [problem] if problem else []
    if checked != export.rows:
        problems.append(f"{counted(checked, export.content)} could be replayed of {export.rows:,}")
    # Files that cannot be read in bounded time and memory are found before.
    elif changed := [name for name, sha in export.sha256.items() if _digest(folder / name) != sha]:
        problems += [f"{name} was changed or removed" for name in changed]
    _print_result(folder, export, checked, problems)
    return not problems


def _is_own(name: str) -> bool:
    """Whether a file of rows has one of the names that exports give them."""
    return any(Path(name).match(form.file.format("*")) and ".." not in name for form in FORMATS.values())


def _digest(path: Path) -> str:
    return file_sha256(path) if path.is_file() else ""


def _print_result(folder: Path, export: Export, checked: int, problems: list[str]) -> None:
    for problem in problems[:_MAX_PRINTED]:
        say_failure(f"{folder}: {problem}")
    if len(problems) > _MAX_PRINTED:
        say(f"... and {len(problems) - _MAX_PRINTED:,} more")
    if problems and export.formgym != __version__:
        say(f"It was written by formgym {export.formgym}; this is {__version__}.")
    verdict = f"{len(problems):,} problems" if problems else "the pictures, rewards and scores are the same"
    say(f"{counted(checked, export.content)} replayed in new environments: {verdict}.")


def _replayed(folder: Path, export: Export) -> Iterator[Result]:
    if export.format == MINARI:
        yield from minari_files.replayed(folder)
        return
    read, columns = FORMATS[export.format].read, COLUMNS[export.content]
    for name in export.sha256:
        try:
            for n_rows, problem in _compared(read(folder / name, columns), export.content):
                yield n_rows, problem and f"{name}, {problem}"
        except _CORRUPT_DATA_ERRORS as error:
            yield 0, f"{name} cannot be read: {one_line(str(error))}"


def _compared(rows: Iterator[Row], content: str) -> Iterator[Result]:
    """The results of rows, by pages or episodes."""
    number, made, env = 1, None, None
    for _, group in groupby(rows, key=lambda row: [row.get(column) for column in KEYS[content]]):
        together = list(group)
        first = together[0]
        try:
            if env is None or made != (first["env"], first["options"]):
                options = parse_json(first["options"].encode(), "options")
                env = recorded_env({**options, "id": first["env"]})
                made = first["env"], first["options"]
            for i, (row, again) in enumerate(zip(together, replayed_rows(content, env, together), strict=True), number):
                difference = _difference(row, again, COLUMNS[content])
                yield 1, difference and f"row {i}: {difference}"
        except _CORRUPT_DATA_ERRORS as error:
            yield 0, f"row {number} cannot be replayed: {one_line(str(error))}"
        number += len(together)


def _difference(row: Row, expected: Row | None, columns: Columns) -> str:
    """How a row differs from the columns of its replay."""
    if expected is None:
        return f"there is no target {row['number']} on {row['page']}"
    recorded = converted(row, columns, pixel_digest)
    for column, value in converted(expected, columns, page_digest).items():
        stored = recorded.get(column)
        # Pictures may have been left out.
        if stored != value and (column in row or columns[column] != "image"):
            stored, value = (truncate(one_line(str(one)), _MAX_LENGTH) for one in (stored, value))
            return f"{column} is {stored}, and {value} in the replay"
    return ""
