"""What the commands print."""

from __future__ import annotations

from collections.abc import Iterator
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


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns an error that a user can mend into a message and exit status 2."""
    try:
        yield
    except (ValueError, RuntimeError) as error:
        Console(stderr=True).print(f"[red]formgym:[/red] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise SystemExit(2) from None


def print_summary(summary: dict[str, Any], folder: Path) -> None:
    """A table of the figures of one run."""
    table = Table(title=f"{summary['agent']} on {summary['env']}", title_justify="left")
    table.add_column("figure")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name in (n for n in HEADLINES if n in summary["scores"]):
        score = summary["scores"][name]
        table.add_row(HEADLINES[name], number(score["mean"]), interval(score["ci95"]))
    console.print(table)
    errors = f", {summary['errors']} unscored" if summary["errors"] else ""
    console.print(f"{summary['episodes']} episodes{errors}; written to {folder}\n")


def number(value: float | None) -> str:
    """A figure for a table."""
    return "–" if value is None else f"{value:.3f}" if value < 2 else f"{value:.1f}"


def interval(bounds: list[float] | None) -> str:
    """An interval for a table."""
    return "–" if bounds is None else f"{number(bounds[0])} – {number(bounds[1])}"


def say(text: str) -> None:
    """Print ``text`` as it is: no markup, no colours, no line breaks of ours."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
