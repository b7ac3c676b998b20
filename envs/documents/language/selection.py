"""Select elements: by kind, text, colour and style, by relation to an anchor, by ordinal or superlative."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..operations.values import COLOURS
from ..scene.colours import colour_difference
from ..scene.elements import Box, Element
from .expressions import Reference
from .view import Sight

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


_OVERLAP = -4
"""How many pixels something may reach into what it is beside."""


def distance(element: Element, anchor: Element, relation: str) -> float | None:
    """How far an element is from another on the side that is told, in pixels, edge to edge.

    What is aside as well as below counts as farther; ``None``: it is not on that side, or, for ``inside`` and
    ``between``, not in it.

    Args:
        element: what is looked for.
        anchor: what it is related to; for ``between``, one in the box of ``room_between``.
        relation: one of ``Lexicon.relations``.
    """
    gaps = _gaps(element, anchor)
    if relation in ("inside", "between"):
        return _off_middle(element, anchor) if _is_inside(element, anchor) else None
    aside = max(gaps["left of"], gaps["right of"], 0)
    apart = max(gaps["below"], gaps["above"], 0)
    if relation == "beside":
        # What is level with the anchor is beside it rather than what is below or above.
        return math.hypot(aside, 2 * apart)
    if gaps[relation] < _OVERLAP:
        return None
    return max(gaps[relation], 0.0) + 3 * (aside if relation in ("below", "above") else apart)


def is_in_line(element: Element, anchor: Element, relation: str) -> bool:
    """Whether an element stands straight below, above or beside an anchor, by half of the smaller one; or in it."""
    if relation in ("inside", "between"):
        return distance(element, anchor, relation) is not None
    axis = 0 if relation in ("below", "above") else 1
    start, length = element.bbox[axis], element.bbox[axis + 2]
    other, other_length = anchor.bbox[axis], anchor.bbox[axis + 2]
    shared = min(start + length, other + other_length) - max(start, other)
    return shared >= 0.5 * min(length, other_length)


def room_between(one: Box, other: Box) -> Box:
    """The box between two; where they are level, or one above the other, it is as high, or as wide, as both."""
    starts, lengths = zip(*(_room((one[i], one[i + 2]), (other[i], other[i + 2])) for i in (0, 1)), strict=True)
    return (*starts, *lengths)


def _room(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Start and length of what is between two stretches; of both together where they overlap."""
    (start, length), (far, far_length) = sorted((one, other))
    if far >= start + length:
        return start + length, max(far - start - length, 1)
    return start, max(length, far + far_length - start)


def _gaps(element: Element, anchor: Element) -> Mapping[str, float]:
    left, top, width, height = element.bbox
    other_left, other_top, other_width, other_height = anchor.bbox
    return {
        "below": top - (other_top + other_height),
        "above": other_top - (top + height),
        "left of": other_left - (left + width),
        "right of": left - (other_left + other_width),
    }


def _is_inside(element: Element, anchor: Element) -> bool:
    (x, y), (left, top, width, height) = element.centre, anchor.bbox
    is_smaller = element.bbox[2] * element.bbox[3] < width * height
    return is_smaller and left <= x <= left + width and top <= y <= top + height


def _off_middle(element: Element, anchor: Element) -> float:
    return math.dist(element.centre, anchor.centre)


def chosen(asked: Reference, sights: Sequence[Sight]) -> list[Sight]:
    """The one of some sights that an ordinal or a superlative chooses; none if neither is told."""
    if not sights or not (asked.ordinal or asked.places):
        return []
    narrow = [sight for sight in sights if not sight.is_wide] or list(sights)
    if not asked.ordinal:
        if len(asked.places) == 1:
            return [max(narrow, key=measure(asked.places[0], narrow))]
        return [max(narrow, key=_corner(asked.places, narrow))]
    if not asked.direction and asked.places:
        way = measure(asked.places[0], narrow)
        order = sorted(narrow, key=lambda sight: -way(sight))
    else:
        order = sorted(narrow, key=_counted_from(asked.direction))
    at = asked.ordinal - 1 if asked.ordinal > 0 else len(order) + asked.ordinal
    return order[at : at + 1] if at >= 0 else []


_MEASURES: dict[str, Callable[[Sight], float]] = {
    "top": lambda s: -s.element.centre[1],
    "bottom": lambda s: s.element.centre[1],
    "left": lambda s: -s.element.centre[0],
    "right": lambda s: s.element.centre[0],
    "large": lambda s: s.element.bbox[2] * s.element.bbox[3],
    "small": lambda s: -s.element.bbox[2] * s.element.bbox[3],
    "wide": lambda s: s.element.bbox[2],
    "narrow": lambda s: -s.element.bbox[2],
    "tall": lambda s: s.element.bbox[3],
    "short": lambda s: -s.element.bbox[3],
    "last": lambda s: s.element.centre[1] * 10 + s.element.centre[0],
}


def measure(place: str, sights: Sequence[Sight]) -> Callable[[Sight], float]:
    """What is greatest of the one that a superlative chooses of some sights."""
    if place in _MEASURES:
        return _MEASURES[place]
    x, y = (sum(s.element.centre[i] for s in sights) / max(len(sights), 1) for i in (0, 1))
    return lambda s: -abs(s.element.centre[0] - x) - abs(s.element.centre[1] - y)


def _corner(places: Sequence[str], sights: Sequence[Sight]) -> Callable[[Sight], float]:
    """How far something is towards several places at once, such as the top and the left: from 0 to 1 for each."""
    scales = []
    for place in places:
        way = measure(place, sights)
        values = [way(sight) for sight in sights]
        scales.append((way, min(values), max(values) - min(values) or 1.0))
    return lambda sight: sum((way(sight) - low) / span for way, low, span in scales)


def _counted_from(direction: str) -> Callable[[Sight], tuple[float, float]]:
    ways: dict[str, Callable[[Sight], tuple[float, float]]] = {
        "left": lambda s: (s.element.centre[0], s.element.centre[1]),
        "right": lambda s: (-s.element.centre[0], s.element.centre[1]),
        "top": lambda s: (s.element.centre[1], s.element.centre[0]),
        "bottom": lambda s: (-s.element.centre[1], s.element.centre[0]),
    }
    # As one reads: row by row, those whose middles are about level from the left.
    return ways.get(direction, lambda s: (round(s.element.centre[1] / 24), s.element.centre[0]))
