"""Select elements by kind, text, look, relation, ordinal or superlative."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..operations.values import COLOURS
from ..scene.colours import colour_difference
from ..scene.elements import Box, Element
from .candidates import Candidate
from .referring_expressions import Reference

_NEARLY = 30.0
"""The maximum distance of a colour from a requested one (CIE76) where nothing is nearer."""


def fitting(query: Reference, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with the kind, text, colour and styles of a query.

    If none is of its kinds, those of its near kinds count.
    """
    found = _of_kind(query, candidates)
    if query.quoted is not None:
        found = [candidate for candidate in found if says(candidate, query.quoted, query.quote_way)]
    if query.colour is not None:
        found = _of_colour(query.colour, found)
    return [candidate for candidate in found if all(has_style(candidate, style) for style in query.styles)]


def says(candidate: Candidate, quoted: str, way: str) -> bool:
    """Whether an element's text or name relates to a quotation in a ``quote_way``."""
    ways = {
        "says": candidate.text == quoted,
        "begins": candidate.text.startswith(quoted),
        "ends": candidate.text.endswith(quoted),
        "holds": quoted in candidate.text,
        "name": candidate.name == quoted,
    }
    return ways[way]


def has_style(candidate: Candidate, style: str) -> bool:
    """Whether an element has a style or, with ``not`` before it, lacks it."""
    name = style.removeprefix("not ")
    return (name in candidate.styles) is (name == style)


def colour_distance(candidate: Candidate, colour: str) -> float | None:
    """How far an element's colour is from a named one (CIE76); ``None`` without one."""
    if candidate.colour == colour:
        return 0.0
    return None if candidate.ink is None else colour_difference(candidate.ink, COLOURS[colour])


def _of_kind(query: Reference, candidates: Sequence[Candidate]) -> list[Candidate]:
    if "group" in query.kinds:
        return [candidate for candidate in candidates if candidate.kind == "group"]
    visible = [candidate for candidate in candidates if candidate.is_visible]
    if not query.kinds:
        return visible
    return [s for s in visible if s.kind in query.kinds] or [s for s in visible if s.kind in query.near_kinds]


def _of_colour(colour: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    exact = [candidate for candidate in candidates if candidate.colour == colour]
    if exact:
        return exact
    # Where nothing has this colour, a shade with another name, or none, counts.
    distances = [(colour_distance(candidate, colour), candidate) for candidate in candidates]
    return [candidate for distance, candidate in distances if distance is not None and distance <= _NEARLY]


_OVERLAP = -4
"""The maximum overlap of two elements beside each other, in pixels (negative)."""


def distance(element: Element, anchor: Element, relation: str) -> float | None:
    """How far an element is from an anchor on one side, in pixels, edge to edge.

    Elements that are both below and aside count as farther. ``None``: it is not on that side or, for ``inside`` and
    ``between``, not in it.

    Args:
        element: whose distance is measured.
        anchor: what it is related to; for ``between``, one in the box of ``room_between``.
        relation: one of ``Lexicon.relations``.
    """
    gaps = _gaps(element, anchor)
    if relation in ("inside", "between"):
        return math.dist(element.centre, anchor.centre) if _is_inside(element, anchor) else None
    aside = max(gaps["left of"], gaps["right of"], 0)
    apart = max(gaps["below"], gaps["above"], 0)
    if relation == "beside":
        # What is level with the anchor is beside it rather than what is below or above.
        return math.hypot(aside, 2 * apart)
    if gaps[relation] < _OVERLAP:
        return None
    return max(gaps[relation], 0.0) + 3 * (aside if relation in ("below", "above") else apart)


def related(
    candidates: Sequence[Candidate], anchor: Element, page: int, relation: str
) -> list[tuple[float, Candidate]]:
    """The candidates on a side of an anchor on a page, with distances in pixels."""
    return [
        (gap, candidate)
        for candidate in candidates
        if candidate.element.id != anchor.id and candidate.page == page
        if (gap := distance(candidate.element, anchor, relation)) is not None
    ]


def without_wide(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that do not fill their page; all of them if all do."""
    return [candidate for candidate in candidates if not candidate.is_wide] or list(candidates)


def is_in_line(element: Element, anchor: Element, relation: str) -> bool:
    """Whether an element is in line with an anchor: half of the smaller one overlaps.

    For ``inside`` and ``between``: whether it is in the anchor.
    """
    if relation in ("inside", "between"):
        return distance(element, anchor, relation) is not None
    axis = 0 if relation in ("below", "above") else 1
    start, length = element.bbox[axis], element.bbox[axis + 2]
    other, other_length = anchor.bbox[axis], anchor.bbox[axis + 2]
    shared = min(start + length, other + other_length) - max(start, other)
    return shared >= 0.5 * min(length, other_length)


def room_between(one: Box, other: Box) -> Box:
    """The box of the gap between two boxes; where they overlap, it spans both."""
    starts, lengths = zip(*(_room((one[i], one[i + 2]), (other[i], other[i + 2])) for i in (0, 1)), strict=True)
    return (*starts, *lengths)


def _room(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Start and length of the gap between two intervals, or else of their union."""
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


def chosen(query: Reference, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidate that an ordinal or superlative chooses; none without either."""
    if not candidates or not (query.ordinal or query.places):
        return []
    narrow = without_wide(candidates)
    if not query.ordinal:
        if len(query.places) == 1:
            return [max(narrow, key=measure(query.places[0], narrow))]
        return [max(narrow, key=_corner(query.places, narrow))]
    if not query.direction and query.places:
        way = measure(query.places[0], narrow)
        order = sorted(narrow, key=lambda candidate: -way(candidate))
    else:
        order = sorted(narrow, key=_counted_from(query.direction))
    at = query.ordinal - 1 if query.ordinal > 0 else len(order) + query.ordinal
    return order[at : at + 1] if at >= 0 else []


_MEASURES: dict[str, Callable[[Candidate], float]] = {
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


def measure(place: str, candidates: Sequence[Candidate]) -> Callable[[Candidate], float]:
    """The measure that a superlative maximizes among some candidates."""
    if place in _MEASURES:
        return _MEASURES[place]
    x, y = (sum(s.element.centre[i] for s in candidates) / max(len(candidates), 1) for i in (0, 1))
    return lambda s: -abs(s.element.centre[0] - x) - abs(s.element.centre[1] - y)


def _corner(places: Sequence[str], candidates: Sequence[Candidate]) -> Callable[[Candidate], float]:
    """The sum of several measures, such as of top and left, each scaled to 0–1."""
    scales = []
    for place in places:
        way = measure(place, candidates)
        values = [way(candidate) for candidate in candidates]
        scales.append((way, min(values), max(values) - min(values) or 1.0))
    return lambda candidate: sum((way(candidate) - low) / span for way, low, span in scales)


def _counted_from(direction: str) -> Callable[[Candidate], tuple[float, float]]:
    ways: dict[str, Callable[[Candidate], tuple[float, float]]] = {
        "left": lambda s: (s.element.centre[0], s.element.centre[1]),
        "right": lambda s: (-s.element.centre[0], s.element.centre[1]),
        "top": lambda s: (s.element.centre[1], s.element.centre[0]),
        "bottom": lambda s: (-s.element.centre[1], s.element.centre[0]),
    }
    # As one reads: row by row, those whose middles are about level from the left.
    return ways.get(direction, lambda s: (round(s.element.centre[1] / 24), s.element.centre[0]))
