"""Colours that can be read: contrast, and inks made darker or lighter until they have enough of it."""

from __future__ import annotations

from functools import lru_cache

from ..scene.elements import Colour

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
_STEPS = 20


@lru_cache(maxsize=1024)
def luminance(colour: Colour) -> float:
    """How light a colour is, from 0 to 1 (WCAG 2.1, relative luminance)."""
    parts = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: Colour, other: Colour) -> float:
    """The contrast of two colours, from 1 to 21 (WCAG 2.1, contrast ratio)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """A colour between two; ``share``: how much of the other, from 0 to 1."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


@lru_cache(maxsize=4096)
def readable(ink: Colour, ground: Colour, least: float) -> Colour:
    """The ink, or the nearest shade of it towards black or white that has a contrast of ``least`` to the ground.

    Where none has, black or white, whichever stands out more.
    """
    far = max((BLACK, WHITE), key=lambda end: contrast(end, ground))
    for step in range(_STEPS):
        shade = mixed(ink, far, step / _STEPS)
        if contrast(shade, ground) >= least:
            return shade
    return far
