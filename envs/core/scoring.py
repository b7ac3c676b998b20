"""Scores: what became of each field, and the figures made of them.

The figures follow FormGym (field accuracy, section "Evaluation") and add stricter ones beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from .matchers import MATCHERS


@dataclass(frozen=True, slots=True)
class Gold:
    """The right answer for a field.

    Attributes:
        matcher: the name of the function in ``MATCHERS`` that compares.
        value: the answer, or ``None`` if the field must stay empty.
    """

    matcher: str
    value: str | None

    def accepts(self, entered: str) -> bool:
        """Whether ``entered`` is right; if no answer is wanted, whether nothing was entered."""
        if self.value is None or not entered:
            return self.value is None and not entered
        return _matches(self.matcher, entered, self.value)


@dataclass(frozen=True, slots=True)
class FieldResult:
    """What was entered into one field and whether it is right.

    Attributes:
        name: unique in the task.
        label: what the field asks for.
        matcher: the name of the function in ``MATCHERS`` that compared.
        expected: the answer; ``None`` where nothing is wanted.
        entered: what stands in it in the end.
        correct: whether that is right.
        kind: the kind of its control, where there are several.
        figures: what else was measured of this field, by the names of the figures.
    """

    name: str
    label: str
    matcher: str
    expected: str | None
    entered: str
    correct: bool
    kind: str = ""
    figures: Mapping[str, float] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the score: what it is called, what it says, and whether it is a count rather than a share."""

    title: str
    meaning: str
    is_count: bool = False


FIGURES = {
    "strict_accuracy": Figure(
        "strict accuracy",
        "fields that are right among those that have an answer; each mark in no field, or in a field that must stay "
        "empty, counts as one more field that is wrong, and so does each field of a web form that must stay as it is "
        "and was changed. A web form that was never submitted has 0",
    ),
    "field_accuracy": Figure(
        "field accuracy",
        "fields that are right among those that have an answer, as in the FormGym paper; marks in other places cost "
        "nothing. Of a web form: as it was submitted, or left",
    ),
    "success": Figure("success", "web forms that were submitted with every field right"),
    "click_accuracy": Figure(
        "click accuracy",
        "fields that were clicked at any time among those that have an answer, as in the FormFactory paper",
    ),
    "value_accuracy": Figure(
        "value accuracy",
        "fields whose answer is among what the agent typed or chose, wherever it went, as in the FormFactory paper; "
        "field accuracy asks for it in its own field",
    ),
    "description_bleu": Figure(
        "BLEU of descriptions",
        "how near the long texts entered are to the answers: the mean of sentence BLEU (sacrebleu) over such fields, "
        "of episodes that have one",
    ),
    "submitted": Figure("submitted", "web forms that were submitted"),
    "placement_accuracy": Figure("placement accuracy", "marks inside fields that have an answer, among all marks"),
    "correct_placements": Figure("correct placements", "number of marks inside fields that have an answer", True),
    "incorrect_placements": Figure(
        "incorrect placements", "number of marks in no field, or in one that must stay empty", True
    ),
}
"""The figures by name, in the order of importance."""


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
