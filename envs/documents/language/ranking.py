"""Rank elements by a description: a log-linear model with its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load
from ..scene.document import Document
from ..scene.elements import Element
from .candidates import Candidate, View, view_of
from .features import FEATURES, table
from .referring_expressions import Reference, reference
from .selection import room_between

Weights = Mapping[str, float]
"""The weight of each of ``FEATURES``."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An element with the probability that a description means it."""

    element: Element
    score: float


def rank(document: Document, expression: str, weights: Weights, page: int | None = None) -> list[Proposal]:
    """All elements, ranked by the probability that an expression means them.

    P(element | words) = softmax(weights · features).

    Args:
        document: that holds the elements.
        expression: such as ``"the second icon from the left"``.
        weights: of the ``FEATURES``; a missing one is 0.
        page: on which it is, counted from 0; ``None``: on any, or on the page in the expression.
    """
    view = view_of(document)
    candidates = view.on_page(page)
    if not candidates:
        return []
    counts = vector(weights)
    chances = _softmax(rows(view, reference(expression), candidates, counts) @ counts)
    order = np.argsort(-chances, kind="stable")
    return [Proposal(candidates[i].element, float(chances[i])) for i in order]


def vector(weights: Weights) -> NDArray[np.float64]:
    """The weights in the order of ``FEATURES``; a missing one is 0."""
    return np.array([weights.get(name, 0.0) for name in FEATURES])


def rows(
    view: View, query: Reference, candidates: Sequence[Candidate], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The features of some candidates, a row each; see ``features.table``.

    Args:
        view: of the document.
        query: the description.
        candidates: among which is chosen.
        counts: the weights in the order of ``FEATURES``; they choose the anchor of a relation.
    """
    return table(view, query, candidates, likeliest_anchor(view, query, candidates, counts))


def likeliest_anchor(
    view: View, query: Reference, candidates: Sequence[Candidate], counts: NDArray[np.float64]
) -> Candidate | None:
    """The likeliest anchor of a relation; ``None`` without one.

    For "between" it is the first anchor, with the box of the gap between both.
    """
    if query.anchor is None:
        return None
    page = view.page(query.page)
    among = [candidate for candidate in candidates if page is None or candidate.page == page] or candidates
    anchor = among[int(np.argmax(rows(view, query.anchor, among, counts) @ counts))]
    if query.other is None:
        return anchor
    other = among[int(np.argmax(rows(view, query.other, among, counts) @ counts))]
    room = room_between(anchor.element.bbox, other.element.bbox)
    return replace(anchor, element=anchor.element.model_copy(update={"bbox": room}))


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


LEARNED = ROOT / "document_models" / "ranker.json"
"""The weights learned on the train split."""


@lru_cache(maxsize=1)
def hand_set_weights() -> Weights:
    """The hand-set weights from which learning starts."""
    return MappingProxyType(load(RootModel[dict[str, float]], Path(__file__).with_name("hand_set_weights.json")).root)


@lru_cache(maxsize=1)
def learned_weights() -> Weights:
    """The shipped learned weights.

    Raises:
        ValueError: if the file is missing or broken.
    """
    return MappingProxyType(load(RootModel[dict[str, float]], LEARNED).root)
