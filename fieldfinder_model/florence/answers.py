"""Answers of Florence-2, and the places on a page that they tell of."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...envs.core.locators import Detection
from ..reading.boxes import iou
from .boxes import bins_box, text_bins

SAME_PLACE = 0.5
"""Boxes with more than this share of their union in common are of one place."""


class Answer(NamedTuple):
    """What the model said.

    Attributes:
        text: with its special tokens.
        log_probability: the logarithm of how likely it was to say just that.
    """

    text: str
    log_probability: float


def places(answers: Sequence[Answer], width: int, height: int) -> list[Detection]:
    """The places that answers to one question tell of, the likeliest first.

    Answers that are no box tell of none. Boxes that lie much upon each other (``SAME_PLACE``) are one place: the
    likeliest answer has its box, and its score is the probability of all of them.

    Args:
        answers: all different.
        width: of the page, in pixels.
        height: of the page, in pixels.
    """
    found: list[Detection] = []
    for text, log in sorted(answers, key=lambda answer: -answer.log_probability):
        bins = text_bins(text)
        if bins is not None:
            _add(found, Detection(bins_box(bins, width, height), math.exp(log)))
    # Probabilities in float32 may add up to a little more than 1.
    total = max(math.fsum(score for _, score in found), 1.0)
    return sorted((Detection(box, score / total) for box, score in found), key=lambda place: -place.score)


def _add(found: list[Detection], new: Detection) -> None:
    for number, (box, score) in enumerate(found):
        if iou(box, new.box) > SAME_PLACE:
            found[number] = Detection(box, score + new.score)
            return
    found.append(new)
