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
        """Whether ``entered`` is right; if no answer is wanted, whether nothing was entered."""
        if self.value is None or not entered:
            return self.value is None and not entered
        return _matches(self.matcher, entered, self.value, self.unit)


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
        is_detail: whether it is left out of tables that have little room.
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
    "edit_f1": Metric(
        "edit F1",
        "of what an edit changed and what it should have, field by field of the elements: the harmonic mean of "
        "precision and recall, texts by characters, colours by their difference (CIE76), places by distance",
    ),
    "constraints": Metric("constraints", "the constraints of a request that hold of the document in the end"),
    "preservation": Metric(
        "preservation",
        "elements that should have stayed as they were and did; new ones that nobody asked for count against",
    ),
    "action_accuracy": Metric(
        "action accuracy",
        "operations used that were asked for, among those used or asked for, as in the Agent-DocEdit paper: REPLACE is "
        "DELETE and ADD, and for texts MODIFY",
    ),
    "component_accuracy": Metric(
        "component accuracy",
        "kinds of elements edited that were asked for, among those edited or asked for (Agent-DocEdit)",
    ),
    "pass_1": Metric("1-pass", "requests that were met by the first program (Agent-DocEdit)"),
    "pass_5": Metric("5-pass", "requests that were met by one of the first five programs (Agent-DocEdit)"),
    "semantic_error": Metric(
        "semantic error", "requests whose last program ran, but was not what was asked for", verbose_only=True
    ),
    "edit_precision": Metric(
        "edit precision", "what was changed that should have been, near misses in part", verbose_only=True
    ),
    "edit_recall": Metric(
        "edit recall", "what should have been changed that was, near misses in part", verbose_only=True
    ),
    "iou": Metric("IoU", "what the box drawn and the element's share, of what both cover"),
    "changed_iou": Metric(
        "IoU of changes", "the boxes around the pixels that changed and those that should have", verbose_only=True
    ),
    "ssim_inside": Metric("SSIM inside", "likeness to the wanted page where it should have changed", verbose_only=True),
    "mae_inside": Metric("MAE inside", "mean difference from the wanted page there, from 0 to 1", verbose_only=True),
    "ssim_outside": Metric(
        "SSIM outside", "likeness to the wanted page where it should have stayed", verbose_only=True
    ),
    "mae_outside": Metric("MAE outside", "mean difference from the wanted page there, from 0 to 1", verbose_only=True),
    "click_accuracy": Metric(
        "click accuracy",
        "fields that were clicked at any time among those that have an answer, as in the FormFactory paper",
    ),
    "value_accuracy": Metric(
        "value accuracy",
        "fields whose answer is among what the agent typed or chose, wherever it went, as in the FormFactory paper: a "
        "long text counts by its BLEU; field accuracy asks for the answer in its own field, a long one word by word "
        "but for a slip in one of twenty",
    ),
    "description_bleu": Metric(
        "BLEU of descriptions",
        "how near the long texts entered are to the answers: the mean of sentence BLEU (sacrebleu) over such fields, "
        "of episodes that have one",
    ),
    "submitted": Metric("submitted", "web forms that were submitted"),
    "placement_accuracy": Metric("placement accuracy", "marks inside fields that have an answer, among all marks"),
    "correct_placements": Metric("correct placements", "number of marks inside fields that have an answer", True),
    "incorrect_placements": Metric(
        "incorrect placements", "number of marks in no field, or in one that must stay empty", True
    ),
}
"""The metrics by name, in the order of importance."""


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
