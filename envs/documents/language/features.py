"""The features of the ranker: how well elements match a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from ..operations.traits import KINDS
from .candidates import Candidate, View
from .referring_expressions import Reference, bare, paged, words_of
from .selection import chosen, colour_distance, distance, fitting, has_style, is_in_line, measure

Columns = Mapping[str, NDArray[np.float64]]
"""By feature: a number for each element."""

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
"""Nouns for kinds do not count as words of names: "the text below" is not "text of the card"."""
_NEAR = 120.0
"""The distance in pixels at which nearness is 0.5."""


def table(
    view: View, query: Reference, candidates: Sequence[Candidate], anchor: Candidate | None
) -> NDArray[np.float64]:
    """The features: a row for each candidate, a column for each of ``FEATURES``.

    Ordinals, superlatives and relations are features of what fits the kind, text, colour and style of the query.

    Args:
        view: of the document.
        query: the description.
        candidates: among which is chosen.
        anchor: what the relation is to, if there is one.
    """
    found = np.zeros((len(candidates), len(FEATURES)))
    columns: dict[str, NDArray[np.float64]] = {name: found[:, i] for i, name in enumerate(FEATURES)}
    _name(columns, view, query, candidates)
    _look(columns, query, candidates)
    if query.quoted is not None:
        _quote(columns, query, candidates)
    _pages(columns, view, query, candidates)
    if query.relation is not None and anchor is not None:
        _relation(columns, query, candidates, anchor)
    _order(columns, query, candidates, anchor)
    return found


def _name(columns: Columns, view: View, query: Reference, candidates: Sequence[Candidate]) -> None:
    words = bare(words_of(query.text)) or words_of(query.text)
    pageless = bare(words_of(paged(query.text)[0]))
    joined, head = f" {' '.join(words)} ", set(query.words) - _NOUNS
    anchor = f" {' '.join(bare(words_of(query.anchor.text)))} " if query.anchor else ""
    total = sum(view.weights.get(word, 3.0) for word in head)
    for i, candidate in enumerate(candidates):
        named, spelt = " ".join(candidate.name_words), " ".join(candidate.text_sequence)
        if query.quoted is None and candidate.text_words:
            columns["text in words"][i] = len(spelt) / len(joined) if spelt and f" {spelt} " in joined else 0.0
            columns["words of text"][i] = sum(view.weights.get(w, 3.0) for w in head & candidate.text_words) / (
                total or 1.0
            )
        if not named or not words:
            continue
        columns["same name"][i] = named == joined.strip()
        columns["same unpaged"][i] = pageless == candidate.pageless_name
        columns["name in words"][i] = len(named) / len(joined.strip()) if f" {named} " in joined else 0.0
        columns["name in anchor"][i] = f" {named} " in anchor
        columns["like name"][i] = fuzz.ratio(joined.strip(), named) / 100
        columns["words of name"][i] = _shared(view, head, set(candidate.name_words), total)


def _shared(view: View, words: set[str], named: set[str], total: float) -> float:
    """The weighted Jaccard index of two sets of words."""
    shared = sum(view.weights.get(word, 3.0) for word in words & named)
    return shared / (total + sum(view.weights.get(word, 3.0) for word in named - words) or 1.0)


def _look(columns: Columns, query: Reference, candidates: Sequence[Candidate]) -> None:
    for i, candidate in enumerate(candidates):
        if query.kinds:
            fit = (
                "kind"
                if candidate.kind in query.kinds
                else "loose kind"
                if candidate.kind in query.near_kinds
                else "other kind"
            )
            columns[fit][i] = 1.0
        columns["group"][i] = candidate.kind == "group" and "group" not in query.kinds
        if query.colour is not None:
            away = colour_distance(candidate, query.colour)
            columns["colour"][i] = away == 0
            columns["near colour"][i] = 0.0 if away is None else max(0.0, 1 - away / 40)
            columns["other colour"][i] = away is None or away > 40
        for style in query.styles:
            columns["style" if has_style(candidate, style) else "other style"][i] += 1.0
        columns["hidden"][i] = candidate.element.opacity == 0
        columns["wide"][i] = candidate.is_wide


def _quote(columns: Columns, query: Reference, candidates: Sequence[Candidate]) -> None:
    quoted, way = str(query.quoted), query.quote_way
    for i, candidate in enumerate(candidates):
        columns["quoted name"][i] = candidate.name == quoted and (way == "name" or not query.kinds)
        if not candidate.text:
            continue
        columns["same text"][i] = candidate.text == quoted and way in ("says", "name")
        columns["begins"][i] = candidate.text.startswith(quoted) and (way != "ends")
        columns["ends"][i] = candidate.text.endswith(quoted) and way == "ends"
        columns["holds"][i] = quoted in candidate.text
        columns["like text"][i] = fuzz.partial_ratio(quoted, candidate.text) / 100 if len(quoted) > 2 else 0.0


def _pages(columns: Columns, view: View, query: Reference, candidates: Sequence[Candidate]) -> None:
    if query.page is not None:
        columns["other page"][:] = [candidate.page != view.page(query.page) for candidate in candidates]


def _relation(columns: Columns, query: Reference, candidates: Sequence[Candidate], anchor: Candidate) -> None:
    relation = str(query.relation)
    away: list[float | None] = [
        distance(candidate.element, anchor.element, relation)
        if candidate is not anchor and candidate.page == anchor.page
        else None
        for candidate in candidates
    ]
    fit = {id(candidate) for candidate in fitting(query, [s for s in candidates if s is not anchor])}
    straight = [
        gap is not None and is_in_line(candidate.element, anchor.element, relation)
        for candidate, gap in zip(candidates, away, strict=True)
    ]
    nearest = _nearest([gap if id(s) in fit else None for s, gap in zip(candidates, away, strict=True)], straight)
    for i, (candidate, gap) in enumerate(zip(candidates, away, strict=True)):
        columns["anchor"][i] = candidate is anchor
        columns["related"][i] = straight[i]
        columns["nearest"][i] = gap is not None and gap == nearest and id(candidate) in fit
        columns["near"][i] = 0.0 if gap is None else 1 / (1 + gap / _NEAR)
        columns["not related"][i] = gap is None


def _nearest(away: Sequence[float | None], straight: Sequence[bool]) -> float | None:
    """The smallest distance of an element in line with the anchor, or else of any."""
    there = [(not is_straight, gap) for gap, is_straight in zip(away, straight, strict=True) if gap is not None]
    return min(there)[1] if there else None


def _order(columns: Columns, query: Reference, candidates: Sequence[Candidate], anchor: Candidate | None) -> None:
    """Mark those that fit, and what an ordinal or superlative chooses, page by page."""
    place = {id(candidate): i for i, candidate in enumerate(candidates)}
    has_properties = bool(query.kinds or query.colour or query.styles or query.quoted)
    for _, on_page in groupby(candidates, key=lambda candidate: candidate.page):
        fit = fitting(query, list(on_page))
        if query.relation and anchor is not None:
            related = [s for s in fit if columns["not related"][place[id(s)]] == 0 and s is not anchor]
            fit = related if query.ordinal or query.places else fit
        for candidate in fit if has_properties else ():
            columns["fits"][place[id(candidate)]] = 1.0
        for candidate in chosen(query, fit):
            columns["ordinal" if query.ordinal else "place"][place[id(candidate)]] = 1.0
        for name in query.places if len(fit) > 1 else ():
            for i, candidate in enumerate(sorted(fit, key=measure(name, fit))):
                columns["towards"][place[id(candidate)]] += i / (len(fit) - 1) / len(query.places)
