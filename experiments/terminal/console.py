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

from .metrics import METRICS

console = Console(stderr=False)


USER_ERRORS = (ValueError, RuntimeError, OSError)


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns an error that a user can mend into a message and exit status 2, and a warning into a line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _print_aside("yellow", message)
        try:
            yield
        except USER_ERRORS as error:
            _print_aside("red", sentence(error))
            raise SystemExit(2) from None


def sentence(error: Exception) -> str:
    """What is wrong, with the file where the system names one."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _print_aside(colour: str, message: object) -> None:
    line = f"[{colour}]formgym:[/{colour}] {escape(str(message))}"
    Console(stderr=True).print(line, highlight=False, soft_wrap=True)


def print_runs(summaries: Sequence[dict[str, Any]]) -> None:
    """A table for each environment, with a row for each run and a column for each share."""
    for env in dict.fromkeys(map(env_title, summaries)):
        rows = [summary for summary in summaries if env_title(summary) == env]
        shares = [name for name, metric in METRICS.items() if not metric.is_count and not metric.verbose_only]
        names = [name for name in shares if any(name in summary["scores"] for summary in rows)]
        table = Table(title=f"{env}: means and 95 % intervals", title_justify="left")
        table.add_column("agent")
        for heading in ("episodes", *(title(name) for name in names)):
            table.add_column(heading, justify="right")
        for summary in rows:
            table.add_row(*_run_cells(summary, names))
        console.print(table)


def env_title(summary: dict[str, Any]) -> str:
    """The environment of a run, with the settings that are not the usual ones."""
    settings = ", ".join(f"{name}={value}" for name, value in summary["settings"].items())
    return f"{summary['env']} ({settings})" if settings else str(summary["env"])


def _run_cells(summary: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    yield f"{summary['agent']}\n[dim]{', '.join([summary['flow'], *summary['wrappers']])}[/dim]"
    yield "\n".join([str(summary["episodes"]), *_errors(summary)])
    for name in names:
        mean, bounds = metric_cells(name, summary["scores"][name]) if name in summary["scores"] else ("–", "")
        yield f"{mean}\n[dim]{bounds}[/dim]"


def print_summary(summary: dict[str, Any], folder: Path) -> None:
    """A table of the metrics of one run."""
    table = Table(title=f"{summary['agent']} on {env_title(summary)}", title_justify="left")
    table.add_column("metric")
    table.add_column("mean", justify="right")
    table.add_column("95 % interval", justify="right")
    for name in (n for n in METRICS if n in summary["scores"]):
        score = summary["scores"][name]
        table.add_row(title(name), *metric_cells(name, score))
    console.print(table)
    counts = ", ".join([f"{summary['episodes']} episodes", *_errors(summary)])
    console.print(f"{counts}; written to {folder}\n")


def _errors(summary: dict[str, Any]) -> Iterator[str]:
    """How many episodes of a run have no score, by why."""
    if summary["unscored"]:
        yield f"{summary['unscored']} unscored"
    if summary["crashes"]:
        yield f"{summary['crashes']} crashed"


def title(metric: str) -> str:
    """What a metric is called in tables."""
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def places(metric: str) -> int:
    """How many decimals of a metric are shown: fewer for counts than for shares."""
    return 1 if metric in METRICS and METRICS[metric].is_count else 3


def metric_cells(metric: str, score: dict[str, Any]) -> tuple[str, str]:
    """A metric's mean and interval for a table."""
    return number(score["mean"], places(metric)), interval(score["ci95"], places(metric))


def number(value: float | None, decimals: int = 3) -> str:
    """A metric for a table."""
    return "–" if value is None else f"{value:.{decimals}f}"


def interval(bounds: list[float] | None, decimals: int = 3) -> str:
    """An interval for a table."""
    return "–" if bounds is None else f"{number(bounds[0], decimals)} – {number(bounds[1], decimals)}"


def say(text: str) -> None:
    """Print ``text`` as it is: no markup, no colours, no line breaks of ours."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
