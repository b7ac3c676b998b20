"""Choosing: which of several elements an ordinal or a superlative means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .expressions import Reference
from .visual_features import Sight


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
