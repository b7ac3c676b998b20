"""Tables of cells, printed in the terminal, drawn in reports, written as CSV.

A command makes a ``Table`` and prints it with ``print_table``; ``reporting/templates/table.html.jinja`` draws the same
table in a report.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.table import Table as RichTable
from rich.text import Text

from .console import console

NOTHING = "–"
"""The text of a cell without a value."""


@dataclass(frozen=True)
class Cell:
    """A text with smaller lines below it.

    Attributes:
        text: the first line.
        notes: the smaller lines.
        style: a class of the reports' style sheet.
        link: the id of the part of a report that the text links to.
        bar: in reports, how far a bar reaches and where its interval begins and ends, in per cent of a full bar.
    """

    text: str
    notes: tuple[str, ...] = ()
    style: str = ""
    link: str = ""
    bar: tuple[float, float, float] | None = None


EMPTY = Cell(NOTHING, style="quiet")


@dataclass(frozen=True)
class Column:
    """A heading with a smaller line below it; ``group`` is above several columns."""

    title: str
    note: str = ""
    group: str = ""
    is_text: bool = False


@dataclass(frozen=True)
class Row:
    """The cells of a row; ``style`` is a class of the reports' style sheet."""

    cells: tuple[Cell, ...]
    group: str = ""
    style: str = ""


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: above it.
        columns: the headings.
        rows: those of one group follow each other.
        style: a class of the reports' style sheet.
        merged: how many of the first columns have one cell for a group of rows; 0: a group has a heading above it.
    """

    title: str
    columns: tuple[Column, ...]
    rows: list[Row]
    style: str = ""
    merged: int = 0

    @property
    def row_groups(self) -> list[tuple[str, list[Row]]]:
        """The rows by group."""
        return [(group, list(rows)) for group, rows in groupby(self.rows, lambda row: row.group)]

    @property
    def column_groups(self) -> list[tuple[str, list[Column]]]:
        """The columns by group; those without one are a group each."""
        numbered = groupby(enumerate(self.columns), lambda pair: pair[1].group or str(pair[0]))
        return [(found[0].group, found) for found in ([column for _, column in pairs] for _, pairs in numbered)]


def table_of(title: str, headings: Iterable[str], rows: Iterable[Iterable[object]], n_texts: int = 1) -> Table:
    """A table of texts, in the first ``n_texts`` columns, and numbers."""
    columns = tuple(Column(heading, is_text=i < n_texts) for i, heading in enumerate(headings))
    return Table(title, columns, [Row(cells_of(row)) for row in rows])


def cells_of(values: Iterable[object]) -> tuple[Cell, ...]:
    """Values as cells; those that are cells stay as they are."""
    return tuple(value if isinstance(value, Cell) else Cell(str(value)) for value in values)


def mean_cell(score: Mapping[str, Any] | None, decimals: int = 3, unit: float = 1.0, full: float | None = None) -> Cell:
    """A mean with its 95 % interval below it.

    Args:
        score: ``mean`` and ``ci95``; either may be ``None``.
        decimals: how many are printed.
        unit: what the values are multiplied by, such as 100 for per cent.
        full: the value of a full bar; ``None``: no bar.
    """
    if score is None or score["mean"] is None:
        return EMPTY
    mean, bounds = unit * score["mean"], score["ci95"] and [unit * bound for bound in score["ci95"]]
    notes = (format_interval(bounds, decimals),) if bounds else ()
    low, high = bounds or (mean, mean)
    bar = (_percent(mean / full), _percent(low / full), _percent(high / full)) if full else None
    return Cell(format_number(mean, decimals), notes, "figure", bar=bar)


def format_number(value: float | None, decimals: int = 3) -> str:
    """A value with a number of decimals."""
    return NOTHING if value is None else f"{value:.{decimals}f}"


def format_interval(bounds: Sequence[float] | None, decimals: int = 3) -> str:
    """The bounds of an interval."""
    return NOTHING if bounds is None else f"{format_number(bounds[0], decimals)} – {format_number(bounds[1], decimals)}"


def print_table(table: Table) -> None:
    """Print a table in the terminal."""
    printed = RichTable(title=Text(table.title), title_justify="left")
    for column in table.columns:
        heading = _lines(column.title, (column.note,) if column.note else ())
        printed.add_column(heading, justify="left" if column.is_text else "right", overflow="fold")
    for row in table.rows:
        printed.add_row(*(_lines(cell.text, cell.notes) for cell in row.cells))
    console.print(printed)


def csv_text(table: Table) -> str:
    """The headings and texts of a table as CSV."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([column.title for column in table.columns])
    writer.writerows([cell.text for cell in row.cells] for row in table.rows)
    return file.getvalue()


def _lines(text: str, notes: Iterable[str]) -> Text:
    return Text.assemble(text, *(("\n" + note, "dim") for note in notes))


def _percent(share: float) -> float:
    return round(100 * min(max(share, 0.0), 1.0), 2)
