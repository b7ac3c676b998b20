"""Constraints and layout on a small page; wrong edits never pass, and acceptable ones always do."""

import json
from copy import deepcopy

import numpy as np
import pytest
from document_walk import random_operation
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.painting import Frame
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.check_requests import main
from formgym.envs.documents.env import document_split, document_task
from formgym.envs.documents.feedback.wrong_edits import wrong_edits
from formgym.envs.documents.grounding.grounder import Grounder
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.operations.values import colour_of
from formgym.envs.documents.requests.frozen import read_requests
from formgym.envs.documents.scene.document import (
    Document,
    inserted,
    mapped,
)  # fmt: skip
from formgym.envs.documents.scene.elements import Element
from formgym.envs.documents.scoring.comparison import is_colour
from formgym.envs.documents.scoring.constraints import CONSTRAINT, MayChange
from formgym.envs.documents.scoring.evaluator import Evaluator
from formgym.envs.documents.scoring.layout import layout_problems
from formgym.envs.documents.scoring.requirements import requirements_of
from formgym.envs.documents.shipped import shipped_documents
from formgym.envs.documents.state import DocumentState, DocumentTask, Snapshot
from formgym.envs.documents.tools import tools_for


def element(name, kind, box, text="", **fields):
    style = fields.pop("style", {})
    runs = [{"text": text}] if text else []
    return {"id": name, "type": kind, "bbox": box, "runs": runs, "style": style, **fields}


PAGE = Document.model_validate(
    {
        "name": "made", "title": "Made", "kind": "poster",
        "pages": [
            {
                "width": 600, "height": 600,
                "elements": [
                    element("panel", "shape", [20, 20, 560, 120], shape="rectangle", style={"fill": [230, 230, 240]}),
                    element("title", "text", [40, 40, 300, 60], "Harbour Fair", style={"size": 40, "bold": True}),
                    element("when", "text", [40, 160, 250, 30], "Doors 8 pm"),
                    element("where", "text", [40, 200, 250, 30], "Old Mill"),
                    element("tea", "text", [40, 300, 120, 30], "Tea"),
                    element("price", "text", [200, 300, 120, 30], "2.50"),
                    element("dot", "shape", [400, 200, 60, 60], shape="ellipse", style={"fill": [208, 44, 44]}),
                    element("box", "shape", [480, 200, 60, 60], shape="rectangle", style={"fill": [44, 96, 190]}),
                    element("todo", "list", [40, 360, 200, 100], "Bread\nMilk\nSalt"),
                    element("rates", "table", [300, 360, 260, 90], cells=[["Day", "Fee"], ["Mon", "4"], ["Tue", "5"]]),
                    element("rule", "line", [40, 500, 520, 2], style={"stroke": [20, 20, 20], "stroke_width": 2}),
                ],
            }
        ],
    }
)  # fmt: skip
RIGHT_AND_WRONG = [
    ({"check": "gone", "element": "dot"}, [("DELETE", "dot")], [("DELETE", "box")]),
    (
        {"check": "text", "element": "when", "any_of": ["Doors 7 pm", "Doors 7pm"]},
        [("MODIFY", "when", "Doors  7 pm", "text")],
        [("MODIFY", "when", "Doors 7 pn", "text")],
    ),
    (
        {"check": "text", "element": "title", "shorter": True, "contains": ["fair"], "ignore_case": True},
        [("MODIFY", "title", "FAIR", "text")],
        [("MODIFY", "title", "Harbour Fairs", "text")],
    ),
    (
        {"check": "value", "element": "dot", "field": "fill", "any_of": ["blue"]},
        [("MODIFY", "dot", "#1a2c68", "fill")],
        [("MODIFY", "dot", "teal", "fill")],
    ),
    (
        {"check": "value", "element": "title", "field": "size", "times": [0.5, 0.9]},
        [("MODIFY", "title", 30, "font_size")],
        [("MODIFY", "title", 38, "font_size")],
    ),
    (
        {"check": "value", "element": "box", "field": "y", "by": [15, 60]},
        [("MOVE", "box", None, ("DOWN", 10)), ("MOVE", "box", None, ("DOWN", 10))],
        [("MOVE", "box", None, ("UP", 20))],
    ),
    (
        {"check": "relation", "element": "dot", "relation": "below", "other": "box"},
        [("MOVE", "dot", [480, 270])],
        [("MOVE", "dot", [480, 100])],
    ),
    (
        {"check": "relation", "element": "dot", "relation": "bottom_right"},
        [("MOVE", "dot", [530, 530])],
        [("MOVE", "dot", [530, 300])],
    ),
    (
        {"check": "relation", "element": "price", "relation": "aligned_left", "other": "tea"},
        [("MOVE", "price", [40, 300]), ("MOVE", "tea", [40, 260])],
        [("MOVE", "price", [60, 300])],
    ),
    ({"check": "new", "as": "n", "type": ["shape"], "shape": ["star"], "fill": ["gold"]},
     [("ADD", "shape", "a gold star", [420, 40])], [("ADD", "shape", "a gold hexagon", [420, 40])]),
    (
        {"check": "cell", "element": "rates", "row": 2, "column": 2, "any_of": ["6"]},
        [("MODIFY", "rates", (2, 2, "6"), "cell")],
        [("MODIFY", "rates", (3, 2, "6"), "cell")],
    ),
    (
        {"check": "item", "element": "todo", "item": 2, "any_of": ["Cream"]},
        [("MODIFY", "todo", "Bread\nCream\nSalt", "text")],
        [("MODIFY", "todo", "Bread\nCream\nSand", "text")],
    ),
    (
        {"check": "items", "element": "todo", "is": 2},
        [("MODIFY", "todo", "Bread\nSalt", "text")],
        [("MODIFY", "todo", "Bread\nSand", "text")],
    ),
    (
        {"check": "any", "of": [[{"check": "gone", "element": "tea"}], [{"check": "gone", "element": "price"}]]},
        [("DELETE", "price")],
        [("DELETE", "tea"), ("DELETE", "price")],
    ),
]  # fmt: skip


