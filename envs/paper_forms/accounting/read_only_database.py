"""The read-only database behind ``query_sql``: results as text, with limits on rows and characters."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from math import isinf

from ...core.texts import truncate
from ...core.tools import ToolError
from .sql_sandbox import MAX_SQL, Value, run_statement

MAX_ROWS = 100
MAX_CELL = 2_000
"""The maximum length of one value in characters."""
MAX_TEXT = 30_000
"""The maximum length of an answer in characters; further lines are omitted."""
_NUL = "\N{SYMBOL FOR NULL}"


class Database:
    """A SQLite database that agents may read.

    Args:
        image: the bytes of its file.

    Raises:
        ValueError: if they are no database.

    >>> import sqlite3
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE fees AS SELECT 'Appraisal' AS name, 450.0 AS amount")
    >>> print(Database(connection.serialize()).query("SELECT * FROM fees"))
    name | amount
    Appraisal | 450.0
    """

    hint = (
        "The database is SQLite. SELECT name FROM sqlite_master WHERE type = 'table' lists its tables; "
        "SELECT sql FROM sqlite_master WHERE name = 'clients' tells the columns of one, here of clients, with the "
        "words they allow and the tables they refer to."
    )
    """How to list its tables and columns, for the agent."""

    def __init__(self, image: bytes) -> None:
        self._image = image
        try:
            self.query("SELECT count(*) FROM sqlite_master")
        except (ToolError, MemoryError, sqlite3.Error) as error:
            raise ValueError(f"the image is no database: {error}") from error

    def query(self, sql: str) -> str:
        """The result of one SELECT statement as text: a header, and a line for each row.

        Raises:
            ToolError: with SQLite's own message, if the statement fails, writes, or needs too much work.
        """
        if len(sql) > MAX_SQL:
            raise ToolError(f"SQL error: the statement is too long; it has {len(sql):,} characters.")
        if "\0" in sql or not _is_utf8(sql):
            raise ToolError("SQL error: the statement holds characters that are none.")
        if not sql.strip():
            raise ToolError("SQL error: the statement is empty.")
        return run_statement(self._image, sql, _as_text)


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _as_text(rows: Iterator[tuple[Value, ...]]) -> str:
    """The lines of a result, whose first row has the names of the columns."""
    lines = [" | ".join(map(str, next(rows)))]
    size = len(lines[0])
    for row in rows:
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
    whole_lines = text[:MAX_TEXT].rpartition("\n")[0] or text[:MAX_TEXT]
    return f"{whole_lines}\n(more than {MAX_TEXT:,} characters; the rest is left out)"


def _cell(value: Value) -> str:
    """A value as SQLite's shell writes it, truncated to the size of a cell."""
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        value = f"X'{value[:MAX_CELL].hex().upper()}'"
    if isinstance(value, float):
        value = _number(value)
    return truncate(" ".join(str(value)[: MAX_CELL + 1].replace("\0", _NUL).split()), MAX_CELL)


def _number(value: float) -> str:
    """A float with 15 digits and always a point, as SQLite converts it to text; zero has no sign."""
    if isinf(value):
        return "Inf" if value > 0 else "-Inf"
    digits, exponent, power = f"{value + 0.0:.15g}".partition("e")
    return f"{digits if '.' in digits else digits + '.0'}{exponent}{power}"
