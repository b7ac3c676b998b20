"""Units and names of PowerPoint files: what both ways need."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

EMU = 9525
"""English metric units in a pixel."""
_POINTS = 75
"""Hundredths of a point in a pixel."""
LINE = 1.2
"""A line of 100 % is as high as so many sizes of its face."""
SHAPES = {
    "rectangle": "rect",
    "ellipse": "ellipse",
    "triangle": "triangle",
    "diamond": "diamond",
    "star": "star5",
    "arrow": "rightArrow",
    "hexagon": "hexagon",
    "chevron": "chevron",
}
"""Preset geometries by our shapes; a rectangle with round corners is ``roundRect``."""
ALIGNS = {"left": "l", "center": "ctr", "right": "r"}
ANCHORS = {"top": "t", "middle": "ctr", "bottom": "b"}


def points(pixels: int) -> int:
    """Hundredths of a point of a size in pixels."""
    return pixels * _POINTS


def pixels_of(points: int) -> int:
    """Pixels of a size in hundredths of a point."""
    return max(6, min(round(points / _POINTS), 400))


def hexed(colour: tuple[int, int, int]) -> str:
    """A colour as six digits."""
    return "{:02X}{:02X}{:02X}".format(*colour)


def unhexed(digits: str) -> tuple[int, int, int]:
    """A colour of six digits."""
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def missing_library() -> RuntimeError:
    """What is said where python-pptx is not installed."""
    return RuntimeError("PowerPoint files need python-pptx: pip install 'formgym[office]'")


@lru_cache(maxsize=1024)
def tag(name: str) -> Any:
    """The qualified name of an element of the drawing language, such as ``a:pPr``."""
    from pptx.oxml.ns import qn

    return qn(name)
