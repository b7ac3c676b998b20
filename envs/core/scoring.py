"""Scores: what became of each field, and the figures made of them.

The figures follow FormGym (field accuracy, section "Evaluation") and add stricter ones beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from .matchers import MATCHERS


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answer for a field, and other answers that are as right.

    Attributes:
        matcher: the name of the function in ``MATCHERS`` that compares.
        value: the answer, or ``None`` if the field must stay empty.
        alternatives: further right answers.
    """

    matcher: str
    value: str | None
    alternatives: tuple[str, ...] = ()

    def accepts(self, entered: str) -> bool:
        """Whether ``entered`` is a right answer; if none is wanted, whether nothing was entered."""
        if self.value is None or not entered:
            return self.value is None and not entered
        return any(_matches(self.matcher, entered, gold) for gold in (self.value, *self.alternatives))


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What was entered into one field and whether it is right. ``expected`` is ``None`` where nothing is wanted."""

    name: str
    label: str
    matcher: str
    expected: str | None
    entered: str
    correct: bool

    def dump(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one episode by name, each in [0, 1] or a count, and the results of its fields."""

    figures: Mapping[str, float]
    fields: tuple[FieldResult, ...]


@lru_cache(maxsize=8192)
def _matches(matcher: str, entered: str, gold: str) -> bool:
    return MATCHERS[matcher](entered, gold)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, and 0 where there is nothing to divide by."""
    return part / whole if whole else 0.0
