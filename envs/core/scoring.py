"""Scores: what became of each field, and the metrics made of them.

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
    """The right answer for a field.

    Attributes:
        matcher: the name of the function in ``MATCHERS`` that compares.
        value: the answer, or ``None`` if the field must stay empty.
        unit: what may stand behind the answer, if it is a number.
    """

    matcher: str
    value: str | None
    unit: str | None = None

    @classmethod
    def of_field(cls, matcher: str, value: str | None, label: str) -> Gold:
        """The answer for a field, which may carry the unit that its label names: ``Odometer, miles``."""
        return cls(matcher, value, unit_of(fold(label)) if matcher == "number" else None)

    def accepts(self, entered: str) -> bool:
        """Whether ``entered`` is right; if there is no answer, whether nothing was entered."""
        if self.value is None or not entered:
            return self.value is None and not entered
        return _matches(self.matcher, entered, self.value, self.unit)


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What was entered into one field and whether it is right.

    Attributes:
        name: unique in the task.
        label: of the field, in words.
        matcher: the name of the function in ``MATCHERS`` that compared.
        expected: the answer; ``None`` where nothing must be entered.
        entered: what stands in it in the end.
        correct: whether that is right.
        kind: the kind of its control, where there are several.
        metrics: what else was measured of this field, by the names of the metrics.
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
class Metric:
    """A metric of the score.

    Attributes:
        title: what it is called.
        meaning: what it says.
        is_count: whether it is a count rather than a share.
        verbose_only: whether it is left out of tables that have little room.
    """

    title: str
    meaning: str
    is_count: bool = False
    verbose_only: bool = False


METRICS = {
    "strict_accuracy": Metric(
        "strict accuracy",
        "fields that are right among those that have an answer; each mark in no field, or in a field that must stay "
        "empty, counts as one more field that is wrong, and so does each field of a web form that must stay as it is "
        "and was changed. A web form that was never submitted has 0",
    ),
    "field_accuracy": Metric(
        "field accuracy",
        "fields that are right among those that have an answer, as in the FormGym paper; marks in other places cost "
        "nothing. Of a web form: as it was submitted, or left",
    ),
    "success": Metric(
        "success",
        "web forms that were submitted with every field right; documents of which every constraint holds and nothing "
        "else was changed",
    ),
}
"""The metrics that suites share, by name; each suite has its own besides."""


@dataclass(frozen=True, slots=True)
class Score:
    """The metrics of one episode by name, each in [0, 1] or a count, and the results of its fields."""

    metrics: Mapping[str, float]
    fields: tuple[FieldResult, ...]


@lru_cache(maxsize=8192)
def _matches(matcher: str, entered: str, gold: str, unit: str | None) -> bool:
    return MATCHERS[matcher](without_unit(fold(entered), unit) if unit else entered, gold)


def ratio(part: float, whole: float) -> float:
    """``part / whole``, and 0 where there is nothing to divide by."""
    return part / whole if whole else 0.0
