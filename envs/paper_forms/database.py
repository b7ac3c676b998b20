"""The database that ``query_sql`` asks: read-only by the connection itself, one statement, limited in time and rows."""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, ResourceClosedError

from ..core.tools import ToolError

MAX_ROWS = 100
MAX_SECONDS = 2.0
_MAX_CELL = 200
_INSTRUCTIONS_BETWEEN_CHECKS = 10_000
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
# The fourth argument of SQLite's authorizer names the function that is called.
_FORBIDDEN_FUNCTIONS = {"load_extension", "readfile", "writefile"}


class Database:
    """A database that agents may read.

    Args:
        url: any SQLAlchemy URL; a SQLite file must exist.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._engine = _read_only_engine(url)

    def query(self, sql: str) -> str:
        """The rows that one SELECT statement gives, as text: a header, and a line for each row.

        Raises:
            ToolError: with the database's own message, if the statement fails, writes, or takes too long.
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
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(url)
        return engine.execution_options(isolation_level="SERIALIZABLE", postgresql_readonly=True)
    engine = create_engine(f"sqlite:///file:{parsed.database}?mode=ro&uri=true")
    event.listen(engine, "before_cursor_execute", _guard)
    return engine


def _authorize(action: int, first: str | None, second: str | None, *_: Any) -> int:
    if action == sqlite3.SQLITE_FUNCTION and second in _FORBIDDEN_FUNCTIONS:
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _guard(connection: Any, cursor: Any, *_: Any) -> None:
    """Lets the statement that is about to run do nothing but read, and interrupts it when its time is up."""
    end = time.monotonic() + MAX_SECONDS
    cursor.connection.set_authorizer(_authorize)
    cursor.connection.set_progress_handler(lambda: time.monotonic() > end, _INSTRUCTIONS_BETWEEN_CHECKS)


def _as_text(columns: list[str], rows: list[tuple[Any, ...]]) -> str:
    lines = [" | ".join(columns), *(" | ".join(_cell(value) for value in row) for row in rows[:MAX_ROWS])]
    if not rows:
        lines.append("(no rows)")
    if len(rows) > MAX_ROWS:
        lines.append(f"(more than {MAX_ROWS} rows; the rest is left out)")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    shown = "NULL" if value is None else " ".join(str(value).split())
    return shown if len(shown) <= _MAX_CELL else shown[: _MAX_CELL - 3] + "..."
