"""Plots of reports: scores by a size or a cost, drawn by matplotlib as SVG that follows the colours of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import Any

from markupsafe import Markup

HOW_TO_INSTALL = "Plots are drawn with matplotlib: pip install 'formgym[report]'"
MARKERS = (("o", "●"), ("s", "■"), ("^", "▲"), ("D", "◆"))
"""How matplotlib and the legend draw the points of a series, by its number."""
N_COLOURS = 8
_TEXT, _GRID, _SERIES = "#fedc00", "#fedc01", "#fedc1"
"""Colours that stand for variables of the page's style."""
_SPREAD = 0.035
"""The share of the width over which points of one size are spread, so that equal results are all visible."""


@dataclass(frozen=True)
class Point:
    """A mean from 0 to 1, its interval, and where it lies on the horizontal axis."""

    x: float
    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, x: float, score: Mapping[str, Any]) -> Point:
        """The point of a mean and its interval, if it has one."""
        low, high = score["ci95"] or (score["mean"], score["mean"])
        return cls(x, *(min(max(share, 0.0), 1.0) for share in (score["mean"], low, high)))


@dataclass(frozen=True)
class Series:
    """Points, and the means that a line runs through."""

    points: Sequence[Point]
    line: Sequence[Point] = ()


@dataclass(frozen=True)
class Panel:
    """One pair of axes.

    Attributes:
        title: of the panel, which its page shows.
        across: what the horizontal axis shows.
        series: by number, which gives colour and marker.
        log: the format of ticks on a logarithmic axis; empty: the axis is linear and of whole numbers.
    """

    title: str
    across: str
    series: Sequence[Series]
    log: str = ""


def svg(panel: Panel) -> Markup | None:
    """A panel as SVG to put into a page; ``None`` where matplotlib is missing."""
    if find_spec("matplotlib") is None:
        return None
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    text = StringIO()
    settings: Any = {f"{part}.color": _TEXT for part in ("text", "xtick", "ytick")}
    settings |= {"axes.labelcolor": _TEXT, "axes.edgecolor": _TEXT, "font.size": 9}
    # The salt makes ids that no other panel of the page has, and the same ones each time.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": repr(panel), **settings}):
        figure = Figure(figsize=(4, 2.8), layout="constrained")
        FigureCanvasSVG(figure)
        _draw(panel, figure.subplots())
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return _themed(text.getvalue()[text.getvalue().index("<svg") :], f"{panel.title} by {panel.across}")


def _draw(panel: Panel, axes: Any) -> None:
    axes.set(xlabel=panel.across, ylim=(-0.02, 1.02), yticks=(0, 0.25, 0.5, 0.75, 1))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color=_GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    places = sorted({point.x for series in panel.series for point in series.points})
    for number, series in enumerate(panel.series):
        offset = (
            0.0 if panel.log else _SPREAD * ((number + 0.5) / len(panel.series) - 0.5) * max(places[-1] - places[0], 1)
        )
        colour = f"{_SERIES}{number % N_COLOURS}"
        xs, means = [point.x + offset for point in series.points], [point.mean for point in series.points]
        axes.vlines(xs, [one.low for one in series.points], [one.high for one in series.points], colour, alpha=0.35)
        axes.scatter(xs, means, 18, colour, marker=MARKERS[number % len(MARKERS)][0], alpha=0.85)
        style = "--" if number >= N_COLOURS else "-"
        axes.plot([one.x + offset for one in series.line], [one.mean for one in series.line], style, color=colour)
    _scale(panel, axes, places)


def _scale(panel: Panel, axes: Any, places: Sequence[float]) -> None:
    """Scale the horizontal axis, with about five ticks."""
    from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator

    if not panel.log:
        margin = max((places[-1] - places[0]) * 0.06, 0.5)
        axes.set_xlim(places[0] - margin, places[-1] + margin)
        axes.xaxis.set_major_locator(MaxNLocator(7, integer=True))
        return
    low, high = places[0] / 1.6, places[-1] * 1.6
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [
        float(tick) for tick in LogLocator(subs=(1, 2, 5), numticks=99).tick_values(low, high) if low <= tick <= high
    ]
    kept = ticks[:: -(-len(ticks) // 5)] or [places[0]]
    axes.xaxis.set_major_locator(FixedLocator(kept))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(lambda value, _: panel.log.format(float(f"{value:.6g}")))


def _themed(drawing: str, label: str) -> Markup:
    """SVG with the page's colours and fonts, as wide as its place, with a label for those who cannot see it."""
    for colour, variable in ((_TEXT, "quiet"), (_GRID, "line")):
        drawing = drawing.replace(colour, f"var(--{variable})")
    drawing = re.sub(rf"{_SERIES}(\d)", r"var(--series-\1)", drawing)
    drawing = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", drawing)
    drawing = re.sub(r"<metadata>.*?</metadata>", "", drawing, flags=re.DOTALL)
    head = Markup('<svg role="img" aria-label="{}" ').format(label)
    return head + Markup(re.sub(r'^<svg |(?<= )(width|height)="[\d.]+pt"', "", drawing, count=3))
