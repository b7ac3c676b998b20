"""Colours: how different they look."""

from __future__ import annotations

from functools import lru_cache

from .elements import Colour


@lru_cache(maxsize=4096)
def colour_difference(one: Colour, other: Colour) -> float:
    """ΔE of two colours after CIE76: their distance in L*a*b*."""
    return float(sum((a - b) ** 2 for a, b in zip(_lab(one), _lab(other), strict=True)) ** 0.5)


def _lab(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = (_linear(channel / 255) for channel in colour)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
