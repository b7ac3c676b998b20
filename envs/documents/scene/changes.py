"""The differences between two documents, element by element and field by field."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise, zip_longest
from typing import Any

from .document import Document
from .elements import Element

Key = tuple[str, str]
"""The id of an element, and a field; ``"added"`` and ``"removed"`` mean the whole element."""
Changes = dict[Key, Any]
"""The value of each field after the edit."""

ADDED, REMOVED, ORDER = "added", "removed", "order"
_SALIENT: dict[str, tuple[str, ...]] = {
    "text": ("text", "position", "style.colour", "style.size"),
    "list": ("text", "position", "style.colour", "style.size"),
    "shape": ("shape", "position", "style.fill", "text"),
    "image": ("asset", "position", "size"),
    "line": ("position", "size", "style.stroke"),
    "table": ("cells", "position", "size"),
    "group": ("position", "size"),
}
"""The fields by which a new element is judged, by its type."""


def fields_of(element: Element) -> dict[str, Any]:
    """The name, visible properties and group of an element, by field."""
    left, top, width, height = element.bbox
    formats = [(run.bold, run.italic, run.underline, run.colour, run.size) for run in element.runs]
    # Where one run ends and the next begins is not seen if they look alike.
    formats = [one for one, _ in groupby(formats)]
    return {
        "type": element.type,
        "name": element.name,
        "position": (left, top),
        "size": (width, height),
        "angle": element.angle,
        "opacity": element.opacity,
        "parent": element.parent,
        "text": "".join(run.text for run in element.runs),
        # A text in one piece says no more of its runs than its style does.
        "runs": tuple(formats) if len(formats) > 1 or any(any(v is not None for v in one) for one in formats) else (),
        "asset": element.asset,
        "shape": element.shape,
        "rises": element.rises,
        "cells": element.cells,
        "columns": element.columns,
        **{f"style.{name}": value for name, value in element.style.__dict__.items()},
    }


def changes(before: Document, after: Document, names: Mapping[str, str] | None = None) -> Changes:
    """The changes that an edit has made.

    Pages are compared by their number. Where one document has more pages, their elements are added or removed; a page
    without elements makes no difference.

    Args:
        before: the document that was edited.
        after: the document after the edit.
        names: other ids for elements of ``after``.
    """
    names = names or {}
    found: Changes = {}
    # Elements stay on their pages: a page that is the same object has not changed.
    pages = [(old, new) for old, new in zip_longest(before.pages, after.pages) if old is not new]
    later = {names.get(e.id, e.id): e for _, page in pages if page is not None for e in page.elements}
    earlier = {e.id: e for page, _ in pages if page is not None for e in page.elements}
    for name, element in earlier.items():
        if name not in later:
            found[name, REMOVED] = True
        elif later[name] is not element:
            old, new = fields_of(element), fields_of(later[name])
            found |= {(name, field): new[field] for field in new if new[field] != old[field]}
    for name, element in later.items():
        if name not in earlier:
            fields = fields_of(element)
            found[name, ADDED] = element.type
            found |= {(name, field): fields[field] for field in _SALIENT[element.type]}
    return found | dict(_reordered(before, after, names))


def _reordered(before: Document, after: Document, names: Mapping[str, str]) -> Iterator[tuple[Key, Any]]:
    """The fewest elements that explain a change of z-order."""
    for old, new in zip(before.pages, after.pages, strict=False):
        if old is new:
            continue
        places = {element.id: i for i, element in enumerate(old.elements)}
        # A replacement comes last.
        ids = [e.id for e in new.elements if e.id in places and e.id not in names]
        numbers = [places[name] for name in ids]
        if any(a > b for a, b in pairwise(numbers)):
            kept = _longest_increasing(numbers)
            yield from (((name, ORDER), i) for i, name in enumerate(ids) if i not in kept)


def _longest_increasing(numbers: list[int]) -> set[int]:
    """The indices of a longest increasing subsequence."""
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for i, number in enumerate(numbers):
        at = bisect_left(ends, number)
        before.append(holders[at - 1] if at else -1)
        ends[at : at + 1], holders[at : at + 1] = [number], [i]
    found = set()
    i = holders[-1] if holders else -1
    while i >= 0:
        found.add(i)
        i = before[i]
    return found
