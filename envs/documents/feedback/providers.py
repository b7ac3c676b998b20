"""Provide feedback on edits: exact, learned or noisy."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np

from ..scene.document import Document
from ..tasks import DocumentTask
from .edit_type_classifier import edit_type_features, predict_edit_types
from .evidence import Case
from .judgement import MISTAKES, Judgement, exact_judgement, judged
from .network import shipped_weights

Provider = Callable[[DocumentTask, Document], Judgement]
"""Judges the document after an edit for a task."""


def learned_judgement(case: Case, after: Document) -> Judgement:
    """The judgement of an edit by the learned network.

    Args:
        case: the request, and the document before the edit.
        after: the document after the edit.
    """
    classifier, judge = shipped_weights()
    scores = judge.scores(case.evidence(predict_edit_types(edit_type_features(case.request), classifier), after))
    probabilities = np.exp(scores - scores.max())
    probabilities /= probabilities.sum()
    right = judge.outputs.index("right")
    if probabilities[right] >= 0.5:
        return Judgement(True, "right", float(probabilities[right]))
    mistakes = (i for i in range(len(probabilities)) if i != right)
    mistake = max(mistakes, key=lambda i: float(probabilities[i]))
    return Judgement(False, judge.outputs[mistake], float(1 - probabilities[right]))


class Learned:
    """The learned provider; it keeps the case of the last task."""

    def __init__(self) -> None:
        self._task: DocumentTask | None = None
        self._case: Case | None = None

    def __call__(self, task: DocumentTask, document: Document) -> Judgement:
        """Judge an edit; of the task, only the request and the document before count."""
        if self._case is None or task is not self._task:
            self._task, self._case = task, Case(task.request.text, task.before)
        return learned_judgement(self._case, document)


def noisy_judgement(task: DocumentTask, document: Document, accuracy: float) -> Judgement:
    """The exact judgement with random errors, always the same for the same edit.

    Args:
        task: with the gold edit.
        document: after the edit.
        accuracy: the share of correct judgements, from 0 to 1.
    """
    exact = exact_judgement(task, document)
    rng = np.random.default_rng([zlib.crc32(task.task_id.encode()), int(document.digest[:15], 16)])
    if rng.random() < accuracy:
        return judged(exact.kind, accuracy)
    return judged(str(rng.choice(MISTAKES)) if exact.is_right else "right", accuracy)


PROVIDERS: dict[str, Callable[[float], Provider]] = {
    "exact": lambda accuracy: exact_judgement,
    "learned": lambda accuracy: Learned(),
    "noisy": lambda accuracy: partial(noisy_judgement, accuracy=accuracy),
}
"""Providers by name, made from an accuracy. ``exact`` and ``noisy`` use the gold edit, ``learned`` does not."""


def make_provider(name: str, accuracy: float = 1.0) -> Provider:
    """A provider of feedback.

    Args:
        name: one of ``PROVIDERS``.
        accuracy: the share of correct judgements of ``"noisy"``, from 0 to 1; 1 for the others.

    Raises:
        ValueError: if there is no such provider, or it has no such accuracy.
    """
    if name not in PROVIDERS:
        raise ValueError(f"no provider of feedback {name!r}; there are {', '.join(PROVIDERS)}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the accuracy of feedback must lie in [0, 1]; it is {accuracy}")
    if accuracy != 1 and name != "noisy":
        raise ValueError(f"only the provider 'noisy' takes an accuracy, not {name!r}")
    return PROVIDERS[name](accuracy)
