"""Draw charts: columns, bars, lines and pies with their titles, labels and legends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from PIL import ImageDraw

from ..scene.charts import Chart
from ..scene.colours import contrast, mixed
from ..scene.elements import Colour, Element, Style
from .canvas import SpriteCanvas
from .texts import draw_label, fill_rect, line_font

Area = tuple[int, int, int, int]
"""Left, top, right and bottom in pixels of the element."""
_GAP = 0.4
"""The share of a category's room between its bars and those of the next."""
_DOT = 3
"""The radius of a value without neighbours in a line, in pixels."""
_TITLE = 1.3
"""The size of a title, in sizes of the labels."""
_HOLE = 0.5
"""The radius of the hole of a doughnut, in radii of it."""
_MAX_STEPS = 8


def draw_chart(canvas: SpriteCanvas, element: Element) -> None:
    """Draw the title, the legend, the axes and the values of a chart in its box."""
    assert element.chart is not None
    chart, style = element.chart, element.style
    _, _, right, bottom = area = 0, 0, *element.bbox[2:]
    if style.fill is not None:
        fill_rect(canvas, area, style.fill)
    pad, title = style.size // 2, style.model_copy(update={"size": round(style.size * _TITLE), "align": "center"})
    top = pad
    if chart.title:
        draw_label(canvas, chart.title, title, (0, pad, right, pad + round(title.size * title.line_height)))
        top += round(title.size * title.line_height) + pad
    if chart.has_legend:
        right = _draw_legend(canvas, chart, style, (0, top, right, bottom))
    plot = pad, top, right - pad, bottom - pad
    if chart.kind != "other" and plot[2] - plot[0] > 3 * style.size and plot[3] - plot[1] > 3 * style.size:
        _draw_pie(canvas, chart, style, plot) if chart.is_round else _draw_axes(canvas, chart, style, plot)


def value_steps(chart: Chart) -> list[float]:
    """The numbers on the value axis: round ones, from at most the least value to at least the greatest."""
    values = [value for row in chart.series for value in row.values if value is not None]
    if chart.stacked:
        values = [float(sum(column)) for end in (min, max) for column in _columns(chart, end)]
    low, high = min([0.0, *values]), max([0.0, *values])
    span = high - low or 1.0
    power = 10.0 ** math.floor(math.log10(span / _MAX_STEPS))
    step = next(power * k for k in (1, 2, 5, 10) if span / (power * k) <= _MAX_STEPS)
    first, last = math.floor(low / step), math.ceil(high * 1.02 / step) or 1
    return [k * step for k in range(first, last + 1)]


