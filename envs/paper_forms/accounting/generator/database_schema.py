"""The accounting database's tables in SQLAlchemy, from ``schema.json``, and rows of them as a SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import RootModel
from sqlalchemy import REAL, CheckConstraint, Column, Date, ForeignKey, Integer, MetaData, Numeric, String, Table, Text
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from ....core.files import Data, load

# SQLite has no decimals. A NUMERIC column would hold 5200.00 as the integer 5200, which it divides without remainder:
# a REAL one never does.
_TYPES: dict[str, Any] = {
    "text": Text,
    "enum": Text,
    "date": Date,
    "integer": Integer,
    "money": Numeric(12, 2).with_variant(REAL(), "sqlite"),
    "rate": Numeric(12, 6).with_variant(REAL(), "sqlite"),
}


class _Column(Data):
    """A column: ``target`` is of a reference (``table.column``), ``words`` of an enum."""

    name: str
    type: Literal["key", "code", "reference", "text", "enum", "date", "integer", "money", "rate"]
    comment: str | None = None
    target: str = ""
    words: tuple[str, ...] = ()
    optional: bool = False

    def items(self) -> list[Column[Any] | CheckConstraint]:
        """The column, and a check of its values if they are an enum."""
        allowed = ", ".join(f"'{word}'" for word in self.words)
        check = [CheckConstraint(f"{self.name} IN ({allowed})")] if self.words else []
        return [self._column(), *check]

    def _column(self) -> Column[Any]:
        if self.type == "key":
            return Column(self.name, Integer, primary_key=True, autoincrement=False)
        if self.type == "code":
            return Column(self.name, String(12), primary_key=True, comment=self.comment)
        if self.type == "reference":
            key = ForeignKey(self.target)
            return Column(self.name, key, nullable=self.optional, index=False, comment=self.comment)
        return Column(self.name, _TYPES[self.type], nullable=self.optional, comment=self.comment)


class _Table(Data):
    name: str
    comment: str
    columns: tuple[_Column, ...]


class _Schema(RootModel[tuple[_Table, ...]]):
    def metadata(self) -> MetaData:
        metadata = MetaData()
        for table in self.root:
            items = [item for column in table.columns for item in column.items()]
            Table(table.name, metadata, *items, comment=table.comment)
        return metadata


METADATA = load(_Schema, Path(__file__).with_name("schema.json")).metadata()
"""All tables."""
TABLES: tuple[Table, ...] = tuple(METADATA.sorted_tables)
"""The tables in an order in which rows can be loaded."""


def sqlite_image(rows_of: Mapping[str, Sequence[Mapping[str, object]]]) -> bytes:
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
            rows = ([_plain(row[name]) for name in names] for row in rows_of[table.name])
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


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value
