"""Find what elements of an edited document stand for: those of the document before, or new ones of constraints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...core.boxes import iou
from ..painting.view import stamp_of
from ..scene.document import Document
from ..scene.elements import Element, rect_of
from .comparison import Comparison
from .constraints import Constraint, Gone, New, flat
from .edit_score import element_similarity
from .looks import same_sprite

_ALIKE = 0.3
"""The minimum similarity of an element to one that it replaces."""
_SAME_PLACE = 0.5
"""The minimum overlap (IoU) of elements in one place."""

Names = Mapping[str, str]
"""For names of constraints, the ids of elements of the edited document; others have the same id in both."""


def possible_names(before: Document, after: Document, constraints: Sequence[Constraint]) -> Iterator[Names]:
    """What the elements of an edited document may stand for, the likeliest first.

    Ids follow from how an edit was made. So a new element may stand for a requested one or for one that is gone, and
    elements that have changed may stand for each other: those that look as the others did, or are where they were.
    """
    names = _of_new(before, after, list(flat(constraints)))
    yield names
    pairs = [(e, new) for e in before.elements() if (new := after.find(e.id)) is not None and new is not e]
    pairs = [(old, new) for old, new in pairs if old.type != "group" and new.id not in names.values()]
    for is_same in (_is_in_place, _looks_like) if len(pairs) > 1 else ():
        found = {
            old.id: next((new.id for other, new in pairs if other is not old and is_same(old, new)), old.id)
            for old, own in pairs
            if not is_same(old, own)
        }
        if found and set(found) == set(found.values()) and any(name != own for name, own in found.items()):
            yield {**names, **found}


def _is_in_place(old: Element, new: Element) -> bool:
    return old.type == new.type and iou(rect_of(old.bbox), rect_of(new.bbox)) >= _SAME_PLACE


def _looks_like(old: Element, new: Element) -> bool:
    return same_sprite(stamp_of(old).sprite, stamp_of(new).sprite)


def _of_new(before: Document, after: Document, constraints: Sequence[Constraint]) -> dict[str, str]:
    """The new elements that stand for requested ones, or for ones that are gone."""
    gone = {one.element for one in constraints if isinstance(one, Gone)}
    requested = [one.name for one in constraints if isinstance(one, New)]
    new = [e for e in after.elements() if e.id not in before.places]
    # What must go may have become what is requested.
    new += [e for name in gone if requested and (e := after.find(name)) is not None and e is not before.find(name)]
    lost = [e.id for e in before.elements() if e.id not in after.places and e.id not in gone and e.type != "group"]
    scores = [
        (points, name, element.id)
        for name in dict.fromkeys((*requested, *lost))
        for element in new
        if (points := _affinity(before, after, constraints, name, element)) is not None
    ]
    found: dict[str, str] = {}
    for _, name, own in sorted(scores, key=lambda one: -one[0]):
        if name not in found and own not in found.values():
            found[name] = own
    return found


def _affinity(
    before: Document, after: Document, constraints: Sequence[Constraint], name: str, element: Element
) -> float | None:
    """How well an element of the edited document fits a name; ``None``: not at all."""
    edit, old, points = Comparison(before, after, {name: element.id}), before.find(name), 0.0
    for one in constraints:
        if isinstance(one, New) and one.name == name:
            parts = list(one.parts(edit, element))
            if not parts[0] or (element.id in before.places and not all(parts)):
                return None
            points += sum(parts)
        elif name == one.about:
            points += one.holds(edit)
    if old is None:
        return points
    alike = element_similarity(old, element)
    return points + alike if points or alike >= _ALIKE else None
