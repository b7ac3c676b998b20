"""Load generated rows into SQLite (a file or its bytes) or PostgreSQL."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from sqlalchemy import URL, Connection, insert, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateTable

from .generator.database_generator import to_csv
from .generator.database_schema import METADATA, TABLES
from .generator.ledger import Tables, Value
from .postgresql import postgresql_engine
from .query_result import database_url


def digest(tables: Tables) -> str:
    """A hash of all rows, in 12 hexadecimal digits."""
    content = hashlib.sha256()
    for table in TABLES:
        content.update(to_csv(table, tables[table.name]).encode())
    return content.hexdigest()[:12]


def sqlite_image(tables: Tables) -> bytes:
    """A SQLite database of the rows, as the bytes of its file.

    Raises:
        ValueError: if the rows break the schema, for example by an unknown code or a dangling reference.
    """
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        for table in TABLES:
            connection.execute(_definition(table.name))
            names = [column.name for column in table.columns]
            marks = ", ".join("?" * len(names))
            rows = ([_plain(row[name]) for name in names] for row in tables[table.name])
            connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", rows)
        connection.commit()
        return connection.serialize()
    except sqlite3.IntegrityError as error:
        raise ValueError(f"rows of {table.name} break the schema: {error}") from error
    finally:
        connection.close()


def load_rows(url: str, tables: Tables, reader_url: str | None = None) -> str:
    """Load rows into a new SQLite file, or a new schema ``formgym_…`` in PostgreSQL.

    Equal rows are loaded once, even by several processes at a time.

    Args:
        url: SQLAlchemy URL with a user who may create the file or the schema.
        tables: the rows.
        reader_url: in PostgreSQL, the URL with the user who reads them; by default ``url``.

    Returns:
        The URL to give to ``Database``.

    Raises:
        ValueError: if the database is of another kind or refuses, if the file holds something else, or if the rows
            break the schema.
    """
    target = database_url(url)
    loaders: dict[str, Callable[[URL, Tables, URL], URL]] = {"sqlite": _load_file, "postgresql": _load_schema}
    kind = target.get_backend_name()
    if kind not in loaders:
        raise ValueError(f"{target!r} is no database to load rows into; these are: {', '.join(loaders)}")
    return loaders[kind](target, tables, database_url(reader_url or url)).render_as_string(hide_password=False)


def _load_file(target: URL, tables: Tables, _: URL) -> URL:
    if target.database in (None, "", ":memory:") or not Path(str(target.database)).parent.is_dir():
        raise ValueError(f"{target!r} names no file in a folder that exists; write sqlite:///path/to/file.db")
    path, image = Path(str(target.database)), sqlite_image(tables)
    if path.is_file() and path.read_bytes() != image:
        raise ValueError(
            f"{path} holds something else; it is not written over. Choose another file; split='train' makes many "
            "databases: leave database_url out, or use PostgreSQL"
        )
    # A unique name in each process, then an atomic rename.
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as unfinished:
        unfinished.write(image)
    Path(unfinished.name).chmod(0o444)
    Path(unfinished.name).replace(path)
    return target


def _load_schema(target: URL, tables: Tables, reader: URL) -> URL:
    schema = f"formgym_{digest(tables)}"
    try:
        with postgresql_engine(target).begin() as connection:
            # A second process waits until the first is done, and then finds the schema.
            connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": schema})
            known = connection.execute(text("SELECT 1 FROM pg_namespace WHERE nspname = :name"), {"name": schema})
            if known.first() is None:
                _fill_schema(connection, schema, tables)
            if reader.username and reader.username != target.username:
                _grant_read(connection, schema, reader.username)
    except SQLAlchemyError as error:
        raise ValueError(f"rows cannot be loaded into {target!r}: {error}") from error
    return reader.update_query_dict({"options": f"-csearch_path={schema}"})


def _fill_schema(connection: Connection, schema: str, tables: Tables) -> None:
    connection.execute(text(f"CREATE SCHEMA {schema}"))
    connection.execute(text(f"SET LOCAL search_path TO {schema}"))
    METADATA.create_all(connection, checkfirst=False)
    for table in TABLES:
        connection.execute(insert(table), tables[table.name])


def _grant_read(connection: Connection, schema: str, user: str) -> None:
    name = connection.dialect.identifier_preparer.quote(user)
    connection.execute(text(f"GRANT USAGE ON SCHEMA {schema} TO {name}"))
    connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {name}"))


@lru_cache(maxsize=len(TABLES))
def _definition(table: str) -> str:
    return str(CreateTable(METADATA.tables[table]).compile(dialect=sqlite.dialect())).strip()


def _plain(value: Value) -> int | float | str | None:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
