"""Compare an edit with the gold edit and classify its mistake."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...core.painting import Image
from ..painting.view import painted
from ..scene.document import ADDED, Document, changes
from ..scoring.evaluator import Evaluation
from ..scoring.layout import layout_problems
from ..scoring.requirements import keys_of
from ..state import DocumentTask

KINDS: dict[str, str] = {
    "right": "The edit is as asked.",
    "nothing": "Nothing has changed: the edit is still to be made.",
    "wrong element": "The wrong element was edited: try the next proposal, or find the element anew.",
    "wrong action": "The right element was edited in the wrong way: use another operation.",
    "wrong value": "The right kind of edit was made, but a value is wrong: amount, direction, colour, text or place.",
    "incomplete": "Only a part of the edit was made: something that was asked for is missing.",
    "extra change": "What was asked for was done, but something else was changed as well: take that back.",
}  # fmt: skip
"""The kinds of judgements, and their message to the agent."""
MAX_HINTS = 3
"""The most layout problems that the message names."""
MISTAKES = tuple(kind for kind in KINDS if kind != "right")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether an edit is right.

    Attributes:
        is_right: whether the document meets the request.
        kind: one of ``KINDS``, or ``"wrong"`` where the provider does not classify mistakes.
        words: the message to the agent.

    >>> from ..env import document_split, document_task
    >>> task = document_task("concert_poster/test_1", document_split(("concert_poster",)))
    >>> exact_judgement(task, task.before).words
    'Nothing has changed: the edit is still to be made.'
    """

    is_right: bool
    kind: str
    words: str


def judged(kind: str) -> Judgement:
    """A judgement of a kind of ``KINDS``."""
    return Judgement(kind == "right", kind, KINDS[kind])


def exact_judgement(task: DocumentTask, document: Document) -> Judgement:
    """The exact judgement: right if all constraints hold and nothing else changed; hints name what did.

    Args:
        task: with the gold edit.
        document: after the edit.
    """
    evaluation = task.evaluator.evaluate(document)
    kind = "right" if evaluation.success else _mistake(task, document, evaluation)
    besides = [f"Changed besides: {', '.join(map(str, evaluation.unrequested))}."] if evaluation.unrequested else []
    hints = [one.words for one in layout_problems(task.before, document)][:MAX_HINTS]
    return Judgement(kind == "right", kind, " ".join([KINDS[kind], *besides, *hints]))


def _mistake(task: DocumentTask, document: Document, evaluation: Evaluation) -> str:
    """The kind of mistake of an edit that is not right."""
    edit = evaluation.comparison
    made = changes(task.before, document, {new: name for name, new in edit.names.items()})
    if not made:
        return "nothing"
    broken = [one for one, held in zip(evaluation.constraints, evaluation.held, strict=True) if not held]
    if not broken:
        return "extra change"
    changed, targets = {name for name, _ in made}, {one.about for one in evaluation.constraints}
    requested = {(name, field.partition(":")[0]) for one in broken for name, field in one.touches(edit)}
    tried = {(name, key) for name, field in made for key in keys_of(field)}
    new = {one.about for one in broken if one.about not in task.before.places and one.check != "any"}
    # What was added instead may be too different from what should have been.
    if requested & tried or new & edit.names.keys() or (new and any(field == ADDED for _, field in made)):
        return "wrong value"
    if not evaluation.unrequested:
        return "incomplete"
    # Where a new element is requested, no element that exists is the right one.
    return "wrong action" if changed & targets or new == targets else "wrong element"


Provider = Callable[[DocumentTask, Document], Judgement]
"""Judges the document after an edit for a task."""
Judge = Callable[[str, Sequence[Image], Sequence[Image]], tuple[bool, str]]
"""Says by a request and the pages that differ, before and after, whether an edit is right, and why."""
PROVIDERS = ("exact", "noisy")
"""The providers of feedback that know the gold edit, by name."""
MAX_PAGES = 6
"""The most pages that a judge is shown of either document."""


def make_provider(provider: str | Judge, accuracy: float = 1.0) -> Provider:
    """A provider of feedback.

    Args:
        provider: one of ``PROVIDERS``, or a judge of pictures such as ``agents.EditJudge``.
        accuracy: the share of correct judgements of ``"noisy"``, from 0 to 1; 1 for others.

    Raises:
        ValueError: if there is no such provider, or it has no such accuracy.
    """
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the accuracy of feedback must lie in [0, 1]; it is {accuracy}")
    if accuracy != 1 and provider != "noisy":
        raise ValueError(f"only the provider 'noisy' takes an accuracy, not {provider!r}")
    if callable(provider):
        return partial(pictured_judgement, judge=provider)
    if provider not in PROVIDERS:
        raise ValueError(f"no provider of feedback {provider!r}; there are {', '.join(PROVIDERS)}, and judges")
    return exact_judgement if provider == "exact" else partial(noisy_judgement, accuracy=accuracy)


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
        return exact
    return judged(str(rng.choice(MISTAKES)) if exact.is_right else "right")


def pictured_judgement(task: DocumentTask, document: Document, judge: Judge) -> Judgement:
    """The judgement of one who sees the request and pictures alone; an edit that shows nowhere is none.

    Args:
        task: whose gold edit is not looked at.
        document: after the edit.
        judge: sees the pages.
    """
    before, after = changed_pictures(task, document)
    if not after:
        return judged("nothing")
    is_right, why = judge(task.request.text, before, after)
    verdict = KINDS["right"] if is_right else "The edit is not right."
    return Judgement(is_right, "right" if is_right else "wrong", f"{verdict} {why}".strip())


def changed_pictures(task: DocumentTask, document: Document) -> tuple[list[Image], list[Image]]:
    """The pages that look different before and after an edit, ``MAX_PAGES`` at most, without marks."""
    pages = differing_pages(task.before, document)[:MAX_PAGES]
    old, new = ([painted(one, page) for page in pages if page < len(one.pages)] for one in (task.before, document))
    return old, new


def differing_pages(before: Document, after: Document) -> list[int]:
    """The pages, from 0, that look different after an edit; all if there are more or fewer of them."""
    old, new = before.pages, after.pages
    if len(old) != len(new):
        return list(range(max(len(old), len(new))))
    edited = [page for page, one in enumerate(new) if one is not old[page]]
    return [page for page in edited if not np.array_equal(painted(before, page), painted(after, page))]
