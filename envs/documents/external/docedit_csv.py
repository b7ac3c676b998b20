"""Reading DocEdit (Mathur et al., AAAI 2023): requests for edits of document pages that are pictures.

The columns are ``id``, ``image``, ``user_request`` and ``command``. There is no structured document behind a page, so
that nothing can be edited: the rows measure how requests are understood (see ``language``). We could not see the files
themselves: which folder holds the pictures, and what else stands in a row, is not known here.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .commands import Command, parse_command

COLUMNS = ("id", "image", "user_request", "command")
LAYOUT = f"a folder with CSV files (UTF-8) whose first row names the columns {', '.join(COLUMNS)}, or such a file"
_PICTURES = ("", "images", "imgs")


@dataclass(frozen=True, slots=True)
class LanguageRequest:
    """A request, and what its author meant.

    Attributes:
        id: as the file has it.
        image: the picture of the page; it may be missing.
        request: what the user asks for.
        text: the command as the file has it.
        command: the command, read; ``None``: it cannot be read.
    """

    id: str
    image: Path
    request: str
    text: str
    command: Command | None


def read_docedit(root: Path) -> list[LanguageRequest]:
    """All requests of a data set; see ``docedit_requests``."""
    return list(docedit_requests(root))


def docedit_requests(root: Path) -> Iterator[LanguageRequest]:
    """The requests of a data set, row by row.

    Args:
        root: a folder whose CSV files are read in the order of their names, those in folders below it too; or a file.

    Raises:
        ValueError: if there is none, or a row is broken; the message names file and line.
    """
    files = [root] if root.is_file() else sorted(root.rglob("*.csv"))
    if not files:
        raise ValueError(f"no DocEdit in {root}: expected is {LAYOUT}")
    for file in files:
        yield from _requests(file)


def _requests(file: Path) -> Iterator[LanguageRequest]:
    line = 1
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = csv.DictReader(lines)
            _check_columns(file, rows.fieldnames or ())
            for row in rows:
                line = rows.line_num
                yield _request(file, line, row)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{file}, after line {line}: this is no UTF-8") from None
    except csv.Error as error:
        raise ValueError(f"{file}, after line {line}: this is no CSV: {error}") from None


def _check_columns(file: Path, there: Sequence[str]) -> None:
    if missing := [name for name in COLUMNS if name not in there]:
        raise ValueError(
            f"{file}, line 1: the columns {', '.join(missing)} are missing from {', '.join(there) or 'an empty row'}; "
            f"expected is {LAYOUT}"
        )


def _request(file: Path, line: int, row: dict[str, str | None]) -> LanguageRequest:
    told = {name: (row[name] or "").strip() for name in COLUMNS}
    if None in row or any(row[name] is None for name in COLUMNS):
        raise ValueError(f"{file}, line {line}: there are not as many cells as columns; is a quotation mark missing?")
    if empty := [name for name in ("id", "image", "user_request") if not told[name]]:
        raise ValueError(f"{file}, line {line}: {' and '.join(empty)} may not be empty")
    image = _picture(file.parent, told["image"])
    return LanguageRequest(told["id"], image, told["user_request"], told["command"], parse_command(told["command"]))


def _picture(folder: Path, name: str) -> Path:
    """Where the picture of a name is, or would be."""
    places = [folder / below / name for below in _PICTURES]
    return next((place for place in places if place.is_file()), places[0])
