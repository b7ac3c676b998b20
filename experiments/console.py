"""What the commands print."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

console = Console(stderr=False)

HEADLINES = {
    "strict_accuracy": "strict accuracy",
    "field_accuracy": "field accuracy",
    "placement_accuracy": "placement accuracy",
    "correct_placements": "correct placements",
    "incorrect_placements": "incorrect placements",
}
"""The figures in the order of importance, and what they are called in tables."""

COUNTS = frozenset({"correct_placements", "incorrect_placements"})
"""The figures that are counts; the others are shares."""


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns an error that a user can mend into a message and exit status 2, and a warning into a line."""
    warnings.formatwarning = lambda message, *_: f"formgym: {message}\n"
    try:
        yield
    except (ValueError, RuntimeError) as error:
        Console(stderr=True).print(f"[red]formgym:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise SystemExit(2) from None


def print_runs(summaries: Sequence[dict[str, Any]]) -> None:
    """A table for each environment, with a row for each run and a column for each share."""
    for env in dict.fromkeys(summary["env"] for summary in summaries):
        rows = [summary for summary in summaries if summary["env"] == env]
        names = [n for n in HEADLINES if n not in COUNTS and any(n in summary["scores"] for summary in rows)]
        table = Table(title=f"{env}: means and 95 % intervals", title_justify="left")
        table.add_column("agent")
        for heading in ("episodes", *(HEADLINES[name] for name in names)):
            table.add_column(heading, justify="right")
        for summary in rows:
            table.add_row(*_run_cells(summary, names))
        console.print(table)


def _run_cells(summary: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    yield f"{summary['agent']}\n[dim]{summary['flow']}[/dim]"
    yield f"{summary['episodes']}" + (f"\n{summary['errors']} unscored" if summary["errors"] else "")
    for name in names:
        mean, bounds = figure_cells(name, summary["scores"][name]) if name in summary["scores"] else ("–", "")
        yield f"{mean}\n[dim]{bounds}[/dim]"


def print_summary(summary: dict[str, Any], folder: Path) -> None:
    """A table of the figures of one run."""
    table = Table(title=f"{summary['agent']} on {summary['env']}", title_justify="left")
    table.add_column("figure")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name in (n for n in HEADLINES if n in summary["scores"]):
        score = summary["scores"][name]
        table.add_row(HEADLINES[name], *figure_cells(name, score))
    console.print(table)
    errors = f", {summary['errors']} unscored" if summary["errors"] else ""
    console.print(f"{summary['episodes']} episodes{errors}; written to {folder}\n")


def places(figure: str) -> int:
    """How many decimals of a figure are shown: fewer for counts than for shares."""
    return 1 if figure in COUNTS else 3


def figure_cells(figure: str, score: dict[str, Any]) -> tuple[str, str]:
    """A figure's mean and interval for a table."""
    return number(score["mean"], places(figure)), interval(score["ci95"], places(figure))


def number(value: float | None, decimals: int = 3) -> str:
    """A figure for a table."""
    return "–" if value is None else f"{value:.{decimals}f}"


def interval(bounds: list[float] | None, decimals: int = 3) -> str:
    """An interval for a table."""
    return "–" if bounds is None else f"{number(bounds[0], decimals)} – {number(bounds[1], decimals)}"


def say(text: str) -> None:
    """Print ``text`` as it is: no markup, no colours, no line breaks of ours."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
