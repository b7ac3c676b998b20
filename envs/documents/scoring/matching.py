"""Matching: elements that an edit has made, and the wanted ones that they stand for."""

from __future__ import annotations

from ..scene.document import Document
from ..scene.elements import Element
from .similarity import element_similarity

_ALIKE = 0.3
"""From this likeness on, an element that stands for another one under another id is taken for it."""


def counterparts(source: Document, edited: Document, expected: Document) -> dict[str, str]:
    """For elements of ``edited`` under ids that are not wanted: the wanted element that each is most like."""
    known, there = expected.places, edited.places
    made = [e for e in edited.elements() if e.id not in source.places]
    if not made and all(name in there for name in known):
        return {}
    # Ids of new elements say nothing: they follow from how the edit was made.
    new = [e for e in made if e.id not in known] + [e for e in made if e.id in known]
    lacking = [e for e in expected.elements() if e.id not in there or e.id not in source.places]
    return dict(_matched(new, lacking))


def _matched(new: list[Element], lacking: list[Element]) -> list[tuple[str, str]]:
    """Pairs of ids, the most alike first, each once; what is like nothing gets a name that nobody has."""
    pairs = sorted(
        ((element_similarity(a, b), i, k) for i, a in enumerate(new) for k, b in enumerate(lacking)),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    found: dict[int, int] = {}
    for alike, i, k in pairs:
        if alike >= _ALIKE and i not in found and k not in found.values():
            found[i] = k
    return [(one.id, lacking[found[i]].id if i in found else f"{one.id} (new)") for i, one in enumerate(new)]