def edited(*calls, document=PAGE):
    for name, *arguments in calls:
        document = OPERATIONS[name](document, *arguments)
    return document


def evaluation(document, *constraints, may_change=()):
    return Evaluator(PAGE, [CONSTRAINT.validate_python(one) for one in constraints], may_change).evaluate(document)


@pytest.mark.parametrize(("constraint", "right", "wrong"), RIGHT_AND_WRONG, ids=lambda one: str(one)[:40])
def test_a_constraint_tells_right_from_wrong(constraint, right, wrong):
    may_change = [MayChange(element="tea", fields=("position",))]
    one = evaluation(edited(*right), constraint, may_change=may_change)
    assert (one.success, one.progress) == (True, 1.0), (one.unrequested, one.held)
    for document in (PAGE, edited(*wrong)):
        other = evaluation(document, constraint, may_change=may_change)
        assert not other.success
        assert other.progress < 1
    with_more = evaluation(edited(*right, ("MOVE", "where", None, ("RIGHT", 8))), constraint, may_change=may_change)
    assert (with_more.success, with_more.progress) == (False, 0.0)
    assert ("where", "x") in with_more.unrequested


def test_constraints_are_written_as_they_are_read():
    for constraint, *_ in RIGHT_AND_WRONG:
        read = CONSTRAINT.validate_python(constraint)
        assert CONSTRAINT.validate_json(read.model_dump_json()) == read


@pytest.mark.parametrize(
    "constraint",
    [
        {"check": "value", "element": "dot", "field": "fill", "any_of": ["no colour"]},
        {"check": "value", "element": "dot", "field": "colours", "any_of": ["red"]},
        {"check": "value", "element": "dot", "field": "x"},
        {"check": "value", "element": "dot", "field": "x", "any_of": [1], "words": "a"},
        {"check": "relation", "element": "dot", "relation": "besides"},
        {"check": "text", "element": "when", "pattern": "("},
        {"check": "pages"},
        {"check": "vanished", "element": "dot"},
    ],
)
def test_constraints_that_cannot_be_are_refused(constraint):
    with pytest.raises(ValueError, match=r"colour|match|needs|words|regular|tag"):
        CONSTRAINT.validate_python(constraint)


