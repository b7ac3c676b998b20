"""The environment of requests and documents from published data sets (PPTC).

The data are the user's own copies.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ...core.tools import ToolError
from ...core.vector import BatchVectorEnv
from ..document_text import DocumentText
from ..env import EditEnv
from ..operations.draft import Operation
from ..operations.table import OPERATIONS
from ..painting.pictures import EMBEDDED
from ..requests.request import Request, apply_operations
from ..scene.document import Document, numbers_of, renamed, without_names
from ..scoring.evaluator import Evaluator
from ..scoring.requirements import Latitude, Requirements, requirements_of
from ..state import DocumentTask
from .pptc import LAYOUT, Session, documents_of, read_pptc

_ROOM = 180
"""The maximum distance of a new element from its expected centre, in pixels: requests give no exact places."""


@dataclass(frozen=True, slots=True)
class ExternalTask:
    """A document, a request to edit it, and the document that is expected.

    Attributes:
        id: unique among the tasks of one folder.
        document: before.
        request: in words.
        expected: after; never the same as before.
        origin: file and line, for people.
    """

    id: str
    document: Document
    request: str
    expected: Document
    origin: str


_UNDRAWN = (EMBEDDED, "panel/")
"""The prefixes of the names of pictures that no operation draws."""


class Unplayable(ValueError):
    """The reason why a task cannot be played, the same for all tasks of its kind."""


Skipped = tuple[str, str]
"""A task that cannot be played: the reason of its kind, and what is wrong with this one after its place."""


def external_tasks(root: Path, skipped: list[Skipped] | None = None) -> list[ExternalTask]:
    """The tasks in a folder of data sets: the turns of PPTC in ``pptc/``.

    Args:
        root: the folder.
        skipped: takes the turns that are not among the tasks; see ``pptc_tasks``.

    Raises:
        ValueError: if there are none, or a row is broken; the message names file and line, or the layout expected.
    """
    skipped = [] if skipped is None else skipped
    tasks = list(pptc_tasks(read_pptc(root / "pptc"), skipped)) if (root / "pptc").is_dir() else []
    if not tasks:
        why = f"; {len(skipped)} turns cannot be played, the first: {skipped[0][1]}" if skipped else ""
        raise ValueError(f"no tasks in {root}{why}; expected is pptc/, {LAYOUT}")
    return tasks


def pptc_tasks(sessions: Iterable[Session], skipped: list[Skipped]) -> Iterator[ExternalTask]:
    """The turns that can be played; each starts from the deck of the turns before.

    Args:
        sessions: from ``read_pptc``.
        skipped: takes the turns that cannot be played: a deck is missing or holds what we cannot read, or the two decks
            are alike in all that we read.
    """
    for session in sessions:
        for number, turn in enumerate(session.turns):
            try:
                before, after = documents_of(session, number)
                if before.pages == after.pages:
                    raise Unplayable("nothing changes that is read from decks")
            except ValueError as error:
                reason = str(error) if isinstance(error, Unplayable) else "a deck is missing or cannot be opened"
                skipped.append((reason, f"{turn.origin}: {error}"))
            else:
                yield ExternalTask(f"pptc/{session.id}/{number}", before, turn.instruction, after, turn.origin)


def document_task(one: ExternalTask) -> DocumentTask:
    """The task, with operations that satisfy the constraints of its expected document.

    Raises:
        Unplayable: if it does not fit into an observation, or there are no such operations.
    """
    one = _numbered(one)
    for reason in _obstacles(one):
        raise Unplayable(reason)
    pages = {one.expected.places[e.id][0] for e in one.expected.elements() if e.id not in one.document.places}
    if len(pages) > 1:
        raise Unplayable("something is added to several pages")
    page, operations = max(pages, default=0), tuple(_operations_between(one.document, one.expected))
    try:
        edited = apply_operations(one.document, operations, page)
    except ToolError:
        raise Unplayable("no operation makes the edit") from None
    requested = _requirements(one.document, one.expected)
    if not requested.constraints:
        raise Unplayable("what must change is not known")
    if not Evaluator(one.document, *requested).evaluate(edited).success:
        raise Unplayable("no operation makes the edit")
    # The gold document is the result of the operations: requests leave the style of new elements open.
    constraints, may_change = _requirements(one.document, edited)
    if not constraints:
        raise Unplayable("what must change is not known")
    request = Request(
        document=one.document.name,
        text=one.request,
        page=page,
        operations=operations,
        edits=("external",),
        constraints=constraints,
        may_change=may_change,
    )
    return DocumentTask(one.id, one.document, request)


def _numbered(one: ExternalTask) -> ExternalTask:
    """The task with neutral ids in both documents."""
    new = [name for name in one.expected.places if name not in one.document.places]
    ids = numbers_of(one.document) | {name: f"n{number}" for number, name in enumerate(new, 1)}
    return replace(one, document=renamed(one.document, ids), expected=renamed(one.expected, ids))


def _obstacles(one: ExternalTask) -> Iterator[str]:
    """The reasons why the request and documents of a task cannot be played."""
    before, after = one.document.pages, one.expected.pages
    if not one.request.strip():
        yield "the request is empty"
    if len(one.request) > MAX_GOAL_LENGTH:
        yield "the request is too long to be shown"
    if max(DocumentText(one.document).longest, DocumentText(one.expected).longest) > MAX_SOURCE_LENGTH:
        yield "a page is too long to be shown"
    if len(before) != len(after):
        yield "pages are added or removed"
    if [(page.width, page.height) for page in before] != [(page.width, page.height) for page in after]:
        yield "the size of pages changes"
    if [page.background for page in before] != [page.background for page in after]:
        yield "the background of a page changes"
    if any(name.startswith(_UNDRAWN) for name in set(one.expected.pictures()) - set(one.document.pictures())):
        yield "a picture or chart is needed that is not in the document"


def _operations_between(before: Document, expected: Document) -> Iterator[Operation]:
    """The operations that turn one document into another, as far as they can.

    New elements are added but not modified: the request is for their content and their place.
    """
    couples = [(element, expected.find(element.id)) for element in before.elements()]
    new = [(None, element) for element in expected.elements() if element.id not in before.places]
    for old, after in (*couples, *new):
        for name, operation in OPERATIONS.items() if old != after else ():
            for arguments in operation.between(old, after):
                yield Operation(name=name, arguments=arguments)


def _requirements(before: Document, expected: Document) -> Requirements:
    """What must hold; nothing if some of it holds already."""
    new = [element for element in expected.elements() if element.id not in before.places]
    regions = {e.id: (round(e.centre[0]) - _ROOM, round(e.centre[1]) - _ROOM, 2 * _ROOM, 2 * _ROOM) for e in new}
    required = requirements_of(before, expected, Latitude(regions))
    return required if all(Evaluator(before, *required).open) else Requirements(())


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
    ``external_tasks`` names them. Tasks that cannot be played are left out, such as an edit that adds a
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
        n_pages = max(len(task.before.pages) for task in self._tasks.values())
        super().__init__(canvas, n_pages, tuple(self._tasks), **kwargs)

    def task(self, task_id: str) -> DocumentTask:
        """The task with an id.

        Raises:
            ValueError: if there is none.
        """
        if task_id not in self._tasks:
            raise ValueError(f"no task {task_id!r}; there are {', '.join(list(self._tasks)[:5])} and so on")
        # Another one each time: what it computes and keeps goes with the episode.
        task = replace(self._tasks[task_id])
        return task if self._names else replace(task, before=without_names(task.before))


@cached
def _playable(root: Path) -> Mapping[str, DocumentTask]:
    """The tasks in a folder that can be played."""
    skipped: list[Skipped] = []
    tasks = {}
    for one in external_tasks(root, skipped):
        try:
            tasks[one.id] = document_task(one)
        except Unplayable as error:
            skipped.append((str(error), f"{one.origin}: {error}"))
    if skipped:
        counts = Counter(reason for reason, _ in skipped)
        reasons = "; ".join(f"{reason}: {count}" for reason, count in counts.most_common())
        warnings.warn(f"{len(skipped)} of {len(tasks) + len(skipped)} tasks are left out ({reasons})", stacklevel=3)
    if not tasks:
        raise DATA.error(f"no task in {root} can be played")
    return tasks


make_batch = partial(BatchVectorEnv, ExternalEnv)
"""``ExternalEnv`` as a ``BatchVectorEnv``."""
