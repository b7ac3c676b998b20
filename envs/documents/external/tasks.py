"""Make tasks of the turns of sessions: constraints that follow from the decks, and a gold edit that meets them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from pydantic import BaseModel

from ...core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ..requests.request import Request
from ..scene.document import Document, numbers_of, renamed, without_names
from ..scene.document_text import DocumentText
from ..scene.elements import Element
from ..scene.elements import Style as TextStyle
from ..scoring.constraints import CONSTRAINT, Constraint
from ..scoring.evaluator import Evaluator
from ..scoring.requirements import Latitude, Requirements, requirements_of
from ..state import DocumentTask
from .executor import SLIDE
from .gold import GoldEdit
from .pptc import EditTurn, Turned
from .published import Restriction, is_empty, read_restrictions

_ROOM = 180
"""The maximum distance of a new element from its expected centre, in pixels: requests give no exact places."""
_SET_BY = {
    "set_font_size": "size", "set_font_color": "colour", "set_font_bold": "bold", "set_font_italic": "italic",
    "set_font_underline": "underline", "set_font_style": "face", "set_line_space": "line_height", "text_align": "align",
}  # fmt: skip
"""The fields that calls set."""
_CENTIMETRE, _POINT = 360_000, 12_700


Named = TypeVar("Named", bound=BaseModel)


class Unplayable(ValueError):
    """The reason why a turn cannot be played, the same for all turns of its kind."""


@dataclass(frozen=True)
class ExternalTask:
    """A document, a request to edit it, and the document that is expected.

    Attributes:
        id: unique among the tasks of one folder.
        turn: as it was published.
        document: before.
        expected: after; ids are the same in both, those of new elements ``x1``, ``x2`` …
        names: of elements by id, as the decks give them.
        emu: English metric units in a pixel.
    """

    id: str
    turn: EditTurn
    document: Document
    expected: Document
    names: Mapping[str, str]
    emu: float

    @property
    def restrictions(self) -> list[Restriction]:
        """Where things must be afterwards."""
        return list(read_restrictions(self.turn.restrictions))

    @property
    def request(self) -> str:
        """The request in words, with what the numbers of PPTC mean."""
        if not self.turn.calls:
            return self.turn.instruction
        units = f"lengths are in centimetres of {_CENTIMETRE / self.emu:.1f} pixels"
        points = f"sizes of letters in points of {_POINT / self.emu:.2f} pixels"
        return f"{self.turn.instruction}\n(Slides are counted from 0; {units}, {points}.)"


def external_task(task_id: str, turn: EditTurn, decks: Turned, ids: Mapping[str, str] | None = None) -> ExternalTask:
    """The task of a turn, with neutral ids and without names in both documents.

    Args:
        task_id: of the task.
        turn: as it was published.
        decks: before and after it.
        ids: neutral ids, by those of the decks; ``None``: see ``neutral_ids``.
    """
    ids = ids or neutral_ids([decks.before, decks.after])
    names = {ids[one.id]: one.name for document in (decks.after, decks.before) for one in document.elements()}
    before, after = (renamed(without_names(one), ids) for one in (decks.before, decks.after))
    pages = zip_longest(after.pages, before.pages[: len(after.pages)])
    same = tuple(old if old == page else page for page, old in pages)
    return ExternalTask(task_id, turn, before, after.with_pages(same), names, decks.emu)


def neutral_ids(documents: Sequence[Document]) -> dict[str, str]:
    """Ids that give nothing away, by those of decks; ``x1``, ``x2`` … of those that the first document has not."""
    ids = numbers_of(documents[0])
    new = dict.fromkeys(name for document in documents for name in document.places if name not in ids)
    return ids | {name: f"x{number}" for number, name in enumerate(new, 1)}


def document_task(one: ExternalTask) -> DocumentTask:
    """The task, with a gold edit that meets the constraints of its expected document.

    Raises:
        Unplayable: if there is none.
    """
    if not one.turn.instruction:
        raise Unplayable("the request is empty")
    if len(one.request) > MAX_GOAL_LENGTH:
        raise Unplayable("the request is too long to be shown")
    if max(DocumentText(one.document).longest, DocumentText(one.expected).longest) > MAX_SOURCE_LENGTH:
        raise Unplayable("a page is too long to be shown")
    required = requirements(one)
    if not required.constraints:
        raise Unplayable("nothing changes that can be seen")
    evaluator, gold = Evaluator(one.document, *required), GoldEdit(one.document)
    if not any(evaluator.open):
        raise Unplayable("all that is requested is so already")
    gold.edit_to(one.expected)
    if not evaluator.evaluate(gold.document).success:
        raise Unplayable("no operations make the edit")
    request = Request(
        document=one.document.name,
        text=one.request,
        page=_first_page(one),
        operations=tuple(gold.operations),
        constraints=required.constraints,
        may_change=required.may_change,
    )
    return DocumentTask(one.id, one.document, request)


def _first_page(one: ExternalTask) -> int:
    """The first page that changes."""
    pages = enumerate(zip(one.document.pages, one.expected.pages, strict=False))
    return next((i for i, (old, new) in pages if old is not new), 0)


def requirements(one: ExternalTask) -> Requirements:
    """What must hold after a turn, and what may change."""
    restricted: dict[str, list[Restriction]] = defaultdict(list)
    for restriction in one.restrictions:
        # In a session a later turn may undo what an earlier one has asked for.
        element = restriction.element(one.expected, one.names)
        if element is not None and restriction.holds(one.expected, one.names, one.emu):
            restricted[element.id].append(restriction)
    required = requirements_of(one.document, one.expected, _latitude(one))
    hidden = {element.id for element in one.expected.elements() if is_empty(element)} - set(one.document.places)
    kept = [
        constraint
        for constraint in required.constraints
        if constraint.about not in hidden and not _is_of_place(constraint, restricted)
    ]
    places = [
        made for found in restricted.values() for restriction in found for made in _constraints_of(restriction, one)
    ]
    charts = [made for element in one.expected.elements() for made in _constraints_of_chart(element, one.document)]
    return Requirements((*map(_open, kept), *charts, *places), required.may_change)


def about(one: Named, names: Mapping[str, str]) -> Named:
    """A constraint with other ids of elements."""
    fields = {field: getattr(one, field) for field in ("element", "other") if hasattr(one, field)}
    return one.model_copy(update={field: names.get(name, name) for field, name in fields.items()})


def _latitude(one: ExternalTask) -> Latitude:
    """What a turn leaves open: places of what is new, and formats of texts that it replaces and does not mention."""
    elements = list(one.expected.elements())
    new = [element for element in elements if element.id not in one.document.places]
    regions = {e.id: (round(e.centre[0]) - _ROOM, round(e.centre[1]) - _ROOM, 2 * _ROOM, 2 * _ROOM) for e in new}
    asked = {field for call, field in _SET_BY.items() if call in one.turn.calls}
    formats = [f"style.{field}" for field in TextStyle.model_fields if field not in asked]
    worded = [e for e in elements if (old := one.document.find(e.id)) is not None and old.text != e.text]
    free = {(e.id, field) for e in worded for field in (*formats, "type", "runs")}
    return Latitude(regions, (), free)


def _open(constraint: Constraint) -> Constraint:
    """A constraint without which picture is shown: requests name what is on it."""
    return constraint.model_copy(update={"asset": (), "shape": ()}) if constraint.check == "new" else constraint


def _constraints_of_chart(element: Element, before: Document) -> Iterator[Constraint]:
    """What a new chart must show: its title and all numbers, however they are arranged."""
    if element.chart is not None and element.id not in before.places:
        about, chart = {"check": "chart", "element": element.id}, element.chart
        numbers = tuple(f"{value:g}" for row in chart.series for value in row.values if value is not None)
        yield CONSTRAINT.validate_python({**about, "field": "series", "contains": numbers})
        if chart.title:
            yield CONSTRAINT.validate_python({**about, "field": "title", "any_of": (chart.title,)})


def _is_of_place(constraint: Constraint, restricted: Mapping[str, object]) -> bool:
    """Whether a constraint says where an element is for which there is a restriction."""
    is_place = constraint.check == "place" or (constraint.check == "value" and constraint.field in ("x", "y"))
    return is_place and constraint.about in restricted


def _constraints_of(restriction: Restriction, one: ExternalTask) -> Iterator[Constraint]:
    """The constraints that a restriction is, for an element of the size that is expected."""
    element = restriction.element(one.expected, one.names)
    assert element is not None
    relations = {"left": "left_of", "right": "right_of", "top": "above", "bottom": "below"}
    other = None if restriction.other == "slide" else restriction.element(one.expected, one.names, restriction.other)
    for side in restriction.sides:
        at = side in ("top", "bottom")
        middle, length = SLIDE[at] / 2 / one.emu, element.bbox[2 + at]
        limit = {"max": middle - length} if side in ("left", "top") else {"min": middle}
        about = {"element": element.id}
        if other is None:
            yield CONSTRAINT.validate_python({"check": "value", **about, "field": "xy"[at], **limit})
        else:
            relation = {"relation": relations[side], "other": other.id, "within": 0}
            yield CONSTRAINT.validate_python({"check": "relation", **about, **relation})
    if "center" in restriction.relation:
        for field, whole, length in zip("xy", SLIDE, element.bbox[2:], strict=True):
            middle = whole / 2 / one.emu
            limits = {"min": middle - length, "max": middle}
            yield CONSTRAINT.validate_python({"check": "value", "element": element.id, "field": field, **limits})
