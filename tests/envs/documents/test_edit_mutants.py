"""Gold edits changed by machine: what is no longer as asked fails, and what comes to the same succeeds."""

from collections import Counter

import numpy as np
import pytest
from sizes import sample, some

from formgym.envs.core.tools import ToolError
from formgym.envs.documents.env import document_split, document_task
from formgym.envs.documents.operations.draft import Operation
from formgym.envs.documents.painting.view import stamp_of
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.requests.request import apply_operations
from formgym.envs.documents.scene.document import inserted, mapped, renamed, reordered, without
from formgym.envs.documents.scene.elements import Element
from formgym.envs.documents.scoring.constraints import ALL, flat
from formgym.envs.documents.scoring.layout import layout_problems
from formgym.envs.documents.scoring.looks import paint_alike
from formgym.envs.documents.shipped import shipped_documents

NAMES = shipped_documents()
TRAIN = [f"{NAMES[seed % len(NAMES)]}/{seed}" for seed in range(some(8, 90))]
TEST = [f"{name}/test_{i}" for name in NAMES for i in range(len(frozen_requests(name)))]
SPLITS = {"train": document_split(NAMES, 0), "test": document_split(NAMES)}
MAX_ANEW = 3
TEXT_KINDS = {"letter", "extra letter"}


def _with(element, **fields):
    return element.model_copy(update=fields)


def _slack(element):
    """An element in a larger box, if that cannot be seen."""
    left, top, width, height = element.bbox
    larger = _with(element, bbox=(left, top, width + 30, height + 24))
    return larger if element.type == "text" and paint_alike(larger, element) else element


def _moved(right, down):
    return lambda e: _with(e, bbox=(e.bbox[0] + right, e.bbox[1] + down, *e.bbox[2:]))


def _changed(task):
    """The ids of the elements that the gold edit makes or changes."""
    old = task.before
    return [e.id for e in task.expected.elements() if old.find(e.id) is not e and e.type != "group"]


def _gold_calls(task):
    return [Operation(name=one.action, arguments=dict(one.arguments)) for one in task.gold.operations]


