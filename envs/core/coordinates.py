"""Which arguments of tools are coordinates, and what they span of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces

from .tools import Tool

AXES: Mapping[str, int] = {
    **dict.fromkeys(("y", "y0", "y1", "top", "bottom"), 0),
    **dict.fromkeys(("x", "x0", "x1", "left", "right"), 1),
}
"""The arguments of tools that lie along a side of the page: 0 its height, 1 its width."""


def coordinate(space: spaces.Space[Any], fraction: float) -> float:
    """The coordinate at a fraction of the side of the page that its space spans."""
    if isinstance(space, spaces.Discrete):
        return int(space.start) + int(min(max(fraction * int(space.n), 0), int(space.n) - 1))
    assert isinstance(space, spaces.Box)
    low, high = float(space.low), float(space.high)
    return min(max(low + fraction * (high - low), low), high)


def points_at_page(tool: Tool) -> bool:
    """Whether a tool takes x and y of a point of the page, fractions or pixels.

    Coordinates that may be negative do not count: they say where to put something, as DocEdit's do.
    """
    return all(name in tool.arguments and _lowest(tool.arguments[name].space) == 0 for name in ("x", "y"))


def is_fraction(space: spaces.Space[Any] | None) -> bool:
    """Whether a coordinate is a fraction of a side of the page."""
    return isinstance(space, spaces.Box) and (float(space.low), float(space.high)) == (0.0, 1.0)


def spans_page(space: spaces.Space[Any]) -> bool:
    """Whether a coordinate's least and greatest value are the edges of the page."""
    return isinstance(space, spaces.Discrete) or _lowest(space) == 0


def _lowest(space: spaces.Space[Any]) -> float | None:
    if isinstance(space, spaces.Discrete):
        return int(space.start)
    return float(space.low) if isinstance(space, spaces.Box) else None
