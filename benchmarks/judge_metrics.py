"""Balanced accuracy of those who judge edits, on right and wrong edits of requests.

``python benchmarks/judge_metrics.py`` prints it for the providers that know the right edit. ``--questions FOLDER``
adds a model that answers through files: the first call writes a question for each edit, a later one reads replies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from file_replies import replied, sampling_parser
from numpy.typing import NDArray

from formgym.agents.edit_judge import EditJudge
from formgym.agents.models.files import FilesModel
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.feedback.judgement import KINDS, Provider, make_provider
from formgym.envs.documents.feedback.wrong_edits import labelled_edits
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.state import DocumentTask
from formgym.experiments.running.intervals import combined_mean, rate_with_interval
from formgym.experiments.terminal.console import mean_cell, print_table, table_of

NOTHING: dict[str, Any] = {"mean": None, "ci95": None}


class Edit(NamedTuple):
    """An edit of a task, and its kind: right, or the kind of mistake."""

    task: DocumentTask
    kind: str
    document: Document


def edits(n: int, split: str = "test", seed: int = 0) -> Iterator[Edit]:
    """Right and wrong edits in turns, of random tasks of all documents.

    Each is of another task while there are some, so that who judges cannot compare; then the other edits of these
    tasks follow.

    Args:
        n: how many, if there are tasks enough.
        split: of the tasks.
        seed: which tasks and mistakes.
    """
    env, rng, others = DocumentEnv(split=split), np.random.default_rng(seed), list[Edit]()
    tasks = (env.task(env.task_ids[int(i)]) for i in rng.permutation(min(len(env.task_ids), 100_000)))
    pairs = ([Edit(task, *one) for one in labelled_edits(task, rng)] for task in tasks)
    for i, pair in enumerate(islice(filter(None, pairs), n)):
        yield pair[i % 2]
        others.append(pair[1 - i % 2])
    yield from others[: n - len(others)]


def judged_right(provider: Provider, judged: Sequence[Edit]) -> list[tuple[Edit, bool]]:
    """What a provider says of each edit, without those whose replies are awaited."""
    return list(replied(lambda edit: provider(edit.task, edit.document).is_right, judged))


def judge_metrics(judged: Sequence[tuple[Edit, bool]]) -> dict[str, dict[str, Any]]:
    """The shares of edits that are judged as they are, by kind, with 95 % intervals by document.

    Args:
        judged: edits, each with whether it is judged right.

    Returns:
        ``mean`` and ``ci95`` of ``"right"`` edits, of each kind of mistake, of all that are ``"wrong"``, and
        ``"balanced"``, the mean of right and wrong; ``None`` where there are too few such edits.
    """
    kinds = np.array([edit.kind for edit, _ in judged])
    hits = np.array([(edit.kind == "right") == verdict for edit, verdict in judged])
    documents = np.unique([edit.task.before.name for edit, _ in judged], return_inverse=True)[1]
    sides = {kind: kinds == kind for kind in KINDS} | {"wrong": kinds != "right"}
    shares = {name: _share(hits[side], documents[side]) for name, side in sides.items()}
    both = [shares["right"], shares["wrong"]]
    return shares | {"balanced": combined_mean(both) if set(kinds == "right") == {True, False} else NOTHING}


def _share(hits: NDArray[np.bool_], documents: NDArray[np.intp]) -> dict[str, Any]:
    if len(hits) < 2:
        return NOTHING | {"mean": float(hits[0])} if len(hits) else NOTHING
    return rate_with_interval(hits, {"document": np.unique(documents, return_inverse=True)[1]})


if __name__ == "__main__":
    parser = sampling_parser("Balanced accuracy of those who judge edits.", n=500)
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    sample = list(edits(options.n, options.split, options.seed))
    providers = {"exact": make_provider("exact"), "noisy, .8": make_provider("noisy", 0.8)}
    if options.questions:
        providers["model"] = make_provider(EditJudge(FilesModel(options.questions, batch=True)))
    judged = {name: judged_right(provider, sample) for name, provider in providers.items()}
    metrics = {f"{name} ({len(found)})": judge_metrics(found) for name, found in judged.items() if found}
    counts = Counter(edit.kind for edit in sample)
    counts |= {"wrong": len(sample) - counts["right"], "balanced": len(sample)}
    rows = [(kind, n, *(mean_cell(one[kind], 2) for one in metrics.values())) for kind, n in counts.items()]
    title = f"Edits of the {options.split} split that are judged as they are"
    print_table(table_of(title, ("kind", "edits", *metrics), sorted(rows, key=lambda row: row[1])))
