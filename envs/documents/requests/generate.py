"""Generate requests for a document: edits, words for them, and constraints."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ...core.boxes import intersection, union
from ...core.tools import ToolError
from ..operations.draft import EditDraft, EditScene, Numbers, pick
from ..operations.operation import EditOperation
from ..operations.table import EDITS, OPERATIONS
from ..painting.faults import element_faults
from ..painting.view import painted_part, stamp_of
from ..scene.document import Document, Key, changes
from ..scoring.evaluator import Evaluator
from ..scoring.layout import layout_problems
from ..scoring.requirements import Latitude, requirements_of
from .phrasings import phrasings
from .referring import plain, plural, singular
from .request import Action, Request, apply_operations
from .wording import Wording

PLAN: tuple[tuple[Action, str], ...] = (
    ("MODIFY", "single"), ("MOVE", "single"), ("DELETE", "single"), ("ADD", "single"), ("MODIFY", "single"),
    ("REPLACE", "single"), ("MODIFY", "single"), ("SPLIT", "single"), ("MODIFY", "pattern"), ("MOVE", "single"),
    ("MODIFY", "single"), ("DELETE", "pattern"), ("MODIFY", "compound"), ("COPY", "single"), ("MODIFY", "single"),
    ("MERGE", "single"), ("MODIFY", "pattern"), ("MODIFY", "compound"), ("MODIFY", "single"), ("DELETE", "single"),
    ("MODIFY", "single"), ("MOVE", "compound"), ("MODIFY", "single"), ("ADD", "single"),
)  # fmt: skip
"""Operation and scope of requests in turn, as far as a document allows them."""
_EDITS_TRIED, _TRIES = 12, 12
"""The maximum number of kinds of edits that are tried, and of tries for each."""


def planned_request(document: Document, number: int, secret: int = 0) -> Request:
    """The request with a number for a document; equal arguments give the same one.

    Args:
        document: what is edited.
        number: gives operation and scope after ``PLAN``, and everything else at random.
        secret: of a private test split, whose requests are others.
    """
    rng = np.random.default_rng([zlib.crc32(document.name.encode()), number, secret])
    return make_request(document, rng, *PLAN[number % len(PLAN)])


@lru_cache(maxsize=1)
def edits_by_action() -> dict[Action, tuple[str, ...]]:
    """The kinds of edits with phrasings, by operation, plural ones first."""
    known = phrasings().imperative
    found = {
        name: sorted((edit for edit in one.edits if edit in known), key=lambda edit: not EDITS[edit].of_several)
        for name, one in OPERATIONS.items()
    }
    return {name: tuple(edits) for name, edits in found.items() if edits}


def make_request(document: Document, rng: Numbers, action: Action | None = None, scope: str = "single") -> Request:
    """A request for an edit of a document.

    Args:
        document: what is edited.
        rng: chooses.
        action: the operation of its first edit, if that can be had.
        scope: ``"single"``, ``"pattern"`` (all elements of a kind, if that can be had) or ``"compound"`` (two edits
            of one element).

    Raises:
        ValueError: if no edit of the document can be requested.
    """
    actions = edits_by_action()
    for first, how in ((action, scope), (None, scope), (None, "single")):
        for _ in range(_EDITS_TRIED):
            possible = actions[first if first is not None else pick(rng, list(actions))]
            edits = [edit for edit in possible if how != "pattern" or EDITS[edit].of_several]
            edit = pick(rng, edits) if edits else None
            for _ in range(_TRIES if edit else 0):
                made = _attempt(document, rng, str(edit), how)
                if made is not None:
                    return made
    raise ValueError(f"nothing can be asked for in the document {document.name!r}")


def _attempt(document: Document, rng: Numbers, edit: str, scope: str) -> Request | None:
    scene = EditScene(document, int(rng.integers(len(document.pages))), phrasings().texts)
    first = _drafted(scene, rng, edit, scope == "pattern")
    if first is None:
        return None
    if scope != "compound":
        return _request(scene, rng, (first,))
    second = _also(scene, rng, first)
    return None if second is None else _request(scene, rng, (first, second))


def _also(scene: EditScene, rng: Numbers, first: EditDraft) -> EditDraft | None:
    """Another edit of the one element of an edit, of another of its properties."""
    edit = pick(rng, edits_by_action()["MODIFY"])
    is_clear = len(first.targets) == 1 and first.anchor is None and _operation_of(first.edit).name in ("MODIFY", "MOVE")
    if not is_clear or not all("target" in EDITS[one].slots for one in (first.edit, edit)):
        return None
    second = draft_edit(scene, rng, edit, (first.targets[0].id,))
    if second is None:
        return None
    one, other = ({call.arguments.get("type_of_modification") for call in d.operations} for d in (first, second))
    return None if one & other else second


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
    found = plural(scene.document, scene.page)
    kinds = sorted({expression[0] for expression, _ in found})
    if not kinds:
        return ()
    kind = pick(rng, kinds)
    return pick(rng, [ids for expression, ids in found if expression[0] == kind])


def _request(scene: EditScene, rng: Numbers, drafts: Sequence[EditDraft]) -> Request | None:
    """The request for drafts; ``None`` if it cannot be right, visible and worded."""
    document, latitude = scene.document, Latitude()
    for draft in drafts:
        if not _has_words(scene, draft):
            return None
        try:
            after = apply_operations(document, draft.operations, scene.page)
        except ToolError:
            return None
        latitude = latitude.joined(_latitude_of(document, after, draft))
        document = after
    if not _is_right(scene.document, document, drafts) or not _is_seen(scene.document, document, scene.page):
        return None
    constraints, may_change = requirements_of(scene.document, document, latitude)
    evaluator = Evaluator(scene.document, constraints, may_change)
    already = (one for one, is_open in zip(constraints, evaluator.open, strict=True) if not is_open)
    if (
        not any(evaluator.open)
        or any(one.check != "place" for one in already)
        or not evaluator.evaluate(document).success
    ):
        return None
    if layout_problems(scene.document, document):
        return None
    wording = Wording(scene.document, scene.page, phrasings(), rng)
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


def _has_words(scene: EditScene, draft: EditDraft) -> bool:
    """Whether there are expressions for all elements that a draft mentions."""
    targets = draft.targets if "target" in EDITS[draft.edit].slots and len(draft.targets) == 1 else ()
    if draft.anchor is not None and not plain(scene.document, scene.page, draft.anchor):
        return False
    return all(singular(scene.document, scene.page, one) for one in targets)


def _is_seen(before: Document, after: Document, page: int) -> bool:
    """Whether the page looks different where elements have changed."""
    old, new = (document.pages[page] for document in (before, after))
    ids = {name for name, _ in changes(before, after)}
    stamps = [[stamp_of(e) for e in one.elements if e.type != "group" and e.id in ids] for one in (old, new)]
    rect = intersection(union([stamp.rect for stamp in (*stamps[0], *stamps[1])]), (0, 0, old.width, old.height))
    if rect is None:
        return False
    return not np.array_equal(painted_part(before, page, rect), painted_part(after, page, rect))


def _latitude_of(before: Document, after: Document, draft: EditDraft) -> Latitude:
    """The latitude of a draft: places and amounts that no request names, and side effects."""
    kind, new = EDITS[draft.edit], [name for name in after.places if name not in before.places]
    regions = dict.fromkeys((new or [target.id for target in draft.targets])[:1], draft.region) if draft.region else {}
    free: set[Key] = set()
    for target in draft.targets:
        if kind.new_within is not None:
            regions.update(dict.fromkeys(new, kind.new_within(target)))
        free.update((target.id, field) for field in kind.side_effects)
    ranges = {(target.id, field): times for target in draft.targets for field, times in draft.ranges.items()}
    return Latitude(regions, new if _operation_of(draft.edit).copies else (), free, ranges)


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
