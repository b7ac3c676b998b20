"""Plots of the results on web forms, as coordinates that a template draws as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..running.runs import Run
from ..terminal.console import number, title
from .web_tables import (
    GROUPS,
    Block,
    Condition,
    FormSize,
    PaperRow,
    Row,
    Table,
    conditions,
    form_table,
    kind_tables,
    paper_rows,
    rows_of,
    size_table,
    sizes,
)

METRICS = ("value_accuracy", "click_accuracy", "field_accuracy")
"""What is plotted: a panel for each."""
WIDTH, HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 42, 390, 12, 232
"""The panel, and the plot in it, in pixels from its upper left corner."""
_MOST_TICKS = 8
_ABOUT_POINTS = (
    "A point is a form, with the 95 % interval over its episodes; a line runs through the means over the episodes of "
    "all forms of the same size."
)
_BAR_SHARE = 0.36
# Over so many pixels are points of the same size laid out, so that agents with equal results are all visible.
_SPREAD = 14


Sized = tuple[int, Block]
"""A block of a table and the size of what it is about."""


@dataclass(frozen=True)
class Tick:
    """A line of the scale at ``at`` pixels."""

    at: float
    text: str


@dataclass(frozen=True)
class Point:
    """A point with its interval in pixels, and its text."""

    x: float
    y: float
    low: float
    high: float
    text: str


@dataclass(frozen=True)
class Series:
    """A line: its number (colour and mark), its points, and the pixels ``x,y x,y …`` that it runs through."""

    number: int
    points: list[Point]
    line: str


@dataclass(frozen=True)
class Bar:
    """A bar up to its point."""

    number: int
    left: float
    width: float
    top: Point


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    across: str
    x_ticks: list[Tick]
    series: list[Series]
    bars: list[Bar]

    @property
    def y_ticks(self) -> list[Tick]:
        """From 0 to 1."""
        return [Tick(_down(share), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)]


@dataclass(frozen=True)
class Plot:
    """Panels side by side, the number and name of what is in them, and the tables with their metrics."""

    title: str
    about: str
    legend: list[tuple[int, str]]
    panels: list[Panel]
    tables: list[Table]


@dataclass(frozen=True)
class WebResults:
    """The results on web forms in a report."""

    kinds: list[Table]
    plots: list[Plot]
    paper: list[PaperRow]
    size: tuple[int, ...] = (WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM)


def web_results(runs: Sequence[Run]) -> WebResults | None:
    """The results on web forms; ``None`` if there are none."""
    found = conditions(runs)
    forms = sizes(found)
    if not forms and not any(condition.single for condition in found):
        return None
    return WebResults(kind_tables(found), list(_plots(found, forms)) if forms else [], paper_rows(found))


def _plots(found: list[Condition], forms: list[FormSize]) -> Iterator[Plot]:
    whole = [condition for condition in found if condition.forms]
    each = form_table(whole, forms)
    legend = [(i, condition.name) for i, condition in enumerate(whole)]
    by_fields = size_table(whole, forms, "By number of fields", "fields", lambda form: form.fields)
    sized = [(form.fields, block) for form, block in zip(forms, each.blocks, strict=True)]
    panels = _panels(whole, sized, by_fields, "fields of the form")
    yield Plot(by_fields.title, _ABOUT_POINTS, legend, panels, [by_fields, each])
    by_kinds = size_table(whole, forms, "By number of atomic types", "types", lambda form: form.kinds)
    sized = [(form.kinds, block) for form, block in zip(forms, each.blocks, strict=True)]
    panels = _panels(whole, sized, by_kinds, "atomic types of the form")
    yield Plot(by_kinds.title, _ABOUT_POINTS, legend, panels, [by_kinds])
    yield _ruler_plot(whole, forms)


def _panels(found: Sequence[Condition], forms: Sequence[Sized], means: Table, across: str) -> list[Panel]:
    """A panel for each metric, with points from the forms' blocks, and lines from the blocks of all forms of a size."""
    scale, ticks = _scale(min(size for size, _ in forms), max(size for size, _ in forms))
    lines = [(int(block.name), block) for block in means.blocks]
    panels = []
    for metric in METRICS:
        series = []
        for i, condition in enumerate(found):
            moved = partial(scale, nudge=_SPREAD * ((i + 0.5) / len(found) - 0.5))
            line = _points(condition, lines, metric, moved)
            points = _points(condition, forms, metric, moved)
            series.append(Series(i, points, " ".join(f"{point.x:g},{point.y:g}" for point in line)))
        panels.append(Panel(title(metric), across, ticks, series, []))
    return panels


