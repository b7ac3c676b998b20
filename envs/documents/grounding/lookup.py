"""Look elements up by id, name, quoted text, kind, look and place; or by an oracle."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz

from ..operations.values import colour_name, colour_word, ink_of, is_wide, kind_of, styles_of
from ..requests.request import Request
from ..scene.document import Document
from ..scene.elements import BBox, Element
from .placing import infer_place
from .query import ElementQuery, parse_query

_ALIKE = 90
"""The minimum similarity, of 100, of a name that is merely misspelt."""
_NEAR_KINDS = {
    "text": {"list"}, "list": {"table", "text"}, "icon": {"picture"}, "picture": {"icon"}, "circle": {"oval"},
    "oval": {"circle"}, "arrow": {"chevron"}, "chevron": {"arrow"}, "line": {"rectangle"}, "table": {"list"},
}  # fmt: skip
"""The kinds that count where there is none of the requested kind."""
_MAX_OVERLAP = -4
"""The maximum overlap of two elements beside each other, in pixels (negative)."""


class Match(NamedTuple):
    """An element, and how well an expression describes it, from 0 to 1."""

    element: Element
    score: float


def rank_elements(document: Document, words: str) -> list[Match]:
    """All elements of a document, the best match of an expression first.

    Args:
        document: that holds the elements.
        words: an id, a name, or such as ``"the second icon from the left on page 2"``.

    >>> from ..scene.document import shipped_document
    >>> rank_elements(shipped_document("concert_poster"), "the star")[0].element.name
    'badge'
    """
    query, last = parse_query(words), len(document.pages) - 1
    page = query.page if query.page is None or query.page >= 0 else last
    anchor = rank_elements(document, query.anchor)[0].element if query.anchor else None
    points = {element.id: _similarity(query, element) for element in document.elements()}
    for number, one in enumerate(document.pages):
        wide = {element.id for element in one.elements if is_wide(element, one)}
        there = _described(query, [e for e in one.elements if e.id not in wide]) or _described(query, one.elements)
        is_related = anchor is None or document.places[anchor.id][0] == number
        for position, element in enumerate(_chosen(query, there, anchor) if is_related else ()):
            points[element.id] += 3.0 if position == 0 else 1.0
        for element in one.elements:
            points[element.id] += (3.0 if page == number else 0.0) - (0.3 if element.id in wide else 0.0)
    best = sorted(document.elements(), key=lambda element: -points[element.id])
    total = sum(math.exp(points[element.id]) for element in best)
    return [Match(element, math.exp(points[element.id]) / total) for element in best]


def _similarity(query: ElementQuery, element: Element) -> float:
    """Points for the id, name and text of an element."""
    name, text = element.name.lower(), " ".join(element.text.lower().split())
    if query.words == element.id or name in query.names:
        return 14.0 if query.words == element.id else 13.0
    if element.id.lower().replace("_", " ") in query.names:
        return 12.0
    phrase, alike = query.names[0], max(fuzz.ratio(one, name) for one in query.names)
    points = fuzz.token_set_ratio(phrase, name) / 200 + alike / 200
    points += 4.0 if name and alike >= _ALIKE else 0.0
    if query.quote is not None:
        points += 4.0 * _says(query, element) + fuzz.partial_ratio(query.quote, text) / 100
        points += 4.0 * (query.quote == name)
    elif text and (text in phrase or phrase in text):
        points += 1.0
    return points - (0.5 if element.type == "group" and "group" not in query.kinds else 0.0)


def _says(query: ElementQuery, element: Element) -> bool:
    text, quote = " ".join(element.text.lower().split()), str(query.quote)
    if query.quote_way == "begins":
        return text.startswith(quote)
    if query.quote_way == "ends":
        return text.endswith(quote)
    return text == quote if query.quote_way == "says" else quote in text


def _described(query: ElementQuery, elements: Sequence[Element]) -> list[Element]:
    """The visible elements of the kind, text, colour and styles of a query."""
    visible = [e for e in elements if e.opacity > 0 and (e.type != "group" or "group" in query.kinds)]
    if query.kinds:
        near = frozenset().union(*(_NEAR_KINDS.get(kind, set()) for kind in query.kinds))
        visible = [e for e in visible if (kind_of(e) or "group") in query.kinds] or [
            e for e in visible if kind_of(e) in near
        ]
    if query.quote is not None:
        visible = [e for e in visible if _says(query, e)]
    if query.colour is not None:
        exact = [e for e in visible if colour_word(e) == query.colour]
        visible = exact or [e for e in visible if (ink := ink_of(e)) and colour_name(ink) == query.colour]
    return [e for e in visible if styles_of(e) >= set(query.styles)]


def _chosen(query: ElementQuery, elements: Sequence[Element], anchor: Element | None) -> list[Element]:
    """The elements that an order or a relation chooses, the likeliest first."""
    if query.relation is not None and anchor is not None:
        gaps = {e.id: _distance(e, anchor.bbox, query.relation) for e in elements if e is not anchor}
        elements = sorted((e for e in elements if gaps.get(e.id) is not None), key=lambda e: gaps[e.id] or 0.0)
    if query.ordinal:
        order = sorted(elements, key=lambda element: _counted(element, query))
        at = query.ordinal - 1 if query.ordinal > 0 else len(order) + query.ordinal
        return order[at : at + 1] if at >= 0 else []
    if query.places:
        return sorted(elements, key=lambda element: sum(_measure(place, element, elements) for place in query.places))
    return list(elements) if query.relation or len(elements) == 1 else []


def _counted(element: Element, query: ElementQuery) -> tuple[float, float]:
    """The key for counting: from an edge, by size, or in reading order."""
    x, y = element.centre
    if query.direction:
        return {"left": x, "right": -x, "top": y, "bottom": -y}[query.direction], 0
    if query.places:
        return _measure(query.places[0], element, ()), 0
    return round(y / 24), x


def _measure(place: str, element: Element, others: Sequence[Element]) -> float:
    """A measure that is smallest for the element that a superlative chooses."""
    x, y = element.centre
    if place == "middle":
        middle = [sum(other.centre[axis] for other in others) / max(len(others), 1) for axis in (0, 1)]
        return math.dist((x, y), middle)
    area = element.bbox[2] * element.bbox[3]
    return {"top": y, "bottom": -y, "left": x, "right": -x, "large": -area, "small": area}[place]


def _distance(element: Element, anchor: BBox, relation: str) -> float | None:
    """How far an element is from an anchor on one side, in pixels.

    What is aside as well counts as farther. ``None``: it is not on that side.
    """
    left, top, width, height = element.bbox
    x, y, wide, high = anchor
    if relation == "inside":
        across, down = element.centre
        is_inside = width * height < wide * high and x <= across <= x + wide and y <= down <= y + high
        return math.dist(element.centre, (x + wide / 2, y + high / 2)) if is_inside else None
    gaps = {
        "below": top - y - high,
        "above": y - top - height,
        "left of": x - left - width,
        "right of": left - x - wide,
    }
    aside, apart = max(gaps["left of"], gaps["right of"], 0), max(gaps["below"], gaps["above"], 0)
    if relation == "beside":
        return math.hypot(aside, 2 * apart)
    if gaps[relation] < _MAX_OVERLAP:
        return None
    return max(gaps[relation], 0) + 3.0 * (aside if relation in ("below", "above") else apart)


GROUNDERS = ("lookup", "oracle", "noisy")
"""The grounders of environments, by name."""


@dataclass(frozen=True, slots=True)
class Grounder:
    """Finds elements, and places for new ones, by words.

    Attributes:
        rank: the elements that words may mean, the likeliest first.
        knows_request: whether it knows the elements that the request mentions.
    """

    rank: Callable[[Document, str], list[Match]] = rank_elements
    knows_request: bool = False

    def find(self, document: Document, words: str) -> list[Element]:
        """The elements that words may mean, the likeliest first."""
        return [match.element for match in self.rank(document, words)]

    def infer(self, document: Document, words: str, page: int) -> BBox | None:
        """The box for a new element that words describe; see ``infer_place``."""
        return infer_place(document, words, self.find, page)


def make_grounder(name: str, request: Request, accuracy: float) -> Grounder:
    """A grounder for a request.

    Args:
        name: one of ``GROUNDERS``; ``"oracle"`` knows the mentioned elements, ``"noisy"`` too, but errs.
        request: with its mentions.
        accuracy: the share of mentions that the noisy one finds, from 0 to 1.
    """
    if name == "lookup":
        return Grounder()
    mentions = {mention.words: mention.ids for mention in request.mentions}
    rank = partial(_rank_by_request, mentions=mentions, accuracy=accuracy if name == "noisy" else 1.0)
    return Grounder(rank, knows_request=True)


def _rank_by_request(
    document: Document, words: str, mentions: Mapping[str, tuple[str, ...]], accuracy: float
) -> list[Match]:
    """The ranking by rules with the right elements first, except where it errs."""
    matches, ids = rank_elements(document, words), mentions.get(words, ())
    right = [match for match in matches if match.element.id in ids]
    others = [match for match in matches if match.element.id not in ids]
    rng = np.random.default_rng(zlib.crc32(f"{document.name}\n{words}".encode()))
    if not right or rng.random() < accuracy or not others:
        return right + others
    wrong = others.pop(int(rng.integers(min(len(others), 5))))
    return [wrong, *right, *others]
