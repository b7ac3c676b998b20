"""The constraints that a document must meet after an edit, and their check."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...core.files import Data
from ..operations.values import colour_name
from ..scene.colours import colour_difference
from ..scene.document import ADDED, ORDER, REMOVED, Changes, Document, Key, changes, fields_of
from ..scene.elements import BBox, Element, overlap
from .edit_score import angle_difference, counterparts

NEAR = 3
"""The tolerance of places and sizes, in pixels."""
CONTENT = {"text": "text", "list": "text", "shape": "shape", "image": "asset", "table": "cells"}
"""The field with the content of a new element, by its type."""
_SEEN_OF_NEW = ("opacity", "angle", "size")
"""The fields that are checked of a new element besides content and place."""
_LETTERED = ("text", "list")
_LABELS = {
    "removed": "{} is gone",
    ADDED: "there is {}",
    "content": "what {} shows",
    "region": "where the middle of {} is",
    "page": "page of {}",
    "looks": "looks of {}",
    "over": "what {} is over",
    "order": "place of {} in the order",
}


class Constraint(Data):
    """A condition that the edited document must meet.

    Attributes:
        element: the id of an element of the document before, or of the expected one if it is new.
        name: what a person calls it.
        field: one of ``changes.fields_of``, or ``"removed"``, ``"added"`` (that there is a new element of a type),
            ``"order"``, ``"region"`` (where its middle is), and of a new one ``"content"`` (its text or picture),
            ``"page"``, ``"looks"`` (fields that must be similar) and ``"over"`` (elements that must not be over it).
        value: the required value, as JSON; of a region left, top, width, height.
    """

    element: str
    name: str
    field: str
    value: Any = True

    @property
    def label(self) -> str:
        """A label for people."""
        label = _LABELS.get(self.field, f"{self.field.removeprefix('style.').replace('_', ' ')} of {{}}")
        return label.format(self.name)


class Latitude(NamedTuple):
    """What a request leaves open.

    Attributes:
        regions: by ids in the expected document, where the middles of new elements must be, if not exactly in place.
        copies: ids of new elements that must look as what they are copies of.
        free: element and field of side effects, which may have any value.
    """

    regions: Mapping[str, BBox] = MappingProxyType({})
    copies: Collection[str] = ()
    free: Collection[Key] = ()

    def joined(self, other: Latitude) -> Latitude:
        """The union of this latitude and another one."""
        regions = {**self.regions, **other.regions}
        return Latitude(regions, (*self.copies, *other.copies), {*self.free, *other.free})


def constraints_of(before: Document, expected: Document, latitude: Latitude | None = None) -> tuple[Constraint, ...]:
    """The constraints that an edit must meet.

    Args:
        before: the document that is edited.
        expected: the document after the edit.
        latitude: what is left open; ``None``: nothing.
    """
    latitude = latitude or Latitude()
    found = []
    for (name, field), value in changes(before, expected).items():
        element = before.find(name) or expected.find(name)
        assert element is not None
        called = element.name or f"the new {element.type}"
        if field == ADDED:
            found += [Constraint(element=name, name=called, field=ADDED, value=element.type)]
            found += _of_new(expected, element, called, latitude)
        elif before.find(name) is not None and (name, field) not in latitude.free:
            found.append(Constraint(element=name, name=called, field=field, value=plain(value)))
    return tuple(found)


def _of_new(expected: Document, element: Element, called: str, latitude: Latitude) -> Iterator[Constraint]:
    fields = fields_of(element)
    if element.type in CONTENT:
        yield Constraint(element=element.id, name=called, field="content", value=plain(fields[CONTENT[element.type]]))
    around = (*(round(c) - 2 * NEAR for c in element.centre), 4 * NEAR, 4 * NEAR)
    page, at = expected.places[element.id]
    values = {
        "region": list(latitude.regions.get(element.id, around)),
        "page": page,
        "looks": _looks(element, is_copy=element.id in latitude.copies),
    }
    lower = (e for e in expected.elements_of_page(page)[:at] if e.type != "group")
    if below := [e.id for e in lower if overlap(e.bbox, element.bbox)]:
        values["over"] = below
    yield from (
        Constraint(element=element.id, name=called, field=field, value=value) for field, value in values.items()
    )


def _looks(element: Element, is_copy: bool) -> dict[str, Any]:
    """The required looks of a new element; of a copy, all of its looks."""
    fields = fields_of(element)
    compared = [*_SEEN_OF_NEW]
    if is_copy:
        compared += ["runs", "is_copy", *(name for name in fields if name.startswith("style."))]
    elif element.type == "shape":
        compared.append("style.fill")
    elif element.type in _LETTERED:
        compared.append("style.size")
    return {name: plain(fields.get(name, True)) for name in compared}


def plain(value: Any) -> Any:
    """A value as JSON represents it."""
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


_SAME_COLOUR = 12.0
"""The maximum difference of equal colours (CIE76); colours with one name are equal, too."""
_TURNED = 2.0
"""The tolerance of angles, in degrees."""
_SIZE_TOLERANCE = 3.0
"""The maximum ratio between the size of a new element and the expected one."""
_LETTERS = 2.0
"""The same for its font size."""
_COLOURS = ("style.colour", "style.fill", "style.stroke")
_IMPLIED = {"text": ("runs",), "cells": ("columns",), "style.bold": ("runs",), "style.italic": ("runs",)}
_IMPLIED |= dict.fromkeys(("style.underline", "style.colour", "style.size"), ("runs",))
"""Fields that may change along with a requested field."""


class EditEvaluator:
    """The evaluation of an edited document against a request.

    Args:
        before: the document before the edit.
        edited: the document after it.
        expected: the document after the expected edit.
        requested: ``changes(before, expected)``, if that is known.

    Attributes:
        made: the changes that were made, elements under the ids that they have in ``expected``.
        requested: the changes that were requested.
    """

    def __init__(
        self, before: Document, edited: Document, expected: Document, requested: Changes | None = None
    ) -> None:
        self._before, self._edited, self._expected = before, edited, expected
        self._names = counterparts(before, edited, expected)
        self._renamed = {expected_id: own for own, expected_id in self._names.items()}
        self.made = changes(before, edited, self._names)
        self.requested = changes(before, expected) if requested is None else requested

    def holds(self, constraint: Constraint) -> bool:
        """Whether a constraint is met."""
        value, field = self.actual(constraint), constraint.field
        if field in (REMOVED, ORDER, "page", "over"):
            return bool(value == ("gone" if field == REMOVED else constraint.value))
        if self._element(constraint.element) is None:
            return False
        if field == "looks":
            return _looks_as_expected(value, constraint.value)
        return _meets(field, value, constraint.value)

    def actual(self, constraint: Constraint) -> Any:
        """The actual value for a constraint; ``""`` without one."""
        element, field = self._element(constraint.element), constraint.field
        if field == REMOVED:
            return "gone" if element is None else "there"
        if element is None:
            return ""
        if field == ORDER:
            return self.made.get((constraint.element, ORDER), "")
        if field == "page":
            return self._edited.places[element.id][0]
        if field == "over":
            return [name for name in constraint.value if self._is_over(element, name)]
        if field == "looks":
            return {name: plain(fields_of(element).get(name, True)) for name in constraint.value}
        return plain(_value(element, field))

    def unrequested_changes(self) -> list[Key]:
        """Element and field of all changes that were not requested."""
        implied = {(name, other) for name, field in self.requested for other in _IMPLIED.get(field, ())}
        new = {name for name, field in self.requested if field == ADDED}
        free = self.requested.keys() | implied
        extra = [key for key in self.made if key not in free and key[0] not in new and not self._is_excused(key)]
        return extra + [
            key
            for key in self.made.keys() & self.requested.keys()
            if key[1] == "position" and self._has_left_its_box(key)
        ]

    def _has_left_its_box(self, key: Key) -> bool:
        """Whether a resized element has left both its old and its expected box."""
        name = key[0]
        old, new, expected = self._before.find(name), self._element(name), self._expected.find(name)
        if (name, "size") not in self.requested or old is None or new is None or expected is None:
            return False
        x, y = new.centre
        return not any(b[0] <= x <= b[0] + b[2] and b[1] <= y <= b[1] + b[3] for b in (old.bbox, expected.bbox))

    def _is_excused(self, key: Key) -> bool:
        """Whether a change is to a replacement element, which need not match exactly."""
        name, field = key
        old = self._before.find(name)
        if name not in self._renamed or old is None:
            return False
        new = self._element(name)
        assert new is not None
        left, top, width, height = old.bbox
        is_there = left <= new.centre[0] <= left + width and top <= new.centre[1] <= top + height
        if not is_there or not all(_similar_size(a, b) for a, b in zip(new.bbox[2:], old.bbox[2:], strict=True)):
            return False
        if field in ("style.fill", "style.stroke"):
            return _same_colour(fields_of(new)[field], fields_of(old)[field])
        return field != "opacity" or new.opacity >= old.opacity / 2

    def _element(self, name: str) -> Element | None:
        """The edited document's counterpart of an element of the expected document."""
        if name in self._renamed:
            return self._edited.find(self._renamed[name])
        return None if name in self._names else self._edited.find(name)

    def _is_over(self, element: Element, name: str) -> bool:
        """Whether an element is above another one on its page; a removed one does not count."""
        other = self._element(name)
        (page, at), places = self._edited.places[element.id], self._edited.places
        return other is None or places[other.id][0] != page or places[other.id][1] < at


