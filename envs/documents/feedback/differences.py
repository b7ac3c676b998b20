"""Differences: what was done to a document, element by element, as kinds of edits that could have done it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..scene.document import Document
from ..scene.elements import Element
from ..scoring.changes import ORDER, changes, fields_of

_ASIDE = ("position", "parent", "opacity")
_SAME_PLACE = 14.0
"""How many pixels apart the middles of two things in one place may be."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that was done to an element.

    Attributes:
        edits: the kinds of edits (``phrasings.EDITS``) that could have done it; none if nobody would ask for it.
        about: what the request would speak of: an element of the document before; ``None`` for what is wholly new.
        after: the element as it is now; ``None`` if it is gone.
    """

    edits: tuple[str, ...]
    about: Element | None
    after: Element | None


@dataclass(frozen=True)
class Comparison:
    """Two documents, the elements that only one of them has, and what was changed in the others.

    Attributes:
        before, after: the documents.
        removed, added: elements.
        fields: of the elements that both have, the fields that changed.
    """

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
    """What was done, each once; what went along with something else is left out."""
    found = list(_of_texts(pair))
    done = {one.id for difference in found for one in (difference.about, difference.after) if one is not None}
    replaced = _replaced(pair, done)
    found += [Difference(_replacing(old, new), old, new) for old, new in replaced]
    done |= {one.id for couple in replaced for one in couple}
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


def _of_texts(pair: Comparison) -> Iterator[Difference]:
    """Texts that were parted or joined."""
    for name, fields in pair.fields.items():
        old, new = _both(pair, name)
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
    """What went, and what came in its place."""
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


def _replacing(old: Element, new: Element) -> tuple[str, ...]:
    if new.type == "image":
        return ("replace_image", "replace_by_image")
    if new.type == "shape":
        return ("replace_shape",)
    if new.type in ("text", "list"):
        return ("replace_by_text", "text")
    return ()


def _addition(before: Document, new: Element) -> Difference:
    seen = _seen(new)
    for element in before.elements():
        if element.type == new.type and _seen(element) == seen:
            return Difference(("copy_to", "copy_beside"), element, new)
    kinds = {"text": "add_text", "list": "add_text", "shape": "add_shape", "image": "add_image"}
    return Difference((kinds[new.type],) if new.type in kinds else (), None, new)


def _seen(element: Element) -> dict[str, object]:
    return {field: value for field, value in fields_of(element).items() if field not in _ASIDE}


def _is_inside(element: Element, others: tuple[Element, ...]) -> bool:
    return element.parent in {one.id for one in others}


def _both(pair: Comparison, name: str) -> tuple[Element, Element]:
    old, new = pair.before.find(name), pair.after.find(name)
    assert old is not None
    assert new is not None
    return old, new


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
"""The kinds of edits that change a field, where that does not hang on how."""
_IMPLIED = ("runs", "columns", "parent", "rises")


def _changed(pair: Comparison, name: str, fields: frozenset[str]) -> Iterator[Difference]:
    """What was done to an element that is still there."""
    old, new = _both(pair, name)
    for field in sorted(fields):
        edits = _FIELDS.get(field)
        if field == "position":
            edits = None if "size" in fields or _goes_along(pair, old, new) else _MOVES
        elif field == "size":
            edits = _sizing(old, new)
        elif field == "text":
            edits = ("upper_case", "text") if new.text == old.text.upper() else ("text", "word", "replace_by_text")
        elif field == "style.size":
            edits = ("font_size", "font_larger" if new.style.size > old.style.size else "font_smaller")
        elif field in ("style.bold", "style.italic"):
            word = field.removeprefix("style.")
            edits = (word,) if getattr(new.style, word) else (f"not_{word}",)
        elif field == "style.colour":
            edits = ("text_colour",) if new.type == "shape" else ("colour", "text_colour")
        elif edits is None and field not in _IMPLIED:
            edits = ()
        if edits is not None:
            yield Difference(edits, old, new)


_MOVES = ("move_by", "move_to", "align_edge", "center", "swap")


def _goes_along(pair: Comparison, old: Element, new: Element) -> bool:
    """Whether an element has moved with its group."""
    if old.parent is None or old.parent not in pair.fields or old.parent not in pair.after.places:
        return False
    group, moved = _both(pair, old.parent)
    steps = [(b.bbox[0] - a.bbox[0], b.bbox[1] - a.bbox[1]) for a, b in ((old, new), (group, moved))]
    return steps[0] == steps[1]


def _sizing(old: Element, new: Element) -> tuple[str, ...]:
    wide, high = (new.bbox[i] / old.bbox[i] for i in (2, 3))
    if abs(wide - high) <= 0.03 + 1.0 / min(old.bbox[2:]):
        return ("scale", *(("width",) if high == 1 else ()), *(("height",) if wide == 1 else ()))
    return ("width",) if high == 1 else ("height",) if wide == 1 else ("scale",)
