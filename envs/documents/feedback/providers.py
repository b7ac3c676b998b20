"""Providers: what judges an edit after it was made."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial

import numpy as np

from ..scene.document import Document
from ..tasks import DocumentTask
from .evidence import Case
from .exact import exact_judgement
from .judgement import MISTAKES, Judgement, judged
from .learned import learned_judgement

Provider = Callable[[DocumentTask, Document], Judgement]
"""Judges what came of an edit for a task."""


def _exact(accuracy: float) -> Provider:
    return exact_judgement


def _learned(accuracy: float) -> Provider:
    return Learned()


def _noisy(accuracy: float) -> Provider:
    return partial(noisy_judgement, accuracy=accuracy)


class Learned:
    """``learned_judgement``; what it has found of a task is kept until another one comes."""

    def __init__(self) -> None:
        self._task: DocumentTask | None = None
        self._case: Case | None = None

    def __call__(self, task: DocumentTask, document: Document) -> Judgement:
        """Judge what came of an edit; of the task only the words and the document at first are looked at."""
        if self._case is None or task is not self._task:
            self._task, self._case = task, Case(task.request.text, task.before)
        return learned_judgement(self._case, document)


def noisy_judgement(task: DocumentTask, document: Document, accuracy: float) -> Judgement:
    """The exact judgement, but the opposite where chance wants it; one edit of a task always gets one answer.

    Args:
        task: with the gold edit.
        document: what came of the edit.
        accuracy: how often it is told whether the edit is right, from 0 to 1.
    """
    exact = exact_judgement(task, document)
    rng = np.random.default_rng([zlib.crc32(task.task_id.encode()), int(document.digest[:15], 16)])
    if rng.random() < accuracy:
        return judged(exact.kind, accuracy)
    return judged(str(rng.choice(MISTAKES)) if exact.is_right else "right", accuracy)


PROVIDERS: dict[str, Callable[[float], Provider]] = {"exact": _exact, "learned": _learned, "noisy": _noisy}
"""``exact`` knows the gold edit, ``learned`` does not, ``noisy`` knows it but errs; made with an accuracy."""


def make_provider(name: str, accuracy: float = 1.0) -> Provider:
    """A provider of feedback.

    Args:
        name: one of ``PROVIDERS``.
        accuracy: how often ``"noisy"`` is right, from 0 to 1; the others take none but 1.

    Raises:
        ValueError: if there is no such provider, or the accuracy is no share, or told to one that takes none.
    """
    if name not in PROVIDERS:
        raise ValueError(f"no provider of feedback {name!r}; there are {', '.join(PROVIDERS)}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the accuracy of feedback must lie in [0, 1]; it is {accuracy}")
    if accuracy != 1 and name != "noisy":
        raise ValueError(f"only the provider 'noisy' takes an accuracy, not {name!r}")
    return PROVIDERS[name](accuracy)
