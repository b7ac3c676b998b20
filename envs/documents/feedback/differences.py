"""Classify the differences of two documents, element by element, by the kinds of edits that can have made them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..scene.document import Document
from ..scene.elements import Element
from ..scoring.changes import ORDER, changes, fields_of

_IGNORED = ("position", "parent", "opacity")
"""Fields in which a copy may differ."""
_SAME_PLACE = 14.0
"""How many pixels apart the centres of two elements in one place may be."""
_MOVES = ("move_by", "move_to", "align_edge", "center", "swap")
_ADDED = {"text": "add_text", "list": "add_text", "shape": "add_shape", "image": "add_image"}
_REPLACED = {
    "image": ("replace_image", "replace_by_image"),
    "shape": ("replace_shape",),
    "text": ("replace_by_text", "text"),
    "list": ("replace_by_text", "text"),
}
_FIELDS: dict[str, tuple[str, ...]] = {
    "angle": ("rotate",),
    "opacity": ("opacity",),
    "cells": ("cell",),
    "asset": ("replace_image", "replace_by_image"),
    "shape": ("replace_shape",),
    "style.face": ("font",),
    "style.fill": ("colour",),
    "style.stroke": ("colour",),
    "style.underline": ("underline",),
    "style.align": ("align_text",),
    ORDER: ("to_front", "to_back"),
}
"""The kinds of edits that change a field, where that does not depend on the values."""
_IMPLIED = ("runs", "columns", "parent", "rises")
"""Fields that only change along with others."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that was done to an element.

    Attributes:
        edits: the kinds of edits (``phrasings.EDITS``) that can have done it; none if no request asks for it.
        element: the element of the document before that a request would mention; ``None`` for what is wholly new.
        after: the element as it is now; ``None`` if it was removed.
    """

    edits: tuple[str, ...]
    element: Element | None
    after: Element | None


@dataclass(frozen=True)
class Comparison:
    """Two documents, the elements that only one of them has, and the fields that changed in the others."""

    before: Document
    after: Document
    removed: tuple[Element, ...]
    added: tuple[Element, ...]
    fields: Mapping[str, frozenset[str]]

    @property
    def page(self) -> int:
        """The first page on which something changed, counted from 0."""
        ids = [*self.fields, *(element.id for element in self.removed)]
        pages = [self.before.places[name][0] for name in ids]
        return min([*pages, *(self.after.places[element.id][0] for element in self.added)], default=0)

    def both(self, name: str) -> tuple[Element, Element]:
        """An element before and after."""
        old, new = self.before.find(name), self.after.find(name)
        assert old is not None
        assert new is not None
        return old, new


def compared(before: Document, after: Document) -> Comparison:
    """Two documents side by side."""
    fields: dict[str, set[str]] = {}
    for name, field in changes(before, after):
        if name in before.places and name in after.places:
            fields.setdefault(name, set()).add(field)
    return Comparison(
        before,
        after,
        tuple(element for element in before.elements() if element.id not in after.places),
        tuple(element for element in after.elements() if element.id not in before.places),
        {name: frozenset(some) for name, some in fields.items()},
    )


def differences(pair: Comparison) -> list[Difference]:
    """All differences, each once; what follows from another one is left out."""
    found = list(_split_or_merged(pair))
    done = {one.id for difference in found for one in (difference.element, difference.after) if one is not None}
    for old, new in _replaced(pair, done):
        found.append(Difference(_REPLACED.get(new.type, ()), old, new))
        done |= {old.id, new.id}
    found += [
        _addition(pair.before, one) for one in pair.added if one.id not in done and not _is_inside(one, pair.added)
    ]
    found += [
        Difference(("delete",), one, None)
        for one in pair.removed
        if one.id not in done and not _is_inside(one, pair.removed)
    ]
    for name, fields in pair.fields.items():
        if name not in done:
            found += _changed(pair, name, fields)
    return found


def _split_or_merged(pair: Comparison) -> Iterator[Difference]:
    for name, fields in pair.fields.items():
        old, new = pair.both(name)
        if "text" not in fields:
            continue
        parts = [one for one in pair.added if one.text.strip() and one.text.strip() in old.text]
        if parts and len(new.text) < len(old.text) and new.text.strip() in old.text:
            yield Difference(("split",), old, new)
            yield from (Difference(("split",), old, part) for part in parts)
        for other in pair.removed:
            if other.text.strip() and other.text.strip() in new.text and old.text.strip() in new.text:
                yield Difference(("merge",), old, new)
                yield Difference(("merge",), other, None)


def _replaced(pair: Comparison, done: set[str]) -> list[tuple[Element, Element]]:
    """The removed elements, each with the added one in its place."""
    added = [one for one in pair.added if one.id not in done]
    found = []
    for old in pair.removed:
        near = [one for one in added if _distance(old, one) <= _SAME_PLACE]
        if near and old.id not in done:
            found.append((old, near[0]))
            added.remove(near[0])
    return found


def _distance(one: Element, other: Element) -> float:
    (x, y), (a, b) = one.centre, other.centre
    return max(abs(x - a), abs(y - b))


def _addition(before: Document, new: Element) -> Difference:
    fields = _copied_fields(new)
    for element in before.elements():
        if element.type == new.type and _copied_fields(element) == fields:
            return Difference(("copy_to", "copy_beside"), element, new)
    return Difference((_ADDED[new.type],) if new.type in _ADDED else (), None, new)


def _copied_fields(element: Element) -> dict[str, object]:
    return {field: value for field, value in fields_of(element).items() if field not in _IGNORED}


def _is_inside(element: Element, others: tuple[Element, ...]) -> bool:
    return element.parent in {one.id for one in others}


def _changed(pair: Comparison, name: str, fields: frozenset[str]) -> Iterator[Difference]:
    """What was done to an element that still exists."""
    old, new = pair.both(name)
    for field in sorted(fields):
        is_along = field == "position" and ("size" in fields or _moves_along(pair, old, new))
        if field not in _IMPLIED and not is_along:
            yield Difference(_edits_of(field, old, new), old, new)


def _edits_of(field: str, old: Element, new: Element) -> tuple[str, ...]:
    """The kinds of edits that change a field of an element so."""
    if field == "position":
        return _MOVES
    if field == "size":
        return _sizing(old, new)
    if field == "text":
        return ("upper_case", "text") if new.text == old.text.upper() else ("text", "word", "replace_by_text")
    if field == "style.size":
        return ("font_size", "font_larger" if new.style.size > old.style.size else "font_smaller")
    if field in ("style.bold", "style.italic"):
        word = field.removeprefix("style.")
        return (word,) if getattr(new.style, word) else (f"not_{word}",)
    if field == "style.colour":
        return ("text_colour",) if new.type == "shape" else ("colour", "text_colour")
    return _FIELDS.get(field, ())


def _moves_along(pair: Comparison, old: Element, new: Element) -> bool:
    """Whether an element has moved with its group."""
    if old.parent is None or old.parent not in pair.fields or old.parent not in pair.after.places:
        return False
    group, moved = pair.both(old.parent)
    steps = [(b.bbox[0] - a.bbox[0], b.bbox[1] - a.bbox[1]) for a, b in ((old, new), (group, moved))]
    return steps[0] == steps[1]


def _sizing(old: Element, new: Element) -> tuple[str, ...]:
    wide, high = (new.bbox[i] / old.bbox[i] for i in (2, 3))
    if abs(wide - high) <= 0.03 + 1.0 / min(old.bbox[2:]):
        return ("scale", *(("width",) if high == 1 else ()), *(("height",) if wide == 1 else ()))
    return ("width",) if high == 1 else ("height",) if wide == 1 else ("scale",)
