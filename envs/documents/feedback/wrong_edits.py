"""Make right and wrong edits of tasks, by kind of mistake, for data sets and to measure who judges edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.tools import ToolError
from ..operations.draft import EditScene, Numbers, Operation, pick
from ..operations.table import EDITS
from ..requests.generate import draft_edit
from ..requests.phrasings import phrasings
from ..requests.request import apply_operations
from ..scene.document import Document
from ..scene.elements import Element
from ..state import DocumentTask
from .judgement import changed_pictures, exact_judgement

_TRIES = 6
_MAX_NUDGE = 3
"""Pixels by which the elements of a right edit may be aside."""
_IDS = ("object_id", "object_id_to_replace", "object_id_to_modify")
_TEXTS = ("modification", "object_description", "new_object_content")
Calls = tuple[Operation, ...]


def wrong_edits(task: DocumentTask, rng: Numbers) -> list[tuple[str, Document]]:
    """Edits that contradict a request, each with the kind of its mistake.

    Args:
        task: with the gold edit.
        rng: chooses.
    """
    found = []
    for make in _MISTAKES:
        for _ in range(_TRIES):
            document = _document(task, make(task, rng))
            kind = "" if document is None else exact_judgement(task, document).kind
            if document is not None and kind != "right":
                found.append((kind, document))
                break
    return found


def labelled_edits(task: DocumentTask, rng: Numbers) -> list[tuple[str, Document]]:
    """A right and a wrong edit that show, each with its kind; the right one is the gold edit or looks almost like it.

    Of the kinds of mistakes that can be made each is as likely.

    Args:
        task: with the gold edit.
        rng: chooses.

    Returns:
        Two edits; none if no wrong one shows.
    """
    wrong = [one for one in wrong_edits(task, rng) if changed_pictures(task, one[1])[1]]
    if not wrong:
        return []
    nudged = _nudged(task, rng)
    is_right = nudged is not None and exact_judgement(task, nudged).is_right
    kind = pick(rng, sorted({kind for kind, _ in wrong}))
    mistake = pick(rng, [one for one in wrong if one[0] == kind])
    return [("right", nudged if is_right and nudged is not None else task.expected), mistake]


def _nudged(task: DocumentTask, rng: Numbers) -> Document | None:
    """The document after the gold edit, with one of its elements a few pixels aside."""
    ids = [one.id for one in task.expected.elements() if task.before.find(one.id) != one]
    if not ids:
        return None
    pixels = 1 + int(rng.integers(_MAX_NUDGE))
    try:
        diff = {"object_id": pick(rng, ids), "position_diff": [pick(rng, ("LEFT", "UP", "RIGHT", "DOWN")), pixels]}
        return apply_operations(task.expected, (Operation(name="MOVE", arguments=diff),))
    except ToolError:
        return None


def _document(task: DocumentTask, calls: Calls | None) -> Document | None:
    if calls is None:
        return None
    try:
        return apply_operations(task.before, calls, task.request.page)
    except ToolError:
        return None


def _scene(task: DocumentTask) -> EditScene:
    return EditScene(task.before, task.request.page, phrasings().texts)


def _gold_calls(task: DocumentTask) -> Calls:
    return tuple(Operation(name=one.action, arguments=dict(one.arguments)) for one in task.gold.operations)


def _targets(task: DocumentTask) -> list[str]:
    """The ids of the elements of the gold edit."""
    calls = [call.arguments for call in _gold_calls(task)]
    ids = [arguments[name] for arguments in calls for name in _IDS if name in arguments]
    ids += [one for arguments in calls for one in arguments.get("object_ids", ())]
    return [one for one in dict.fromkeys(ids) if one in task.before.places]


def _with(call: Operation, **arguments: Any) -> Operation:
    return call.model_copy(update={"arguments": call.arguments | arguments})


def _other_element(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The gold edit applied to another element, of the same type if there is one."""
    ids = _targets(task)
    others = [e for e in task.before.elements_of_page(task.request.page) if e.id not in ids]
    if not ids or not others:
        return None
    old = task.before.find(pick(rng, ids))
    alike = [e for e in others if old is not None and e.type == old.type]
    new = pick(rng, alike or others)
    assert old is not None
    return tuple(_with_element(call, old.id, new) for call in _gold_calls(task))