SWAPPED = [
    {"check": "value", "element": "tea", "field": "x", "any_of": [200]},
    {"check": "value", "element": "price", "field": "x", "any_of": [40]},
]


def test_a_swap_may_be_made_in_two_ways():
    moved = edited(("MOVE", "tea", [200, 300]), ("MOVE", "price", [40, 300]))
    rewritten = edited(("MODIFY", "tea", "2.50", "text"), ("MODIFY", "price", "Tea", "text"))
    assert evaluation(moved, *SWAPPED).success
    assert evaluation(rewritten, *SWAPPED).success
    assert not evaluation(edited(("MODIFY", "tea", "2.50", "text")), *SWAPPED).success


def test_what_must_go_may_become_what_must_come():
    constraints = {"check": "gone", "element": "dot"}, {"check": "new", "as": "n", "shape": ["star"]}
    star = edited(("MODIFY", "dot", "star", "shape"))
    assert evaluation(star, *constraints).success
    assert not evaluation(edited(("MODIFY", "dot", "hexagon", "shape")), *constraints).success


def test_of_several_that_change_none_may_be_lowered_unasked():
    edited = OPERATIONS["MODIFY"](
        OPERATIONS["MODIFY"](PAGE, "title", "Harbour Day", "text"), "when", "Doors 9 pm", "text"
    )
    evaluator = Evaluator(PAGE, *requirements_of(PAGE, edited))
    lowered = OPERATIONS["MODIFY"](edited, "title", "back", "order")
    assert evaluator.evaluate(edited).success
    assert [str(one) for one in evaluator.evaluate(lowered).unrequested] == ["order of title"]


def test_making_room_is_no_change_and_moving_for_nothing_is_one():
    constraint = {"check": "text", "element": "when", "any_of": ["Doors 8 pm\nBar 7 pm\nEnd 11 pm"]}
    longer = ("MODIFY", "when", "Doors 8 pm\nBar 7 pm\nEnd 11 pm", "text"), ("MODIFY", "when", 78, "height")
    room = ("MOVE", "where", None, ("DOWN", 44))
    assert evaluation(edited(*longer, room), constraint).success
    assert not evaluation(edited(*longer, room, ("MOVE", "rule", None, ("DOWN", 24))), constraint).success


def test_formats_of_letters_that_stay_must_stay():
    mixed = mapped(PAGE, {"when"}, lambda e: Element.model_validate(
        e.model_dump() | {"runs": [{"text": "Doors "}, {"text": "8 pm", "bold": True}]}
    ))  # fmt: skip
    rule = CONSTRAINT.validate_python({"check": "text", "element": "when", "any_of": ["Open 8 pm"]})
    evaluator = Evaluator(mixed, [rule])
    assert evaluator.evaluate(edited(("MODIFY", "when", ("Doors", "Open"), "words"), document=mixed)).success
    plain = evaluator.evaluate(edited(("MODIFY", "when", "Open 8 pm", "text"), document=mixed))
    assert not plain.success
    assert plain.held == [True]


def test_something_hidden_is_a_change():
    panel = {"check": "new", "as": "n", "type": ["shape"]}
    cover = Element(id="n", type="shape", shape="rectangle", bbox=(30, 150, 300, 90), style={"fill": (40, 90, 60)})
    hidden = evaluation(inserted(PAGE, 0, 99, cover), panel).unrequested
    assert {change.field for change in hidden} == {"hidden"}
    assert evaluation(inserted(PAGE, 0, 0, cover), panel).success


