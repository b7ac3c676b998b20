"""The read-only database behind ``query_sql``, with limits on work and rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sqlalchemy import URL

from ...core.texts import truncate
from ...core.tools import ToolError
from .postgresql import PostgresqlReader
from .query_result import MAX_CELL, MAX_ROWS, Answer, database_url
from .sqlite import SqliteReader

MAX_TEXT = 30_000
"""The maximum length of an answer in characters; further lines are omitted."""
_NUL = "\N{SYMBOL FOR NULL}"


class _Reader(Protocol):
    """A callable that queries one kind of database."""

    hint: str

    def __call__(self, sql: str) -> Answer: ...


class Database:
    """A database that agents may read.

    Args:
        source: the SQLAlchemy URL of a SQLite file (``sqlite:///path``) or of a PostgreSQL database
            (``postgresql://reader@host/name``); or the bytes of a SQLite file.

    Raises:
        ValueError: if there is no such file, the database cannot be reached, it is of another kind, or the user may do
            more on the server than agents should.
    """

    def __init__(self, source: str | bytes) -> None:
        self._source = source
        self._read = _reader(source)

    @property
    def hint(self) -> str:
        """How to list its tables and columns, for the agent."""
        return self._read.hint

    def query(self, sql: str) -> str:
        """The result of one SELECT statement as text: a header, and a line for each row.

        Raises:
            ToolError: with the database's own message, if the statement fails, writes, or needs too much work.
        """
        if "\0" in sql or not _is_utf8(sql):
            raise ToolError("SQL error: the statement holds characters that are none.")
        if not sql.strip():
            raise ToolError("SQL error: the statement is empty.")
        return _as_text(self._read(sql))

    def __reduce__(self) -> tuple[type[Database], tuple[str | bytes]]:
        return Database, (self._source,)


def _reader(source: str | bytes) -> _Reader:
    if isinstance(source, bytes):
        return SqliteReader(source)
    url = database_url(source)
    readers: dict[str, Callable[[URL], _Reader]] = {"sqlite": SqliteReader, "postgresql": PostgresqlReader}
    kind = url.get_backend_name()
    if kind not in readers:
        raise ValueError(
            f"{url!r} is no database that can be kept from being written to; these can: {', '.join(readers)}"
        )
    return readers[kind](url)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _as_text(answer: Answer) -> str:
    lines = [" | ".join(answer.columns)]
    size = len(lines[0])
    for row in answer.rows:
        if len(lines) > MAX_ROWS:
            lines.append(f"(more than {MAX_ROWS} rows; the rest is left out)")
            break
        lines.append(" | ".join(map(_cell, row)))
        size += len(lines[-1]) + 1
        if size > MAX_TEXT:
            break
    if len(lines) == 1:
        lines.append("(no rows)")
    text = "\n".join(lines)
    if len(text) <= MAX_TEXT:
        return text
    kept = text[:MAX_TEXT].rpartition("\n")[0] or text[:MAX_TEXT]
    return f"{kept}\n(more than {MAX_TEXT:,} characters; the rest is left out)"


def _cell(value: str | None) -> str:
    return "NULL" if value is None else truncate(" ".join(value.replace("\0", _NUL).split()), MAX_CELL)
