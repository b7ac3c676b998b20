"""The icons of the toolbar, as strokes in a square of 20 by 20."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import cos, radians, sin

from PIL import Image as PillowImage
from PIL import ImageDraw

GRID = 20
_FINE = 8
"""Icons are drawn so many times larger than they are shown."""

Points = tuple[tuple[float, float], ...]


def _arc(x: float, y: float, radius: float, begin: int, end: int) -> Points:
    """Points on a circle, from one angle to another: 0 is on the right, 90 below."""
    steps = range(begin, end + 1, 6) if end > begin else range(begin, end - 1, -6)
    return tuple((x + radius * cos(radians(a)), y + radius * sin(radians(a))) for a in steps)


_LENS: tuple[Points, ...] = (_arc(8.5, 8.5, 5.5, 0, 360), ((12.6, 12.6), (17.2, 17.2)))
_MINUS: Points = ((6.0, 8.5), (11.0, 8.5))
_UNDO: tuple[Points, ...] = (
    ((7.0, 3.0), (3.0, 7.0), (7.0, 11.0)),
    ((3.0, 7.0), (11.5, 7.0), *_arc(11.5, 11.75, 4.75, -90, 90), (7.0, 16.5)),
)


def _mirrored(strokes: tuple[Points, ...]) -> tuple[Points, ...]:
    return tuple(tuple((GRID - x, y) for x, y in stroke) for stroke in strokes)


STROKES: Mapping[str, tuple[Points, ...]] = {
    "select": (
        ((5.0, 2.5), (5.0, 16.0), (8.6, 12.6), (11.2, 18.0), (13.4, 17.0), (10.9, 11.7), (15.8, 11.4), (5.0, 2.5)),
    ),
    "text": (
        ((3.5, 6.0), (3.5, 3.5), (16.5, 3.5), (16.5, 6.0)),
        ((10.0, 3.5), (10.0, 16.8)),
        ((7.2, 16.8), (12.8, 16.8)),
    ),
    "sign": (
        ((3.0, 12.8), (12.9, 2.9), (16.1, 6.1), (6.2, 16.0), (2.4, 16.6), (3.0, 12.8)),
        ((10.7, 5.1), (13.9, 8.3)),
        ((9.5, 17.4), (17.5, 17.4)),
    ),
    "undo": _UNDO,
    "redo": _mirrored(_UNDO),
    "delete": (
        ((3.5, 5.2), (16.5, 5.2)),
        ((7.5, 5.0), (7.5, 2.8), (12.5, 2.8), (12.5, 5.0)),
        ((5.0, 5.4), (5.8, 17.2), (14.2, 17.2), (15.0, 5.4)),
        ((8.3, 8.4), (8.6, 14.2)),
        ((11.7, 8.4), (11.4, 14.2)),
    ),
    "zoom_out": (*_LENS, _MINUS),
    "zoom_in": (*_LENS, _MINUS, ((8.5, 6.0), (8.5, 11.0))),
    "fit_width": (
        ((2.5, 4.0), (2.5, 16.0)),
        ((17.5, 4.0), (17.5, 16.0)),
        ((5.4, 10.0), (14.6, 10.0)),
        ((8.0, 7.4), (5.4, 10.0), (8.0, 12.6)),
        ((12.0, 7.4), (14.6, 10.0), (12.0, 12.6)),
    ),
    "fit_page": (
        ((3.0, 7.0), (3.0, 2.8), (7.0, 2.8)),
        ((13.0, 2.8), (17.0, 2.8), (17.0, 7.0)),
        ((17.0, 13.0), (17.0, 17.2), (13.0, 17.2)),
        ((7.0, 17.2), (3.0, 17.2), (3.0, 13.0)),
        ((6.8, 6.2), (13.2, 6.2), (13.2, 13.8), (6.8, 13.8), (6.8, 6.2)),
    ),
    "confirm": (((3.8, 10.6), (8.2, 15.0), (16.4, 5.4)),),
    "cancel": (((4.8, 4.8), (15.2, 15.2)), ((15.2, 4.8), (4.8, 15.2))),
    "document": (
        ((4.5, 2.5), (12.0, 2.5), (15.8, 6.3), (15.8, 17.5), (4.5, 17.5), (4.5, 2.5)),
        ((7.5, 9.0), (12.8, 9.0)),
        ((7.5, 12.0), (12.8, 12.0)),
    ),
}


@lru_cache(maxsize=64)
def icon(name: str, size: int, weight: float = 1.6) -> PillowImage.Image:
    """An icon as a mask of ``size`` by ``size`` pixels, its strokes ``weight`` wide in the grid."""
    fine = PillowImage.new("L", (size * _FINE, size * _FINE))
    draw, scale = ImageDraw.Draw(fine), size * _FINE / GRID
    half = weight * scale / 2
    for stroke in STROKES[name]:
        points = [(x * scale, y * scale) for x, y in stroke]
        draw.line(points, fill=255, width=round(weight * scale), joint="curve")
        for x, y in (points[0], points[-1]):
            draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return fine.resize((size, size), PillowImage.Resampling.BOX)
