"""Tables of a locator's metrics, errors and latencies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from ...fieldfinder_model.evaluation.localisation_metrics import METRICS
from ..terminal.console import console

_BY_KIND = "centre_in_field"


def print_evaluations(summaries: Sequence[dict[str, Any]]) -> None:
    """Print for each data set tables of metrics, kinds of field, errors and latencies.

    Args:
        summaries: of ``summary_of``.
    """
    for data in dict.fromkeys(summary["data"] for summary in summaries):
        runs = [summary for summary in summaries if summary["data"] == data]
        _print_metrics(data, runs)
        _print_kinds(runs)
        _print_causes(runs)
        _print_latencies(runs)


def _print_metrics(data: str, runs: Sequence[dict[str, Any]]) -> None:
    table = Table(title=f"{data}: per cent of targets, 95 % intervals over documents", title_justify="left")
    names = [name for name in METRICS if any(name in run["metrics"] for run in runs)]
    table.add_column("locator\n[dim]protocol[/dim]")
    for heading in ("targets", *(METRICS[name].title for name in names)):
        table.add_column(heading, justify="right")
    for run in runs:
        cells = [per_cent(run["metrics"].get(name)) for name in names]
        about = f"{run['targets']}\n[dim]{run['documents']} pages[/dim]"
        table.add_row(f"{run['locator']}\n[dim]{run['protocol']}[/dim]", about, *cells)
    console.print(table)


def per_cent(metric: dict[str, Any] | None) -> str:
    """A share with its interval for a table."""
    if metric is None or metric["mean"] is None:
        return "–"
    bounds = "" if metric["ci95"] is None else " – ".join(f"{100 * bound:.1f}" for bound in metric["ci95"])
    return f"{100 * metric['mean']:.1f}\n[dim]{bounds}[/dim]"


def milliseconds(seconds: float | None) -> str:
    """A time for a table."""
    if seconds is None:
        return "–"
    return f"{1000 * seconds:.0f} ms" if seconds >= 0.01 else f"{1000 * seconds:.2f} ms"


def _print_latencies(runs: Sequence[dict[str, Any]]) -> None:
    table = Table(title="Time of a query, medians: of a page's first, and of further ones", title_justify="left")
    for heading in ("locator", "protocol", "first", "first, CPU", "further", "further, CPU"):
        table.add_column(heading, justify="left" if heading in ("locator", "protocol") else "right")
    for run in runs:
        table.add_row(run["locator"], run["protocol"], *map(milliseconds, run["latency"].values()))
    console.print(table)


def _print_kinds(runs: Sequence[dict[str, Any]]) -> None:
    title = "Per cent with the centre in the field (mean IoU) by kind of field"
    table = Table(title=title, title_justify="left")
    for heading in ("kind", *(f"{run['locator']}\n{run['protocol']}" for run in runs)):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for kind in dict.fromkeys(kind for run in runs for kind in run["kinds"]):
        table.add_row(kind, *(_kind_cell(run["kinds"].get(kind)) for run in runs))
    console.print(table)


def _kind_cell(of: dict[str, Any] | None) -> str:
    if of is None:
        return "–"
    share, iou = (100 * of["metrics"][name]["mean"] for name in (_BY_KIND, "iou"))
    return f"{share:.1f} ({iou:.1f})\n[dim]of {of['targets']}[/dim]"


def _print_causes(runs: Sequence[dict[str, Any]]) -> None:
    table = Table(title="What went wrong, per cent of targets", title_justify="left")
    for heading in ("", *(f"{run['locator']}\n{run['protocol']}" for run in runs)):
        table.add_column(heading, justify="right" if heading else "left")
    found = {cause: sum(run["causes"].get(cause, 0) for run in runs) for run in runs for cause in run["causes"]}
    for cause in sorted(found, key=lambda cause: (cause != "right", -found[cause])):
        cells = (f"{100 * run['causes'].get(cause, 0) / run['targets']:.1f}" for run in runs)
        table.add_row(cause, *cells)
    console.print(table)
