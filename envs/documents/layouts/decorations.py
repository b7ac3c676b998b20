"""Decorations: shapes behind pages and panels.

To add one, add a function and its row in ``DECORATIONS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ..scene.elements import BBox, Shape
from .placed_parts import Part, Theme, shape_at

Chances = tuple[float, ...]
"""Three random numbers from 0 to 1."""
Decorate = Callable[[int, int, Theme, Chances], Iterator[Part]]


@dataclass(frozen=True)
class Decoration:
    """A decoration with its random numbers; ``kind``: of ``DECORATIONS``, or ""."""

    kind: str
    chances: Chances

    def parts(self, width: int, height: int, theme: Theme) -> tuple[Part, ...]:
        """Its shapes in a box from (0, 0)."""
        return tuple(DECORATIONS[self.kind](width, height, theme, self.chances)) if self.kind else ()


def _faded(
    name: str, shape: Shape, box: BBox, theme: Theme, role: str, chance: float, weight: float = 1, angle: float = 0
) -> Part:
    """A shape that is faint enough to be behind texts."""
    opacity = (0.1 + (0.22 - 0.1) * chance) * weight
    return shape_at(name, box, shape, round(angle), round(opacity, 2), fill=theme.fill(role))


def _circles(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Two faded circles at the right."""
    name, short = "{} faded circle", min(width, height)
    large, small = round(short * (0.5 + 0.3 * chances[0])), round(short * 0.28)
    left = width - large
    yield _faded(name, "ellipse", (left, 0, large, large), theme, "accent", chances[1])
    box = (max(0, left - small // 2), height - small, small, small)
    yield _faded(name, "ellipse", box, theme, "second", chances[2])


def _diamonds(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Faded diamonds in two corners."""
    name, side = "{} faded diamond", round(min(width, height) * (0.22 + 0.12 * chances[0]))
    yield _faded(name, "diamond", (0, height - side, side, side), theme, "accent", chances[1])
    yield _faded(name, "diamond", (width - side, 0, side, side), theme, "second", chances[2])


def _hexagon(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """One large faded hexagon, turned."""
    side = round(min(width, height) * 0.7)
    box = (width - side - round(side * 0.1), (height - side) // 2, side, side)
    yield _faded("faded hexagon", "hexagon", box, theme, "second", chances[0], angle=10 + 25 * chances[1])


def _triangles(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Faded hills along the lower edge."""
    name, wide, high = "{} faded triangle", round(width * 0.42), round(height * (0.3 + 0.2 * chances[0]))
    low = round(high * 0.7)
    yield _faded(name, "triangle", (round(width * 0.3), height - high, wide, high), theme, "second", chances[1])
    yield _faded(name, "triangle", (width - wide, height - low, wide, low), theme, "accent", chances[2])


def _stars(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Faded stars along the right."""
    side = round(min(width, height) * 0.2)
    for chance, (x, y) in zip(chances, ((1.1, 0.05), (2.3, 0.5), (1.2, 0.95)), strict=True):
        box = (round(width - side * x), round((height - side) * y), side, side)
        yield _faded("{} faded star", "star", box, theme, "accent", chance, angle=40 * chance)


def _frame(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """A frame near the edge."""
    inset = theme.px(0.55)
    stroke, thickness = theme.fill("main" if chances[0] < 0.6 else "accent"), 2 + round(2 * chances[1])
    box = (inset, inset, width - 2 * inset, height - 2 * inset)
    yield shape_at("frame", box, stroke=stroke, stroke_width=thickness, radius=theme.radius)


def _stripe(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """A stripe along the left edge."""
    fill = theme.fill("accent" if chances[0] < 0.5 else "main")
    yield shape_at("side stripe", (0, 0, theme.px(0.7), height), fill=fill)


def _edges(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Stripes along the upper and the lower edge."""
    high = theme.px(0.45)
    yield shape_at("upper stripe", (0, 0, width, high), fill=theme.fill("main"))
    yield shape_at("lower stripe", (0, height - high, width, high), fill=theme.fill("accent"))


def _corners(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Small shapes in the corners."""
    side, inset = theme.px(0.7), theme.px(0.4)
    shapes: tuple[Shape, ...] = ("diamond", "ellipse", "rectangle")
    for y in (inset, height - side - inset):
        for x in (inset, width - side - inset):
            fill = theme.fill("accent")
            yield shape_at("{} corner ornament", (x, y, side, side), shapes[int(chances[0] * 2.99)], fill=fill)


def _blobs(width: int, height: int, theme: Theme, chances: Chances) -> Iterator[Part]:
    """Faded circles in two corners of a page."""
    name, side = "{} faded circle", round(min(width, height) * (0.3 + 0.2 * chances[0]))
    yield _faded(name, "ellipse", (width - side, 0, side, side), theme, "second", chances[1], 0.7)
    yield _faded(name, "ellipse", (0, height - side, side, side), theme, "accent", chances[2], 0.7)


DECORATIONS: dict[str, Decorate] = {
    "circles": _circles,
    "diamonds": _diamonds,
    "hexagon": _hexagon,
    "triangles": _triangles,
    "stars": _stars,
    "frame": _frame,
    "stripe": _stripe,
    "edges": _edges,
    "corners": _corners,
    "blobs": _blobs,
}
"""Decorations of pages and panels, by name."""
