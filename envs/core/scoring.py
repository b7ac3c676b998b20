"""Scores: the result of each field, and the metrics computed from them.

The metrics follow FormGym (field accuracy, section "Evaluation") and add stricter ones beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .matchers import MATCHERS, fold
from .quantities import unit_of, without_unit


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answer of a field.

    Attributes:
        matcher: the name of the function in ``MATCHERS`` that compares.
        value: the answer, or ``None`` if the field must stay empty.
        unit: what may follow the answer, if it is a number.
        full: the answer in full, which is right too, where ``value`` is a part of it, as the month of a date.
    """

    matcher: str
    value: str | None
    unit: str | None = None
    full: str | None = None

    @classmethod
    def of_field(cls, matcher: str, value: str | None, label: str, full: str | None = None) -> Gold:
        """The answer of a field; a number may have a unit from its label."""
        return cls(matcher, value, unit_of(fold(label)) if matcher == "number" else None, full)

    def accepts(self, entered: str) -> bool:
        """Whether ``entered`` is right; without an answer, only an empty field is."""
        if self.value is None or not entered:
            return self.value is None and not entered
        return any(_matches(self.matcher, entered, gold, self.unit) for gold in (self.value, self.full) if gold)


@dataclass(frozen=True, slots=True)
class FieldResult:
    """The text entered into one field and whether it is right.

    Attributes:
        name: unique in the task.
        label: of the field, in words.
        matcher: the name of the function in ``MATCHERS`` that compared.
        expected: the answer; ``None`` where nothing must be entered.
        entered: its content at the end.
        correct: whether that is right.
        kind: the kind of its control, where there are several.
        metrics: other metrics of this field, by name.
    """

    name: str
    label: str
    matcher: str
    expected: str | None
    entered: str
    correct: bool
    kind: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Score:
    """The metrics of an episode by name (in [0, 1] or counts) and field results."""

    metrics: Mapping[str, float]
    fields: tuple[FieldResult, ...]


@lru_cache(maxsize=8192)
def _matches(matcher: str, entered: str, gold: str, unit: str | None) -> bool:
    return MATCHERS[matcher](without_unit(fold(entered), unit) if unit else entered, gold)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, or 0 if ``whole`` is 0."""
    return part / whole if whole else 0.0
