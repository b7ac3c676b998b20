"""Rows of data files that others wrote: each comes with its place, so that a bad one can be found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...core.files import parse_json

Row = dict[str, Any]
"""A JSON object."""
_BLANK = b"\xef\xbb\xbf \t\r\n"


def json_rows(path: Path) -> Iterator[tuple[str, Row]]:
    """The objects in a file, one after the other, each with its place for messages.

    Args:
        path: ``*.jsonl``: an object a line, of which one at a time is in memory. Otherwise a JSON file: an object, a
            list of objects, or an object a line all the same. A byte order mark and blank lines are passed over.

    Raises:
        ValueError: if the file cannot be read, or something in it is no JSON object; the message names file and line.
    """
    if path.suffix == ".jsonl":
        yield from _lines(path)
        return
    try:
        whole = parse_json(path.read_bytes(), str(path))
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError:
        # Published sessions are called .json and hold an object a line.
        if not _has_lines(path):
            raise
        yield from _lines(path)
        return
    items = list(enumerate(whole, 1)) if isinstance(whole, list) else [(0, whole)]
    for number, item in items:
        place = f"{path}, item {number}" if number else str(path)
        yield place, _object(item, place)


def problem(place: str, error: ValueError) -> ValueError:
    """What is wrong with a row, in one line that begins with its place; of a schema's complaints the first."""
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        what = ".".join(map(str, first["loc"]))
        return ValueError(f"{place}: {what + ': ' if what else ''}{first['msg'].removeprefix('Value error, ')}")
    return ValueError(f"{place}: {error}")


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a row names, relative to a folder.

    Raises:
        ValueError: if it leads out of the folder.
    """
    path = folder / name
    if "\0" in name or not path.resolve().is_relative_to(folder.resolve()):
        raise ValueError(f"the file {name!r} lies outside of {folder}")
    return path


def _has_lines(path: Path) -> bool:
    """Whether a file begins with a line that is an object of its own."""
    with path.open("rb") as lines:
        first = next((line for line in lines if line.strip(_BLANK)), b"")
    try:
        return isinstance(parse_json(first, str(path)), dict)
    except ValueError:
        return False


def _lines(path: Path) -> Iterator[tuple[str, Row]]:
    try:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip(_BLANK):
                    place = f"{path}, line {number}"
                    yield place, _object(parse_json(line, place), place)
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None


def _object(item: Any, place: str) -> Row:
    if not isinstance(item, dict):
        raise ValueError(f"{place}: a JSON object is expected, not {type(item).__name__}")
    return item
