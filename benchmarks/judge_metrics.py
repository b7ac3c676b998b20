"""Balanced accuracy of those who judge edits, on right and wrong edits of requests.

``python benchmarks/judge_metrics.py`` prints it for the providers that know the right edit. ``--questions FOLDER``
adds a model that answers through files: the first call writes a question for each edit, a later one reads replies.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from formgym.agents.base import ReplyAwaited
from formgym.agents.edit_judge import EditJudge
from formgym.agents.models.files import FilesModel
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.feedback.judgement import Provider, make_provider
from formgym.envs.documents.feedback.wrong_edits import labelled_edits
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.state import DocumentTask
from formgym.experiments.terminal.console import format_number, print_table, table_of


class Edit(NamedTuple):
    """An edit of a task, and its kind: right, or the kind of mistake."""

    task: DocumentTask
    kind: str
    document: Document


def edits(n: int, split: str = "test", seed: int = 0) -> Iterator[Edit]:
    """Right and wrong edits in turns, of random tasks of all documents.

    Args:
        n: how many, if there are tasks enough.
        split: of the tasks.
        seed: which tasks and mistakes.
    """
    env, rng, left = DocumentEnv(split=split), np.random.default_rng(seed), n
    for number in rng.permutation(min(len(env.task_ids), 100_000)):
        task = env.task(env.task_ids[int(number)])
        for kind, document in labelled_edits(task, rng)[:left]:
            left -= 1
            yield Edit(task, kind, document)
        if left <= 0:
            return


def judged_right(provider: Provider, judged: Sequence[Edit]) -> list[bool | None]:
    """What a provider says of each edit; ``None``: its reply is awaited."""
    return [_verdict(provider, edit) for edit in judged]


def _verdict(provider: Provider, edit: Edit) -> bool | None:
    try:
        return provider(edit.task, edit.document).is_right
    except ReplyAwaited:
        return None


def judge_metrics(judged: Sequence[Edit], verdicts: Sequence[bool | None]) -> dict[str, float]:
    """The number of verdicts, the shares of right and of wrong edits that are judged so, and the mean of both."""
    given = [
        (edit.kind == "right", verdict) for edit, verdict in zip(judged, verdicts, strict=True) if verdict is not None
    ]
    right = [verdict for is_right, verdict in given if is_right]
    wrong = [not verdict for is_right, verdict in given if not is_right]
    shares = [float(np.mean(side)) if side else float("nan") for side in (right, wrong)]
    return {"edits": len(given), "right": shares[0], "wrong": shares[1], "balanced": sum(shares) / 2}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Balanced accuracy of those who judge edits.")
    parser.add_argument("-n", type=int, default=500)
    parser.add_argument("--split", default="test")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--questions", type=Path, help="the folder of a model that answers through files")
    options = parser.parse_args()
    asked = list(edits(options.n, options.split, options.seed))
    providers = {"exact": make_provider("exact"), "noisy, .8": make_provider("noisy", 0.8)}
    if options.questions:
        providers["model"] = make_provider(EditJudge(FilesModel(options.questions, batch=True)))
    rows = []
    for name, provider in providers.items():
        count, *shares = judge_metrics(asked, judged_right(provider, asked)).values()
        rows.append((name, int(count), *(format_number(one, 3) for one in shares)))
    title = f"Edits of the {options.split} split that are judged as they are"
    print_table(table_of(title, ("provider", "edits", "right", "wrong", "balanced"), rows))
