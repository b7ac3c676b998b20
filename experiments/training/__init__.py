"""Training of the models that read and ground requests about documents."""

from __future__ import annotations

from pathlib import Path

MODELS = ("ranker", "feedback")
"""The shipped models that can be trained again."""


def train_model(model: str, path: Path | None = None) -> Path:
    """Train a shipped model again on the train split; the file that was written.

    Args:
        model: one of ``MODELS``.
        path: the file to write; ``None``: the shipped one, whose hash in the index of assets may change then.

    Raises:
        ValueError: if there is no such model.
    """
    if model not in MODELS:
        raise ValueError(f"no model {model!r}; there are {', '.join(MODELS)}")
    # Imported here: the training of FieldFinder needs neither.
    if model == "ranker":
        from ...envs.documents.language.ranking import LEARNED
        from .ranker import train_ranker

        return train_ranker(path or LEARNED)
    from ...envs.documents.feedback.network import SHIPPED
    from .feedback import write_feedback

    return write_feedback(path or SHIPPED)
