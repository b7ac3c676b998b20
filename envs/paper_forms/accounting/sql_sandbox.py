"""Run an agent's SQL statement on a copy of a SQLite database: read-only, bounded, the same in every process.

The standard library's SQLite does the work. An authorizer allows what reads and nothing else; there is no clock, no
chance and no file. Work is counted in steps of SQLite's virtual machine, never in seconds. SQLite limits memory for
the whole process only, which would starve the connections of others; here it is bounded by what a query can store, its
rows times their length: a query that takes many steps must have short values.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property, lru_cache, partial
from math import isinf
from typing import TypeVar

from ...core.texts import truncate
from ...core.tools import ToolError

MAX_COLUMNS = 200
TIERS = ((10_000, 40_000), (1_000, 300_000), (250, 1_500_000))
"""Bytes of a value or row, and steps. A query that runs out of steps begins again in the next tier."""
MAX_SQL = 100_000
"""The maximum length of a statement in characters, and in bytes."""
MAX_EXPANSION = 5_000
"""The maximum number of times that the first of several common tables may be inserted into the following ones."""
MAX_AUTHORIZATIONS = 20_000
"""The maximum number of tables, columns and functions in a query, counted as often as SQLite expands them."""
FUNCTIONS = frozenset(
    """
    abs avg ceil ceiling char coalesce count cume_dist date datetime dense_rank exp first_value floor format glob
    group_concat hex ifnull iif instr julianday lag last_value lead length like ln log log10 log2 lower ltrim max min
    mod nth_value ntile nullif percent_rank pi pow power printf quote rank replace round row_number rtrim sign sqrt
    strftime substr substring sum time total trim trunc typeof unicode unixepoch upper zeroblob
    """.split()
)
"""Functions that a query may call: they read nothing but their arguments and give the same each time."""

NO_ROWS = "SQL error: only statements that give rows and change nothing are carried out, such as SELECT."
TOO_MUCH_WORK = (
    "SQL error: the query needs too much work. Ask for less: join tables on their keys, filter with WHERE, and count "
    "or sort fewer rows."
)
NO_CLOCK = (
    "SQL error: the current date and time are not available, so that a query always gives the same answer. Write a "
    "date as text, such as '2020-12-31'."
)
NO_TIME_ZONE = "SQL error: there is no local time zone. Leave out 'localtime' and 'utc'."
_TOO_BIG = "string or blob too big"
_WIDTH = re.compile(r"%[-+ 0!#,.\d]*?(\d+|\*)")
_COMMON_TABLE = re.compile(
    r"""([\w$]+)["`\]]?\s*(?:\([^()]*\)\s*)?\bAS\s*(?:NOT\s+)?(?:MATERIALIZED\s*)?\(""", re.IGNORECASE
)

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
# Pragmas that describe tables and change nothing, whatever their arguments.
_PRAGMAS = ("foreign_key_list", "index_info", "index_list", "table_info", "table_xinfo")
_LIMITS = {
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: MAX_SQL,
    sqlite3.SQLITE_LIMIT_COLUMN: MAX_COLUMNS,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 100,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
_STEPS_PER_TICK = 1_000
# Functions whose one call may take long: by the product of the lengths of their arguments, or by their sum.
_SEARCHES = "glob instr like ltrim replace rtrim trim".split()
_SCANS = "format hex length lower printf quote substr substring unicode upper".split()
_DATES = "date datetime julianday strftime time unixepoch".split()
_TOKEN = re.compile(
    r"""'(?:[^']|'')*+'?|"(?:[^"]|"")*+"?|`(?:[^`]|``)*+`?|\[[^\]]*\]?|--[^\n]*|/\*.*?(?:\*/|\Z)|;|[^'"`\[;/-]+|.""",
    re.DOTALL,
)

Value = int | float | str | bytes | None
T = TypeVar("T")


class OutOfSteps(Exception):
    """A query has used all steps of its tier."""


class SandboxedQuery:
    """One statement, run in one tier of limits.

    Args:
        image: the database as the bytes of its file.
        max_bytes: of a value or a row.
        max_steps: of SQLite's virtual machine.
    """

    def __init__(self, image: bytes, max_bytes: int, max_steps: int) -> None:
        self._max_bytes, self._steps_left = max_bytes, max_steps
        self._authorizations = 0
        self._refusal = ""
        self._connection = self._connect(sqlite3.connect(":memory:", isolation_level=None), image)

    def run(self, sql: str) -> Iterator[tuple[Value, ...]]:
        """The names of the columns, then the rows.

        Raises:
            ToolError: if the statement is wrong, does not only read, or breaks a limit.
            OutOfSteps: if it has used all its steps.
        """
        try:
            cursor = self._connection.execute(sql)
            if cursor.description is None:
                raise ToolError(NO_ROWS)
            yield tuple(column[0] for column in cursor.description)
            yield from cursor
        except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
            if self._steps_left < 0:
                raise OutOfSteps from None
            raise ToolError(self._refusal or self._explained(str(error) or "out of memory")) from None

    def close(self) -> None:
        """Free its memory."""
        self._connection.close()

    def _connect(self, connection: sqlite3.Connection, image: bytes) -> sqlite3.Connection:
        connection.deserialize(image)
        connection.execute("PRAGMA query_only = 1")
        connection.execute("PRAGMA temp_store = memory")
        for pragma in _PRAGMAS:
            # SQLite declares its table at the first use, which the authorizer would reject as writing.
            connection.execute(f"SELECT * FROM pragma_{pragma}('')")
        for name in (*_SEARCHES, *_SCANS, *_DATES):
            connection.create_function(name, -1, partial(self._call, name), deterministic=True)
        for limit, maximum in (_LIMITS | {sqlite3.SQLITE_LIMIT_LENGTH: self._max_bytes}).items():
            connection.setlimit(limit, maximum)
        connection.text_factory = _text
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(partial(self._spend, _STEPS_PER_TICK), _STEPS_PER_TICK)
        return connection

    def _spend(self, steps: int) -> bool:
        """Count steps; true stops the query."""
        self._steps_left -= steps
        return self._steps_left < 0

    def _call(self, name: str, *arguments: Value) -> Value:
        """A function of SQLite, with its steps counted and without a clock."""
        lengths = [len(argument) if isinstance(argument, str | bytes) else 20 for argument in arguments]
        product = lengths[0] * max(lengths[1:], default=0) // 8 if name in _SEARCHES and lengths else 0
        self._refusal = self._refusal or (_date_refusal(name, arguments) if name in _DATES else "")
        widths = _WIDTH.findall(str(arguments[0])) if name in ("printf", "format") and arguments else []
        if "*" in widths:
            self._refusal = f"SQL error: {name}() takes no * here. Write the width as digits."
        # SQLite repeats a character as often as the width says, even of a value that is too big.
        repeats = sum(int(width[:12]) for width in widths if width != "*")
        if self._refusal or self._spend(50 + 2 * sum(lengths) + product + repeats):
            raise ValueError(self._refusal)
        marks = ", ".join("?" * len(arguments))
        try:
            (value,) = self._functions.execute(f"SELECT {name}({marks})", arguments).fetchone()
        except sqlite3.Error as error:
            self._refusal = self._explained(str(error))
            raise
        self._spend(2 * len(value) if isinstance(value, str | bytes) else 0)
        return value  # type: ignore[no-any-return]

    @cached_property
    def _functions(self) -> sqlite3.Connection:
        """A connection without data, whose functions are SQLite's own."""
        connection = sqlite3.connect(":memory:")
        connection.text_factory = _text
        for limit, maximum in (_LIMITS | {sqlite3.SQLITE_LIMIT_LENGTH: self._max_bytes}).items():
            connection.setlimit(limit, maximum)
        return connection

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        self._authorizations += 1
        refusal = ""
        if self._authorizations > MAX_AUTHORIZATIONS:
            refusal = TOO_MUCH_WORK
        elif action == sqlite3.SQLITE_FUNCTION:
            refusal = _function_refusal(str(second).lower())
        elif action == sqlite3.SQLITE_PRAGMA:
            refusal = _pragma_refusal(str(first).lower())
        elif action not in _ALLOWED:
            refusal = NO_ROWS
        self._refusal = self._refusal or refusal
        return sqlite3.SQLITE_DENY if self._refusal else sqlite3.SQLITE_OK

    def _explained(self, message: str) -> str:
        """What to say of a message of SQLite."""
        if message == _TOO_BIG and self._max_bytes < TIERS[0][0]:
            return TOO_MUCH_WORK
        if message == _TOO_BIG:
            return f"SQL error: {message}. A value has at most {self._max_bytes:,} bytes; make shorter ones."
        if "binding" in message:
            return "SQL error: the statement has parameters (?, :name, @name or $name). Write their values."
        return f"SQL error: {message}{_list_of_functions(message)}"


def run_statement(image: bytes, sql: str, read: Callable[[Iterator[tuple[Value, ...]]], T]) -> T:
    """What ``read`` makes of the result of a statement: of the names of its columns, and then its rows.

    Raises:
        ToolError: if the statement is wrong, does not only read, or needs too much work.
    """
    statement = _only_statement(sql)
    for max_bytes, max_steps in TIERS:
        with closing(SandboxedQuery(image, max_bytes, max_steps)) as query:
            try:
                return read(query.run(statement))
            except OutOfSteps:
                continue
    raise ToolError(TOO_MUCH_WORK)


def _only_statement(sql: str) -> str:
    """The single statement in a text, without comments at its ends.

    Raises:
        ToolError: if there is none, or another number of them.
    """
    statements, blank = [""], True
    for token in _TOKEN.findall(sql):
        if token == ";":
            statements, blank = (statements, True) if blank else ([*statements, ""], True)
        elif not (blank and (token.isspace() or token.startswith(("--", "/*")))):
            statements[-1] += token.lstrip() if blank else token
            blank = False
    whole = [statement for statement in statements if statement]
    if len(whole) > 1:
        raise ToolError("SQL error: there are several statements. Send one at a time.")
    if not whole:
        raise ToolError(NO_ROWS)
    if re.match(r"EXPLAIN\b(?!\s+QUERY\b)", whole[0], re.IGNORECASE):
        # It lists addresses in memory, which differ from one process to another.
        raise ToolError("SQL error: EXPLAIN is not available; EXPLAIN QUERY PLAN is.")
    if _expansion(whole[0]) > MAX_EXPANSION:
        raise ToolError(TOO_MUCH_WORK)
    return whole[0]


def _expansion(statement: str) -> int:
    """An upper bound of how often common tables are inserted into each other, before any step is counted."""
    text = "".join(" " if token.startswith(("--", "/*", "'")) else token for token in _TOKEN.findall(statement))
    product = 1
    for name in {name.lower() for name in _COMMON_TABLE.findall(text)}:
        uses = re.findall(rf"(?<![\w$]){re.escape(name)}(?![\w$])(?!\W?\s*\.)", text, re.IGNORECASE)
        product *= max(len(uses) - 1, 1)
    return product


def _text(content: bytes) -> str:
    return content.decode(errors="replace")


def _function_refusal(name: str) -> str:
    if name in FUNCTIONS:
        return ""
    if name in ("current_date", "current_time", "current_timestamp"):
        return NO_CLOCK
    return f"SQL error: the function {name}() is not available{_list_of_functions('no such function')}"


def _pragma_refusal(name: str) -> str:
    return "" if name in _PRAGMAS else f"SQL error: PRAGMA {name} is not available. These are: {', '.join(_PRAGMAS)}."


def _date_refusal(name: str, arguments: tuple[Value, ...]) -> str:
    """Why a call of a date function would not give the same each time."""
    words = {_text(a) if isinstance(a, bytes) else a for a in arguments if isinstance(a, str | bytes)}
    words = {word.strip("\0 \t\n").lower() for word in words}
    if len(arguments) <= (name == "strftime") or words & {"now", "subsec", "subsecond"}:
        return NO_CLOCK
    return NO_TIME_ZONE if words & {"localtime", "utc"} else ""


def _list_of_functions(message: str) -> str:
    """The list of functions, as an addition to the error on an unknown function."""
    return f". These are: {', '.join(sorted(_available()))}." if message.startswith("no such function") else ""


@lru_cache(maxsize=1)
def _available() -> frozenset[str]:
    """Those of the functions that this build of SQLite has."""
    with closing(sqlite3.connect(":memory:")) as connection:
        return FUNCTIONS & {name for (name,) in connection.execute("SELECT name FROM pragma_function_list")}


# -- The database of an agent ------------------------------------------------------------------------------------------


MAX_ROWS = 100
MAX_CELL = 2_000
"""The maximum length of one value in characters."""
MAX_TEXT = 30_000
"""The maximum length of an answer in characters; further lines are omitted."""
_NUL = "\N{SYMBOL FOR NULL}"
_NO_CHARACTER = re.compile(r"[\0\ud800-\udfff]")
"""NUL, and halves of characters, which UTF-8 has none of."""


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
        "The database is SQLite. SELECT name FROM sqlite_master WHERE type = 'table' lists its tables. "
        "SELECT sql FROM sqlite_master WHERE name = 'clients' shows the columns of a table, here clients, with the "
        "values they allow and the tables they refer to."
    )
    """How to list its tables and columns, for the agent."""

    @classmethod
    def of_tables(cls, tables: Mapping[str, tuple[Sequence[str], Iterable[Sequence[Value]]]]) -> Database:
        """A database of a few tables, by name: their columns, and their rows; its hint names all of them."""
        with closing(sqlite3.connect(":memory:")) as connection:
            for name, (columns, rows) in tables.items():
                quoted, marks = (", ".join(items) for items in (map('"{}"'.format, columns), "?" * len(columns)))
                connection.execute(f'CREATE TABLE "{name}" ({quoted})')
                connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
            connection.commit()
            database = cls(connection.serialize())
        listed = "; ".join(f"{name}({', '.join(columns)})" for name, (columns, _) in tables.items())
        database.hint = f"The database is SQLite; its tables: {listed}."
        return database

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
        if _NO_CHARACTER.search(sql):
            raise ToolError("SQL error: the statement holds characters that are none.")
        if not sql.strip():
            raise ToolError("SQL error: the statement is empty.")
        return run_statement(self._image, sql, _as_text)


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
