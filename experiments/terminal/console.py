"""The terminal: sentences, tables and bars; quiet and JSON modes; a user's mistakes in one line.

A command makes a ``Table`` and prints it with ``print_table``; ``reporting/templates/table.html.jinja`` draws the same
table in a report.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from traceback import format_exception
from types import TracebackType
from typing import Any, TypeVar

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

T = TypeVar("T")
_EXTRAS = {
    "export": ("datasets", "minari", "pyarrow"),
    "fieldfinder": ("cv2", "onnxruntime", "rapidocr"),
    "report": ("matplotlib",),
    "train": ("onnx", "stable_baselines3", "torch", "transformers"),
    "vlm": ("trl",),
    "web": ("flask", "markdown_it"),
    "llm": ("openai",),
    "inspect": ("inspect_ai",),
    "mcp": ("mcp", "mcp_types"),
    "bridges": ("openenv",),
    "office": ("pptx",),
    "pdf": ("pypdf", "pypdfium2", "reportlab"),
}
"""The modules that each extra of formgym brings."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for tab and line feed, those that turn the direction of text, and what is no character."""


def printable(text: str) -> str:
    r"""Text that a terminal only shows, as texts of models, providers and other people's files must be.

    >>> print(printable(chr(27) + "[2J"))
    \u001b[2J
    """
    # As JSON escapes them, so that JSON stays what it was.
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


_NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?( |%|$)")


class _Terminal(Console):
    """A console that prints no control character but its own."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """What is printed."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)


QUIET = "FORMGYM_QUIET"
"""The environment variable by which the processes of a quiet command are quiet too."""
console = _Terminal(stderr=False, quiet=bool(os.environ.get(QUIET)))
"""Where tables and sentences go; ``console.quiet`` says whether they are left out."""
_paths = _Terminal(stderr=False, quiet=not console.quiet)
"""Where the bare paths go that are printed in quiet mode."""
_json = _Terminal(stderr=False, quiet=True)
"""Where figures go in JSON mode."""

USER_ERRORS = (ValueError, RuntimeError, OSError)


def set_mode(quiet: bool = False, as_json: bool = False) -> None:
    """Choose what is printed: everything, or errors and paths, or one JSON value.

    Args:
        quiet: errors and the paths of written files only.
        as_json: nothing but what ``print_json`` prints, and errors.
    """
    console.quiet = quiet or as_json
    _paths.quiet = as_json or not quiet
    _json.quiet = not as_json


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns a user's error into a message and exit status 2, a warning into a line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _print_to_stderr("yellow", message)
        try:
            yield
        except ModuleNotFoundError as error:
            if (what := how_to_install(error)) is None:
                raise
            _print_to_stderr("red", what)
            raise SystemExit(2) from None
        except USER_ERRORS as error:
            _print_to_stderr("red", error_message(error))
            raise SystemExit(2) from None


def error_message(error: Exception) -> str:
    """The message of an error, with the file if there is one."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def print_crash(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of an exception that ends a command; see ``sys.excepthook``."""
    _Terminal(stderr=True).print(
        "".join(format_exception(kind, error, trace)), markup=False, highlight=False, soft_wrap=True, end=""
    )


def _print_to_stderr(colour: str, message: object) -> None:
    line = f"[{colour}]formgym:[/{colour}] {escape(str(message))}"
    _Terminal(stderr=True).print(line, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print ``text`` as it is: no markup, no colours, no line breaks of ours."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def say_written(path: Path, text: str) -> None:
    """Print that a file or folder was written: ``text``, or its bare path if quiet."""
    say(text)
    _paths.print(str(path), markup=False, highlight=False, soft_wrap=True)


def say_failure(text: str) -> None:
    """Print what went wrong, where the command goes on; if quiet, on standard error."""
    if console.quiet:
        _Terminal(stderr=True).print(text, markup=False, highlight=False, soft_wrap=True)
    else:
        say(text)


def print_json(value: Any) -> None:
    """Print a value as JSON, if that is all that is to be printed."""
    _json.print(json.dumps(value, indent=2, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)


def how_to_install(error: ModuleNotFoundError) -> str | None:
    """What to install, in a sentence; ``None`` if no extra has the module."""
    module = (error.name or "").partition(".")[0]
    extra = next((extra for extra, modules in _EXTRAS.items() if module in modules), None)
    return None if extra is None else f"this needs {module}: pip install 'formgym[{extra}]'"


# -- Bars --------------------------------------------------------------------------------------------------------------


def bar_console() -> Console | None:
    """Where bars go; ``None`` if nobody would see them, or quiet is asked for.

    Where standard output is a terminal too, bars share its console, so that lines printed meanwhile do not break them.
    A pipe or file never gets any: bars are on standard error then.
    """
    place = console if console.is_terminal else _Terminal(stderr=True)
    return place if place.is_terminal and not place.is_dumb_terminal and not console.quiet else None


@contextmanager
def progress(title: str, total: float | None, stays: bool = False) -> Iterator[Callable[..., None]]:
    """A bar to advance: ``advance(n=1, title=None)``.

    Args:
        title: what is being done.
        total: of all that has to be done; ``None`` if it is not known.
        stays: whether the bar stays in the end.
    """
    place = bar_console()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TimeElapsedColumn() if total is None else TimeRemainingColumn(),
    )
    with Progress(
        *columns,
        console=place,
        transient=not stays,
        disable=place is None,
        redirect_stdout=place is console,
        redirect_stderr=sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task(title, total=total)

        def advance(n: float = 1, title: str | None = None) -> None:
            bar.update(task, advance=n, description=title)

        yield advance


def track(items: Iterable[T], title: str, total: float | None = None) -> Iterator[T]:
    """The items, with a bar that advances after each.

    Args:
        items: what to go through.
        title: what is being done.
        total: how many there are; ``None``: their length, if they have one.
    """
    n = len(items) if total is None and isinstance(items, Sized) else total
    with progress(title, n) as advance:
        for item in items:
            yield item
            advance()


# -- Tables ------------------------------------------------------------------------------------------------------------


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
    """A mean with its 95 % interval below it; † and their number mark one by few clusters.

    Args:
        score: ``mean`` and ``ci95``; either may be ``None``; and ``clusters``, if there are few.
        decimals: how many are printed.
        unit: what the values are multiplied by, such as 100 for per cent.
        full: the value of a full bar; ``None``: no bar.
    """
    if score is None or score["mean"] is None:
        return EMPTY
    mean, bounds = unit * score["mean"], score["ci95"] and [unit * bound for bound in score["ci95"]]
    few = f" †{score['clusters']}" if "clusters" in score else ""
    notes = (f"{format_interval(bounds, decimals)}{few}",) if bounds else ()
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
    writer.writerows([_without_formula(cell.text) for cell in row.cells] for row in table.rows)
    return file.getvalue()


def _without_formula(text: str) -> str:
    """A text that spreadsheets show instead of carrying it out."""
    return f"'{text}" if text.startswith(("=", "@", "+", "-", "\t", "\r")) and not _NUMBER.match(text) else text


def _lines(text: str, notes: Iterable[str]) -> Text:
    # Before the widths of columns are measured.
    return Text.assemble(printable(text), *(("\n" + printable(note), "dim") for note in notes))


def _percent(share: float) -> float:
    return round(100 * min(max(share, 0.0), 1.0), 2)
