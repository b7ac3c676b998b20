"""The metrics of web forms: those of all suites, and FormFactory's clicks and values."""

from ..core import scoring
from ..core.scoring import Metric

METRICS = scoring.METRICS | {
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
"""The metrics by name, the most important first."""
