"""Draw shapes and lines in their boxes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageChops, ImageDraw

from ..scene.elements import Element
from .canvas import Mask, SpriteCanvas
from .geometry import outline_of
from .pictures import gradient_mean, picture

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
    if element.asset is not None and style.fill == gradient_mean(element.asset):
        _draw_gradient(canvas, element)
        style = style.model_copy(update={"fill": None})
    if element.path:
        if style.fill is not None:
            canvas.lay(_inside_path(canvas, element), style.fill)
        if style.stroke is not None and style.stroke_width:
            canvas.lay(_along_path(canvas, element), style.stroke)
        return
    has_outline = style.stroke is not None and style.stroke_width > 0
    if style.fill is not None:
        # Under an outline, the fill ends in its middle: it must not show beyond its smoothed edge.
        inset = style.stroke_width / 2 if has_outline else 0
        canvas.lay(_stretched(canvas, element, partial(_inside, inset=inset)), style.fill)
    if style.stroke is not None and style.stroke_width:
        canvas.lay(_stretched(canvas, element, partial(_outline, width=style.stroke_width)), style.stroke)


def _draw_gradient(canvas: SpriteCanvas, element: Element) -> None:
    layer = PillowImage.new("RGBA", canvas.size, (0, 0, 0, 0))
    layer.paste(picture(str(element.asset), *element.bbox[2:]), (canvas.margin, canvas.margin))
    mask = _inside_path(canvas, element) if element.path else _inside(canvas, element, 0)
    layer.putalpha(mask.reduce(canvas.fine))
    canvas.picture.alpha_composite(layer)


def _stretched(canvas: SpriteCanvas, element: Element, draw: Callable[[SpriteCanvas, Element], Mask]) -> Mask:
    """A mask of a shape; of a rectangle only the corners are drawn, as all between them is alike."""
    style, size = element.style, element.bbox[2:]
    corner = style.radius + style.stroke_width + 2
    small = min(size[0], 2 * corner + 1), min(size[1], 2 * corner + 1)
    if element.shape != "rectangle" or small == size:
        return draw(canvas, element)
    part = SpriteCanvas(*small, canvas.margin, canvas.fine)
    mask = np.asarray(draw(part, element.model_copy(update={"bbox": (0, 0, *small)})).reduce(part.fine))
    middle = corner + canvas.margin
    columns, rows = (
        np.repeat(np.arange(side), np.where(np.arange(side) == middle, total - side + 1, 1))
        for side, total in zip(part.size, canvas.size, strict=True)
    )
    return PillowImage.fromarray(mask[rows][:, columns])


def draw_line(canvas: SpriteCanvas, element: Element) -> None:
    """Draw a line along its path, or from corner to corner of its box."""
    if element.path:
        colour = element.style.stroke or element.style.colour
        canvas.lay(_inside_path(canvas, element), colour)
        canvas.lay(_along_path(canvas, element), colour)
        return
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


def beyond_box(element: Element) -> int:
    """The most pixels by which a shape or a line exceeds its box on any side."""
    width, height = element.bbox[2:]
    points = [point for part, _ in outline_of(element.path) for point in part]
    across = [far * width for x, _ in points for far in (-x, x - 1)]
    down = [far * height for _, y in points for far in (-y, y - 1)]
    thick = element.style.stroke_width if element.type == "line" or element.path else 0
    return thick + math.ceil(max([0.0, *across, *down]))


def cut_out(canvas: SpriteCanvas, element: Element) -> None:
    """Keep only what is inside the path of an element of what was drawn."""
    if element.path:
        mask = _inside_path(canvas, element).reduce(canvas.fine)
        canvas.picture.putalpha(ImageChops.multiply(canvas.picture.getchannel("A"), mask))


def _inside_path(canvas: SpriteCanvas, element: Element) -> Mask:
    """The mask of the closed parts of a path, by the even-odd rule."""
    mask = canvas.fine_mask()
    for points in (points for points, is_closed in _parts(canvas, element) if is_closed and len(points) > 1):
        part = PillowImage.new("L", mask.size)
        ImageDraw.Draw(part).polygon(points, fill=255)
        mask = ImageChops.difference(mask, part)
    return mask


def _along_path(canvas: SpriteCanvas, element: Element) -> Mask:
    """The mask of the outline of a path, its middle on the path."""
    mask = canvas.fine_mask()
    draw, thick = ImageDraw.Draw(mask), max(element.style.stroke_width, 1) * canvas.fine
    for points, is_closed in _parts(canvas, element):
        draw.line([*points, points[0]] if is_closed else points, fill=255, width=thick, joint="curve")
    return mask


def _parts(canvas: SpriteCanvas, element: Element) -> list[tuple[list[tuple[float, float]], bool]]:
    """The parts of a path on a mask."""
    (width, height), fine = element.bbox[2:], canvas.fine
    return [
        ([((canvas.margin + x * width) * fine, (canvas.margin + y * height) * fine) for x, y in points], is_closed)
        for points, is_closed in outline_of(element.path)
    ]


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
