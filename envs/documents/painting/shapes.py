"""Draw shapes and lines in their boxes."""

from __future__ import annotations

import math

from PIL import ImageDraw

from ..scene.elements import Element
from .canvas import Mask, SpriteCanvas

Points = list[tuple[float, float]]
"""X and y from 0 to 1 in the box."""

FLAT = 2
"""The maximum width of the box of a vertical line, and height of a horizontal one, in pixels."""
_STAR_INNER = 0.4


def _star() -> Points:
    def at(k: int) -> tuple[float, float]:
        radius = 0.5 if k % 2 == 0 else 0.5 * _STAR_INNER
        turn = math.pi * k / 5 - math.pi / 2
        return 0.5 + radius * math.cos(turn), 0.5 + radius * math.sin(turn)

    return [at(k) for k in range(10)]


POLYGONS: dict[str, Points] = {
    "triangle": [(0.5, 0), (1, 1), (0, 1)],
    "diamond": [(0.5, 0), (1, 0.5), (0.5, 1), (0, 0.5)],
    "star": _star(),
    "arrow": [(0, 0.28), (0.6, 0.28), (0.6, 0), (1, 0.5), (0.6, 1), (0.6, 0.72), (0, 0.72)],
    "hexagon": [(0.25, 0), (0.75, 0), (1, 0.5), (0.75, 1), (0.25, 1), (0, 0.5)],
    "chevron": [(0, 0), (0.7, 0), (1, 0.5), (0.7, 1), (0, 1), (0.3, 0.5)],
}
"""Shapes with straight edges."""


def draw_shape(canvas: SpriteCanvas, element: Element) -> None:
    """Draw the inside and the outline of a shape."""
    style = element.style
    has_outline = style.stroke is not None and style.stroke_width > 0
    if style.fill is not None:
        # Under an outline, the fill ends in its middle: it must not show beyond its smoothed edge.
        canvas.lay(_inside(canvas, element, style.stroke_width / 2 if has_outline else 0), style.fill)
    if style.stroke is not None and style.stroke_width:
        canvas.lay(_outline(canvas, element, style.stroke_width), style.stroke)


def draw_line(canvas: SpriteCanvas, element: Element) -> None:
    """Draw a line from corner to corner of its box."""
    _, _, width, height = element.bbox
    mask = canvas.fine_mask()
    pad = canvas.margin * canvas.fine
    left, right, top, bottom = pad, pad + width * canvas.fine, pad, pad + height * canvas.fine
    # A flat box is a level or upright line through its middle.
    if height <= FLAT:
        top = bottom = pad + height * canvas.fine // 2
    if width <= FLAT:
        left = right = pad + width * canvas.fine // 2
    ends = [(left, bottom), (right, top)] if element.rises else [(left, top), (right, bottom)]
    thick = max(element.style.stroke_width, 1) * canvas.fine
    ImageDraw.Draw(mask).line(ends, fill=255, width=thick)
    canvas.lay(mask, element.style.stroke or element.style.colour)


def _inside(canvas: SpriteCanvas, element: Element, inset: float) -> Mask:
    """The mask of a shape, inset by some pixels."""
    mask = canvas.fine_mask()
    _draw(ImageDraw.Draw(mask), canvas, element, inset * canvas.fine, 255)
    return mask


def _outline(canvas: SpriteCanvas, element: Element, width: int) -> Mask:
    """The mask of an outline inside the box."""
    mask = _inside(canvas, element, 0)
    _draw(ImageDraw.Draw(mask), canvas, element, width * canvas.fine, 0)
    return mask


def _draw(draw: ImageDraw.ImageDraw, canvas: SpriteCanvas, element: Element, inset: float, ink: int) -> None:
    _, _, width, height = element.bbox
    pad = canvas.margin * canvas.fine
    left, top = pad + inset, pad + inset
    right, bottom = pad + width * canvas.fine - inset, pad + height * canvas.fine - inset
    if right <= left or bottom <= top:
        return
    if element.shape in POLYGONS:
        points = POLYGONS[element.shape]
        draw.polygon([(left + x * (right - left), top + y * (bottom - top)) for x, y in points], fill=ink)
    else:
        box = (left, top, right - 1, bottom - 1)
        if element.shape == "ellipse":
            draw.ellipse(box, fill=ink)
        else:
            largest = min(box[2] - left, box[3] - top) / 2
            draw.rounded_rectangle(box, min(element.style.radius * canvas.fine, largest), fill=ink)