def _points(condition: Condition, blocks: Sequence[Sized], metric: str, scale: Callable[[float], float]) -> list[Point]:
    """The points of a condition in blocks and their sizes."""
    points = [
        _point(scale(size), row, metric, block.name)
        for size, block in blocks
        for row in block.rows
        if row.condition == condition.name
    ]
    return [point for point in points if point]


def _ruler_plot(found: Sequence[Condition], forms: Sequence[FormSize]) -> Plot:
    """Bars by group of difficulty: a pair of panels for each agent, with and without a ruler side by side."""
    table = size_table(found, forms, "By group of difficulty", "group", lambda size: size.group)
    ruled = any(condition.ruler for condition in found)
    agents = dict.fromkeys(c.without_ruler for c in found if c.ruler) or dict.fromkeys(c.name for c in found)
    panels = [
        Panel(f"{agent}: {title(metric)}", "group of difficulty", _group_ticks(), [], list(bars))
        for agent in agents
        for metric in METRICS
        if (bars := _bars([c for c in found if c.without_ruler == agent], forms, metric))
    ]
    legend = [(int(ruler), ("without", "with")[ruler] + " a ruler") for ruler in (False, True) if ruler <= ruled]
    about = (
        f"Groups 1 to {GROUPS} are fifths of the forms of the suite by number of fields, the smallest in group 1; "
        "forms with as many fields are put in order by their atomic types, then by name. A bar is the mean over the "
        "episodes, the line in it the 95 % interval. "
        + ("Agents that had a ruler in no run are in the table only." if ruled else "No agent had a ruler in any run.")
    )
    return Plot("With and without a ruler, by difficulty", about, legend, panels, [table])


def _bars(found: Sequence[Condition], forms: Sequence[FormSize], metric: str) -> list[Bar]:
    bars = []
    slot = (RIGHT - LEFT) / GROUPS
    for condition in found:
        for group in range(1, GROUPS + 1):
            for row in rows_of([condition], [size.form for size in forms if size.group == group]):
                left = LEFT + slot * (group - 0.5 + _BAR_SHARE * (condition.ruler - 1))
                top = _point(left + slot * _BAR_SHARE / 2, row, metric, f"group {group}")
                bars += (
                    [Bar(int(condition.ruler), round(left + 1, 1), round(slot * _BAR_SHARE - 2, 1), top)] if top else []
                )
    return bars


def _group_ticks() -> list[Tick]:
    slot = (RIGHT - LEFT) / GROUPS
    return [Tick(round(LEFT + slot * (group - 0.5), 1), str(group)) for group in range(1, GROUPS + 1)]


def _point(x: float, row: Row, metric: str, what: str) -> Point | None:
    mean = _mean(row.scores, metric)
    if mean is None:
        return None
    low, high = row.scores[metric]["ci95"] or (mean, mean)
    text = f"{row.condition}, {what}: {number(mean)} ({number(low)} – {number(high)}), {row.count} episodes"
    return Point(round(x, 1), _down(mean), _down(low), _down(high), text)


def _mean(scores: Mapping[str, dict[str, Any]], metric: str) -> float | None:
    return scores[metric]["mean"] if metric in scores else None


def _down(share: float) -> float:
    return round(BOTTOM - share * (BOTTOM - TOP), 1)


def _scale(low: int, high: int) -> tuple[Callable[..., float], list[Tick]]:
    """Where a whole number lies across, and the scale's lines: at most eight, at round numbers."""
    margin = max((high - low) * 0.06, 0.5)
    first, last = low - margin, high + margin

    def across(value: float, nudge: float = 0.0) -> float:
        return round(LEFT + (value - first) / (last - first) * (RIGHT - LEFT) + nudge, 1)

    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) // step < _MOST_TICKS)
    ticks = range(-(-low // step) * step, high + 1, step)
    return across, [Tick(across(value), str(value)) for value in ticks]
