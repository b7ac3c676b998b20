"""Columns as the practice's tables have them: keys, references, dates, money, and words out of a few.

Each column says in its comment what it means; the comments are what form authors read, and PostgreSQL shows them.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    REAL,
    CheckConstraint,
    Column,
    Date,
    ForeignKey,
    Integer,
    MetaData,
    Numeric,
    String,
    Table,
    Text,
)

METADATA = MetaData()
"""All tables of the practice."""

# SQLite has no decimals. A NUMERIC column would hold 5200.00 as the integer 5200, which it divides without remainder:
# a REAL one never does.
_MONEY = Numeric(12, 2).with_variant(REAL(), "sqlite")
_RATE = Numeric(12, 6).with_variant(REAL(), "sqlite")


def table(name: str, comment: str, *columns: Column[Any] | tuple[Column[Any], CheckConstraint]) -> Table:
    """A table of the practice, its first column the primary key."""
    items = [item for column in columns for item in (column if isinstance(column, tuple) else (column,))]
    return Table(name, METADATA, *items, comment=comment)


def key(name: str) -> Column[Any]:
    """The primary key, an integer."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


def code(name: str, comment: str) -> Column[Any]:
    """The primary key of a table of codes, a text."""
    return Column(name, String(12), primary_key=True, comment=comment)


def ref(name: str, target: str, comment: str = "", optional: bool = False) -> Column[Any]:
    """A reference to the row of another table; ``target`` is ``table.column``."""
    return Column(name, ForeignKey(target), nullable=optional, index=False, comment=comment or None)


def text(name: str, comment: str, optional: bool = False) -> Column[Any]:
    """Any text; never an empty one."""
    return Column(name, Text, nullable=optional, comment=comment)


def day(name: str, comment: str, optional: bool = False) -> Column[Any]:
    """A date; in SQLite the text YYYY-MM-DD."""
    return Column(name, Date, nullable=optional, comment=comment)


def money(name: str, comment: str, optional: bool = False) -> Column[Any]:
    """An amount in dollars and cents."""
    return Column(name, _MONEY, nullable=optional, comment=comment)


def rate(name: str, comment: str, optional: bool = False) -> Column[Any]:
    """A rate, with up to six decimals."""
    return Column(name, _RATE, nullable=optional, comment=comment)


def whole(name: str, comment: str, optional: bool = False) -> Column[Any]:
    """A whole number."""
    return Column(name, Integer, nullable=optional, comment=comment)


def word(name: str, words: str, comment: str, optional: bool = False) -> tuple[Column[Any], CheckConstraint]:
    """One of a few words, given with spaces between them; the database holds to them."""
    allowed = ", ".join(f"'{one}'" for one in words.split())
    return Column(name, Text, nullable=optional, comment=comment), CheckConstraint(f"{name} IN ({allowed})")
