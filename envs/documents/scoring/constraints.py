"""The constraints that a document must meet after an edit, each by itself."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...core.files import Data
from ..scene.changes import ADDED, Key, changes, fields_of
from ..scene.document import Document
from ..scene.elements import BBox, Element, overlap

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
    values = {
        "region": list(latitude.regions.get(element.id, around)),
        "page": expected.places[element.id][0],
        "looks": _looks(element, is_copy=element.id in latitude.copies),
    }
    if below := _below(expected, element):
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


def _below(expected: Document, element: Element) -> list[str]:
    """The elements under a new one that it overlaps."""
    page, at = expected.places[element.id]
    return [e.id for e in expected.elements_of_page(page)[:at] if e.type != "group" and overlap(e.bbox, element.bbox)]


def plain(value: Any) -> Any:
    """A value as JSON represents it."""
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
