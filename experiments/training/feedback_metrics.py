"""Accuracy of a provider of feedback on edits, half of which are as requested.

``python -m formgym.experiments.training.feedback_metrics [PROVIDER]`` prints it for the test split.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...envs.documents.env import document_task, task_ids_of
from ...envs.documents.feedback.judgement import KINDS, Judgement
from ...envs.documents.feedback.providers import Provider, make_provider
from ...envs.documents.feedback.wrong_edits import right_edits, wrong_edits
from ...envs.documents.scene.document import shipped_documents
from ...envs.documents.tasks import DocumentTask
from ..terminal import format_number, print_table, table_of


@dataclass(frozen=True, slots=True)
class Judged:
    """The kind of an edit, and the judgement of it."""

    kind: str
    judgement: Judgement


def judged_edits(tasks: Sequence[DocumentTask], provider: Provider, each: int | None = None) -> Iterator[Judged]:
    """A provider's judgements of equally many right and wrong edits.

    Args:
        tasks: with their gold edits.
        provider: judges.
        each: how many wrong edits are tried for each task; ``None``: one of every kind of mistake that can be made.
    """
    for number, task in enumerate(tasks):
        rng = np.random.default_rng([number, 1])
        right, wrong = right_edits(task, rng), wrong_edits(task, rng)
        wrong = [wrong[int(i)] for i in rng.permutation(len(wrong))[:each]]
        for at, (kind, document) in enumerate(wrong):
            yield Judged(kind, provider(task, document))
            yield Judged("right", provider(task, right[(number + at) % len(right)]))


def feedback_metrics(judged: Sequence[Judged]) -> dict[str, float]:
    """Accuracy, precision and recall of detecting right edits; accuracy of kinds.

    ``kind`` is over all mistakes, ``kind <mistake>`` over those of one kind; a mistake that is taken for right counts
    as wrong. ``caught <mistake>`` is how often the edit is called wrong.
    """
    right = [one.judgement.is_right for one in judged if one.kind == "right"]
    passed = [one.judgement.is_right for one in judged if one.kind != "right"]
    accepted = sum(right) + sum(passed)
    metrics = {
        "accuracy": (sum(right) + passed.count(False)) / len(judged),
        "precision": sum(right) / accepted if accepted else 0.0,
        "recall": sum(right) / len(right),
        "kind": _kind_accuracy([one for one in judged if one.kind != "right"]),
    }
    for kind in KINDS:
        some = [one for one in judged if one.kind == kind != "right"]
        if some:
            metrics[f"caught {kind}"] = sum(not one.judgement.is_right for one in some) / len(some)
            metrics[f"kind {kind}"] = _kind_accuracy(some)
    return metrics


def _kind_accuracy(judged: Sequence[Judged]) -> float:
    return sum(one.judgement.kind == one.kind for one in judged) / len(judged)


def shipped_tasks(every: int = 1) -> list[DocumentTask]:
    """One in ``every`` tasks of the test split."""
    names = shipped_documents()
    return [document_task(name, names, None) for name in task_ids_of(names, None)[::every]]


def print_metrics(provider: str) -> None:
    """Print the metrics of a provider for the test split."""
    judged = list(judged_edits(shipped_tasks(), make_provider(provider)))
    rows = ((name, format_number(100 * share, 1)) for name, share in feedback_metrics(judged).items())
    print_table(table_of(f"Feedback: {provider}, {len(judged)} edits of the test split", ("metric", "%"), rows))


if __name__ == "__main__":
    print_metrics(*(sys.argv[1:2] or ["learned"]))
