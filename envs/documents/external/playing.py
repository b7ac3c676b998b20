"""Convert tasks of other data sets into tasks of the environment, where the eight operations can solve them."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ...core.tools import ToolError
from ..operations.draft import Operation
from ..painting.pictures import EMBEDDED
from ..requests.request import Request, apply_operations
from ..scene.document import Document
from ..scoring.constraints import Constraint, Latitude, constraints_of
from ..scoring.edit_evaluator import EditEvaluator
from ..source import Source
from ..tasks import DocumentTask
from .diff_to_operations import completed, operations_between
from .tasks import ExternalTask, Unplayable

_ROOM = 180
"""How far the centre of a new element may be from its expected place, in pixels: requests give no exact places."""


def document_task(one: ExternalTask) -> DocumentTask:
    """The task, with operations that satisfy the constraints of its expected document.

    Raises:
        Unplayable: if it does not fit into an observation, or there are no such operations.
    """
    for reason in _obstacles(one):
        raise Unplayable(reason)
    page, operations = _operations(one)
    edited = apply_operations(one.document, operations, page)
    _check(one, edited)
    # The gold document is the result of the operations: requests leave the style of new elements open.
    constraints = _constraints(one.document, edited)
    if not constraints:
        raise Unplayable("what must change is not known")
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


def _obstacles(one: ExternalTask) -> Iterator[str]:
    """Reasons in the request and the documents of a task why it cannot be played."""
    before, after = one.document.pages, one.wanted.pages
    if not one.request.strip():
        yield "the request is empty"
    if len(one.request) > MAX_GOAL_LENGTH:
        yield "the request is too long to be shown"
    if len(Source(one.document).text) > MAX_SOURCE_LENGTH // 2:
        yield "the document is too long to be shown"
    if len(before) != len(after):
        yield "pages are added or removed"
    if [(page.width, page.height) for page in before] != [(page.width, page.height) for page in after]:
        yield "the size of pages changes"
    if [page.background for page in before] != [page.background for page in after]:
        yield "the background of a page changes"
    if any(name.startswith(EMBEDDED) for name in _pictures(one.wanted) - _pictures(one.document)):
        yield "a picture or chart is needed that is not in the document"


def _operations(one: ExternalTask) -> tuple[int, tuple[Operation, ...]]:
    """The page that new elements go onto, and the operations that make the edit."""
    given = tuple(Operation.model_validate({"name": name, "arguments": arguments}) for name, arguments in one.calls)
    pages = {one.wanted.places[e.id][0] for e in one.wanted.elements() if e.id not in one.document.places}
    if len(pages) > 1:
        raise Unplayable("something is added to several pages")
    try:
        return max(pages, default=0), completed(one.document, given or operations_between(one.document, one.wanted))
    except ToolError:
        raise Unplayable("no operation makes the edit") from None


def _check(one: ExternalTask, edited: Document) -> None:
    """Check that an edit satisfies the constraints of the expected document, and that the original satisfies none."""
    requested, evaluator = _constraints(one.document, one.wanted), EditEvaluator(one.document, edited, one.wanted)
    if evaluator.unrequested_changes() or not all(evaluator.holds(constraint) for constraint in requested):
        raise Unplayable("no operation makes the edit")
    if not requested:
        raise Unplayable("what must change is not known")


def _pictures(document: Document) -> set[str]:
    return {element.asset for element in document.elements() if element.asset is not None}


def _constraints(before: Document, expected: Document) -> tuple[Constraint, ...]:
    """What must hold; nothing, if some of it holds already."""
    new = [element for element in expected.elements() if element.id not in before.places]
    regions = {e.id: (round(e.centre[0]) - _ROOM, round(e.centre[1]) - _ROOM, 2 * _ROOM, 2 * _ROOM) for e in new}
    required, unedited = constraints_of(before, expected, Latitude(regions)), EditEvaluator(before, before, expected)
    return () if any(unedited.holds(constraint) for constraint in required) else required


def _component(before: Document, after: Document, constraint: Constraint) -> str:
    element = before.find(constraint.element) or after.find(constraint.element)
    assert element is not None
    return element.type