def _with_element(call: Operation, old: str, new: Element) -> Operation:
    swapped = {name: new.id for name in _IDS if call.arguments.get(name) == old}
    if "type_of_object_replaced" in call.arguments and swapped:
        swapped["type_of_object_replaced"] = new.type
    if old in call.arguments.get("object_ids", ()):
        return _with(call, object_ids=[new.id if one == old else one for one in call.arguments["object_ids"]])
    return _with(call, **swapped)


def _other_value(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The same kind of edit, with other values."""
    request = task.request
    gold = _gold_calls(task)
    if not request.edits or (request.is_compound and len(gold) != 2):
        return None
    at = int(rng.integers(len(request.edits)))
    known = request.edits[at] in EDITS
    draft = draft_edit(_scene(task), rng, request.edits[at], _targets_of_edit(task, at)) if known else None
    if draft is None:
        return None
    calls = list(gold) if request.is_compound else []
    calls[at : at + 1] = draft.operations
    return tuple(calls)


def _targets_of_edit(task: DocumentTask, at: int) -> list[str]:
    """The targets of one of the edits of a request."""
    ids = _targets(task)
    if task.request.is_compound:
        arguments = _gold_calls(task)[at].arguments
        return [arguments[name] for name in _IDS if name in arguments]
    return ids[:1] if "anchor" in EDITS[task.request.edits[0]].slots else ids


def _other_action(task: DocumentTask, rng: Numbers) -> Calls | None:
    """Another edit of the elements of the request."""
    edits = [edit for edit, kind in EDITS.items() if kind.types and edit not in task.request.edits]
    ids = _targets(task) or [call.id for call in task.before.elements_of_page(task.request.page)]
    draft = draft_edit(_scene(task), rng, pick(rng, edits), ids)
    return draft.operations if draft else None


def _edit_left_out(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The gold edit without one of its calls."""
    calls = list(_gold_calls(task))
    if len(calls) < 2:
        return None
    calls.pop(int(rng.integers(len(calls))))
    return tuple(calls)


def _another_edit_besides(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The gold edit and a different edit of another element."""
    others = [e.id for e in task.before.elements_of_page(task.request.page) if e.id not in _targets(task)]
    several_or_new = [edit for edit, kind in EDITS.items() if kind.of_several or not kind.types]
    edits = [*several_or_new, "move_to_corner", "copy_beside", "text"]
    draft = draft_edit(_scene(task), rng, pick(rng, edits), [pick(rng, others)]) if others else None
    return (*_gold_calls(task), *draft.operations) if draft else None


def _another_element_besides(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The gold edit, applied to another element as well."""
    other = _other_element(task, rng)
    first = _gold_calls(task)
    return (*first, *(call for call in other if call not in first)) if other else None


def _misspelt(task: DocumentTask, rng: Numbers) -> Calls | None:
    """The gold edit with a letter of a new text left out."""
    calls = list(_gold_calls(task))
    texts = [(i, key) for i, call in enumerate(calls) for key in _TEXTS if len(str(call.arguments.get(key, ""))) > 3]
    if not texts:
        return None
    i, key = texts[int(rng.integers(len(texts)))]
    text = str(calls[i].arguments[key])
    at = int(rng.integers(len(text)))
    calls[i] = _with(calls[i], **{key: text[:at] + text[at + 1 :]})
    return tuple(calls)


_MISTAKES: tuple[Callable[[DocumentTask, Numbers], Calls | None], ...] = (
    lambda task, rng: (),
    _other_element,
    _other_value,
    _other_action,
    _edit_left_out,
    _another_edit_besides,
    _another_element_besides,
    _misspelt,
)
"""The makers of wrong edits."""
