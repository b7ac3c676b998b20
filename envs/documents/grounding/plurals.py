"""Plurals: all the elements that words such as "every icon below the headline" mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..scene.document import Document
from ..scene.elements import Element
from .expressions import Reference, reference
from .features import FEATURES
from .fitting import fitting
from .ranking import likeliest_anchor, rank
from .relations import distance
from .sights import Sight, View, view_of
from .weights import learned_weights

_LESS = re.compile(
    r"(?<=\w)[ ,]+(?:except(?: for)?|but(?: not)?|apart from|other than|save for)"
    r"(?= (?:the|that|those|this|an?|all)\b)",
    re.I,
)
"""What stands before those that are not meant."""


def meant(document: Document, words: str, page: int | None = None) -> list[Element]:
    """The elements that words mean: all that fit if they are in the plural, else the likeliest one.

    Args:
        document: what is spoken of.
        words: such as ``"all bold texts"`` or ``"the headline"``.
        page: on which they are, counted from 0; ``None``: on any, or where the words say.

    Returns:
        In the order in which they are painted; none if nothing fits.
    """
    less = _LESS.search(words)
    if less is not None:
        left_out = {element.id for element in meant(document, words[less.end() :], page)}
        return [element for element in meant(document, words[: less.start()], page) if element.id not in left_out]
    asked = reference(words)
    if not asked.is_plural:
        return [proposal.element for proposal in rank(document, words, learned_weights(), page)[:1]]
    view = view_of(document)
    told = page if asked.page is None else asked.page if asked.page >= 0 else len(document.pages) - 1
    sights = [sight for sight in view.sights if told is None or sight.page == told]
    fit = fitting(replace(asked, quote_way="holds") if asked.quote_way == "says" else asked, sights)
    fit = [sight for sight in fit if not sight.is_wide] or fit
    related = _related(view, asked, sights, fit)
    # Where nothing is in what is named, "in" has most likely another meaning.
    fit = related or (fit if asked.relation == "inside" else [])
    return [sight.element for sight in (fit if asked.kinds else _named(asked, fit))]


def _related(view: View, asked: Reference, sights: Sequence[Sight], fit: list[Sight]) -> list[Sight]:
    """Those that stand to the anchor as it is told, however far away."""
    weights = learned_weights()
    counts = np.array([weights.get(name, 0.0) for name in FEATURES])
    anchor = likeliest_anchor(view, asked, sights, counts) if sights else None
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
    said = {stem(word) for word in asked.words} - {stem(asked.colour or "")}
    return [sight for sight in fit if said & {stem(word) for word in sight.named}] or fit


def stem(word: str) -> str:
    """A noun without the ending of its plural."""
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.removesuffix("s")
