"""The metrics of paper forms: those of all suites, and placement accuracy."""

from ..core import scoring
from ..core.scoring import Metric

METRICS = scoring.METRICS | {
    "placement_accuracy": Metric("placement accuracy", "marks inside fields that have an answer, among all marks"),
    "correct_placements": Metric("correct placements", "number of marks inside fields that have an answer", True),
    "incorrect_placements": Metric(
        "incorrect placements", "number of marks in no field, or in one that must stay empty", True
    ),
}
"""The metrics by name, the most important first."""
