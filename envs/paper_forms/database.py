"""The database that ``query_sql`` asks: read-only by the connection itself, one statement, limited in work and rows."""

from __future__ import annotations

import itertools
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, ResourceClosedError

from ..core.texts import shortened
from ..core.tools import ToolError

MAX_ROWS = 100
MAX_INSTRUCTIONS = 100_000_000
"""Of SQLite's virtual machine: a second or two. A clock would answer differently on a slower machine."""
_MAX_CELL = 200
_MAX_VALUE_BYTES = 1_000_000
_INSTRUCTIONS_BETWEEN_CHECKS = 10_000
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# The fourth argument of SQLite's authorizer names the function that is called.
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile"}


class Database:
    """A database that agents may read.

    Args:
        url: the SQLAlchemy URL of a SQLite file.

    Raises:
        ValueError: if there is no such file.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine = _read_only_engine(url)

    def query(self, sql: str) -> str:
        """The rows that one SELECT statement gives, as text: a header, and a line for each row.

        Raises:
            ToolError: with the database's own message, if the statement fails, writes, or asks too much.
        """
        try:
            with self._engine.connect() as connection:
                result = connection.exec_driver_sql(sql)
                columns = list(result.keys())
                rows = result.fetchmany(MAX_ROWS + 1)
        except DBAPIError as error:
            raise ToolError(f"SQL error: {error.orig}") from None
        except ResourceClosedError:
            raise ToolError("SQL error: the statement gives no rows; only SELECT statements are carried out.") from None
        return _as_text(columns, [tuple(row) for row in rows])

    def __reduce__(self) -> tuple[type[Database], tuple[str]]:
        return Database, (self._url,)


def _read_only_engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not Path(str(parsed.database)).is_file():
        raise ValueError(f"{url!r} is no existing SQLite file; write sqlite:///path/to/file.db")
    engine = create_engine(f"sqlite:///file:{parsed.database}?mode=ro&uri=true")
    event.listen(engine, "before_cursor_execute", _guard)
    return engine


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _guard(connection: Any, cursor: Any, *_: Any) -> None:
    """Lets the statement that is about to run do nothing but read, and neither run nor grow without end."""
    checks = itertools.count(1)
    limit = MAX_INSTRUCTIONS // _INSTRUCTIONS_BETWEEN_CHECKS
    cursor.connection.set_authorizer(_authorize)
    cursor.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
    cursor.connection.set_progress_handler(lambda: next(checks) > limit, _INSTRUCTIONS_BETWEEN_CHECKS)


def _as_text(columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    lines = [" | ".join(columns), *(" | ".join(_cell(value) for value in row) for row in rows[:MAX_ROWS])]
    if not rows:
        lines.append("(no rows)")
    if len(rows) > MAX_ROWS:
        lines.append(f"(more than {MAX_ROWS} rows; the rest is left out)")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    return "NULL" if value is None else shortened(" ".join(str(value).split()), _MAX_CELL)
