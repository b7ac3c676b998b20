"""Perceived differences of colours, their contrast, and readable shades."""

from __future__ import annotations

from functools import lru_cache

from .elements import Colour


@lru_cache(maxsize=4096)
def colour_difference(one: Colour, other: Colour) -> float:
    """The colour difference ΔE of CIE76: the distance in L*a*b*."""
    return float(sum((a - b) ** 2 for a, b in zip(_lab(one), _lab(other), strict=True)) ** 0.5)


def _lab(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = map(_linear, colour)
    x = (0.4124564 * red + 0.3575761 * green + 0.1804375 * blue) / 0.95047
    y = 0.2126729 * red + 0.7151522 * green + 0.0721750 * blue
    z = (0.0193339 * red + 0.1191920 * green + 0.9503041 * blue) / 1.08883
    fx, fy, fz = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def _linear(channel: int) -> float:
    share = channel / 255
    return share / 12.92 if share <= 0.04045 else float(((share + 0.055) / 1.055) ** 2.4)


BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
_STEPS = 20


@lru_cache(maxsize=1024)
def luminance(colour: Colour) -> float:
    """The relative luminance of a colour, from 0 to 1 (WCAG 2.1)."""
    red, green, blue = map(_linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """The contrast ratio of two colours, from 1 to 21 (WCAG 2.1)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """A mixture of two colours; ``share``: of the other, from 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


@lru_cache(maxsize=4096)
def readable(ink: Colour, ground: Colour, least: float) -> Colour:
    """The shade nearest to the ink that has a minimum contrast to the ground.

    Shades go towards black or white; if none has the contrast, the better of these two.
    """
    far = max((BLACK, WHITE), key=lambda end: contrast(end, ground))
    for step in range(_STEPS):
        shade = mixed(ink, far, step / _STEPS)
        if contrast(shade, ground) >= least:
            return shade
    return far
