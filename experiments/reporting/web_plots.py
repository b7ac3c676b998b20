"""Plots of the results on web forms, as coordinates that a template draws as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..running.runs import Run
from ..terminal.metrics import title
from ..terminal.tables import Table, format_interval, format_number
from .web_tables import (
    GROUPS,
    Condition,
    FormSize,
    Group,
    Result,
    conditions,
    form_groups,
    form_table,
    kind_tables,
    paper_table,
    results_on,
    size_groups,
    size_table,
    sizes,
)

METRICS = ("value_accuracy", "click_accuracy", "field_accuracy")
"""What is plotted: a panel for each."""
WIDTH, HEIGHT = 400, 280
LEFT, RIGHT, TOP, BOTTOM = 42, 390, 12, 232
"""The panel, and the plot in it, in pixels from its upper left corner."""
_MAX_TICKS = 8
_ABOUT_POINTS = (
    "A point is a form, with the 95 % interval over its episodes; a line runs through the means over the episodes of "
    "all forms of the same size."
)
_SIZES: tuple[tuple[str, str, str, Callable[[FormSize], int]], ...] = (
    ("By number of fields", "fields", "fields of the form", lambda form: form.fields),
    ("By number of atomic types", "types", "atomic types of the form", lambda form: form.kinds),
)
"""Title, heading, axis and size of each plot of points."""
_BAR_SHARE = 0.36
# Over so many pixels are points of the same size laid out, so that agents with equal results are all visible.
_SPREAD = 14


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
    """Panels side by side, the number and name of the series in them, and a table with the numbers."""

    title: str
    about: str
    legend: list[tuple[int, str]]
    panels: list[Panel]
    table: Table


@dataclass(frozen=True)
class WebResults:
    """The results on web forms in a report: FormFactory's table, plots, and tables by kind of field and by form."""

    paper: Table
    plots: list[Plot]
    tables: list[Table]
    size: tuple[int, ...] = (WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM)


def web_results(runs: Sequence[Run]) -> WebResults | None:
    """The results on web forms; ``None`` if there are none."""
    found = conditions(runs)
    forms = sizes(found)
    whole = [condition for condition in found if condition.forms]
    if not whole and not any(condition.single for condition in found):
        return None
    plots = list(_plots(whole, forms)) if forms else []
    form_tables = [form_table(form_groups(whole, forms))] if forms else []
    return WebResults(paper_table(found), plots, [*kind_tables(found), *form_tables])


def _plots(found: Sequence[Condition], forms: Sequence[FormSize]) -> Iterator[Plot]:
    each = form_groups(found, forms)
    legend = [(i, condition.name) for i, condition in enumerate(found)]
    for heading, of, across, key in _SIZES:
        means = size_groups(found, forms, key)
        points = [replace(group, size=key(form)) for form, group in zip(forms, each, strict=True)]
        yield Plot(
            heading, _ABOUT_POINTS, legend, _panels(found, points, means, across), size_table(heading, of, means)
        )
    yield _ruler_plot(found, forms)


def _panels(found: Sequence[Condition], forms: Sequence[Group], means: Sequence[Group], across: str) -> list[Panel]:
    """A panel for each metric, with points from each form, and lines through the means of forms of one size."""
    scale, ticks = _scale(min(form.size for form in forms), max(form.size for form in forms))
    panels = []
    for metric in METRICS:
        series = []
        for i, condition in enumerate(found):
            moved = partial(scale, nudge=_SPREAD * ((i + 0.5) / len(found) - 0.5))
            line = _points(condition, means, metric, moved)
            points = _points(condition, forms, metric, moved)
            series.append(Series(i, points, " ".join(f"{point.x:g},{point.y:g}" for point in line)))
        panels.append(Panel(title(metric), across, ticks, series, []))
    return panels


def _points(condition: Condition, groups: Sequence[Group], metric: str, scale: Callable[[float], float]) -> list[Point]:
    """The points of a condition."""
    points = [
        _point(scale(group.size), result, metric, group.name)
        for group in groups
        for result in group.results
        if result.condition == condition.name
    ]
    return [point for point in points if point]


def _ruler_plot(found: Sequence[Condition], forms: Sequence[FormSize]) -> Plot:
    """Bars by group of difficulty: a pair of panels for each agent, with and without a ruler side by side."""
    table = size_table("By group of difficulty", "group", size_groups(found, forms, lambda form: form.group))
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
    return Plot("With and without a ruler, by difficulty", about, legend, panels, table)


def _bars(found: Sequence[Condition], forms: Sequence[FormSize], metric: str) -> list[Bar]:
    bars = []
    slot = (RIGHT - LEFT) / GROUPS
    for condition in found:
        for group in range(1, GROUPS + 1):
            for result in results_on([condition], [size.form for size in forms if size.group == group]):
                left = LEFT + slot * (group - 0.5 + _BAR_SHARE * (condition.ruler - 1))
                top = _point(left + slot * _BAR_SHARE / 2, result, metric, f"group {group}")
                if top is not None:
                    bars.append(Bar(int(condition.ruler), round(left + 1, 1), round(slot * _BAR_SHARE - 2, 1), top))
    return bars


def _group_ticks() -> list[Tick]:
    slot = (RIGHT - LEFT) / GROUPS
    return [Tick(round(LEFT + slot * (group - 0.5), 1), str(group)) for group in range(1, GROUPS + 1)]


def _point(x: float, result: Result, metric: str, of: str) -> Point | None:
    if metric not in result.scores:
        return None
    mean, bounds = result.scores[metric]["mean"], result.scores[metric]["ci95"]
    low, high = bounds or (mean, mean)
    text = f"{result.condition}, {of}: {format_number(mean)} ({format_interval((low, high))}), {result.count} episodes"
    return Point(round(x, 1), _down(mean), _down(low), _down(high), text)


def _down(share: float) -> float:
    return round(BOTTOM - share * (BOTTOM - TOP), 1)


def _scale(low: int, high: int) -> tuple[Callable[..., float], list[Tick]]:
    """Where a whole number lies across, and the scale's lines: at most eight, at round numbers."""
    margin = max((high - low) * 0.06, 0.5)
    first, last = low - margin, high + margin

    def across(value: float, nudge: float = 0.0) -> float:
        return round(LEFT + (value - first) / (last - first) * (RIGHT - LEFT) + nudge, 1)

    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if (high - low) // step < _MAX_TICKS)
    ticks = range(-(-low // step) * step, high + 1, step)
    return across, [Tick(across(value), str(value)) for value in ticks]
