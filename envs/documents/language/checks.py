"""Checks: what an edit has really changed, against what its operations are about."""

from __future__ import annotations

from ..scene.document import Document
from ..scoring.changes import ADDED, ORDER, REMOVED, changes
from .scope import Draft, Refused

_FIELDS: dict[str, tuple[str, ...]] = {
    "MOVE": ("position",),
    "DELETE": (REMOVED,),
    "ADD": (ADDED,),
    "COPY": (ADDED,),
    "REPLACE": (),
    "SPLIT": (),
    "MERGE": (),
}
"""The fields that an operation may change; none: any of the elements that it is about."""


def check(before: Document, draft: Draft) -> None:
    """Check that an edit changes what its operations name, as they describe it, and nothing else.

    Raises:
        Refused: if it has not.
    """
    made = changes(before, draft.document)
    if not made:
        raise Refused("this would change nothing")
    kinds = {name for name, _ in draft.operations}
    about = set(draft.named)
    inside = {child.id for name in about if before.find(name) is not None for child in before.children(name)}
    for name, field in made:
        is_new = name not in before.places
        if not is_new and name not in about | inside and field != ORDER:
            raise Refused(f"this would also change {name}")
        if is_new and not kinds & {"ADD", "COPY", "REPLACE", "SPLIT"}:
            raise Refused(f"this would put in {name}")
        allowed = {one for kind in kinds for one in _FIELDS.get(kind, ())}
        if len(kinds) == 1 and allowed and ADDED not in allowed and field not in allowed:
            raise Refused(f"this would change the {field} of {name}")
