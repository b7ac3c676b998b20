"""External: requests and documents that others have written, from the user's own copies (Crello, PPTC)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ..core.data_sets import ROOT_VARIABLE, DataSet
from ..core.env import MAX_SOURCE_LENGTH
from ..core.tools import ToolError
from ..core.vector import BatchVectorEnv
from .env import EditEnv
from .external.between import completed, operations_between
from .external.finding import external_tasks
from .external.tasks import ExternalTask
from .requests.request import Operation, Request, carried_out
from .scene.document import Document
from .scoring.constraints import Constraint, Latitude, constraints_of
from .scoring.verdict import Verdict
from .source import Source
from .tasks import DocumentTask

DATA = DataSet(
    "external edit requests",
    ("docedit", "DocEdit", "documents"),
    ("crello", "pptc"),
    "docs/documents.md says how to get Crello and PPTC and how to lay them out; pass root=, or set "
    f"{ROOT_VARIABLE}, to the folder that holds crello/ or pptc/",
)
_ROOM = 180
"""How far off its wanted place the middle of something new may be, in pixels: others do not tell exact places."""


class ExternalEnv(EditEnv):
    """Edit documents of others as they ask for it; the figures are of external language, and so kept apart from ours.

    Tasks are ``set/name``, as ``external.finding.external_tasks`` tells them. Those whose edit none of the eight
    operations can make, and documents too long to be shown, are left out, with a warning that counts them.

    Args:
        root: the folder that holds ``crello/`` or ``pptc/``; ``None``: ``docedit`` in the folder that the environment
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
        """The task of an id.

        Raises:
            ValueError: if there is none.
        """
        if task_id not in self._tasks:
            raise ValueError(f"no task {task_id!r}; there are {', '.join(list(self._tasks)[:5])} and so on")
        return self._tasks[task_id]


@lru_cache(maxsize=4)
def _playable(root: Path) -> Mapping[str, DocumentTask]:
    """The tasks in a folder whose edits operations can make."""
    found = external_tasks(root)
    tasks = {task.task_id: task for one in found if (task := _task(one)) is not None}
    if len(tasks) < len(found):
        warnings.warn(
            f"{len(found) - len(tasks)} of {len(found)} tasks are left out: no operation can make their edits",
            stacklevel=3,
        )
    if not tasks:
        raise DATA.error(f"no task in {root} can be played")
    return tasks


def _task(one: ExternalTask) -> DocumentTask | None:
    """The task, if operations make an edit that meets what the wanted document asks for."""
    told = tuple(Operation.model_validate({"name": name, "arguments": arguments}) for name, arguments in one.calls)
    if len(Source(one.document).text) > MAX_SOURCE_LENGTH // 2:
        return None
    new = [element for element in one.wanted.elements() if element.id not in one.document.places]
    page = one.wanted.places[new[0].id][0] if new else 0
    try:
        operations = completed(one.document, told or operations_between(one.document, one.wanted))
        edited = carried_out(one.document, operations, page)
    except ToolError:
        return None
    asked, verdict = _constraints(one.document, one.wanted), Verdict(one.document, edited, one.wanted)
    if not asked or verdict.extra() or not all(verdict.holds(constraint) for constraint in asked):
        return None
    # The gold document is what the operations make: nobody tells the style of what is new.
    constraints = _constraints(one.document, edited)
    request = Request(
        document=one.document.name,
        text=one.request,
        page=page,
        operations=operations,
        edits=("external",),
        actions=tuple(dict.fromkeys(operation.name for operation in operations)),
        components=tuple(dict.fromkeys(_component(one.document, edited, c) for c in constraints)),
        constraints=constraints,
    )
    return DocumentTask(one.id, one.document, request)


def _constraints(before: Document, wanted: Document) -> tuple[Constraint, ...]:
    """What must hold; nothing, if some of it holds already."""
    new = [element for element in wanted.elements() if element.id not in before.places]
    regions = {e.id: (round(e.centre[0]) - _ROOM, round(e.centre[1]) - _ROOM, 2 * _ROOM, 2 * _ROOM) for e in new}
    asked, unedited = constraints_of(before, wanted, Latitude(regions)), Verdict(before, before, wanted)
    return () if any(unedited.holds(constraint) for constraint in asked) else asked


def _component(before: Document, after: Document, constraint: Constraint) -> str:
    element = before.find(constraint.element) or after.find(constraint.element)
    assert element is not None
    return element.type


make_batch = partial(BatchVectorEnv, ExternalEnv)
"""``ExternalEnv`` as a ``BatchVectorEnv``."""
