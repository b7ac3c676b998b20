"""Read fills and outlines of shapes, and the backgrounds of slides."""

from __future__ import annotations

from typing import Any

from ..scene.elements import Colour
from .deck import Slide, SlideShape
from .theme_colours import Shade, Theme, colour_in, fill_of
from .xml import Node, find, find_in, number, tag

_USUAL_WIDTH = 9525
_PRESETS: dict[str, tuple[str, float]] = {
    "ellipse": ("ellipse", 0), "donut": ("ellipse", 0), "pie": ("ellipse", 0), "chord": ("ellipse", 0),
    "cloud": ("ellipse", 0), "cloudCallout": ("ellipse", 0), "wedgeEllipseCallout": ("ellipse", 0),
    "smileyFace": ("ellipse", 0), "sun": ("ellipse", 0), "blockArc": ("ellipse", 0), "noSmoking": ("ellipse", 0),
    "flowChartConnector": ("ellipse", 0), "flowChartTerminator": ("rectangle", 0), "teardrop": ("ellipse", 0),
    "triangle": ("triangle", 0), "rtTriangle": ("triangle", 0), "flowChartExtract": ("triangle", 0),
    "flowChartMerge": ("triangle", 180), "upArrow": ("triangle", 0), "downArrow": ("triangle", 180),
    "diamond": ("diamond", 0), "flowChartDecision": ("diamond", 0),
    "rightArrow": ("arrow", 0), "leftArrow": ("arrow", 180), "notchedRightArrow": ("arrow", 0),
    "stripedRightArrow": ("arrow", 0), "rightArrowCallout": ("arrow", 0), "curvedRightArrow": ("arrow", 0),
    "hexagon": ("hexagon", 0), "octagon": ("hexagon", 0), "heptagon": ("hexagon", 0), "pentagon": ("hexagon", 0),
    "chevron": ("chevron", 0), "homePlate": ("chevron", 0),
}  # fmt: skip
"""Our shape for a preset geometry, and how far it must be turned to look like it; others are rectangles."""
_LINES = {"line", "lineInv", "straightConnector1", "bentConnector2", "bentConnector3", "curvedConnector3"}


def preset_of(shape: Node) -> tuple[str, float, bool]:
    """The most similar of our shapes, its turn in degrees, and whether it is a line."""
    geometry = find(shape, "p:spPr/a:prstGeom")
    name = "rect" if geometry is None else geometry.get("prst", "rect")
    usual = ("star", 0) if name.startswith("star") else ("rectangle", 0)
    kind, turn = _PRESETS.get(name, usual)
    return kind, turn, name in _LINES


def shade_of(found: SlideShape) -> Shade | None:
    """The fill of a shape by its own and inherited properties, or ``None``."""
    for one in found.properties:
        fill = fill_of(one, found.slide.theme)
        if fill is not None:
            return fill if isinstance(fill, tuple) and fill[1] else None
    return _referred(found, "p:style/a:fillRef")


def outline_of(found: SlideShape, properties: list[Node]) -> tuple[dict[str, Any], float]:
    """The style of an outline, ``stroke`` and ``stroke_width`` or an empty dict, and its opacity."""
    lines, theme = find_in(properties, "a:ln"), found.slide.theme
    shade = next((fill for line in lines if (fill := fill_of(line, theme)) is not None), None)
    shade = _referred(found, "p:style/a:lnRef") if shade is None else shade
    if not isinstance(shade, tuple) or not shade[1]:
        return {}, 1.0
    index = number(find(found.shape, "p:style/a:lnRef"), "idx")
    usual = theme.widths[index - 1] if 0 < index <= len(theme.widths) else _USUAL_WIDTH
    width = number(next((line for line in lines if line.get("w")), None), "w", usual)
    return {"stroke": shade[0], "stroke_width": max(1, min(round(width / found.slide.emu), 60))}, shade[1]


def _referred(found: SlideShape, path: str) -> Shade | None:
    reference = find(found.shape, path)
    return None if reference is None or not number(reference, "idx") else colour_in(reference, found.slide.theme)


_FULL = 0.9
"""The share of a slide from which on a shape of its layout is its ground."""


def background_of(slide: Slide, size: tuple[int, int]) -> Colour:
    """The background colour of a slide of a size in pixels, its layout or its master."""
    for root in (slide.root, slide.layout, slide.master):
        fill = None if root is slide.root else _full(root, slide, size)
        fill = fill or _ground(find(root, "p:cSld/p:bg"), slide.theme)
        if fill is not None:
            return fill[0]
    return slide.theme.colours.get(slide.theme.mapped.get("bg1", "lt1"), (255, 255, 255))


def _ground(ground: Node, theme: Theme) -> Shade | None:
    reference = find(ground, "p:bgRef")
    shade = fill_of(find(ground, "p:bgPr"), theme) if reference is None else colour_in(reference, theme)
    return shade if isinstance(shade, tuple) else None


def _full(root: Node, slide: Slide, size: tuple[int, int]) -> Shade | None:
    """The colour of the last shape that fills a layout."""
    found = None
    for shape in root.iterfind("/".join(map(tag, ("p:cSld", "p:spTree", "p:sp")))):
        extent, shade = find(shape, "p:spPr/a:xfrm/a:ext"), fill_of(find(shape, "p:spPr"), slide.theme)
        covered = number(extent, "cx") * number(extent, "cy") / (size[0] * size[1] * slide.emu**2)
        if isinstance(shade, tuple) and covered >= _FULL:
            found = shade
    return found
