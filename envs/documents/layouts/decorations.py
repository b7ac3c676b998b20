"""Ornaments: shapes behind what is set, many of them faded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..scene.elements import Box, Shape, Style
from .parts import Look, Part

_FADED = (0.1, 0.22)
"""How strong ornaments behind texts are, at least and at most."""


@dataclass(frozen=True)
class Ornament:
    """An ornament.

    Attributes:
        kind: a row of ``ORNAMENTS``.
        chances: numbers from 0 to 1 that decide what is left to chance.
    """

    kind: str
    chances: tuple[float, ...]

    def parts(self, width: int, height: int, look: Look) -> tuple[Part, ...]:
        """What is drawn in a box from (0, 0)."""
        return ORNAMENTS[self.kind](width, height, look, self.chances)


Draw = Callable[[int, int, Look, tuple[float, ...]], tuple[Part, ...]]


def _shape(name: str, shape: Shape, box: Box, look: Look, role: str, opacity: float = 1, angle: float = 0) -> Part:
    return Part(
        "shape", name, box, Style(fill=look.fill(role)), shape=shape, opacity=round(opacity, 2), angle=round(angle)
    )


def _faded(chance: float) -> float:
    return _FADED[0] + (_FADED[1] - _FADED[0]) * chance


def _circles(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Two faded circles at the right."""
    large, small = round(min(width, height) * (0.5 + 0.3 * chances[0])), round(min(width, height) * 0.28)
    left = width - large
    return (
        _shape("{} faded circle", "ellipse", (left, 0, large, large), look, "accent", _faded(chances[1])),
        _shape(
            "{} faded circle",
            "ellipse",
            (max(0, left - small // 2), height - small, small, small),
            look,
            "second",
            _faded(chances[2]),
        ),
    )


def _diamonds(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Faded diamonds in two corners."""
    side = round(min(width, height) * (0.22 + 0.12 * chances[0]))
    return (
        _shape("{} faded diamond", "diamond", (0, height - side, side, side), look, "accent", _faded(chances[1])),
        _shape("{} faded diamond", "diamond", (width - side, 0, side, side), look, "second", _faded(chances[2])),
    )


def _hexagon(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """One large faded hexagon, turned."""
    side = round(min(width, height) * 0.7)
    box = (width - side - round(side * 0.1), (height - side) // 2, side, side)
    return (_shape("faded hexagon", "hexagon", box, look, "second", _faded(chances[0]), 10 + 25 * chances[1]),)


def _triangles(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Faded hills along the lower edge."""
    high = round(height * (0.3 + 0.2 * chances[0]))
    wide = round(width * 0.42)
    return (
        _shape(
            "{} faded triangle",
            "triangle",
            (round(width * 0.3), height - high, wide, high),
            look,
            "second",
            _faded(chances[1]),
        ),
        _shape(
            "{} faded triangle",
            "triangle",
            (width - wide, height - round(high * 0.7), wide, round(high * 0.7)),
            look,
            "accent",
            _faded(chances[2]),
        ),
    )


def _stars(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Faded stars along the right."""
    side = round(min(width, height) * 0.2)
    return tuple(
        _shape(
            "{} faded star",
            "star",
            (round(width - side * x), round((height - side) * y), side, side),
            look,
            "accent",
            _faded(chances[i]),
            40 * chances[i],
        )
        for i, (x, y) in enumerate(((1.1, 0.05), (2.3, 0.5), (1.2, 0.95)))
    )


def _frame(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """A frame near the edge."""
    inset = look.px(0.55)
    style = Style(
        stroke=look.fill("main" if chances[0] < 0.6 else "accent"),
        stroke_width=2 + round(2 * chances[1]),
        radius=look.radius,
    )
    return (Part("shape", "frame", (inset, inset, width - 2 * inset, height - 2 * inset), style, shape="rectangle"),)


def _stripe(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """A stripe along the left edge."""
    return (
        _shape(
            "side stripe", "rectangle", (0, 0, look.px(0.7), height), look, "accent" if chances[0] < 0.5 else "main"
        ),
    )


def _edge(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Stripes along the upper and the lower edge."""
    high = look.px(0.45)
    return (
        _shape("upper stripe", "rectangle", (0, 0, width, high), look, "main"),
        _shape("lower stripe", "rectangle", (0, height - high, width, high), look, "accent"),
    )


def _corners(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Small squares in the corners."""
    side, inset = look.px(0.7), look.px(0.4)
    places = (
        (inset, inset),
        (width - side - inset, inset),
        (inset, height - side - inset),
        (width - side - inset, height - side - inset),
    )
    shape: Shape = ("diamond", "ellipse", "rectangle")[int(chances[0] * 2.99)]
    return tuple(_shape("{} corner ornament", shape, (x, y, side, side), look, "accent") for x, y in places)


def _blobs(width: int, height: int, look: Look, chances: tuple[float, ...]) -> tuple[Part, ...]:
    """Faded circles in two corners of a page."""
    side = round(min(width, height) * (0.3 + 0.2 * chances[0]))
    return (
        _shape("{} faded circle", "ellipse", (width - side, 0, side, side), look, "second", _faded(chances[1]) * 0.7),
        _shape("{} faded circle", "ellipse", (0, height - side, side, side), look, "accent", _faded(chances[2]) * 0.7),
    )


ORNAMENTS: dict[str, Draw] = {
    "": lambda width, height, look, chances: (),
    "circles": _circles,
    "diamonds": _diamonds,
    "hexagon": _hexagon,
    "triangles": _triangles,
    "stars": _stars,
    "frame": _frame,
    "stripe": _stripe,
    "edges": _edge,
    "corners": _corners,
    "blobs": _blobs,
}
"""Ornaments of pages and panels, by name."""