def _in_two_steps(call):
    """A move by pixels as two moves; any other call as it is."""
    where = call.arguments.get("position_diff")
    if call.name != "MOVE" or not where or where[1] < 2:
        return [call]
    halves = ((where[0], pixels) for pixels in (where[1] // 2, where[1] - where[1] // 2))
    return [_with(call, arguments=call.arguments | {"position_diff": half}) for half in halves]


def _acceptable(task):
    """The expected document in other ways that look the same."""
    document, ids = task.expected, _changed(task)
    texts = {e.id for e in document.elements() if e.type == "text"}
    # Of many that are anew and elsewhere, nothing tells which each of them stands for; nor of one that may be gone.
    gone = {one.element for one in flat(task.request.constraints) if one.check == "gone"}
    anew = [name for name in ids if name not in gone][:MAX_ANEW]
    yield "deleted and added", renamed(document, {name: f"z{i}" for i, name in enumerate(anew)})
    calls = _gold_calls(task)
    steps = [step for call in calls for step in _in_two_steps(call)]
    if len(steps) > len(calls):
        yield "in two steps", apply_operations(task.before, tuple(steps), task.request.page)
    if ids:
        yield "within tolerance", mapped(document, set(ids), _moved(1, -2))
        yield "named", mapped(document, set(ids), lambda e: _with(e, name="other"))
    if texts:
        yield "slack", mapped(document, texts, _slack)
        no_stroke = {"radius": 9, "stroke_width": 7, "fill": (1, 2, 3)}
        yield "invisible style", mapped(document, texts, lambda e: _with(e, style=_with(e.style, **no_stroke)))
    for page in document.pages:
        rects = {e.id: stamp_of(e).rect for e in page.elements if e.type != "group"}
        alone = [
            name
            for name, a in rects.items()
            if all(n == name or a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for n, b in rects.items())
        ]
        if alone:
            yield "z-order", reordered(document, alone[0], 599)


def _letter(element):
    """A text with another first letter."""
    first, *others = element.runs
    return _with(element, runs=(_with(first, text=("X" if first.text[0] != "X" else "Y") + first.text[1:]), *others))


def _wrong(task, rng):
    """Edits that come near what is expected."""
    document, ids = task.expected, set(_changed(task))
    allowed = task.evaluator.allowed(task.evaluator.evaluate(document).comparison)
    yield "nothing", task.before
    others = [e for e in document.elements() if e.id not in ids and e.type not in ("group", "line") and not e.parent]
    others = [e for e in others if stamp_of(e).rect[3] <= document.pages[0].height and e.id not in allowed]
    texts = [e for e in others if e.type == "text" and e.text.strip()]
    if others:
        other = others[int(rng.integers(len(others)))].id
        star = Element(id="zz", type="shape", shape="star", bbox=(5, 5, 40, 40), style={"fill": (210, 20, 170)})
        yield "extra element", inserted(document, document.places[other][0], 599, star)
    if texts:
        other = texts[int(rng.integers(len(texts)))].id
        yield "extra deletion", without(document, {other})
        yield "extra letter", mapped(document, {other}, _letter)
        yield "extra move", mapped(document, {other}, _moved(12, 0))
        pink = {"style": _with(document.find(other).style, colour=(200, 30, 160))}
        runs = tuple(_with(run, colour=None) for run in document.find(other).runs)
        yield "extra colour", mapped(document, {other}, lambda e: _with(e, **pink, runs=runs))
    for name in ids:
        if document.find(name).type == "text" and ALL not in allowed.get(name, ()):
            yield "letter", mapped(document, {name}, _letter)
    constraints = zip(task.request.constraints, task.evaluator.open, strict=True)
    required = {one.about for one, is_open in constraints if is_open and one.check not in ("any", "relation", "new")}
    required &= task.before.places.keys()
    for name in ids & required if len(ids) > 1 else ():
        yield "left behind", mapped(task.expected, {name}, lambda e: task.before.find(e.id))
    yield from _neighbours(task, required)


def _neighbours(task, required):
    """The gold edit on a neighbour of the same type instead."""
    calls = _gold_calls(task)
    targets = {one for call in calls for one in call.arguments.values() if isinstance(one, str)}
    for target in sorted(targets & required):
        old = task.before.find(target)
        near = [e for e in task.before.elements_of_page(task.before.places[target][0]) if e.type == old.type != "shape"]
        for other in [e for e in near if e.id not in targets][:1]:
            arguments = [{k: other.id if v == target else v for k, v in call.arguments.items()} for call in calls]
            swapped = [_with(call, arguments=own) for call, own in zip(calls, arguments, strict=True)]
            try:
                yield "neighbour", apply_operations(task.before, tuple(swapped), task.request.page)
            except ToolError:
                continue


@pytest.mark.parametrize("split", SPLITS)
def test_wrong_edits_fail_and_acceptable_ones_succeed(split):
    """An edit of what cannot be seen, such as a text that the request itself hides, counts for neither."""
    wrong, acceptable = Counter(), Counter()
    tasks = TRAIN if split == "train" else sample(TEST, 12)
    for number, task in enumerate(document_task(name, SPLITS[split]) for name in tasks):
        gold = task.evaluator.evaluate(task.expected)
        assert gold.success, task.task_id
        assert gold.progress == 1, task.task_id
        for kind, document in _acceptable(task):
            one = task.evaluator.evaluate(document)
            assert one.success, (task.task_id, kind, one.unrequested, one.held)
            acceptable[kind] += 1
        is_hidden = bool(layout_problems(task.before, task.expected))
        for kind, document in _wrong(task, np.random.default_rng(number)):
            if kind not in TEXT_KINDS or not is_hidden:
                one = task.evaluator.evaluate(document)
                assert not one.success, (task.task_id, kind)
                assert one.progress < 1, (task.task_id, kind)
                wrong[kind] += 1
    assert min(wrong.total(), acceptable.total()) >= 3 * len(tasks)
    assert len(wrong) >= 8
