"""Ranking: a log-linear model of which element words mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..scene.document import Document
from ..scene.elements import Element
from .expressions import Reference, reference
from .features import FEATURES, table
from .relations import room_between
from .visual_features import Sight, View, view_of

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
