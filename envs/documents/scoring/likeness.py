"""Likeness: how near a value that was entered comes to the one that was asked for, from 0 to 1."""

from __future__ import annotations

from typing import Any

from rapidfuzz.distance import Levenshtein

from ..scene.elements import Colour, Element
from .changes import fields_of

_FAR = 100.0
"""How many pixels away a place is worth nothing."""
_COLOUR_FAR = 50.0
"""How large a difference of colours (CIE76) is worth nothing."""


def likeness(field: str, value: Any, wanted: Any) -> float:
    """How like a field's value is to the wanted one: texts by characters, colours by ΔE, places by distance."""
    if value == wanted:
        return 1.0
    if value is None or wanted is None:
        return 0.0
    if field == "text":
        return float(Levenshtein.normalized_similarity(value, wanted))
    if field == "cells":
        return _cells(value, wanted)
    if field in ("style.colour", "style.fill", "style.stroke"):
        return max(0.0, 1 - colour_difference(value, wanted) / _COLOUR_FAR)
    if field == "position":
        return float(max(0.0, 1 - max(abs(a - b) for a, b in zip(value, wanted, strict=True)) / _FAR))
    if field == "size":
        return _product(min(a, b) / max(a, b) for a, b in zip(value, wanted, strict=True))
    if field in ("style.size", "style.stroke_width", "style.line_height", "style.radius", "opacity"):
        return float(min(value, wanted) / max(value, wanted)) if min(value, wanted) > 0 else 0.0
    if field == "angle":
        turn = abs(value - wanted) % 360
        return float(max(0.0, 1 - min(turn, 360 - turn) / 90))
    return 0.0


def element_likeness(one: Element, other: Element) -> float:
    """How like two elements are: the mean over their fields; 0 if their types differ."""
    if one.type != other.type:
        return 0.0
    mine, theirs = fields_of(one), fields_of(other)
    told = ("text", "position", "size", "asset", "shape", "cells", "style.colour", "style.fill")
    return sum(likeness(field, mine[field], theirs[field]) for field in told) / len(told)


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


def _cells(value: tuple[tuple[str, ...], ...], wanted: tuple[tuple[str, ...], ...]) -> float:
    if len(value) != len(wanted) or len(value[0]) != len(wanted[0]):
        return 0.0
    pairs = [(a, b) for mine, theirs in zip(value, wanted, strict=True) for a, b in zip(mine, theirs, strict=True)]
    return sum(Levenshtein.normalized_similarity(a, b) for a, b in pairs) / len(pairs)


def _product(shares: Any) -> float:
    product = 1.0
    for share in shares:
        product *= share
    return product
