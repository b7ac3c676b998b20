"""Classify differences between two documents by the edits that explain them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..operations.table import EDITS, OPERATIONS
from ..scene.changes import Comparison
from ..scene.elements import Element

_IMPLIED = ("runs", "columns", "parent", "rises")
"""Fields that only change along with others."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A change of an element.

    Attributes:
        edits: the kinds of edits that explain it, of ``EDITS``; none if no request asks for it.
        element: the element of the document before that a request would mention; ``None`` for what is wholly new.
        after: the element as it is now; ``None`` if it was removed.
    """

    edits: tuple[str, ...]
    element: Element | None
    after: Element | None


def differences(pair: Comparison) -> list[Difference]:
    """All differences, each once, without those that follow from another one."""
    found = []
    for name, operation in reversed(OPERATIONS.items()):
        couples = list(operation.traces(pair))
        found += [Difference(_explained(name, before, after), before, after) for before, after in couples]
        pair = pair.without(
            {one.id for before, after in couples for one in (after, None if operation.copies else before) if one}
        )
    for name, fields in pair.fields.items():
        found += _changed(pair, name, fields)
    return found


def _explained(field: str, before: Element | None, after: Element | None) -> tuple[str, ...]:
    """The kinds of edits that explain a difference; see ``operations.draft.Explains``."""
    old, new = before or after, after or before
    assert old is not None
    assert new is not None
    return tuple(edit for edit, kind in EDITS.items() if kind.explains(field, old, new))


def _changed(pair: Comparison, name: str, fields: frozenset[str]) -> Iterator[Difference]:
    """The differences of an element that still exists."""
    old, new = pair.both(name)
    for field in sorted(fields):
        if field == "position" and ("size" in fields or _moves_along(pair, old, new)):
            continue
        edits = _explained(field, old, new)
        if edits or field not in _IMPLIED:
            yield Difference(edits, old, new)


def _moves_along(pair: Comparison, old: Element, new: Element) -> bool:
    """Whether an element has moved with its group."""
    if old.parent is None or old.parent not in pair.fields or old.parent not in pair.after.places:
        return False
    group, moved = pair.both(old.parent)
    steps = [(b.bbox[0] - a.bbox[0], b.bbox[1] - a.bbox[1]) for a, b in ((old, new), (group, moved))]
    return steps[0] == steps[1]
