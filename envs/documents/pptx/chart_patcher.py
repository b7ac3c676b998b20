"""Patch charts: their data, in the drawing and in the workbook behind it, their titles and kinds; make new ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..scene.charts import Chart, Colour
from ..scene.elements import Element
from .charts import chart_part, plots_of
from .deck import SlideShape
from .xml import Node, children, drop, find, made, solid, tag

_TYPES = {
    "column": "COLUMN_CLUSTERED", "bar": "BAR_CLUSTERED", "line": "LINE", "pie": "PIE", "doughnut": "DOUGHNUT",
}  # fmt: skip
"""The types of charts of python-pptx by our kinds."""
_STACKED = {"column": "COLUMN_STACKED", "bar": "BAR_STACKED", "line": "LINE_STACKED"}


def patch_chart(found: SlideShape, before: Element, after: Element) -> Iterator[str]:
    """Patch a chart in a frame with the changes of its element, except its place.

    Yields:
        What could not be written, a sentence each.
    """
    part, name = chart_part(found), after.name or after.id
    old, new = before.chart, after.chart
    assert old is not None
    assert new is not None
    if old.title != new.title:
        _set_title(part, new.title)
    if (old.kind, old.categories, old.series) != (new.kind, new.categories, new.series):
        plots = plots_of(part._element)
        if "other" in (old.kind, new.kind) or len(plots) != 1 or not hasattr(plots[0], "iter_sers"):
            yield f"the data of {name} cannot be written into a PowerPoint file: it is no plain chart"
        else:
            _set_data(part, old, new)
    if before.style != after.style or old.colours != new.colours[: len(old.colours)] or _flags(old) != _flags(new):
        yield f"{name}, a chart, cannot be styled in a PowerPoint file"
    if before.opacity != after.opacity:
        yield f"{name}, a chart, cannot be transparent in a PowerPoint file"


def _flags(chart: Chart) -> tuple[bool, ...]:
    return chart.has_legend, chart.has_values, chart.stacked


def new_chart(slide: Any, chart: Chart) -> str:
    """Add a chart to a package; its relation to the part of a slide."""
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.parts.chart import ChartPart

    library: Any = ChartPart
    part = library.new(_type(chart), _data(chart, "General"), slide.package)
    if chart.title:
        _set_title(part, chart.title)
    part.chart.has_legend = chart.has_legend
    _colour(part._element, chart, 0)
    return str(slide.relate_to(part, RELATIONSHIP_TYPE.CHART))


def _type(chart: Chart) -> Any:
    from pptx.enum.chart import XL_CHART_TYPE

    names = _TYPES | _STACKED if chart.stacked else _TYPES
    return XL_CHART_TYPE[names.get(chart.kind, "COLUMN_CLUSTERED")]


def _data(chart: Chart, number_format: str) -> Any:
    from pptx.chart.data import CategoryChartData

    library: Any = CategoryChartData
    data = library(number_format=number_format)
    data.categories = chart.categories
    for row in chart.series:
        values = (None if value is None else int(value) if value.is_integer() else value for value in row.values)
        data.add_series(row.name, tuple(values))
    return data


def _set_data(part: Any, old: Chart, new: Chart) -> None:
    """Write categories and series, in the style of those before, into a chart and the workbook behind it."""
    from pptx.chart.xmlwriter import SeriesXmlRewriterFactory
    from pptx.oxml import parse_xml

    root: Any = part._element
    code = next(root.iter(tag("c:formatCode")), None)
    library: Any = SeriesXmlRewriterFactory
    data = _data(new, "General" if code is None or not code.text else code.text)
    if old.kind != new.kind:
        area = find(root, "c:chart/c:plotArea")
        area.getparent().replace(area, find(parse_xml(data.xml_bytes(_type(new))), "c:chart/c:plotArea"))
    else:
        library(_type(new), data).replace_series_data(root)
    for limit, exceeds in (("c:max", float.__gt__), ("c:min", float.__lt__)):
        for node in list(root.iter(tag(limit))):
            if any(
                exceeds(value, float(node.get("val")))
                for row in new.series
                for value in row.values
                if value is not None
            ):
                node.getparent().remove(node)
    _colour(root, new, 0 if old.kind != new.kind else len(old.series))
    if (linked := find(root, "c:externalData")) is not None and workbook_of(part) is None:
        # A workbook elsewhere has the old data.
        root.remove(linked)
        if linked.get(tag("r:id")) in part.rels:
            part.rels.pop(linked.get(tag("r:id")))
    part.chart_workbook.update_from_xlsx_blob(data._workbook_writer.xlsx_blob)


def workbook_of(part: Any) -> Any:
    """The part of the workbook in a file that is behind a chart, or ``None``."""
    linked = find(part._element, "c:externalData")
    link = None if linked is None else part.rels.get(linked.get(tag("r:id")))
    return None if link is None or link.is_external else link.target_part


def _colour(root: Node, chart: Chart, first: int) -> None:
    """Give series from one on their colours, which they would have from the one that they are copies of."""
    if chart.is_round:
        return
    for i, row in enumerate(list(root.iter(tag("c:ser")))[first:], first):
        drop(row, "c:spPr", "c:dPt")
        row.get_or_add_spPr().append(_paint(chart.kind, chart.colours[i % len(chart.colours)]))


def _paint(kind: str, colour: Colour) -> Node:
    return made("a:ln", solid(colour), w="28575") if kind == "line" else solid(colour)


def _set_title(part: Any, title: str) -> None:
    """Write the title of a chart in the style of the one before, or none."""
    chart = part.chart
    if not title:
        chart.has_title = False
        return
    chart.has_title = True
    chart._chartSpace.chart.get_or_add_autoTitleDeleted().val = False
    paragraphs = find(chart._chartSpace, "c:chart/c:title").iter(tag("a:r"))
    runs = list(paragraphs)
    if not runs:
        chart.chart_title.text_frame.text = title
        return
    find(runs[0], "a:t").text = title
    kept = runs[0].getparent()
    for node in [*runs[1:], *(one for one in children(kept.getparent()) if one.tag == tag("a:p") and one is not kept)]:
        node.getparent().remove(node)