def _meets(field: str, value: Any, expected: Any) -> bool:
    if field == "region":
        left, top, width, height = expected
        return bool(left <= value[0] <= left + width and top <= value[1] <= top + height)
    if field in ("position", "size"):
        return all(abs(a - b) <= NEAR for a, b in zip(value, expected, strict=True))
    if field == "angle":
        return angle_difference(value, expected) <= _TURNED
    if field in _COLOURS:
        return _same_colour(value, expected)
    if isinstance(value, str) and isinstance(expected, str):
        return value.split() == expected.split()
    if isinstance(value, float | int) and not isinstance(value, bool) and isinstance(expected, float | int):
        return abs(value - expected) <= 0.02 * max(1.0, abs(expected))
    return bool(value == expected)


def _looks_as_expected(looks: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Whether a new element looks about as expected; a copy, exactly."""
    if "is_copy" in expected:
        return all(_meets(name, looks[name], value) for name, value in expected.items() if name != "is_copy")
    checks: dict[str, Callable[[Any, Any], bool]] = {
        "opacity": lambda value, wanted: bool(value >= wanted / 2),
        "angle": lambda value, wanted: min(angle_difference(value, a) for a in (wanted, 0)) <= _TURNED,
        "size": lambda value, wanted: all(_similar_size(a, b) for a, b in zip(value, wanted, strict=True)),
        "style.size": lambda value, wanted: bool(wanted / _LETTERS <= value <= wanted * _LETTERS),
        "style.fill": _same_colour,
    }
    return all(checks[name](looks[name], value) for name, value in expected.items())


def _similar_size(value: float, expected: float) -> bool:
    return expected / _SIZE_TOLERANCE <= value <= expected * _SIZE_TOLERANCE


def _same_colour(value: Any, expected: Any) -> bool:
    if value is None or expected is None:
        return value is expected
    one, other = tuple(value), tuple(expected)
    return colour_difference(one, other) <= _SAME_COLOUR or colour_name(one) == colour_name(other)


def _value(element: Element, field: str) -> Any:
    if field == ADDED:
        return element.type
    if field == "content":
        return fields_of(element).get(CONTENT.get(element.type, ""))
    if field == "region":
        return element.centre
    return fields_of(element)[field]
