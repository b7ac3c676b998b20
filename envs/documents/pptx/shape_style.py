"""Read fills and outlines of shapes."""

from __future__ import annotations

from typing import Any

from .deck import SlideShape
from .theme_colours import Shade, colour_in, fill_node, fill_of, gradient_of
from .xml import Node, find, find_in, kind_of, number

_USUAL_WIDTH = 9525


def shade_of(found: SlideShape) -> Shade | None:
    """The fill of a shape by its own and inherited properties, or ``None``."""
    for one in found.properties:
        fill = fill_of(one, found.slide.theme)
        if fill is not None:
            return fill if isinstance(fill, tuple) and fill[1] else None
    return _referred(found, "p:style/a:fillRef")


def gradient_in(found: SlideShape) -> str | None:
    """The name of the gradient that a shape's own properties, or inherited ones, fill it with, if any."""
    fill = next((fill for one in found.properties if (fill := fill_node(one)) is not None), None)
    return None if fill is None or kind_of(fill) != "gradFill" else gradient_of(fill, found.slide.theme)


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
