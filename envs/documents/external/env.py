"""The environment of requests and documents from published data sets (PPTC).

The data are the user's own copies.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.vector import BatchVectorEnv
from ..env import EditEnv
from ..tasks import DocumentTask
from .tasks import Skipped, Unplayable, counted_reasons, document_task, external_tasks

DATA = DataSet(
    "external edit requests",
    ("docedit", "DocEdit", "documents"),
    ("pptc",),
    "docs/documents.md says how to get PPTC and how to lay it out; pass root=, or set "
    f"{ROOT_VARIABLE}, to the folder that holds pptc/",
)


class ExternalEnv(EditEnv):
    """Edit documents by requests from published data sets.

    Other authors wrote the requests, so keep the metrics apart from those of our own. Tasks are ``set/name``, as
    ``external.tasks.external_tasks`` names them. Tasks that cannot be played are left out, such as an edit that adds a
    page or that the eight operations cannot make; a warning counts them by reason.

    Args:
        root: the folder that holds ``pptc/``; ``None``: ``docedit`` in the folder that the environment
            variable FORMGYM_DATA names, or that folder itself.
        **kwargs: see ``EditEnv``.

    Raises:
        ValueError: if there are no such data, or they are broken.
    """

    def __init__(self, root: str | None = None, **kwargs: Any) -> None:
        self._tasks = _playable(DATA.root(root))
        pages = [page for task in self._tasks.values() for page in task.before.pages]
        canvas = max(page.height for page in pages), max(page.width for page in pages)
        super().__init__(canvas, tuple(self._tasks), **kwargs)

    def task(self, task_id: str) -> DocumentTask:
        """The task with an id.

        Raises:
            ValueError: if there is none.
        """
        if task_id not in self._tasks:
            raise ValueError(f"no task {task_id!r}; there are {', '.join(list(self._tasks)[:5])} and so on")
        # Another one each time: what it computes and keeps goes with the episode.
        return replace(self._tasks[task_id])


@cached
def _playable(root: Path) -> Mapping[str, DocumentTask]:
    """The tasks in a folder that can be played."""
    skipped: list[Skipped] = []
    tasks = {}
    for one in external_tasks(root, skipped):
        try:
            tasks[one.id] = document_task(one)
        except Unplayable as error:
            skipped.append(Skipped(str(error), f"{one.origin}: {error}"))
    if skipped:
        n_tasks = len(tasks) + len(skipped)
        warnings.warn(f"{len(skipped)} of {n_tasks} tasks are left out ({counted_reasons(skipped)})", stacklevel=3)
    if not tasks:
        raise DATA.error(f"no task in {root} can be played")
    return tasks


make_batch = partial(BatchVectorEnv, ExternalEnv)
"""``ExternalEnv`` as a ``BatchVectorEnv``."""