LAYOUT = {
    "off the page": [("MOVE", "dot", [560, 200])],
    "clipped": [("MODIFY", "title", "Harbour Fair and Regatta of the Year", "text")],
    "covered": [("MOVE", "box", [50, 155])],
    "contrast": [("MODIFY", "panel", "dark grey", "fill")],
    "overlap": [("MOVE", "title", [40, 112])],
}


@pytest.mark.parametrize("kind", LAYOUT)
def test_layout_problems_are_found_and_named(kind):
    found = [one for one in layout_problems(PAGE, edited(*LAYOUT[kind])) if one.kind == kind]
    assert found
    assert all(one.words.endswith(".") and any(name in one.words for name in one.elements) for one in found)


def test_what_was_so_before_is_no_problem_of_an_edit():
    for calls in LAYOUT.values():
        document = edited(*calls)
        assert layout_problems(document, edited(("MOVE", "rule", [40, 540]), document=document)) == []


@pytest.mark.parametrize(
    "calls",
    [
        [("MOVE", "dot", [500, 300])],
        [("DELETE", "title")],
        [("ADD", "shape", "a red star", [400, 40, 60, 60])],
        [("MODIFY", "title", "dark blue", "colour")],
        [("MODIFY", "todo", "Bread\nMilk", "text")],
    ],
)
def test_a_tidy_edit_has_no_layout_problem(calls):
    assert layout_problems(PAGE, edited(*calls)) == []


def test_a_group_is_torn_by_one_that_leaves_it():
    group = {"id": "set", "type": "group", "bbox": (400, 200, 140, 60)}
    elements = [Element.model_validate(group), *(
        e.model_copy(update={"parent": "set"}) if e.id in ("dot", "box") else e for e in PAGE.elements_of_page(0)
    )]  # fmt: skip
    document = PAGE.with_elements(0, tuple(elements))
    assert layout_problems(document, edited(("MOVE", "set", [300, 240]), document=document)) == []
    torn = layout_problems(document, edited(("MOVE", "dot", [300, 300]), document=document))
    assert {one.kind for one in torn} == {"torn"}


