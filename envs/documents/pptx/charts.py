"""Read charts: kind, title, categories, series and colours.

See ECMA-376-1, 21.2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ..scene.elements import Colour
from .deck import SlideShape
from .theme_colours import Theme, colour_in, fill_of
from .xml import EMU_OF_POINT, Node, children, find, kind_of, number, tag, truth

_KINDS = {"barChart": "column", "bar3DChart": "column", "lineChart": "line", "line3DChart": "line", "pieChart": "pie",
          "pie3DChart": "pie", "doughnutChart": "doughnut"}  # fmt: skip
_SIZE = 1_000
"""The size of labels without one, in hundredths of a point."""
_MAX_VALUES, _MAX_SERIES, _MAX_TEXT = 500, 50, 400


def chart_part(found: SlideShape) -> Any:
    """The part of the chart in a graphic frame; ``None``: it holds none."""
    node = find(found.shape, "a:graphic/a:graphicData/c:chart")
    try:
        return None if node is None else found.slide.part.related_part(node.get(tag("r:id")))
    except KeyError:
        return None


def chart_fields(found: SlideShape, part: Any) -> dict[str, Any] | None:
    """The fields of an element from a chart's part; ``None`` if there is no chart in it."""
    root: Node = getattr(part, "_element", None)
    slide = found.slide
    plots = plots_of(root)
    if not plots:
        return None
    plot = plots[0]
    size = number(next(root.iter(tag("a:defRPr")), None), "sz", _SIZE)
    shade = fill_of(find(root, "c:spPr"), slide.theme)
    style: dict[str, Any] = {"size": max(6, min(round(size * EMU_OF_POINT / slide.emu), 400))}
    style |= {"fill": shade[0]} if isinstance(shade, tuple) else {}
    style |= {"colour": ink} if (ink := _ink(root, slide.theme)) is not None else {}
    return {"type": "chart", "chart": _chart(root, plot, slide.theme), "style": style}


def _ink(root: Node, theme: Theme) -> Colour | None:
    """The colour of the words of a chart: of its title, its legend or an axis, whichever has one of its own."""
    places = ("c:chart/c:title", "c:chart/c:legend", "c:chart/c:plotArea/c:catAx/c:txPr", "c:txPr")
    for place in places:
        node = find(root, place)
        shade = None if node is None else fill_of(next(node.iter(tag("a:defRPr")), None), theme)
        if isinstance(shade, tuple):
            return shade[0]
    return None


def plots_of(root: Node) -> list[Node]:
    """The plots of a chart, such as one of bars and one of lines."""
    area = find(root, "c:chart/c:plotArea")
    return [] if area is None else [node for node in children(area) if kind_of(node).endswith("Chart")]


def _chart(root: Node, plot: Node, theme: Theme) -> dict[str, Any]:
    kind = _KINDS.get(kind_of(plot), "other")
    if kind == "column" and _value(find(plot, "c:barDir")) == "bar":
        kind = "bar"
    rows = plot.findall(tag("c:ser"))[:_MAX_SERIES]
    labels = [label for label in (dict(_points(find(row, "c:cat"))) for row in rows) if label]
    values = [_numbers(find(row, "c:val")) for row in rows]
    names = labels[0] if labels else {}
    n = min(max([-1, *names, *(i for known in values for i in known)]) + 1, _MAX_VALUES)
    return {
        "kind": kind,
        "title": _title(root, rows),
        "categories": [names.get(i, str(i + 1))[:_MAX_TEXT] for i in range(n)],
        "series": [
            {"name": _words(find(row, "c:tx")), "values": [known.get(i) for i in range(n)]}
            for row, known in zip(rows, values, strict=True)
        ],
        "colours": _colours(kind, rows, n, theme),
        "has_legend": find(root, "c:chart/c:legend") is not None,
        "has_values": any(truth(_value(one)) for one in plot.iter(tag("c:showVal"), tag("c:showPercent"))),
        "stacked": _value(find(plot, "c:grouping")) in ("stacked", "percentStacked"),
    }


def _title(root: Node, rows: list[Node]) -> str:
    """The title, which by default is the name of the only series."""
    title = find(root, "c:chart/c:title")
    if title is None or truth(_value(find(root, "c:chart/c:autoTitleDeleted"))):
        return ""
    written = _words(title)
    return written or (_words(find(rows[0], "c:tx")) if len(rows) == 1 else "")


def _words(node: Node) -> str:
    """The text in a title or a name, rich or from a cell."""
    found = () if node is None else node.iter(tag("a:t"), tag("c:v"))
    return "".join(text.text or "" for text in found).strip()[:_MAX_TEXT]


def _value(node: Node) -> str:
    return "" if node is None else str(node.get("val", ""))


def _points(node: Node) -> Iterator[tuple[int, str]]:
    """The number and the text of each cached point; of labels in several levels those of the first."""
    level: Node = None if node is None else next(node.iter(tag("c:lvl")), node)
    for point in level.iter(tag("c:pt")) if level is not None else ():
        text = find(point, "c:v")
        yield max(0, min(number(point, "idx"), _MAX_VALUES)), "" if text is None else str(text.text or "")


def _numbers(node: Node) -> dict[int, float]:
    found = {}
    for i, text in _points(node):
        try:
            value = float(text)
        except ValueError:
            continue
        if math.isfinite(value):
            found[i] = value
    return found


def _colours(kind: str, rows: list[Node], n: int, theme: Theme) -> list[Colour]:
    """The colours of series, or of the slices of a pie: their own, or the accents of the theme in turn."""
    accents = [theme.colours.get(f"accent{i}", (68, 114, 196)) for i in range(1, 7)]
    if kind not in ("pie", "doughnut"):
        return [_colour(row, accents[i % 6], theme) for i, row in enumerate(rows)] or accents
    points = rows[0].findall(tag("c:dPt")) if rows else []
    own = {number(find(point, "c:idx"), "val"): point for point in points}
    return [_colour(own[i], accents[i % 6], theme) if i in own else accents[i % 6] for i in range(n)] or accents


def _colour(node: Node, otherwise: Colour, theme: Theme) -> Colour:
    properties = find(node, "c:spPr")
    shade = fill_of(properties, theme)
    if not isinstance(shade, tuple):
        line = find(properties, "a:ln/a:solidFill")
        shade = None if line is None else colour_in(line, theme)
    return otherwise if shade is None else shade[0]
