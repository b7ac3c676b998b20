"""Find what elements of an edited document stand for: those of the document before, or new ones of constraints."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from ...core.asset_cache import by_identity
from ...core.boxes import iou
from ..painting.view import stamp_of
from ..scene.document import Document, Edited, edited_elements
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
    known, edited = list(flat(constraints)), edited_elements(before, after)
    gone = {one.element for one in known if isinstance(one, Gone)}
    names = _with_new(before, after, edited, known, gone, {})
    yield names
    old = [e for e in edited[0] if e.type != "group" and e.id not in gone]
    new = [e for e in edited[1] if e.type != "group"]
    for key, is_same in ((_type, _is_in_place), (_shape, _looks_like)) if min(len(old), len(new)) > 1 else ():
        found = _with_new(before, after, edited, known, gone, _matched(old, new, key, is_same))
        own_and_others = (set(found.values()) & before.places.keys()) - found.keys()
        if found != names and not own_and_others - gone:
            yield found


def _matched(
    old: Sequence[Element],
    new: Sequence[Element],
    key: Callable[[Element], object],
    is_same: Callable[[Element, Element], bool],
) -> Names:
    """For elements that are not the same any more, others that are in some way; these have one key."""
    own = {one.id: one for one in new}
    stay = {one.id for one in old if one.id in own and is_same(one, own[one.id])}
    alike, found = defaultdict[object, list[Element]](list), dict[str, str]()
    for one in new:
        if one.id not in stay:
            alike[key(one)].append(one)
    for one in (one for one in old if one.id not in stay):
        left = alike[key(one)]
        other = next((other for other in left if is_same(one, other)), None)
        if other is not None:
            left.remove(other)
            found[one.id] = other.id
    return found


def _type(element: Element) -> str:
    return element.type


@by_identity
def _shape(element: Element) -> tuple[int, ...]:
    """The shape of what an element paints."""
    return stamp_of(element).sprite.inverse_alpha.shape


@by_identity
def _is_in_place(old: Element, new: Element) -> bool:
    return old.type == new.type and iou(rect_of(old.bbox), rect_of(new.bbox)) >= _SAME_PLACE


@by_identity
def _looks_like(old: Element, new: Element) -> bool:
    return same_sprite(stamp_of(old).sprite, stamp_of(new).sprite)


def _with_new(
    before: Document,
    after: Document,
    edited: Edited,
    constraints: Sequence[Constraint],
    gone: Collection[str],
    known: Names,
) -> Names:
    """Names with those of the new elements that stand for requested ones, or for ones that are gone."""
    found, taken = dict(known), set(known.values())
    requested = [one.name for one in constraints if isinstance(one, New)]
    new = [e for e in edited[1] if (e.id in known or e.id not in before.places) and e.id not in taken]
    # What must go may have become what is requested.
    new += [e for name in gone if requested and (e := after.find(name)) is not None and e is not before.find(name)]
    lost = [e.id for e in edited[0] if e.type != "group" and e.id not in gone and e.id not in known]
    lost = [name for name in lost if name not in after.places or name in taken]
    scores = [
        (points if name in lost else points - _likeness(before, lost, element), name, element.id)
        for name in dict.fromkeys((*requested, *lost))
        for element in new
        if (points := _affinity(before, after, constraints, name, element)) is not None
    ]
    for _, name, own in sorted(scores, key=lambda one: -one[0]):
        if name not in found and own not in found.values():
            found[name] = own
    return found


def _likeness(before: Document, lost: Sequence[str], element: Element) -> float:
    """The similarity of an element to the most similar of some of the document before."""
    return max((element_similarity(old, element) for name in lost if (old := before.find(name))), default=0.0)


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