@settings(max_examples=some(12, 60), deadline=None)
@given(st.data())
def test_requirements_of_any_edit_are_met_by_it_and_not_without_it(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    document = PAGE
    for _ in range(data.draw(st.integers(1, 3))):
        name, arguments = random_operation(document, rng)
        try:
            document = OPERATIONS[name](document, **arguments)
        except ToolError:
            continue
    required = requirements_of(PAGE, document)
    evaluator = Evaluator(PAGE, *required)
    gold, noop = evaluator.evaluate(document), evaluator.evaluate(PAGE)
    assert 0 <= gold.progress <= 1
    assert noop.progress == 0 or not required.constraints
    assert gold.progress == float(gold.success) or not all(gold.held) or not any(evaluator.open)


@pytest.mark.parametrize("name", some(("concert_poster", "invoice", "conference_slides"), shipped_documents()))
def test_a_step_is_scored_as_if_nothing_were_known(name):
    """Copies share no object, so that nothing of an earlier evaluation, text or picture serves again."""
    rng = np.random.default_rng(len(name))
    task = document_task(f"{name}/test_{rng.integers(4)}", document_split((name,)))
    state = DocumentState(task, None, (960, 960), by_program=False)
    state.edit(task.expected, *task.gold.operations)
    for _ in range(some(5, 40)):
        if rng.random() < 0.3:
            state.undo()
        operation, arguments = random_operation(state.document, rng)
        try:
            state.edit(OPERATIONS[operation].edit(state.document, **arguments)[0])
        except (ToolError, ValueError, TypeError):
            continue
        current = deepcopy(state.history[-1].document)
        anew = DocumentState(
            DocumentTask(task.task_id, deepcopy(task.before), task.request),
            state.grounder,
            (960, 960),
            by_program=False,
        )
        anew.history.append(Snapshot(current, state.history[-1].operations))
        anew.turn_to(state.page)
        assert anew.metrics() == state.metrics()
        assert anew.source == state.source
        pages = [np.zeros((960, 960, 3), np.uint8) for _ in range(2)]
        for one, pixels in zip((anew, state), pages, strict=True):
            Frame(pixels).show(one.background, one.layers)
        assert np.array_equal(*pages)
    assert anew.score() == state.score()


@pytest.mark.parametrize("by_program", [True, False])
def test_a_written_request_is_played_and_got_wrong(tmp_path, by_program):
    program = """
def main(document):
    star = ADD('shape', 'a red star', [400, 40, 60, 60])
    MODIFY(object_id_to_modify='when', modification='Doors 7 pm', type_of_modification='text')
    MOVE(star, [420, 44])
"""
    star = {"check": "new", "as": "n", "shape": ["star"], "fill": ["red"]}
    text = {"check": "text", "element": "when", "any_of": ["Doors 7 pm"]}
    row = {"text": "A red star, and doors are at 7.", "program": program, "constraints": [star, text]}
    (tmp_path / "made.json").write_text(json.dumps([row]))
    (request,) = read_requests(tmp_path / "made.json")
    task = DocumentTask("made/0", PAGE, request)
    state = DocumentState(task, Grounder(), (600, 600), by_program)
    for call in state.solution()[:-1]:
        tool = next(one for one in tools_for("program" if by_program else "operations", 1) if one.name == call["tool"])
        tool.apply(state, **{key: value for key, value in call.items() if key != "tool"})
    score = state.score().metrics
    assert score["success"] == score["progress"] == score["edit_f1"] == score["action_accuracy"] == 1
    assert score["layout_problems"] == 0
    wrong = wrong_edits(task, np.random.default_rng(0))
    assert len({kind for kind, _ in wrong}) >= 3
    assert not any(task.evaluator.evaluate(document).success for _, document in wrong)


def test_the_checker_says_what_is_wrong_with_requests(tmp_path, capsys):
    (tmp_path / "made.json").write_text(PAGE.model_dump_json())
    folder = tmp_path / "requests"
    folder.mkdir()
    star = {"check": "new", "as": "n", "shape": ["star"]}
    add = "def main(document):\n    ADD('shape', 'a red star', [400, 40, 60, 60])\n"
    good = {"text": "Add a star", "page": 1, "program": add, "constraints": [star]}
    bad = [
        good | {"page": 2},
        good | {"program": "def main(document):\n    DELETE('nothing')\n"},
        good | {"program": add + "    MOVE('e7', [300, 250])\n"},
        good | {"constraints": [star | {"shape": ["hexagon"]}]},
        good | {"constraints": [{"check": "relation", "element": "e99", "relation": "middle"}]},
    ]
    file = folder / "made.json"
    file.write_text(json.dumps([good]))
    assert main([str(file), "--documents", str(tmp_path), "--pictures", str(tmp_path / "pictures")]) == 0
    assert (tmp_path / "pictures" / "made_0.png").is_file()
    file.write_text(json.dumps(bad))
    assert main([str(file), "--documents", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    for words in ("no page 2", "cannot be made", "x of e7", "does not hold", "no element e99", "5 with problems"):
        assert words in said


@pytest.mark.parametrize(
    ("name", "shades", "others"),
    [
        ("brown", ["#8b4513", "#964b00", "#5c4033"], ["#ec8624", "#d02c2c"]),
        ("blue", ["#000080", "#4169e1", "#87ceeb"], ["#208888", "#7a48a0"]),
        ("dark blue", ["#1a237e", "#00008b"], ["#4169e1", "#000000"]),
        ("grey", ["#696969", "#c0c0c0"], ["#000000", "#2c60be"]),
        ("gold", ["#ffd700", "#b8860b"], ["#ffffff", "#ec8624"]),
        ("#2c60be", ["#2d61bf"], ["#1a2c68"]),
    ],
)
def test_a_colour_is_what_people_call_it(name, shades, others):
    assert [one for one in shades if not is_colour(colour_of(one), name)] == []
    assert [one for one in others if is_colour(colour_of(one), name)] == []
