"""Drafting: an edit of a kind, of certain elements of a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..scene.elements import KINDS
from .draft import Draft, Numbers, Scene
from .modifications import MODIFICATIONS, SINGLE, modification
from .placements import ADDITIONS, PLACEMENTS, addition, moved_by

_CHANGES = PLACEMENTS | SINGLE


def types_for(edit: str) -> Sequence[str]:
    """The types of elements that a kind of edit, but for additions, can be made of."""
    return KINDS if edit == "move_by" else (MODIFICATIONS | _CHANGES)[edit].types


def drafted(scene: Scene, rng: Numbers, edit: str, ids: Collection[str]) -> Draft | None:
    """An edit of a kind; ``None`` if it cannot be made.

    Args:
        scene: where.
        rng: draws what is left open.
        edit: one of ``phrasings.EDITS``.
        ids: of the elements; of edits that are made of one only, the first counts. Additions need none.
    """
    if edit in ADDITIONS:
        return addition(edit, scene, rng)
    targets = tuple(element for element in scene.elements if element.id in ids)
    if not targets or any(target.type not in types_for(edit) for target in targets):
        return None
    if edit == "move_by":
        return moved_by(scene, rng, targets)
    if edit in MODIFICATIONS:
        return modification(edit, scene, rng, targets)
    return _CHANGES[edit].make(scene, rng, targets[0])
