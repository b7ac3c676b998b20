"""Labels: printed words that a target may mean, and the spatial relations between them and other print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

from ...envs.core.locators import Box
from ..reading.boxes import covers, on_one_line, shared_width

_SAME = 0.5
"""From which share of a box on that another covers the two are the same words."""
RANKED = 4.0
"""What the label gains that is meant among several similar ones."""


@dataclass(frozen=True)
class Label:
    """Printed words that a target may mean.

    Attributes:
        score: about 100 where nothing is better; it has no upper end.
        box: of the words, in pixels.
        text: the part of the target that they are.
        other: the box of the likeliest place of another part: the head of a column, of a row or of a section.
    """

    score: float
    box: Box
    text: str
    other: Box | None

    def raised(self, by: float) -> Label:
        """It with a score that is higher by so much."""
        return replace(self, score=self.score + by)


class _Boxed(Protocol):
    @property
    def box(self) -> Box: ...


_Kept = TypeVar("_Kept", bound=_Boxed)


def distinct(found: Iterable[_Kept]) -> list[_Kept]:
    """What was found, less what is much the same words as something before it."""
    kept: list[_Kept] = []
    for one in found:
        if not any(covers(one.box, other.box, _SAME) for other in kept):
            kept.append(one)
    return kept


def top_matches(labels: Iterable[Label]) -> list[Label]:
    """Labels, the likeliest first."""
    return sorted(labels, key=lambda label: -label.score)


def chosen(labels: Sequence[Label], alike: Sequence[Label], rank: int, letter: float) -> list[Label]:
    """Labels with the one of a rank first, in reading order, of those that are about as good.

    Args:
        labels: the likeliest first; at least one.
        alike: those of them that are about as good as the first.
        rank: counted from 0; the last if there are fewer.
        letter: the usual height of a word.
    """
    ordered = sorted(alike, key=lambda label: (round(label.box[1] / (2 * letter)), label.box[0]))
    match = ordered[min(rank, len(ordered) - 1)]
    return [replace(match, score=labels[0].score + RANKED), *(label for label in labels if label is not match)]


# -- What stands around a label ----------------------------------------------------------------------------------------


class Decay(NamedTuple):
    """How fast nearness falls with distance; distances in heights of a letter.

    Attributes:
        beside: distance on the label's line.
        right: nearness of what is right of the label, against left of it.
        above: distance above the label.
        across: distance to the side, of what is above.
        under: nearness of what is right under the label.
        below: distance under it.
    """

    beside: float
    right: float
    above: float
    across: float
    under: float
    below: float


def nearness(label: Box, box: Box, letter: float, decay: Decay) -> float:
    """How well a box stands to a label as what the label belongs to, from 0 to 1: left of it or above it, and near.

    Args:
        label: in pixels.
        box: of something else.
        letter: the usual height of a word.
        decay: see there.
    """
    if on_one_line(label, box):
        return in_line(label, box, letter, decay)
    across = max(0.0, -shared_width(box, label)) / letter
    if box[3] <= label[1] + 0.5 * letter:
        return math.exp(-(label[1] - box[3]) / letter / decay.above) * math.exp(-across / decay.across)
    return decay.under * math.exp(-((box[1] - label[3]) / letter + across) / decay.below)


def in_line(label: Box, box: Box, letter: float, decay: Decay) -> float:
    """How near a box on a label's line is, from 0 to 1."""
    across = max(0.0, -shared_width(box, label)) / letter
    return math.exp(-across / decay.beside) * (1.0 if box[0] < label[0] else decay.right)
