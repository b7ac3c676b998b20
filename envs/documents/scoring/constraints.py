"""Constraints: what must hold of a document after an edit, each checked by itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...core.files import Data
from ..operations.values import colour_name
from ..scene.colours import colour_difference
from ..scene.document import Document
from ..scene.elements import Box, Element
from .changes import ADDED, ORDER, REMOVED, Changes, changes, fields_of
from .matching import counterparts

_SAME_COLOUR = 12.0
"""Colours that differ by no more (CIE76) are one, as are those that bear one name."""
_NEAR = 3
"""How many pixels a place or a size may be off."""
_COLOURS = ("style.colour", "style.fill", "style.stroke")
_CONTENT = {"text": "text", "list": "text", "shape": "shape", "image": "asset", "table": "cells"}
"""What a new element must show, by its type."""
_TOLD = {
    REMOVED: "{} is gone",
    ADDED: "there is {}",
    "content": "what {} shows",
    "region": "where the middle of {} is",
    ORDER: "place of {} in the order",
}
_IMPLIED = {"text": ("runs",), "cells": ("columns",), "style.bold": ("runs",), "style.italic": ("runs",)}
_IMPLIED |= dict.fromkeys(("style.underline", "style.colour", "style.size"), ("runs",))
"""Fields that may change along with a field that is asked for."""


class Constraint(Data):
    """Something that must hold after the edit.

    Attributes:
        element: the id of an element of the document before, or of the wanted one if it is new.
        name: what a person calls it.
        field: one of ``changes.fields_of``, or ``"removed"``, ``"added"`` (that there is a new element of a type),
            ``"content"`` (what a new one shows), ``"region"`` (where its middle is), ``"order"``.
        value: what must be there, as JSON; of a region left, top, width, height.
    """

    element: str
    name: str
    field: str
    value: Any = True

    @property
    def label(self) -> str:
        """What it is about, in words."""
        told = _TOLD.get(self.field, f"{self.field.removeprefix('style.').replace('_', ' ')} of {{}}")
        return told.format(self.name)


def constraints_of(
    before: Document, wanted: Document, regions: Mapping[str, Box] | None = None
) -> tuple[Constraint, ...]:
    """The constraints that an edit must meet.

    Args:
        before: the document that is edited.
        wanted: what the edit makes of it.
        regions: where the middles of new elements must be, by their ids in ``wanted``, if not exactly in place.
    """
    regions = regions or {}
    found = []
    for (name, field), value in changes(before, wanted).items():
        element = before.find(name) or wanted.find(name)
        assert element is not None
        called = element.name or f"the new {element.type}"
        if field == ADDED:
            found += [Constraint(element=name, name=called, field=ADDED, value=element.type)]
            found += _of_new(element, called, regions.get(name))
        elif before.find(name) is not None:
            found.append(Constraint(element=name, name=called, field=field, value=_plain(value)))
    return tuple(found)


def _of_new(element: Element, called: str, region: Box | None) -> Iterable[Constraint]:
    if element.type in _CONTENT:
        content = _plain(fields_of(element)[_CONTENT[element.type]])
        yield Constraint(element=element.id, name=called, field="content", value=content)
    where = region or (*(round(c) - 2 * _NEAR for c in element.centre), 4 * _NEAR, 4 * _NEAR)
    yield Constraint(element=element.id, name=called, field="region", value=list(where))


class Verdict:
    """How an edited document stands to what was asked.

    Args:
        before: the document that was edited.
        edited: what came of it.
        wanted: what should have.
        asked: ``changes(before, wanted)``, if that is known.

    Attributes:
        made: what was changed, elements under the ids that they have in ``wanted``.
        asked: what should have been.
    """

    def __init__(self, before: Document, edited: Document, wanted: Document, asked: Changes | None = None) -> None:
        self._edited = edited
        self._names = counterparts(before, edited, wanted)
        self._renamed = {wanted_id: own for own, wanted_id in self._names.items()}
        self.made = changes(before, edited, self._names)
        self.asked = changes(before, wanted) if asked is None else asked

    def holds(self, constraint: Constraint) -> bool:
        """Whether a constraint is met."""
        element = self._element(constraint.element)
        if constraint.field == REMOVED:
            return element is None
        if constraint.field == ORDER:
            return (constraint.element, ORDER) in self.made and self.made[constraint.element, ORDER] == constraint.value
        return element is not None and _meets(element, constraint)

    def shown(self, constraint: Constraint) -> str:
        """What there is instead, or as asked, in words."""
        element = self._element(constraint.element)
        if element is None:
            return "" if constraint.field != REMOVED else "True"
        if constraint.field == REMOVED:
            return ""
        if constraint.field == ORDER:
            return str(self.made.get((constraint.element, ORDER), ""))
        return str(_plain(_value(element, constraint.field)))

    def _element(self, name: str) -> Element | None:
        """The element of the edited document that stands for one of the wanted one."""
        if name in self._renamed:
            return self._edited.find(self._renamed[name])
        return None if name in self._names else self._edited.find(name)

    def extra(self) -> list[tuple[str, str]]:
        """Element and field of whatever was changed that nobody asked for."""
        recreated = set(self._names.values())
        implied = {(name, other) for name, field in self.asked for other in _IMPLIED.get(field, ())}
        free = {(name, field) for name in recreated for field in (ORDER, "parent")}
        new = {name for name, field in self.asked if field == ADDED}
        return [key for key in self.made if key not in self.asked and key not in implied | free and key[0] not in new]


def _meets(element: Element, constraint: Constraint) -> bool:
    value, wanted = _plain(_value(element, constraint.field)), constraint.value
    if constraint.field == "region":
        left, top, width, height = wanted
        return bool(left <= value[0] <= left + width and top <= value[1] <= top + height)
    if constraint.field in ("position", "size"):
        return all(abs(a - b) <= _NEAR for a, b in zip(value, wanted, strict=True))
    if constraint.field in _COLOURS and value is not None and wanted is not None:
        one, other = tuple(value), tuple(wanted)
        return colour_difference(one, other) <= _SAME_COLOUR or colour_name(one) == colour_name(other)
    if isinstance(value, str) and isinstance(wanted, str):
        return value.split() == wanted.split()
    if isinstance(value, float | int) and not isinstance(value, bool) and isinstance(wanted, float | int):
        return abs(value - wanted) <= 0.02 * max(1.0, abs(wanted))
    return bool(value == wanted)


def _value(element: Element, field: str) -> Any:
    if field == ADDED:
        return element.type
    if field == "content":
        return fields_of(element).get(_CONTENT.get(element.type, ""))
    if field == "region":
        return element.centre
    return fields_of(element)[field]


def _plain(value: Any) -> Any:
    """``value`` as JSON has it."""
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
