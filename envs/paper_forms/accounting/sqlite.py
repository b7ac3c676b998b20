"""Read a SQLite database for agents: each query runs in its own sandbox.

SQLite's authorizer allows a query to read only. Its result depends on the database and the query alone: no earlier
query has an effect, and work is limited by counting, not by time. SQLite is shipped with this package, so that rows
have the same order everywhere.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import URL

from ...core.tools import ToolError
from .query_result import MAX_CELL, MAX_COLUMNS, NO_ROWS, Answer
from .sandbox import NO_CLOCK, TOO_MUCH_WORK, Sandbox

MAX_WORK = 3_000_000_000
"""The limit of a query in instructions of the sandbox: a fraction of a second."""
MAX_MEMORY = 40_000_000
"""The limit of a query in bytes, in addition to the database itself."""
MAX_DATABASE = 500_000_000
"""The maximum size of a database in bytes: every query has a copy."""
MAX_AUTHORIZATIONS = 20_000
"""The maximum number of tables, columns and functions in a query, counted as often as SQLite expands them."""
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: MAX_COLUMNS,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
# Pragmas that describe tables and change nothing, whatever their arguments.
_PRAGMAS = ("foreign_key_list", "index_info", "index_list", "table_info", "table_xinfo")
_TABLE_FUNCTIONS = ("json_each", "json_tree", *(f"pragma_{name}" for name in _PRAGMAS))
FUNCTIONS = frozenset(
    """
    abs avg ceil ceiling char coalesce concat concat_ws count cume_dist date datetime dense_rank exp first_value
    floor format glob group_concat hex ifnull iif instr json json_array json_array_length json_extract
    json_group_array json_group_object json_object json_type json_valid julianday lag last_value lead length like ln
    log log10 log2 lower ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power printf
    quote rank replace round row_number rtrim sign sqlite_version sqrt strftime string_agg substr substring sum time
    timediff total trim trunc typeof unicode unixepoch upper zeroblob -> ->>
    """.split()
)
"""Functions that a query may call: they read nothing but their arguments and give the same each time."""
_BLANK = re.compile(r"(?>[\s;]+|--[^\n]*|/\*.*?\*/)*+", re.DOTALL)
"""White space, comments and semicolons; atomic groups keep it from trying a comment in every other way."""
_OK, _NO_MEMORY, _TOO_BIG, _ROW, _DONE = 0, 7, 18, 100, 101
_BLOB, _NULL = 4, 5
_READ_ONLY = 4
_ADVICE = {
    _NO_MEMORY: f": the query needs more than {MAX_MEMORY // 10**6} MB. Ask for fewer or shorter rows, and sort less.",
    _TOO_BIG: f". A value has at most {_LIMITS[sqlite3.SQLITE_LIMIT_LENGTH]:,} bytes; make shorter ones.",
}


class SqliteReader:
    """Queries a copy of a SQLite database.

    Args:
        source: a SQLAlchemy URL of a file, or the bytes of one.

    Raises:
        ValueError: if there is no such file, it is no database, or it is too large.
    """

    hint = (
        "The database is SQLite. SELECT name FROM sqlite_master WHERE type = 'table' lists its tables; "
        "SELECT sql FROM sqlite_master WHERE name = 'clients' tells the columns of one, here of clients, with the "
        "words they allow and the tables they refer to."
    )

    def __init__(self, source: URL | bytes) -> None:
        self._image = source if isinstance(source, bytes) else _content(source)
        name = "the image" if isinstance(source, bytes) else repr(source)
        if len(self._image) > MAX_DATABASE:
            raise ValueError(f"{name} has {len(self._image):,} bytes; {MAX_DATABASE:,} is the most, or use PostgreSQL")
        try:
            list(self("SELECT count(*) FROM sqlite_master").rows)
        except ToolError as error:
            raise ValueError(f"{name} is no database: {error}") from error

    def __call__(self, sql: str) -> Answer:
        """The result of a statement; see ``Database.query``."""
        rows = self._rows(sql)
        return Answer([name or "" for name in next(rows)], rows)

    def _rows(self, sql: str) -> Iterator[list[str | None]]:
        """The names of the columns, then the rows."""
        with Sandbox(MAX_MEMORY + len(self._image)) as sandbox:
            connection = _Connection(sandbox, self._image)
            statement = connection.prepare(sql)
            columns = range(sandbox.call("sqlite3_column_count", statement))
            yield [sandbox.text(sandbox.call("sqlite3_column_name", statement, n)) for n in columns]
            while connection.step(statement):
                yield [_value(sandbox, statement, n) for n in columns]


class _Connection:
    """A read-only connection to a database in a sandbox."""

    def __init__(self, sandbox: Sandbox, image: bytes) -> None:
        self._sandbox = sandbox
        self._authorizations = 0
        self._refusal = ""
        self._out = sandbox.put(bytes(8))
        sandbox.call("sqlite3_open", sandbox.put(b":memory:"), self._out)
        self._address = sandbox.pointer(self._out)
        data, size = sandbox.put(image), len(image)
        sandbox.call("sqlite3_deserialize", self._address, sandbox.put(b"main"), data, size, size, _READ_ONLY)
        for table in _TABLE_FUNCTIONS:
            # SQLite declares it at its first use, which the authorizer would reject as writing.
            self._compile(f"SELECT * FROM {table}('')".encode())
        for limit, maximum in _LIMITS.items():
            sandbox.call("sqlite3_limit", self._address, limit, maximum)
        sandbox.call("sqlite3_set_authorizer", self._address, sandbox.callback(self._authorize, 6), 0)
        sandbox.stop_clock()
        sandbox.set_work(MAX_WORK)

    def prepare(self, sql: str) -> int:
        """The address of the single statement in ``sql``.

        Raises:
            ToolError: if there is another number of statements, it is wrong, or it does not only read.
        """
        content = sql.encode()
        if len(content) > _LIMITS[sqlite3.SQLITE_LIMIT_SQL_LENGTH]:
            raise ToolError(f"SQL error: the statement is too long; it has {len(content):,} bytes.")
        statement, rest = self._compile(content)
        if not statement or not self._sandbox.call("sqlite3_column_count", statement):
            raise ToolError(NO_ROWS)
        if self._sandbox.call("sqlite3_bind_parameter_count", statement):
            raise ToolError("SQL error: the statement has parameters (?, :name, @name or $name). Write their values.")
        if not _BLANK.fullmatch(rest.decode(errors="replace")):
            raise ToolError("SQL error: there are several statements. Send one at a time.")
        return statement

    def step(self, statement: int) -> bool:
        """Whether a statement gives another row; the row is then current."""
        code = self._sandbox.call("sqlite3_step", statement)
        if code not in (_ROW, _DONE):
            raise self._error(code)
        return bool(code == _ROW)

    def _compile(self, sql: bytes) -> tuple[int, bytes]:
        """The address of the first statement, 0 for a comment, and the rest of ``sql``."""
        text = self._sandbox.put(sql)
        code = self._sandbox.call("sqlite3_prepare_v2", self._address, text, len(sql), self._out, self._out + 4)
        if code != _OK:
            raise self._error(code)
        return self._sandbox.pointer(self._out), sql[self._sandbox.pointer(self._out + 4) - text :]

    def _error(self, code: int) -> ToolError:
        if self._refusal:
            return ToolError(self._refusal)
        message = self._sandbox.text(self._sandbox.call("sqlite3_errmsg", self._address))
        return ToolError(f"SQL error: {message}{_ADVICE.get(code, '')}{_functions(message)}")

    def _authorize(self, _: int, action: int, first: int, second: int, *__: int) -> int:
        self._authorizations += 1
        if self._authorizations > MAX_AUTHORIZATIONS:
            raise ToolError(TOO_MUCH_WORK)
        if action == sqlite3.SQLITE_FUNCTION:
            self._refusal = self._refusal or _function_refusal(self._sandbox.text(second).lower())
        elif action == sqlite3.SQLITE_PRAGMA:
            self._refusal = self._refusal or _pragma_refusal(self._sandbox.text(first).lower())
        elif action not in _ALLOWED:
            self._refusal = self._refusal or NO_ROWS
        return sqlite3.SQLITE_DENY if self._refusal else _OK


def _function_refusal(name: str) -> str:
    if name in FUNCTIONS:
        return ""
    if name in ("current_date", "current_time", "current_timestamp"):
        return NO_CLOCK
    return f"SQL error: the function {name}() is not available{_functions('no such function')}"


def _pragma_refusal(name: str) -> str:
    return "" if name in _PRAGMAS else f"SQL error: PRAGMA {name} is not available. These are: {', '.join(_PRAGMAS)}."


def _functions(message: str) -> str:
    """The list of functions, as an addition to the error on an unknown function."""
    known = message.startswith("no such function")
    return f". These are: {', '.join(sorted(FUNCTIONS))}." if known else ""


def _value(sandbox: Sandbox, statement: int, column: int) -> str | None:
    """A value as SQLite's shell writes it, truncated to the size of a cell."""
    kind = sandbox.call("sqlite3_column_type", statement, column)
    if kind == _NULL:
        return None
    if kind == _BLOB:
        size = min(sandbox.call("sqlite3_column_bytes", statement, column), MAX_CELL)
        return f"X'{sandbox.get(sandbox.call('sqlite3_column_blob', statement, column), size).hex().upper()}'"
    # As text first, since the size is that of the text, which may contain zero bytes.
    address = sandbox.call("sqlite3_column_text", statement, column)
    # A character has up to four bytes; one character too many makes the cell end in an ellipsis.
    size = min(sandbox.call("sqlite3_column_bytes", statement, column), 4 * (MAX_CELL + 1))
    return sandbox.get(address, size).decode(errors="replace")[: MAX_CELL + 1]


def _content(url: URL) -> bytes:
    path = Path(str(url.database))
    if not path.is_file():
        raise ValueError(f"{url!r} is no existing SQLite file; write sqlite:///path/to/file.db")
    return path.read_bytes()
