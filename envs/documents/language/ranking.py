"""A log-linear model of which element words mean, with its weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load
from ..scene.document import Document
from ..scene.elements import Element
from .expressions import Reference, reference
from .features import FEATURES, table
from .selection import room_between
from .view import Sight, View, view_of

Weights = Mapping[str, float]
"""What each of ``FEATURES`` counts."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """An element that may be meant, with the probability that it is, from 0 to 1."""

    element: Element
    score: float


def rank(document: Document, expression: str, weights: Weights, page: int | None = None) -> list[Proposal]:
    """All elements that may be meant, the likeliest first: P(element | words) = softmax(weights · features).

    Args:
        document: what is spoken of.
        expression: such as ``"the second icon from the left"``.
        weights: what each of ``FEATURES`` counts; one that is missing counts nothing.
        page: on which it is, counted from 0; ``None``: on any, or where the words say.
    """
    view = view_of(document)
    sights = [sight for sight in view.sights if page is None or sight.page == page]
    if not sights:
        return []
    counts = vector(weights)
    chances = _softmax(rows(view, reference(expression), sights, counts) @ counts)
    order = np.argsort(-chances, kind="stable")
    return [Proposal(sights[i].element, float(chances[i])) for i in order]


def vector(weights: Weights) -> NDArray[np.float64]:
    """Weights in the order of ``FEATURES``; one that is missing counts nothing."""
    return np.array([weights.get(name, 0.0) for name in FEATURES])


def rows(view: View, asked: Reference, sights: Sequence[Sight], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The features of some sights, a row each; see ``features.table``.

    Args:
        view: of the document.
        asked: what words ask for.
        sights: among which is chosen.
        counts: what each of ``FEATURES`` counts, by which the anchor is found that words relate to.
    """
    return table(view, asked, sights, likeliest_anchor(view, asked, sights, counts))


def likeliest_anchor(
    view: View, asked: Reference, sights: Sequence[Sight], counts: NDArray[np.float64]
) -> Sight | None:
    """What words most likely relate to; ``None`` if they relate to nothing.

    For "between" it is the room between two: as the first of them, with another box.
    """
    if asked.anchor is None:
        return None
    page = view.page(asked.page)
    among = [sight for sight in sights if page is None or sight.page == page] or sights
    anchor = among[int(np.argmax(rows(view, asked.anchor, among, counts) @ counts))]
    if asked.other is None:
        return anchor
    other = among[int(np.argmax(rows(view, asked.other, among, counts) @ counts))]
    room = room_between(anchor.element.bbox, other.element.bbox)
    return replace(anchor, element=anchor.element.model_copy(update={"bbox": room}))


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    powers = np.exp(scores - scores.max())
    return np.asarray(powers / powers.sum())


LEARNED = ROOT / "document_models" / "ranker.json"
"""The weights that were learned on the train split."""
_HAND_SET = MappingProxyType(
    {
        "same name": 8.0,
        "same unpaged": 2.0,
        "name in words": 3.0,
        "name in anchor": -1.0,
        "like name": 2.0,
        "words of name": 3.0,
        "text in words": 4.0,
        "words of text": 1.0,
        "same text": 5.0,
        "begins": 1.5,
        "ends": 1.5,
        "holds": 2.0,
        "like text": 1.5,
        "quoted name": 4.0,
        "kind": 2.5,
        "loose kind": 1.0,
        "other kind": -2.0,
        "group": -1.5,
        "colour": 2.0,
        "near colour": 1.5,
        "other colour": -1.5,
        "style": 2.0,
        "other style": -2.0,
        "other page": -5.0,
        "ordinal": 4.0,
        "place": 3.0,
        "towards": 1.0,
        "related": 1.5,
        "nearest": 3.0,
        "near": 2.0,
        "not related": -2.0,
        "anchor": -4.0,
        "fits": 1.5,
        "hidden": -2.0,
        "wide": -0.5,
    }
)


class _Weights(RootModel[dict[str, float]]):
    """Weights by the names of features."""


def hand_set_weights() -> Weights:
    """Weights that were set by hand."""
    return _HAND_SET


@lru_cache(maxsize=1)
def learned_weights() -> Weights:
    """Weights that were learned, shipped.

    Raises:
        ValueError: if the file is missing or broken.
    """
    return MappingProxyType(load(_Weights, LEARNED).root)
