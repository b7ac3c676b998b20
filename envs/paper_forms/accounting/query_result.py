"""The limits, result type and URLs that the SQLite and PostgreSQL readers share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import URL
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

MAX_ROWS = 100
MAX_CELL = 2_000
"""The maximum length of one value in characters."""

MAX_COLUMNS = 200

NO_ROWS = "SQL error: only statements that give rows and change nothing are carried out, such as SELECT."


@dataclass(frozen=True)
class Answer:
    """The result of a statement.

    Attributes:
        columns: their names.
        rows: their values as text, None for NULL; they may be read once.
    """

    columns: list[str]
    rows: Iterator[list[str | None]]


def database_url(text: str) -> URL:
    """A SQLAlchemy URL from its text.

    Raises:
        ValueError: if the text is no URL.
    """
    try:
        return make_url(text)
    except ArgumentError:
        raise ValueError(f"{text!r} is no database URL; write one such as postgresql://user@host/name") from None
