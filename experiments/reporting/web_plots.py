"""Plots of the results on web forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..running.run_folder import Run
from ..terminal.console import Table
from ..terminal.metrics import title
from .plots import Panel, Point, Series
from .web_tables import (
    GROUPS,
    Condition,
    FormSize,
    Group,
    conditions,
    form_groups,
    form_table,
    kind_tables,
    paper_table,
    size_groups,
    size_table,
    sizes,
)

METRICS = ("value_accuracy", "click_accuracy", "field_accuracy")
"""The plotted metrics, with a panel for each."""
_ABOUT_POINTS = (
    "A point is a form, with the 95 % interval over its episodes; a line runs through the means over the episodes of "
    "all forms of the same size."
)
_ABOUT_GROUPS = (
    f"{_ABOUT_POINTS} Groups 1 to {GROUPS} are fifths of the forms of the suite by number of fields, the smallest in "
    "group 1; forms with as many fields are put in order by their atomic types, then by name."
)
_SIZES: tuple[tuple[str, str, str, str, Callable[[FormSize], int]], ...] = (
    ("By number of fields", _ABOUT_POINTS, "fields", "fields of the form", lambda form: form.fields),
    ("By number of atomic types", _ABOUT_POINTS, "types", "atomic types of the form", lambda form: form.kinds),
    ("By group of difficulty", _ABOUT_GROUPS, "group", "group of difficulty", lambda form: form.group),
)
"""The plots: title, explanation, heading of the size in tables, axis, and the size of a form."""


@dataclass(frozen=True)
class Plot:
    """Panels side by side, the legend of their series, and a table of the numbers."""

    title: str
    about: str
    legend: list[tuple[int, str]]
    panels: list[Panel]
    table: Table


@dataclass(frozen=True)
class WebResults:
    """The results on web forms in a report: FormFactory's table, plots, and tables."""

    paper: Table
    plots: list[Plot]
    tables: list[Table]


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
    for heading, about, of, across, key in _SIZES:
        means = size_groups(found, forms, key)
        points = [replace(group, size=key(form)) for form, group in zip(forms, each, strict=True)]
        yield Plot(heading, about, legend, _panels(found, points, means, across), size_table(heading, of, means))


def _panels(found: Sequence[Condition], forms: Sequence[Group], means: Sequence[Group], across: str) -> list[Panel]:
    """A panel for each measured metric: points of forms, lines through means of a size."""
    panels = (
        Panel(
            title(metric), across, [Series(_points(one, forms, metric), _points(one, means, metric)) for one in found]
        )
        for metric in METRICS
    )
    return [panel for panel in panels if any(series.points for series in panel.series)]


def _points(condition: Condition, groups: Sequence[Group], metric: str) -> list[Point]:
    """The points of a condition."""
    points = []
    for group in groups:
        for result in group.results:
            if result.condition == condition.name and (score := result.scores.get(metric)):
                low, high = score["ci95"] or (score["mean"], score["mean"])
                points.append(Point(group.size, score["mean"], low, high))
    return points
