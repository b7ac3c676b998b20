"""Ranking: the elements of a document by how well they are what an expression asks for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from ..scene.document import Document
from ..scene.elements import Element
from ..scoring.likeness import colour_difference
from .expressions import Reference, reference

_NEAR = 120.0
"""How many pixels away something is half as near."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An element that may be meant, with a score: the higher, the likelier."""

    element: Element
    score: float


def rank(document: Document, expression: str, page: int | None = None) -> list[Proposal]:
    """All elements that may be meant, the likeliest first.

    Args:
        document: what is spoken of.
        expression: such as ``"the second icon from the left"``.
        page: on which it is, counted from 0; ``None``: on any.
    """
    asked = reference(expression)
    elements = [e for e in document.elements() if page is None or document.places[e.id][0] == page]
    scores = {element.id: _score(document, asked, element) for element in elements}
    scores = _ordered(asked, elements, scores)
    ranked = sorted(elements, key=lambda element: -scores[element.id])
    return [Proposal(element, scores[element.id]) for element in ranked]


def _score(document: Document, asked: Reference, element: Element) -> float:
    """The weighted sum of how well an element fits, feature by feature."""
    return sum(weight * FEATURES[name](document, asked, element) for name, weight in WEIGHTS.items())


def _name(document: Document, asked: Reference, element: Element) -> float:
    return fuzz.token_set_ratio(asked.words, element.name.lower()) / 100 if asked.words else 0.0


def _whole_name(document: Document, asked: Reference, element: Element) -> float:
    said, name = asked.told.lower().removeprefix("the "), element.name.lower()
    return fuzz.ratio(said, name) / 100


def _same_name(document: Document, asked: Reference, element: Element) -> float:
    return float(asked.told.lower().removeprefix("the ") == element.name.lower())


def _text(document: Document, asked: Reference, element: Element) -> float:
    text = element.text.lower()
    if asked.quoted is not None:
        return fuzz.partial_ratio(asked.quoted.lower(), text) / 100 if text else 0.0
    return fuzz.token_set_ratio(asked.words, text) / 100 if asked.words and text else 0.0


def _quote(document: Document, asked: Reference, element: Element) -> float:
    return float(asked.quoted is not None and asked.quoted.lower() == element.text.lower().strip())


def _kind(document: Document, asked: Reference, element: Element) -> float:
    if asked.kind is None:
        return 0.0
    if asked.kind == element.type:
        return 1.0 if asked.shape in (None, element.shape) else -0.5
    # People call lists texts, and shapes with words in them boxes.
    return 0.3 if {asked.kind, element.type} <= {"text", "list"} else -1.0


def _colour(document: Document, asked: Reference, element: Element) -> float:
    if asked.colour is None:
        return 0.0
    style = element.style
    seen = {"shape": style.fill, "line": style.stroke, "table": style.fill}.get(element.type, style.colour)
    return -1.0 if seen is None or element.type == "image" else 1 - min(colour_difference(seen, asked.colour) / 40, 2)


def _style(document: Document, asked: Reference, element: Element) -> float:
    style = element.style
    held = {
        "bold": style.bold,
        "italic": style.italic,
        "underlined": style.underline,
        "turned": element.angle != 0,
        "rotated": element.angle != 0,
        "tilted": element.angle != 0,
        "transparent": element.opacity < 1,
        "faded": element.opacity < 1,
    }
    return sum(1.0 if held[name] else -1.0 for name in asked.styles)


def _relation(document: Document, asked: Reference, element: Element) -> float:
    """How well an element stands to the likeliest anchor as it is asked."""
    if asked.relation is None or asked.anchor is None:
        return 0.0
    others = [other for other in document.elements() if other.id != element.id]
    if not others:
        return 0.0
    anchor = max(others, key=lambda other: _score(document, asked.anchor, other))  # type: ignore[arg-type]
    if document.places[anchor.id][0] != document.places[element.id][0]:
        return -1.0
    return _stands(asked.relation, element, anchor)


def _stands(relation: str, element: Element, anchor: Element) -> float:
    (x, y), (ax, ay) = element.centre, anchor.centre
    left, top, width, height = anchor.bbox
    if relation == "inside":
        return 1.0 if left <= x <= left + width and top <= y <= top + height else -1.0
    ways: dict[str, tuple[float, float]] = {
        "below": (y - ay, abs(x - ax)),
        "above": (ay - y, abs(x - ax)),
        "left of": (ax - x, abs(y - ay)),
        "right of": (x - ax, abs(y - ay)),
    }
    along, across = ways.get(relation, (math.hypot(x - ax, y - ay), 0.0))
    if along <= 0:
        return -1.0
    return 2 / (1 + (along + 2 * across) / _NEAR) - 0.2


FEATURES: dict[str, Callable[[Document, Reference, Element], float]] = {
    "name": _name,
    "whole name": _whole_name,
    "same name": _same_name,
    "text": _text,
    "quote": _quote,
    "kind": _kind,
    "colour": _colour,
    "style": _style,
    "relation": _relation,
}
"""How well an element fits, by feature; about 1 where it does."""
WEIGHTS = {
    "name": 2.0,
    "whole name": 1.5,
    "same name": 3.0,
    "text": 1.0,
    "quote": 2.0,
    "kind": 1.2,
    "colour": 1.2,
    "style": 0.8,
    "relation": 2.0,
}
"""What each feature counts."""

_PLACES: dict[str, Callable[[Element], float]] = {
    "top": lambda e: -e.centre[1],
    "bottom": lambda e: e.centre[1],
    "left": lambda e: -e.centre[0],
    "right": lambda e: e.centre[0],
    "large": lambda e: e.bbox[2] * e.bbox[3],
    "small": lambda e: -e.bbox[2] * e.bbox[3],
    "last": lambda e: e.centre[1] * 10 + e.centre[0],
}
_ALIKE = 0.75
"""From this share of the best score on, elements are of those among which places and ordinals choose."""


def _ordered(asked: Reference, elements: Sequence[Element], scores: dict[str, float]) -> dict[str, float]:
    """Scores after ordinals and superlatives have chosen among those that fit about equally well."""
    if not asked.ordinal and asked.place is None:
        return scores
    best = max(scores.values(), default=0.0)
    alike = [e for e in elements if scores[e.id] >= best * _ALIKE]
    if asked.ordinal:
        order = sorted(alike, key=_counted_from(asked.direction))
        chosen = order[asked.ordinal - 1 : asked.ordinal]
    else:
        measure = _PLACES.get(asked.place or "", _off_middle(alike))
        chosen = [max(alike, key=measure)] if alike else []
    return scores | {element.id: scores[element.id] + 1.0 for element in chosen}


def _counted_from(direction: str) -> Callable[[Element], tuple[float, float]]:
    ways: dict[str, Callable[[Element], tuple[float, float]]] = {
        "left": lambda e: (e.centre[0], e.centre[1]),
        "right": lambda e: (-e.centre[0], e.centre[1]),
        "top": lambda e: (e.centre[1], e.centre[0]),
        "bottom": lambda e: (-e.centre[1], e.centre[0]),
    }
    # As one reads: row by row, those whose tops are about level from the left.
    return ways.get(direction, lambda e: (round(e.centre[1] / 24), e.centre[0]))


def _off_middle(elements: Sequence[Element]) -> Callable[[Element], float]:
    count = max(len(elements), 1)
    x, y = (sum(e.centre[i] for e in elements) / count for i in (0, 1))
    return lambda e: -math.hypot(e.centre[0] - x, e.centre[1] - y)
