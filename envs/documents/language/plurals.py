"""Plurals: all the elements that words such as "every icon below the headline" mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..scene.document import Document
from ..scene.elements import Element
from .expressions import QUOTE, Reference, reference
from .ranking import learned_weights, likeliest_anchor, rank, vector
from .selection import distance, fitting
from .view import Sight, View, view_of

_LESS = re.compile(
    r"(?<=\w)[ ,]+(?:except(?: for)?|but(?: not)?|apart from|other than|save for)"
    r"(?= (?:the|that|those|this|an?|all)\b)",
    re.I,
)
"""What stands before those that are not meant."""


def resolve_plural(document: Document, words: str, page: int | None = None) -> list[Element]:
    """The elements that words mean: all that fit if they are in the plural, else the likeliest one.

    Args:
        document: what is spoken of.
        words: such as ``"all bold texts"`` or ``"the headline"``.
        page: on which they are, counted from 0; ``None``: on any, or where the words say.

    Returns:
        In the order in which they are painted; none if nothing fits.
    """
    less = _LESS.search(QUOTE.sub(lambda found: "x" * len(found[0]), words))
    if less is not None:
        left_out = {element.id for element in resolve_plural(document, words[less.end() :], page)}
        return [
            element for element in resolve_plural(document, words[: less.start()], page) if element.id not in left_out
        ]
    asked, view = reference(words), view_of(document)
    # An element may be called in the plural: "the opening hours".
    is_name = any(sight.name == asked.told.removeprefix("the ") for sight in view.sights)
    if is_name or not asked.is_plural:
        return [proposal.element for proposal in rank(document, words, learned_weights(), page)[:1]]
    told = page if asked.page is None else view.page(asked.page)
    return [sight.element for sight in _all(document, view, asked, told)]


def _all(document: Document, view: View, asked: Reference, page: int | None) -> list[Sight]:
    """All that fit, on a page counted from 0 or on any."""
    sights = [sight for sight in view.sights if page is None or sight.page == page]
    fit = fitting(replace(asked, quote_way="holds") if asked.quote_way == "says" else asked, sights)
    fit = [sight for sight in fit if not sight.is_wide] or fit
    fit = [sight for sight in fit if _is_there(document, sight, asked.places)]
    related = _related(view, asked, sights, fit)
    # Where nothing is in what is named, "in" has most likely another meaning.
    fit = related or (fit if asked.relation == "inside" else [])
    return fit if asked.kinds else _named(asked, fit)


def _is_there(document: Document, sight: Sight, places: Sequence[str]) -> bool:
    """Whether the middle of an element is in the halves of its page that are told."""
    page = document.pages[sight.page]
    across, down = sight.element.centre[0] / page.width, sight.element.centre[1] / page.height
    halves = {"left": across < 0.5, "right": across > 0.5, "top": down < 0.5, "bottom": down > 0.5}
    return all(halves.get(place, True) for place in places)


def _related(view: View, asked: Reference, sights: Sequence[Sight], fit: list[Sight]) -> list[Sight]:
    """Those that stand to the anchor as it is told, however far away."""
    anchor = likeliest_anchor(view, asked, sights, vector(learned_weights())) if sights else None
    if asked.relation is None or anchor is None:
        return fit
    return [
        sight
        for sight in fit
        if sight is not anchor
        and sight.page == anchor.page
        and distance(sight.element, anchor.element, asked.relation) is not None
    ]


def _named(asked: Reference, fit: list[Sight]) -> list[Sight]:
    """Where no kind is told: those whose names hold the words, in the singular or the plural; all if none does."""
    said = {_stem(word) for word in asked.words} - {_stem(asked.colour or "")}
    return [sight for sight in fit if said & {_stem(word) for word in sight.named}] or fit


def _stem(word: str) -> str:
    """A noun without the ending of its plural."""
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.removesuffix("s")
