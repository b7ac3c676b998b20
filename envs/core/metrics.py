"""The metrics of all suites: their titles and definitions, the most important first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric of the score.

    Attributes:
        title: its name in tables.
        meaning: its definition.
        is_count: whether it is a count rather than a share.
        verbose_only: whether small tables omit it.
        lower_is_better: whether it is a cost.
    """

    title: str
    meaning: str
    is_count: bool = False
    verbose_only: bool = False
    lower_is_better: bool = False


_COMMON = {
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

_DOCUMENTS = {
    "edit_f1": Metric(
        "edit F1",
        "of what an edit changed and what it should have, field by field of the elements: the harmonic mean of "
        "precision and recall, texts by characters, colours by their difference (CIE76), places by distance",
    ),
    "progress": Metric(
        "progress",
        "the constraints of a request that did not hold before and do now; 0 while anything else has changed visibly, "
        "and 1 exactly for a success: the reward",
    ),
    "constraints": Metric(
        "constraints", "the constraints of a request, of those that did not hold before, that hold in the end"
    ),
    "layout_problems": Metric(
        "layout problems",
        "things that an edit has covered, clipped, pushed off the page, made illegible, put over each other or torn "
        "from their groups",
        verbose_only=True,
        lower_is_better=True,
    ),
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
    "turn_accuracy": Metric(
        "turn accuracy",
        "turns after which a deck reads as the expected one, with formats and without places, and the published "
        "restrictions hold (PPTC)",
    ),
    "session_success": Metric("session success", "sessions whose deck is right after the last request"),
    "session_accuracy": Metric("session accuracy", "the same by the measure of the turn accuracy (PPTC)"),
    "pass_1": Metric("1-pass", "requests that were met by the first program (Agent-DocEdit)"),
    "pass_5": Metric("5-pass", "requests that were met by one of the first five programs (Agent-DocEdit)"),
    "semantic_error": Metric(
        "semantic error",
        "requests whose last program ran, but was not what was asked for",
        verbose_only=True,
        lower_is_better=True,
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
    "mae_inside": Metric(
        "MAE inside", "mean difference from the wanted page there, from 0 to 1", verbose_only=True, lower_is_better=True
    ),
    "ssim_outside": Metric(
        "SSIM outside", "likeness to the wanted page where it should have stayed", verbose_only=True
    ),
    "mae_outside": Metric(
        "MAE outside",
        "mean difference from the wanted page there, from 0 to 1",
        verbose_only=True,
        lower_is_better=True,
    ),
}

_WEB_FORMS = {
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
}

_PAPER_FORMS = {
    "placement_accuracy": Metric(
        "placement accuracy",
        "fields that have an answer and a mark, each once, among these and all marks in no field or in one that must "
        "stay empty",
    ),
    "published_accuracy": Metric(
        "published accuracy",
        "fields with an answer that are right by the published FormGym's grading, among all fields of the page: the "
        "figure of the paper's tables, at most about 0.85 on the loans",
    ),
    "published_field_accuracy": Metric(
        "published field accuracy",
        "the same among the fields that have an answer: the figure of the paper's text and of its public code",
        verbose_only=True,
    ),
    "legible": Metric(
        "legible",
        "fields that have an answer and marks, all of them inside the blank and over neither print nor other marks, "
        "among those that have an answer and marks",
    ),
    "correct_placements": Metric(
        "correct placements", "number of fields that have an answer and a mark, however many are in it", True
    ),
    "incorrect_placements": Metric(
        "incorrect placements",
        "number of marks in no field, or in one that must stay empty",
        True,
        lower_is_better=True,
    ),
}

METRICS_OF = {"DocEdit": _COMMON | _DOCUMENTS, "FormFactory": _COMMON | _WEB_FORMS, "FormGym": _COMMON | _PAPER_FORMS}
"""The metrics of each suite by name, those that suites share among them."""
METRICS = _COMMON | _DOCUMENTS | _WEB_FORMS | _PAPER_FORMS
SHARES = tuple(name for name, metric in METRICS.items() if not metric.is_count and not metric.verbose_only)
"""The metrics from 0 to 1 that narrow tables have room for."""


def title(metric: str) -> str:
    """The title of a metric in tables."""
    return METRICS[metric].title if metric in METRICS else metric.replace("_", " ")


def places(metric: str) -> int:
    """How many decimals of a metric are printed: fewer for counts than for shares."""
    return 1 if metric in METRICS and METRICS[metric].is_count else 3


def at_worst(metric: str, values: Iterable[float]) -> float:
    """What an episode counts that crashed: 0, of a cost 1, of a cost without a bound the highest of some values."""
    known = METRICS.get(metric)
    if known is None or not known.lower_is_better:
        return 0.0
    return max(values, default=0.0) if known.is_count else 1.0


def headline_of(names: Iterable[str]) -> str:
    """The most important of some metrics."""
    found = list(names)
    return next((name for name in METRICS if name in found), found[0])
