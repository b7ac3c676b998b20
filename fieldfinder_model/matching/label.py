"""Labels, the printed words that a target may mean, and their spatial relations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, TypeVar

from ...envs.core.boxes import Box, on_one_line, overlap_width, overlaps_by

_SAME = 0.5
"""Boxes are of the same words if one covers at least this share of the other."""
RANKED = 4.0
"""The bonus of the label chosen among several similar ones."""


@dataclass(frozen=True)
class Label:
    """Printed words that a target may mean.

    Attributes:
        score: about 100 for a perfect match; it has no maximum.
        box: of the words, in pixels.
        text: the part of the target that they match.
        other: the box of the most likely place of another part: the heading of a column, a row or a section.
    """

    score: float
    box: Box
    text: str
    other: Box | None

    def raised(self, by: float) -> Label:
        """The label with a higher score."""
        return replace(self, score=self.score + by)


class _Boxed(Protocol):
    @property
    def box(self) -> Box: ...


_Kept = TypeVar("_Kept", bound=_Boxed)


def distinct(found: Iterable[_Kept]) -> list[_Kept]:
    """The items whose boxes do not repeat an earlier one."""
    kept: list[_Kept] = []
    for one in found:
        if not any(overlaps_by(one.box, other.box, _SAME) for other in kept):
            kept.append(one)
    return kept


def top_matches(labels: Iterable[Label]) -> list[Label]:
    """Labels, the most likely first."""
    return sorted(labels, key=lambda label: -label.score)


def chosen(labels: Sequence[Label], similar: Sequence[Label], rank: int, letter: float) -> list[Label]:
    """The labels, first the one of a rank, in reading order, among similar ones.

    Args:
        labels: the most likely first; at least one.
        similar: those of them that are about as good as the first.
        rank: counted from 0; the last if there are fewer.
        letter: the usual height of a word.
    """
    ordered = sorted(similar, key=lambda label: (round(label.box[1] / (2 * letter)), label.box[0]))
    match = ordered[min(rank, len(ordered) - 1)]
    return [replace(match, score=labels[0].score + RANKED), *(label for label in labels if label is not match)]


# -- Spatial relations -------------------------------------------------------------------------------------------------


class Decay(NamedTuple):
    """How fast nearness falls with distance; distances in heights of a letter.

    Attributes:
        beside: distance on the label's line.
        right: nearness of a box right of the label, relative to one left of it.
        above: distance above the label.
        across: distance to the side, of a box above.
            under: nearness of a box directly under the label.
        below: distance under it.
    """

    beside: float
    right: float
    above: float
    across: float
    under: float
    below: float


def nearness(label: Box, box: Box, letter: float, decay: Decay) -> float:
    """How likely a label belongs to a box, from 0 to 1, by their positions.

    High if the box is near, and left of the label or above it.

    Args:
        label: in pixels.
        box: of something else.
        letter: the usual height of a word.
        decay: how fast nearness falls with distance.
    """
    if on_one_line(label, box):
        return in_line(label, box, letter, decay)
    across = max(0.0, -overlap_width(box, label)) / letter
    if box[3] <= label[1] + 0.5 * letter:
        return math.exp(-(label[1] - box[3]) / letter / decay.above) * math.exp(-across / decay.across)
    return decay.under * math.exp(-((box[1] - label[3]) / letter + across) / decay.below)


def in_line(label: Box, box: Box, letter: float, decay: Decay) -> float:
    """How near a box on a label's line is, from 0 to 1."""
    across = max(0.0, -overlap_width(box, label)) / letter
    return math.exp(-across / decay.beside) * (1.0 if box[0] < label[0] else decay.right)
