"""Label: printed words that a target may mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from ...envs.core.locators import Box
from ..reading.boxes import covers

_SAME = 0.5
"""From which share of a box on that another covers the two are the same words."""
RANKED = 4.0
"""By how much the one is liker that is meant of several alike."""


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


def likest(labels: Iterable[Label]) -> list[Label]:
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
    meant = ordered[min(rank, len(ordered) - 1)]
    return [replace(meant, score=labels[0].score + RANKED), *(label for label in labels if label is not meant)]
