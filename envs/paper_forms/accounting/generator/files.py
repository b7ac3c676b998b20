"""The shipped practice, the database of the test split: one CSV file a table, and its cases."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from pydantic import RootModel
from sqlalchemy import Column, Date, Integer, Numeric, Table

from ....core.files import atomic_write, load
from .codes import DATABASES
from .generate import Case, Parameter, Practice, make_practice
from .ledger import Row, Value
from .schema import TABLES

SHIPPED = DATABASES / "practice"
_TEST_SEED = 0


class _Cases(RootModel[dict[str, dict[str, Parameter]]]):
    """Cases by name: their parameters."""


def write_shipped(folder: Path = SHIPPED) -> list[Path]:
    """Write the practice of the test split, always the same bytes; the files written.

    Raises:
        OSError: if one cannot be written.
    """
    practice = make_practice(_TEST_SEED, "test")
    folder.mkdir(parents=True, exist_ok=True)
    cases = {case.name: dict(case.parameters) for case in practice.cases}
    contents = {f"{table.name}.csv": to_csv(table, practice.tables[table.name]) for table in TABLES}
    contents["cases.json"] = json.dumps(cases, indent=2) + "\n"
    for name, content in contents.items():
        atomic_write(folder / name, content.encode("utf-8"))
    return [folder / name for name in contents]


@lru_cache(maxsize=1)
def shipped_practice() -> Practice:
    """The practice of the test split. Do not change its rows.

    Raises:
        ValueError: if a file is missing or broken, naming it.
    """
    tables = {table.name: _read(table, SHIPPED / f"{table.name}.csv") for table in TABLES}
    cases = load(_Cases, SHIPPED / "cases.json").root
    return Practice(tables, tuple(Case(name, parameters) for name, parameters in cases.items()))


def to_csv(table: Table, rows: list[Row]) -> str:
    """The rows of a table as CSV with a header; NULL is nothing between the commas."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows(row.values() for row in rows)
    return text.getvalue()


def _read(table: Table, path: Path) -> list[Row]:
    readers = {column.name: _reader(column) for column in table.columns}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        if header != list(readers):
            raise ValueError(f"its columns are not those of {table.name}")
        return [_row(readers, row) for row in rows]
    except (OSError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{path} is no table of the practice: {error}") from error


def _row(readers: dict[str, Callable[[str], Value]], cells: list[str]) -> Row:
    pairs = zip(readers.items(), cells, strict=True)
    return {name: reader(cell) if cell else None for (name, reader), cell in pairs}


def _reader(column: Column[object]) -> Callable[[str], Value]:
    """How a column's values are read from text."""
    if isinstance(column.type, Integer):
        return int
    if isinstance(column.type, Numeric):
        return Decimal
    return date.fromisoformat if isinstance(column.type, Date) else str
