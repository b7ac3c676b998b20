"""Fitting: which elements are what an expression describes, where they are left out of account."""

from __future__ import annotations

from collections.abc import Sequence

from ..operations.values import COLOURS
from ..scene.colours import colour_difference
from .expressions import Reference
from .visual_features import Sight

_NEARLY = 30.0
"""How far a colour may be from one that is told (CIE76) where nothing is nearer."""


def fitting(asked: Reference, sights: Sequence[Sight]) -> list[Sight]:
    """Those of some sights that have the kind, text, colour and styles that are asked for.

    Where none is of a kind in the narrow sense, those count that are called so at a pinch.
    """
    found = _of_kind(asked, sights)
    if asked.quoted is not None:
        found = [sight for sight in found if says(sight, asked.quoted, asked.quote_way)]
    if asked.colour is not None:
        found = _of_colour(asked.colour, found)
    return [sight for sight in found if all(has_style(sight, style) for style in asked.styles)]


def says(sight: Sight, quoted: str, way: str) -> bool:
    """Whether an element says what is quoted, in a way of ``Reference.quote_way``."""
    ways = {
        "says": sight.text == quoted,
        "begins": sight.text.startswith(quoted),
        "ends": sight.text.endswith(quoted),
        "holds": quoted in sight.text,
        "name": sight.name == quoted,
    }
    return ways[way]


def has_style(sight: Sight, style: str) -> bool:
    """Whether an element has a style, or has it not where ``not`` stands before it."""
    name = style.removeprefix("not ")
    return (name in sight.styles) is (name == style)


def colour_distance(sight: Sight, colour: str) -> float | None:
    """How far the colour of an element is from a named one (CIE76); ``None`` if it shows none."""
    if sight.colour == colour:
        return 0.0
    return None if sight.ink is None else colour_difference(sight.ink, COLOURS[colour])


def _of_kind(asked: Reference, sights: Sequence[Sight]) -> list[Sight]:
    if "group" in asked.kinds:
        return [sight for sight in sights if sight.kind == "group"]
    seen = [sight for sight in sights if sight.is_seen]
    if not asked.kinds:
        return seen
    return [s for s in seen if s.kind in asked.kinds] or [s for s in seen if s.kind in asked.loosely]


def _of_colour(colour: str, sights: Sequence[Sight]) -> list[Sight]:
    exact = [sight for sight in sights if sight.colour == colour]
    if exact:
        return exact
    # A shade that has another name, or none, is meant where nothing has this one.
    distances = [(colour_distance(sight, colour), sight) for sight in sights]
    return [sight for distance, sight in distances if distance is not None and distance <= _NEARLY]
