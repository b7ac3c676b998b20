"""Read a PostgreSQL database for agents, who must not write to it.

Each statement has a connection, a read-only transaction and a time limit of its own. The connection is closed without
a commit, so that no lock, setting or prepared statement remains.

A server does not count work and has no list of allowed functions. So a statement near the time limit may succeed on a
fast machine only, and ``now()`` differs each time; everything else that can be equal on every server is set.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Engine, NullPool, create_engine
from sqlalchemy.exc import SQLAlchemyError

from ...core.tools import ToolError
from .query_result import MAX_CELL, MAX_COLUMNS, MAX_ROWS, NO_ROWS, Answer

if TYPE_CHECKING:
    import psycopg

_BLANKS, _BREAKS = " \t\n\r\f\v;", "\n\r"
MAX_SECONDS = 10
"""The time limit of a statement; PostgreSQL has no other limit on work."""
_SETTINGS = {
    "work_mem": "16MB",
    "hash_mem_multiplier": "1",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "TimeZone": "UTC",
    "DateStyle": "ISO, MDY",
    "IntervalStyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}
_ROLES = ("pg_execute_server_program", "pg_read_server_files", "pg_write_server_files", "pg_signal_backend")
_PRIVILEGES = f"""
SELECT session_user, array_remove(array_agg(CASE WHEN pg_has_role(oid, 'MEMBER') THEN rolname::text END), NULL),
  (SELECT rolsuper OR rolreplication FROM pg_roles WHERE rolname = session_user)
FROM pg_roles WHERE rolname IN {_ROLES}"""


class PostgresqlReader:
    """Queries a PostgreSQL database.

    Args:
        url: a SQLAlchemy URL.

    Raises:
        ValueError: if the database cannot be reached, psycopg is not installed, or the user may read files, run
            programs or end others' sessions on the server, which no read-only transaction prevents.
    """

    hint = (
        "The database is PostgreSQL. SELECT table_name FROM information_schema.tables WHERE table_schema = "
        "current_schema() lists its tables; SELECT column_name, data_type, col_description('clients'::regclass, "
        "ordinal_position) FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = "
        "'clients' tells the columns of one, here of clients."
    )

    def __init__(self, url: URL) -> None:
        self._engine = postgresql_engine(url)
        try:
            with self._engine.connect() as connection:
                user, roles, powerful = connection.exec_driver_sql(_PRIVILEGES).one()
        except SQLAlchemyError as error:
            raise ValueError(f"{url!r} cannot be read: {error}") from error
        if powerful or roles:
            raise ValueError(
                f"{url!r}: queries of agents would run as {user!r}, who may do more on the server than read tables "
                f"({'superuser or replication' if powerful else ', '.join(roles)}); log in as a role that may only "
                "read, such as one made by CREATE ROLE reader LOGIN"
            )

    def __call__(self, sql: str) -> Answer:
        """The result of a statement; see ``Database.query``."""
        import psycopg

        with self._engine.connect() as connection:
            try:
                return _read(connection.connection.driver_connection, sql)
            except psycopg.Error as error:
                raise ToolError(_message(error)) from None


def postgresql_engine(url: URL) -> Engine:
    """An engine on psycopg that keeps no connections.

    Raises:
        ValueError: if psycopg is not installed.
    """
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            # A reset is useless: the connection is closed anyway, and may be broken.
            pool_reset_on_return=None,
            connect_args={"client_encoding": "utf8"},
        )
    except ModuleNotFoundError as error:
        raise ValueError(f"{url!r} needs psycopg: pip install 'psycopg[binary]'") from error


def _read(connection: Any, sql: str) -> Answer:
    connection.rollback()
    connection.read_only = True
    cursor = connection.cursor()
    # After this first query, nothing can make the transaction a writing one.
    settings = json.dumps(_SETTINGS | {"statement_timeout": f"{MAX_SECONDS}s"})
    # With this seed, random() gives the same numbers each time.
    cursor.execute(
        "SELECT set_config(name, value, true), setseed(0) FROM json_each_text(%s) AS s (name, value)", [settings]
    )
    columns = _columns(connection, sql)
    _execute(cursor, sql, len(columns))
    return Answer(columns, iter([list(row) for row in cursor]))


def _columns(connection: psycopg.Connection[Any], sql: str) -> list[str]:
    """The columns of a single statement, which is parsed but not run.

    Raises:
        psycopg.Error: if it is not one right statement.
        ToolError: if it has no columns.
    """
    from psycopg import errors, pq

    server = connection.pgconn
    for result in (server.prepare(b"", sql.encode()), server.describe_prepared(b"")):
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)
    columns = [(result.fname(n) or b"").decode() for n in range(result.nfields)]
    if not columns:
        raise ToolError(NO_ROWS)
    if len(columns) > MAX_COLUMNS:
        raise ToolError(f"SQL error: {len(columns)} columns are too many; {MAX_COLUMNS} is the most.")
    return columns


def _execute(cursor: psycopg.Cursor[Any], sql: str, columns: int) -> None:
    """Run a statement inside another one that limits rows and the length of values.

    Only a statement that gives rows is valid there. With ``prepare`` the protocol takes one statement only.
    """
    import psycopg

    names = [f"c{n}" for n in range(columns)]
    # One character more than a cell holds, so that the cell ends in an ellipsis.
    values = ", ".join(f"left({name}::text, {MAX_CELL + 1})" for name in names)
    whole = [
        f"SELECT {values} FROM (\n{part}\n) AS t ({', '.join(names)}) LIMIT {MAX_ROWS + 1}" for part in _parts(sql)
    ]
    for n, statement in enumerate(whole):
        cursor.execute("SAVEPOINT before")
        try:
            cursor.execute(statement.encode(), prepare=True)
            return
        except psycopg.errors.SyntaxError:
            if n + 1 == len(whole):
                raise ToolError(NO_ROWS) from None
            cursor.execute("ROLLBACK TO before")


def _parts(sql: str) -> list[str]:
    """Possible texts of a statement without its final semicolon, then the whole.

    After it there are only comments and white space. A semicolon may be in a text: then the part before it is
    not a statement, and the next one is tried.
    """
    if ";" not in sql:
        return [sql]
    comments, line_end = _comments(sql), len(sql)
    # The indices after which there are only white space, comments and semicolons.
    blank = {len(sql)}
    for at in range(len(sql) - 1, sql.index(";") - 1, -1):
        if sql[at] in _BREAKS:
            line_end = at
        skipped_to = line_end if sql.startswith("--", at) else comments.get(at, -1)
        if skipped_to in blank or (sql[at] in _BLANKS and at + 1 in blank):
            blank.add(at)
    ends = [at for at in sorted(blank) if sql.startswith(";", at)]
    return [*(sql[:end] for end in ends[:3]), sql]


def _comments(sql: str) -> dict[int, int]:
    """The end of the comment that may begin at each index; PostgreSQL nests comments."""
    begun: list[int] = []
    ends: dict[int, int] = {}
    for sign in re.finditer(r"/\*|\*/", sql):
        if sign[0] == "/*":
            begun.append(sign.start())
        elif begun:
            ends[begun.pop()] = sign.end()
    return ends


def _message(error: psycopg.Error) -> str:
    """PostgreSQL's error message, without the part on the surrounding statement."""
    parts = [error.diag.message_primary or str(error), error.diag.message_hint]
    return f"SQL error: {' '.join(part for part in parts if part)}"