def _draw_legend(canvas: SpriteCanvas, chart: Chart, style: Style, area: Area) -> int:
    """Draw the names of series or slices at the right; return where the room left of them ends."""
    names = chart.categories if chart.is_round else [row.name for row in chart.series]
    face, high = line_font(style), round(style.size * 1.5)
    wide = min(round(max([face.getlength(name) for name in names], default=0)), (area[2] - area[0]) // 2)
    left, top = area[2] - wide - 2 * style.size, (area[1] + area[3] - high * len(names)) // 2
    key = style.size // 2
    for i, name in enumerate(names):
        y = top + i * high
        square = left, y + (high - key) // 2, left + key, y + (high + key) // 2
        fill_rect(canvas, square, _colour(chart, i))
        draw_label(canvas, name, style.model_copy(update={"align": "left"}), (left + 2 * key, y, area[2], y + high))
    return left


def _draw_pie(canvas: SpriteCanvas, chart: Chart, style: Style, plot: Area) -> None:
    values = [max(value or 0.0, 0.0) for value in chart.series[0].values] if chart.series else []
    side = min(plot[2] - plot[0], plot[3] - plot[1])
    left, top = ((plot[k] + plot[k + 2] - side) / 2 for k in (0, 1))
    hole = _HOLE * side / 2 if chart.kind == "doughnut" else 0.0
    outer, inner = (
        [(edge + canvas.margin) * canvas.fine for edge in (left + by, top + by, left + side - by, top + side - by)]
        for by in (0, side / 2 - hole)
    )
    at = -90.0
    for i, value in enumerate(values):
        turn = 360 * value / (sum(values) or 1)
        mask = canvas.fine_mask()
        ImageDraw.Draw(mask).pieslice(outer, at, at + turn, fill=255)
        if hole:
            ImageDraw.Draw(mask).ellipse(inner, fill=0)
        canvas.lay(mask, _colour(chart, i))
        if chart.has_values and value:
            middle, far = math.radians(at + turn / 2), (side / 2 + hole) / 2 if hole else side * 0.35
            x, y = left + side / 2 + far * math.cos(middle), top + side / 2 + far * math.sin(middle)
            _draw_value(canvas, value, _on_colour(style, _colour(chart, i)), (x, y))
        at += turn


def _on_colour(style: Style, ground: Colour) -> Style:
    """A style that can be read on a colour: in white, or in black."""
    return style.model_copy(update={"colour": max(((255, 255, 255), (0, 0, 0)), key=lambda ink: contrast(ink, ground))})


def _draw_value(canvas: SpriteCanvas, value: float, style: Style, middle: tuple[float, float]) -> None:
    """Draw a number around a point in pixels of the element."""
    x, y = map(round, middle)
    _label(
        canvas,
        f"{value:,.6g}",
        style,
        (x - 3 * style.size, y - style.size, x + 3 * style.size, y + style.size),
        "center",
    )


def _draw_axes(canvas: SpriteCanvas, chart: Chart, style: Style, plot: Area) -> None:
    """Draw the rules and labels of both axes, and the values between them."""
    steps, lies = value_steps(chart), chart.kind == "bar"
    labels = chart.categories if lies else [f"{step:,.6g}" for step in steps]
    face, high = line_font(style), round(style.size * 1.5)
    wide = round(max([face.getlength(label) for label in labels], default=0)) + style.size // 2
    wide = min(wide, (plot[2] - plot[0]) // 2)
    inner = plot[0] + wide, plot[1], plot[2], plot[3] - high
    rule = mixed(style.colour, style.fill or (255, 255, 255), 0.7)
    for step in steps:
        at = _along(inner, lies, (step - steps[0]) / (steps[-1] - steps[0]))
        fill_rect(canvas, (at, inner[1], at + 1, inner[3]) if lies else (inner[0], at, inner[2], at + 1), rule)
        box = (at - high, inner[3], at + high, plot[3]) if lies else (plot[0], at - high, inner[0] - 4, at + high)
        _label(canvas, f"{step:,.6g}", style, box, "center" if lies else "right")
    for k, name in enumerate(chart.categories):
        low, end = _room(chart, inner, k)
        box = (plot[0], low, inner[0] - 4, end) if lies else (low, inner[3], end, plot[3])
        _label(canvas, name, style, box, "right" if lies else "center")
    _draw_lines(canvas, chart, inner, steps) if chart.kind == "line" else _draw_bars(canvas, chart, inner, steps)
    if chart.has_values and not chart.stacked:
        _draw_values(canvas, chart, style, inner, steps)


def _label(canvas: SpriteCanvas, text: str, style: Style, box: Area, align: str) -> None:
    draw_label(canvas, text, style.model_copy(update={"align": align}), box)


def _along(inner: Area, lies: bool, share: float) -> int:
    """The pixel of a share of the value axis."""
    return round(inner[0] + share * (inner[2] - inner[0]) if lies else inner[3] - share * (inner[3] - inner[1]))


def _room(chart: Chart, inner: Area, k: int) -> tuple[int, int]:
    """Where a category begins and ends on its axis; bars count from the bottom."""
    n = max(len(chart.categories), 1)
    if chart.kind != "bar":
        return tuple(round(inner[0] + (inner[2] - inner[0]) * i / n) for i in (k, k + 1))  # type: ignore[return-value]
    return tuple(round(inner[3] - (inner[3] - inner[1]) * i / n) for i in (k + 1, k))  # type: ignore[return-value]


def _columns(chart: Chart, end: Callable[[float, float], float]) -> list[list[float]]:
    """The values of each category on one side of zero: ``end`` is ``max`` or ``min``."""
    return [[end(row.values[k] or 0.0, 0.0) for row in chart.series] for k in range(len(chart.categories))]


def _draw_bars(canvas: SpriteCanvas, chart: Chart, inner: Area, steps: list[float]) -> None:
    lies, n = chart.kind == "bar", 1 if chart.stacked else len(chart.series)
    for k in range(len(chart.categories)):
        low, end = _room(chart, inner, k)
        thick = (end - low) * (1 - _GAP) / n
        for i, (first, last) in enumerate(_spans(chart, k)):
            place = 0 if chart.stacked else n - 1 - i if lies else i
            start = low + (end - low) * _GAP / 2 + place * thick
            across = round(start), max(round(start) + 1, round(start + thick))
            near, far = sorted(_along(inner, lies, (at - steps[0]) / (steps[-1] - steps[0])) for at in (first, last))
            box = (near, across[0], far, across[1]) if lies else (across[0], near, across[1], far)
            fill_rect(canvas, box, _colour(chart, i))


def _draw_values(canvas: SpriteCanvas, chart: Chart, style: Style, inner: Area, steps: list[float]) -> None:
    """Draw the number of each bar or dot beyond its end."""
    lies, n = chart.kind == "bar", 1 if chart.kind == "line" else len(chart.series)
    for i, row in enumerate(chart.series):
        for k, value in enumerate(row.values):
            if value is None:
                continue
            low, end = _room(chart, inner, k)
            place = 0 if n == 1 else n - 1 - i if lies else i
            across = low + (end - low) * (_GAP / 2 + (1 - _GAP) * (place + 0.5) / n)
            level = _along(inner, lies, (value - steps[0]) / (steps[-1] - steps[0]))
            away = style.size * (1.4 if lies else 0.7) * (-1 if value < 0 else 1)
            _draw_value(canvas, value, style, (level + away, across) if lies else (across, level - away))


def _spans(chart: Chart, k: int) -> Iterator[tuple[float, float]]:
    """Where the bar of each series begins and ends in a category."""
    at = {True: 0.0, False: 0.0}
    for row in chart.series:
        value = row.values[k] or 0.0
        start = at[value > 0] if chart.stacked else 0.0
        at[value > 0] = start + value
        yield start, start + value


def _draw_lines(canvas: SpriteCanvas, chart: Chart, inner: Area, steps: list[float]) -> None:
    for i, row in enumerate(chart.series):
        mask = canvas.fine_mask()
        draw = ImageDraw.Draw(mask)
        for points in _pieces(chart, row.values, inner, steps):
            fine = [((x + canvas.margin) * canvas.fine, (y + canvas.margin) * canvas.fine) for x, y in points]
            if len(fine) > 1:
                draw.line(fine, fill=255, width=2 * canvas.fine, joint="curve")
            elif fine:
                (x, y), radius = fine[0], _DOT * canvas.fine
                draw.ellipse((x - radius, y - radius, x + radius, y + radius), 255)
        canvas.lay(mask, _colour(chart, i))


def _pieces(
    chart: Chart, values: tuple[float | None, ...], inner: Area, steps: list[float]
) -> Iterator[list[tuple[float, float]]]:
    """The points of a line, in pieces between values that are missing."""
    points: list[tuple[float, float]] = []
    for k, value in enumerate(values):
        if value is None:
            yield points
            points = []
            continue
        x = sum(_room(chart, inner, k)) / 2
        points.append((x, _along(inner, False, (value - steps[0]) / (steps[-1] - steps[0]))))
    yield points


def _colour(chart: Chart, i: int) -> Colour:
    return chart.colours[i % len(chart.colours)]
