"""Generate requests for a document: edits, words for them, and constraints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...core.tools import ToolError
from ..operations.draft import EditDraft, EditScene, Numbers, pick
from ..operations.operation import EditOperation
from ..operations.table import EDITS, OPERATIONS
from ..painting.faults import element_faults
from ..painting.view import painted
from ..scene.document import Document, Key, changes, with_children
from ..scoring.evaluator import Evaluator
from ..scoring.requirements import Latitude, requirements_of
from .phrasings import Split, phrasings
from .referring import plural, singular
from .request import Action, Request, apply_operations
from .wording import Wording

_EDITS_TRIED, _TRIES = 12, 12
"""The maximum number of kinds of edits that are tried, and of tries for each."""
_LASTING = ("direct", "says", "begins")
"""Expressions that mean the same after another element is edited."""


@lru_cache(maxsize=2)
def edits_by_action(split: Split) -> dict[Action, tuple[str, ...]]:
    """The kinds of edits with phrasings in a split, by operation, plural ones first."""
    known = phrasings(split).imperative
    found = {
        name: sorted((edit for edit in one.edits if edit in known), key=lambda edit: not EDITS[edit].of_several)
        for name, one in OPERATIONS.items()
    }
    return {name: tuple(edits) for name, edits in found.items() if edits}


def make_request(
    document: Document, split: Split, rng: Numbers, action: Action | None = None, scope: str = "single"
) -> Request:
    """A request for an edit of a document.

    Args:
        document: what is edited.
        split: whose phrasings and new texts are used.
        rng: chooses.
        action: the operation of its first edit, if that can be had.
        scope: ``"single"``, ``"pattern"`` (all elements of a kind, if that can be had) or ``"compound"`` (two edits).

    Raises:
        ValueError: if no edit of the document can be requested.
    """
    actions = edits_by_action(split)
    for first, how in ((action, scope), (None, scope), (None, "single")):
        for _ in range(_EDITS_TRIED):
            possible = actions[first if first is not None else pick(rng, list(actions))]
            edits = [edit for edit in possible if how != "pattern" or EDITS[edit].of_several]
            edit = pick(rng, edits) if edits else None
            for _ in range(_TRIES if edit else 0):
                made = _attempt(document, split, rng, str(edit), how)
                if made is not None:
                    return made
    raise ValueError(f"nothing can be asked for in the document {document.name!r}")


def _attempt(document: Document, split: Split, rng: Numbers, edit: str, scope: str) -> Request | None:
    scene = EditScene(document, int(rng.integers(len(document.pages))), phrasings(split).texts)
    first = _drafted(scene, rng, edit, scope == "pattern")
    if first is None:
        return None
    if scope != "compound":
        return _request(scene, split, rng, (first,))
    actions = edits_by_action(split)
    second = _drafted(scene, rng, pick(rng, actions[pick(rng, list(actions))]), False)
    if second is None or not _are_independent(document, first, second):
        return None
    return _request(scene, split, rng, (first, second))


def _drafted(scene: EditScene, rng: Numbers, edit: str, is_pattern: bool) -> EditDraft | None:
    """A draft for random elements for which the edit can be made: one, or several that one expression means."""
    types = EDITS[edit].types
    if is_pattern and types:
        return draft_edit(scene, rng, edit, _several_targets(scene, rng))
    fitting = [element.id for element in scene.elements if element.type in types]
    return draft_edit(scene, rng, edit, (pick(rng, fitting),) if fitting else ())


def draft_edit(scene: EditScene, rng: Numbers, edit: str, ids: Collection[str]) -> EditDraft | None:
    """The draft of an edit; ``None`` if it cannot be made.

    Args:
        scene: the page.
        rng: draws what the arguments leave open.
        edit: its kind, one of ``EDITS``.
        ids: of the elements; of edits that are made of one only, the first counts. Additions need none.
    """
    kind = EDITS[edit]
    targets = tuple(element for element in scene.elements if element.id in ids)
    if kind.types and (not targets or any(target.type not in kind.types for target in targets)):
        return None
    draft = kind.make(scene, rng, targets)
    return draft and replace(draft, edit=edit)


def _several_targets(scene: EditScene, rng: Numbers) -> tuple[str, ...]:
    """Random elements that one expression means; its kinds are equally frequent."""
    found = list(plural(scene.document, scene.page))
    kinds = sorted({expression[0] for expression, _ in found})
    if not kinds:
        return ()
    kind = pick(rng, kinds)
    return pick(rng, [ids for expression, ids in found if expression[0] == kind])


def _are_independent(document: Document, first: EditDraft, second: EditDraft) -> bool:
    """Whether neither edit touches an element that the other one mentions."""
    touched = [
        {one.id for target in draft.targets for one in with_children(document, target)} for draft in (first, second)
    ]
    anchors = [{draft.anchor.id} if draft.anchor else set() for draft in (first, second)]
    mentioned = [ids | anchor_ids for ids, anchor_ids in zip(touched, anchors, strict=True)]
    return not mentioned[0] & mentioned[1] and first.edit != second.edit


def _request(scene: EditScene, split: Split, rng: Numbers, drafts: Sequence[EditDraft]) -> Request | None:
    """The request for drafts; ``None`` if it cannot be right, visible and worded."""
    document, latitude = scene.document, Latitude()
    for draft in drafts:
        if not _has_words(scene, draft, is_second=draft is not drafts[0]):
            return None
        try:
            after = apply_operations(document, draft.operations, scene.page)
        except ToolError:
            return None
        latitude = latitude.joined(_latitude_of(document, after, draft))
        document = after
    if not _is_right(scene.document, document, drafts):
        return None
    constraints, may_change = requirements_of(scene.document, document, latitude)
    evaluator = Evaluator(scene.document, constraints, may_change)
    already = (one for one, is_open in zip(constraints, evaluator.open, strict=True) if not is_open)
    if not constraints or any(one.check != "place" for one in already) or not evaluator.evaluate(document).success:
        return None
    if np.array_equal(painted(scene.document, scene.page), painted(document, scene.page)):
        return None
    wording = Wording(scene.document, scene.page, phrasings(split), rng)
    text = wording.single(drafts[0]) if len(drafts) == 1 else wording.compound(drafts[0], drafts[1])
    return Request(
        document=document.name,
        text=text,
        page=scene.page,
        operations=tuple(call for draft in drafts for call in draft.operations),
        mentions=tuple(wording.mentions),
        edits=tuple(draft.edit for draft in drafts),
        is_pattern=any(len(draft.targets) > 1 for draft in drafts),
        constraints=constraints,
        may_change=may_change,
    )


def _has_words(scene: EditScene, draft: EditDraft, is_second: bool) -> bool:
    """Whether there are expressions for all elements of a draft."""
    about = [*draft.targets, *([draft.anchor] if draft.anchor else [])]
    if len(draft.targets) > 1:
        return not is_second
    for element in about:
        kinds = {kind for kind, _ in singular(scene.document, scene.page, element)}
        if not kinds or (is_second and not kinds & set(_LASTING)):
            return False
    return True


def _latitude_of(before: Document, after: Document, draft: EditDraft) -> Latitude:
    """The latitude of a draft: places that no request names, and side effects."""
    kind, new = EDITS[draft.edit], [name for name in after.places if name not in before.places]
    regions = {new[0]: draft.region} if draft.region is not None and new else {}
    free: set[Key] = set()
    for target in draft.targets:
        if kind.new_within is not None:
            regions.update(dict.fromkeys(new, kind.new_within(target)))
        free.update((target.id, field) for field in kind.side_effects)
    return Latitude(regions, new if _operation_of(draft.edit).copies else (), free)


def _is_right(before: Document, after: Document, drafts: Sequence[EditDraft]) -> bool:
    """Whether every target has changed without new faults."""
    changed = {name for name, _ in changes(before, after)}
    edited = [target.id for draft in drafts if not _operation_of(draft.edit).copies for target in draft.targets]
    if not changed or not changed.issuperset(edited):
        return False
    for name in changed & after.places.keys():
        element, old = after.find(name), before.find(name)
        assert element is not None
        page = after.pages[after.places[name][0]]
        known = set(element_faults(old, page)) if old else {"has no name"}
        if set(element_faults(element, page)) - known:
            return False
    return True


def _operation_of(edit: str) -> EditOperation:
    return next(one for one in OPERATIONS.values() if edit in one.edits)
