"""Load generated rows into SQLite."""

from __future__ import annotations

import hashlib
import sqlite3
from datetime import date
from decimal import Decimal
from functools import lru_cache

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from .generator.database_generator import to_csv
from .generator.database_schema import METADATA, TABLES
from .generator.ledger import Tables, Value


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


@lru_cache(maxsize=len(TABLES))
def _definition(table: str) -> str:
    return str(CreateTable(METADATA.tables[table]).compile(dialect=sqlite.dialect())).strip()


def _plain(value: Value) -> int | float | str | None:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
