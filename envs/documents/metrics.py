"""Metrics of edits and of boxes around elements, besides those of all suites."""

from ..core import scoring
from ..core.scoring import Metric

METRICS = scoring.METRICS | {
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
}
"""The metrics by name, the most important first."""
