"""Learned feedback: an edit judged by the request's words, the documents and their pictures alone."""

from __future__ import annotations

import numpy as np

from ..scene.document import Document
from .edit_type_classifier import asked_edits, asking_values
from .evidence import Case
from .judgement import Judgement
from .network import Layers, shipped_weights


def learned_judgement(case: Case, after: Document) -> Judgement:
    """Whether an edit is as a request asks, so far as can be told without knowing the answer.

    Args:
        case: the request's words, and the document at first.
        after: what came of the edit.
    """
    return judged_with(*shipped_weights(), case, after)


def judged_with(reader: Layers, judge: Layers, case: Case, after: Document) -> Judgement:
    """``learned_judgement`` with certain weights."""
    scores = judge.scores(case.evidence(asked_edits(asking_values(case.reading), reader), after))
    shares = np.exp(scores - scores.max())
    shares /= shares.sum()
    right = judge.outputs.index("right")
    if shares[right] >= 0.5:
        return Judgement(True, "right", float(shares[right]))
    mistake = max((i for i in range(len(shares)) if i != right), key=lambda i: float(shares[i]))
    return Judgement(False, judge.outputs[mistake], float(1 - shares[right]))
