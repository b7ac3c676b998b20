"""Similarity of edited values and elements to the expected ones, from 0 to 1."""

from __future__ import annotations

from typing import Any

from rapidfuzz.distance import Levenshtein

from ..scene.colours import colour_difference
from ..scene.elements import Element
from .changes import fields_of

_FAR = 100.0
"""How many pixels away a place is worth nothing."""
_COLOUR_FAR = 50.0
"""How large a difference of colours (CIE76) is worth nothing."""


def field_similarity(field: str, value: Any, expected: Any) -> float:
    """How like a field's value is to the wanted one: texts by characters, colours by ΔE, places by distance."""
    if value == expected:
        return 1.0
    if value is None or expected is None:
        return 0.0
    if field == "text":
        return float(Levenshtein.normalized_similarity(value, expected))
    if field == "cells":
        return _cells(value, expected)
    if field in ("style.colour", "style.fill", "style.stroke"):
        return max(0.0, 1 - colour_difference(value, expected) / _COLOUR_FAR)
    if field == "position":
        return float(max(0.0, 1 - max(abs(a - b) for a, b in zip(value, expected, strict=True)) / _FAR))
    if field == "size":
        return _product(min(a, b) / max(a, b) for a, b in zip(value, expected, strict=True))
    if field in ("style.size", "style.stroke_width", "style.line_height", "style.radius", "opacity"):
        return float(min(value, expected) / max(value, expected)) if min(value, expected) > 0 else 0.0
    if field == "angle":
        turn = abs(value - expected) % 360
        return float(max(0.0, 1 - min(turn, 360 - turn) / 90))
    return 0.0


def element_similarity(one: Element, other: Element) -> float:
    """How like two elements are: the mean over their fields; 0 if their types differ."""
    if one.type != other.type:
        return 0.0
    mine, theirs = fields_of(one), fields_of(other)
    told = ("text", "position", "size", "asset", "shape", "cells", "style.colour", "style.fill")
    return sum(field_similarity(field, mine[field], theirs[field]) for field in told) / len(told)


def _cells(value: tuple[tuple[str, ...], ...], expected: tuple[tuple[str, ...], ...]) -> float:
    if len(value) != len(expected) or len(value[0]) != len(expected[0]):
        return 0.0
    pairs = [(a, b) for mine, theirs in zip(value, expected, strict=True) for a, b in zip(mine, theirs, strict=True)]
    return sum(Levenshtein.normalized_similarity(a, b) for a, b in pairs) / len(pairs)


def _product(shares: Any) -> float:
    product = 1.0
    for share in shares:
        product *= share
    return product
