"""Features: how well elements are what an expression asks for, as numbers that weights make a score of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from ..operations.traits import KINDS
from .expressions import Reference, bare, paged, words_of
from .selection import chosen, colour_distance, distance, fitting, has_style, is_in_line, measure
from .view import Sight, View

Columns = Mapping[str, NDArray[np.float64]]
"""By the names of features: a number for each element."""

FEATURES = (
    "same name", "same unpaged", "name in words", "name in anchor", "like name", "words of name",
    "text in words", "words of text",
    "same text", "begins", "ends", "holds", "like text", "quoted name",
    "kind", "loose kind", "other kind", "group",
    "colour", "near colour", "other colour", "style", "other style",
    "other page", "ordinal", "place", "towards", "related", "nearest", "near", "not related", "anchor",
    "fits", "hidden", "wide",
)  # fmt: skip
"""The features, in the order of the columns of ``table``."""
_NOUNS = frozenset(noun for nouns in KINDS.values() for noun in nouns)
"""What says the kind says nothing of names: "the text below" is not "text of the card"."""
_NEAR = 120.0
"""How many pixels away something is half as near."""


def table(view: View, asked: Reference, sights: Sequence[Sight], anchor: Sight | None) -> NDArray[np.float64]:
    """A row for each of some sights, a column for each of ``FEATURES``: about 1 where it holds, 0 where it does not.

    Ordinals, superlatives and relations are features of what fits the kind, text, colour and style that are asked for.

    Args:
        view: of the document.
        asked: what words ask for.
        sights: among which is chosen.
        anchor: what the relation is to, if one is told.
    """
    found = np.zeros((len(sights), len(FEATURES)))
    columns: dict[str, NDArray[np.float64]] = {name: found[:, i] for i, name in enumerate(FEATURES)}
    _name(columns, view, asked, sights)
    _look(columns, asked, sights)
    if asked.quoted is not None:
        _quote(columns, asked, sights)
    _pages(columns, view, asked, sights)
    if asked.relation is not None and anchor is not None:
        _relation(columns, asked, sights, anchor)
    _order(columns, asked, sights, anchor)
    return found


def _name(columns: Columns, view: View, asked: Reference, sights: Sequence[Sight]) -> None:
    said = bare(words_of(asked.told)) or words_of(asked.told)
    less = bare(words_of(paged(asked.told)[0]))
    joined, head = f" {' '.join(said)} ", set(asked.words) - _NOUNS
    anchor = f" {' '.join(bare(words_of(asked.anchor.told)))} " if asked.anchor else ""
    total = sum(view.weights.get(word, 3.0) for word in head)
    for i, sight in enumerate(sights):
        named, spelt = " ".join(sight.named), " ".join(sight.spelt)
        if asked.quoted is None and sight.texted:
            columns["text in words"][i] = len(spelt) / len(joined) if spelt and f" {spelt} " in joined else 0.0
            columns["words of text"][i] = sum(view.weights.get(w, 3.0) for w in head & sight.texted) / (total or 1.0)
        if not named or not said:
            continue
        columns["same name"][i] = named == joined.strip()
        columns["same unpaged"][i] = less == sight.unpaged
        columns["name in words"][i] = len(named) / len(joined.strip()) if f" {named} " in joined else 0.0
        columns["name in anchor"][i] = f" {named} " in anchor
        columns["like name"][i] = fuzz.ratio(joined.strip(), named) / 100
        columns["words of name"][i] = _shared(view, head, set(sight.named), total)


def _shared(view: View, said: set[str], named: set[str], total: float) -> float:
    """What part of the words of two, weighted, they share."""
    shared = sum(view.weights.get(word, 3.0) for word in said & named)
    return shared / (total + sum(view.weights.get(word, 3.0) for word in named - said) or 1.0)


def _look(columns: Columns, asked: Reference, sights: Sequence[Sight]) -> None:
    for i, sight in enumerate(sights):
        if asked.kinds:
            fit = "kind" if sight.kind in asked.kinds else "loose kind" if sight.kind in asked.loosely else "other kind"
            columns[fit][i] = 1.0
        columns["group"][i] = sight.kind == "group" and "group" not in asked.kinds
        if asked.colour is not None:
            away = colour_distance(sight, asked.colour)
            columns["colour"][i] = away == 0
            columns["near colour"][i] = 0.0 if away is None else max(0.0, 1 - away / 40)
            columns["other colour"][i] = away is None or away > 40
        for style in asked.styles:
            columns["style" if has_style(sight, style) else "other style"][i] += 1.0
        columns["hidden"][i] = sight.element.opacity == 0
        columns["wide"][i] = sight.is_wide


def _quote(columns: Columns, asked: Reference, sights: Sequence[Sight]) -> None:
    quoted, way = str(asked.quoted), asked.quote_way
    for i, sight in enumerate(sights):
        columns["quoted name"][i] = sight.name == quoted and (way == "name" or not asked.kinds)
        if not sight.text:
            continue
        columns["same text"][i] = sight.text == quoted and way in ("says", "name")
        columns["begins"][i] = sight.text.startswith(quoted) and (way != "ends")
        columns["ends"][i] = sight.text.endswith(quoted) and way == "ends"
        columns["holds"][i] = quoted in sight.text
        columns["like text"][i] = fuzz.partial_ratio(quoted, sight.text) / 100 if len(quoted) > 2 else 0.0


def _pages(columns: Columns, view: View, asked: Reference, sights: Sequence[Sight]) -> None:
    if asked.page is not None:
        columns["other page"][:] = [sight.page != view.page(asked.page) for sight in sights]


def _relation(columns: Columns, asked: Reference, sights: Sequence[Sight], anchor: Sight) -> None:
    relation = str(asked.relation)
    away: list[float | None] = [
        distance(sight.element, anchor.element, relation) if sight is not anchor and sight.page == anchor.page else None
        for sight in sights
    ]
    fit = {id(sight) for sight in fitting(asked, [s for s in sights if s is not anchor])}
    straight = [
        gap is not None and is_in_line(sight.element, anchor.element, relation)
        for sight, gap in zip(sights, away, strict=True)
    ]
    nearest = _nearest([gap if id(s) in fit else None for s, gap in zip(sights, away, strict=True)], straight)
    for i, (sight, gap) in enumerate(zip(sights, away, strict=True)):
        columns["anchor"][i] = sight is anchor
        columns["related"][i] = straight[i]
        columns["nearest"][i] = gap is not None and gap == nearest and id(sight) in fit
        columns["near"][i] = 0.0 if gap is None else 1 / (1 + gap / _NEAR)
        columns["not related"][i] = gap is None


def _nearest(away: Sequence[float | None], straight: Sequence[bool]) -> float | None:
    """The smallest distance of what stands straight in the way that is told, or else of anything there."""
    there = [(not is_straight, gap) for gap, is_straight in zip(away, straight, strict=True) if gap is not None]
    return min(there)[1] if there else None


def _order(columns: Columns, asked: Reference, sights: Sequence[Sight], anchor: Sight | None) -> None:
    """Which an ordinal or a superlative chooses among those that fit, page by page."""
    place = {id(sight): i for i, sight in enumerate(sights)}
    is_told = bool(asked.kinds or asked.colour or asked.styles or asked.quoted)
    for _, on_page in groupby(sights, key=lambda sight: sight.page):
        fit = fitting(asked, list(on_page))
        if asked.relation and anchor is not None:
            related = [s for s in fit if columns["not related"][place[id(s)]] == 0 and s is not anchor]
            fit = related if asked.ordinal or asked.places else fit
        for sight in fit if is_told else ():
            columns["fits"][place[id(sight)]] = 1.0
        for sight in chosen(asked, fit):
            columns["ordinal" if asked.ordinal else "place"][place[id(sight)]] = 1.0
        for name in asked.places if len(fit) > 1 else ():
            for i, sight in enumerate(sorted(fit, key=measure(name, fit))):
                columns["towards"][place[id(sight)]] += i / (len(fit) - 1) / len(asked.places)
