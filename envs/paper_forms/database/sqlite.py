"""Reading a SQLite database that others must not write to: SQLite's own authorizer lets nothing else through."""

from __future__ import annotations

import itertools
import sqlite3
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, CursorResult, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError, ResourceClosedError

from ...core.tools import ToolError
from .readers import MAX_CELL, MAX_COLUMNS, MAX_ROWS, NO_ROWS, Answer

MAX_INSTRUCTIONS = 100_000_000
"""Of SQLite's virtual machine: a second or two. A clock would answer differently on a slower machine."""
MAX_SECONDS = 10.0
"""Of the processor, for the few instructions that take long; no honest query comes near."""
_INSTRUCTIONS_BETWEEN_CHECKS = 1_000
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: MAX_COLUMNS,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# Those that tell of tables and change nothing, whatever they are given.
_PRAGMAS = {"table_info", "table_xinfo", "foreign_key_list", "index_list", "index_info"}
# The fourth argument of SQLite's authorizer names the function that is called.
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}


class SqliteReader:
    """Asks a SQLite database.

    Args:
        source: a SQLAlchemy URL, or the bytes of a file, which is copied into memory.

    Raises:
        ValueError: if there is no such file, or it is no database.
    """

    hint = (
        "The database is SQLite. SELECT name FROM sqlite_master WHERE type = 'table' lists its tables; "
        "SELECT sql FROM sqlite_master WHERE name = 'clients' tells the columns of one, here of clients, with the "
        "words they allow and the tables they refer to."
    )

    def __init__(self, source: URL | bytes) -> None:
        self._engine = _file_engine(source) if isinstance(source, URL) else _engine(partial(_open_image, source))
        event.listen(self._engine, "connect", _limit)
        event.listen(self._engine, "before_cursor_execute", _start)
        try:
            self("SELECT count(*) FROM sqlite_master")
        except ToolError as error:
            name = repr(source) if isinstance(source, URL) else "the image"
            raise ValueError(f"{name} is no database: {error}") from error

    def __call__(self, sql: str) -> Answer:
        """See ``Database.query``."""
        try:
            with self._engine.connect() as connection:
                result = connection.exec_driver_sql(sql)
                columns = list(result.keys())
                rows = list(itertools.islice(_rows(result), MAX_ROWS + 1))
        except DBAPIError as error:
            raise ToolError(f"SQL error: {error.orig}") from None
        except ResourceClosedError:
            raise ToolError(NO_ROWS) from None
        except MemoryError:
            raise ToolError("SQL error: out of memory") from None
        return Answer(columns, iter(rows))


def _file_engine(url: URL) -> Engine:
    if not Path(str(url.database)).is_file():
        raise ValueError(f"{url!r} is no existing SQLite file; write sqlite:///path/to/file.db")
    uri = f"file:{quote(str(url.database))}?mode=ro"
    return _engine(partial(sqlite3.connect, uri, uri=True, check_same_thread=False))


def _engine(connect: Callable[[], sqlite3.Connection]) -> Engine:
    # A connection belongs to one thread at a time, whichever it was opened in.
    return create_engine("sqlite://", creator=connect, poolclass=QueuePool)


def _open_image(image: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(image)
    return connection


def _limit(connection: sqlite3.Connection, _: Any) -> None:
    """Lets whatever runs on a new connection do nothing but read, and keeps its values small."""
    for pragma in sorted(_PRAGMAS):
        # Its table is declared at its first use, which the authorizer would take for writing.
        connection.execute(f"SELECT * FROM pragma_{pragma}('')").fetchall()
    for limit, most in _LIMITS.items():
        connection.setlimit(limit, most)
    connection.set_authorizer(_authorize)


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _start(connection: Any, cursor: Any, *_: Any) -> None:
    """Counts the work of the statement that is about to run, and ends it when it is too much."""
    checks = itertools.count(1)
    limit = MAX_INSTRUCTIONS // _INSTRUCTIONS_BETWEEN_CHECKS
    end = time.thread_time() + MAX_SECONDS
    cursor.connection.set_progress_handler(
        lambda: next(checks) > limit or time.thread_time() > end, _INSTRUCTIONS_BETWEEN_CHECKS
    )


def _rows(result: CursorResult[Any]) -> Iterator[list[str | None]]:
    # One row at a time, cut at once: no more than one is ever in memory whole.
    while (row := result.fetchone()) is not None:
        yield [_text(value) for value in row]


def _text(value: object) -> str | None:
    """A value as SQLite's own shell writes it: floats by 15 digits, which hides how they are added."""
    if value is None:
        return None
    if isinstance(value, float):
        digits = f"{value:.15g}"
        return digits if set(digits) & set(".en") else f"{digits}.0"
    if isinstance(value, bytes):
        return f"X'{value[:MAX_CELL].hex().upper()}'"
    return str(value)[: MAX_CELL + 1]
