"""Verdicts: an edit that is not as asked is none, however near it comes; one that comes to the same is one."""

from functools import cache
from itertools import islice

import pytest
from document_walk import planned_seeds
from sizes import some

from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.scoring.looks import visible_share

ENV = DocumentEnv(None, split="train")
NEW = ("add_shape", "add_image", "add_text", "copy_beside", "split")


NAMES = ("concert_poster", "pizza_menu", "job_fair_slides")


def _do(**call):
    return ENV.step(ENV.action_space.from_call(call))[4]


@cache
def _request(task):
    return ENV.task(task).request


def _tasks(*edits, n):
    """The first ``n`` tasks of one edit of one element, and their requests."""
    seeds = sorted({seed for edit in edits for seed in planned_seeds(edit, 480)})
    pairs = ((task, _request(task)) for task in (f"{name}/{seed}" for seed in seeds for name in NAMES))
    found = [*islice(((t, r) for t, r in pairs if len(r.edits) == 1 and r.edits[0] in edits and not r.is_pattern), n)]
    assert len(found) == n, edits
    return found


def _begin(task):
    ENV.reset(options={"task": task})
    return ENV.state


def _solve(task):
    for call in _begin(task).solution()[:-1]:
        info = _do(**call)
    assert info["score"]["success"] == 1, task
    return info


@pytest.mark.parametrize("edit", NEW)
@pytest.mark.parametrize(("kind", "value"), [("opacity", "0%"), ("rotate", "90"), ("width", "2000")])
def test_what_is_new_must_be_seen_and_look_about_as_asked(edit, kind, value):
    for task, _ in _tasks(edit, n=some(1, 6)):
        _solve(task)
        new = next(name for name in ENV.state.document.places if name not in ENV.state.task.before.places)
        # A text's box is not seen: what is in it may be as it was.
        is_text = kind == "width" and ENV.state.document.find(new).type in ("text", "list")
        info = _do(tool="modify", object_id=new, modification=value, type_of_modification=kind)
        assert info["score"]["success"] == 0 or is_text


def test_what_is_added_must_have_the_colour_that_is_told():
    for task, request in _tasks("add_shape", n=some(3, 9)):
        description = request.operations[0].arguments["object_description"]
        call = _begin(task).solution()[-2] | {
            "object_description": f"{'teal' if 'teal' not in description else 'red'} {description.split()[-1]}"
        }
        if request.page:
            _do(tool="show_page", number=request.page + 1)
        assert _do(**call)["score"]["success"] == 0, task


def test_what_is_added_must_not_lie_behind_the_page():
    for task, _ in _tasks("add_shape", "add_image", "copy_beside", n=some(6, 20)):
        _solve(task)
        new = next(name for name in ENV.state.document.places if name not in ENV.state.task.before.places)
        info = _do(tool="modify", object_id=new, modification="back", type_of_modification="order")
        document = ENV.state.document
        assert info["score"]["success"] == float(visible_share(document, document.find(new)) > 0.5), task


def test_what_is_added_must_be_on_its_page():
    checked = 0
    for task, request in _tasks(*NEW[:3], n=some(9, 40)):
        if len(_begin(task).document.pages) > 1:
            calls = ENV.state.solution()
            _do(tool="show_page", number=1 if request.page else 2)
            assert _do(**calls[-2])["score"]["success"] == 0, task
            checked += 1
    assert checked


def test_what_is_added_may_stand_a_little_elsewhere():
    for task, _ in _tasks(*NEW[:3], n=some(6, 40)):
        *first, call, _ = _begin(task).solution()
        for one in first:
            _do(**one)
        assert _do(**call | {"x": call["x"] + 2, "y": call["y"] - 2})["score"]["success"] == 1, task


def test_a_merge_by_hand_is_one():
    for task, request in _tasks("merge", n=some(2, 6)):
        first, second = request.operations[0].arguments["object_ids"]
        document = _begin(task).document
        if len(document.find(first).runs) == len(document.find(second).runs) == 1:
            text = f"{document.find(first).text} {document.find(second).text}"
            _do(tool="modify", object_id=first, modification=text, type_of_modification="text")
            assert _do(tool="delete", object_id=second)["score"]["success"] == 1, task


# What must not bring a step down.


@pytest.mark.parametrize("text", ["W" * 2000, "a\n" * 900, "\n" * 1999, "word " * 400])
def test_long_texts_are_drawn_or_refused(text):
    _begin("concert_poster/0")
    _do(tool="modify", object_id="headline", modification=text, type_of_modification="text")


@pytest.mark.parametrize("value", ["[4000, 4000]", "[2048, 2048]", "[-5, 10]", "[1e9, 10]"])
def test_large_sizes_are_drawn_or_refused(value):
    _begin("concert_poster/0")
    picture = next(e.id for e in ENV.state.document.elements() if e.type == "image")
    _do(tool="modify", object_id=picture, modification=value, type_of_modification="resize")


@pytest.mark.parametrize("value", ["1,200", "1e400", "about 3 or 4", "5 turns", "0.5.5", "3 cm"])
def test_numbers_are_read_whole_or_not_at_all(value):
    _begin("concert_poster/0")
    info = _do(tool="modify", object_id="headline", modification=value, type_of_modification="width")
    assert not info["valid"]


@pytest.mark.parametrize(
    "body",
    [
        "    a = 'headline'\n    for i in range(14):\n        a = MERGE([a, COPY(a)])\n",
        "    for i in range(1000):\n        COPY('headline')\n",
        "    for i in range(199):\n        COPY('headline')\n",
    ],
)
def test_programs_that_make_ever_more_are_stopped(body):
    env = DocumentEnv("concert_poster", action_mode="program")
    env.reset(seed=0)
    observation, _, _, _, info = env.step({"tool": "run_program", "code": f"def main(document):\n{body}"})
    assert not info["valid"]
    assert observation in env.observation_space
