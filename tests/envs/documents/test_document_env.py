"""DocEdit: what agents see and do, how edits are judged, and that nothing but the right edit is right."""

import json
import re
from functools import cache

import numpy as np
import pytest
from document_walk import planned_seeds
from poster import IDS, POSTER
from sizes import some

from formgym.envs.core.env import MAX_SOURCE_LENGTH
from formgym.envs.core.locators import Detection
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.scene.document import Document, Page, without_names
from formgym.envs.documents.scene.document_text import DocumentText, read_text
from formgym.envs.documents.scene.elements import Element, Run, Style
from formgym.envs.documents.scoring.looks import ink_rect
from formgym.envs.documents.shipped import shipped_document


@pytest.fixture
def env():
    return DocumentEnv(POSTER)


def _begun(name, task, mode="operations", **kwargs):
    env = DocumentEnv(name, split="test" if task.startswith("test_") else "train", action_mode=mode, **kwargs)
    env.reset(options={"task": f"{name}/{task}"})
    return env


def _do(env, tool, **arguments):
    return env.step(env.action_space.from_call({"tool": tool, **arguments}))


@cache
def _request(name, seed):
    return DocumentEnv(name, split="train").task(f"{name}/{seed}").request


def _task_with(edit, name=POSTER):
    """The first generated task with one edit of a kind."""
    for seed in planned_seeds(edit, 2000):
        request = _request(name, seed)
        if request.edits == (edit,) and not request.is_pattern:
            return name, str(seed), request
    raise AssertionError(f"no task of the kind {edit}")


def test_the_source_is_the_document_as_it_is_now(env):
    observation, _ = env.reset(seed=0)
    assert read_text(observation["source"]) == (without_names(shipped_document(POSTER)), 0)
    observation, *_ = _do(env, "delete", object_id=IDS["headline"])
    document = Document.model_validate(json.loads(observation["source"]))
    assert document.find(IDS["headline"]) is None
    assert document == env.state.document


def _long(n_pages, n_elements):
    """A document whose elements take about 200 characters each."""
    pages = [
        Page(
            width=960,
            height=540,
            elements=tuple(
                Element(
                    id=f"p{i}_{k}",
                    type="text",
                    bbox=(10, 500 - k, 900, 30),
                    runs=(Run(text=f"Part {k} of chapter {i} " + "tells more " * 10),),
                    style=Style(size=60 if k == 3 else 20),
                )
                for k in range(n_elements)
            ),
        )
        for i in range(n_pages)
    ]
    return Document(name="book", title="Book", kind="slides", pages=tuple(pages))


def test_of_a_long_document_the_text_is_one_page_and_an_outline():
    document = _long(50, 20)
    text = DocumentText(document)
    assert not text.is_whole
    assert text.longest < MAX_SOURCE_LENGTH
    shown = json.loads(text.text(7))["pages"]
    assert Page.model_validate({key: value for key, value in shown[7].items() if key != "page"}) == document.pages[7]
    assert [page["page"] for page in shown] == list(range(1, 51))
    assert shown[4].keys() == {"page", "headline", "number_of_elements"}
    assert shown[4]["headline"].startswith("Part 3 of chapter 4")
    assert shown[4]["number_of_elements"] == 20
    edited = document.with_elements(7, document.elements_of_page(7)[:5])
    again = DocumentText(edited, text)
    assert again.text(7) == DocumentText(edited).text(7) != text.text(7)
    assert [read_text(DocumentText(_long(2, 20)).text(page)) for page in (0, 1)] == [
        (_long(2, 20), 0),
        (_long(2, 20), 1),
    ]
    assert DocumentText(_long(1, 500)).longest > MAX_SOURCE_LENGTH


def test_of_a_page_with_many_elements_the_text_is_brief():
    (page,) = _long(1, 190).pages
    (shown,) = json.loads(DocumentText(_long(1, 190)).text(0))["pages"]
    assert shown["is_brief"]
    first = {"id": "p0_0", "type": "text", "bbox": [10, 500, 900, 30], "text": page.elements[0].text}
    assert (shown["elements"][0], len(shown["elements"])) == (first, 190)
    group = Element(id="g", type="group", bbox=(10, 10, 900, 500))
    inside = tuple(one.model_copy(update={"parent": "g"}) for one in _long(1, 500).pages[0].elements)
    grouped = _long(1, 1).with_elements(0, (group, *inside))
    assert [one["id"] for one in json.loads(DocumentText(grouped).text(0))["pages"][0]["elements"]] == ["g"]


def test_pages_are_turned():
    env = _begun("conference_slides", "test_0")
    observation, _, _, _, info = _do(env, "show_page", number=3)
    assert np.array_equal(observation["page"], painted(env.state.document, 2, marks=True))
    assert info["feedback"] == "This is page 3 of 4."
    info = _do(env, "show_page", number=5)[4]
    assert not info["valid"]
    assert "the document has 4" in info["feedback"]


def test_an_undone_edit_never_was(env):
    env.reset(seed=0)
    begun, page = env.state.document.digest, env.page()
    calls = [
        {"tool": "move", "object_id": IDS["headline"], "x": 10, "y": 10},
        {"tool": "add", "object_type": "text", "object_description": '"New"', "x": 50, "y": 50},
        {"tool": "copy", "object_id": IDS["headline"], "x": 300, "y": 300},
        {"tool": "modify", "object_id": IDS["headline"], "modification": "red", "type_of_modification": "color"},
        {"tool": "delete", "object_id": IDS["badge"]},
    ]
    for call in calls:
        assert env.step(env.action_space.from_call(call))[4]["valid"]
    for _ in calls:
        assert _do(env, "undo")[4]["valid"]
    assert env.state.document.digest == begun
    assert np.array_equal(env.page(), page)
    info = _do(env, "undo")[4]
    assert not info["valid"]
    assert info["score"]["edit_f1"] == 0


def test_invalid_operations_change_nothing_and_say_why(env):
    env.reset(seed=0)
    begun = env.state.document.digest
    for call, words in (
        ({"tool": "delete", "object_id": "nobody"}, "no element 'nobody'"),
        ({"tool": "move_by", "object_id": IDS["headline"], "direction": "NORTH", "pixels": 5}, "position_diff"),
        ({"tool": "modify", "object_id": IDS["headline"], "modification": "x", "type_of_modification": "mood"}, "mood"),
        (
            {"tool": "modify", "object_id": IDS["headline"], "modification": "x", "type_of_modification": "color"},
            "colour",
        ),
        ({"tool": "add", "object_type": "song", "object_description": "x", "x": 0, "y": 0}, "song"),
        ({"tool": "replace", "object_id": "no", "object_type": "text", "object_content": "x"}, "no element"),
        ({"tool": "merge", "object_ids": IDS["headline"], "separator": " "}, "two"),
        ({"tool": "get_metadata", "object_id": IDS["headline"], "attribute": "soul"}, "soul"),
        ({"tool": "find_and_get", "component": "the headline"}, "find_and_get"),
    ):
        info = env.step(call)[4]
        assert not info["valid"], call
        assert words in info["feedback"], info["feedback"]
        assert env.state.document.digest == begun


def test_nothing_is_searched_by_words_unless_there_is_a_grounder():
    words = re.compile("FIND_AND_GET|INFER|find_and_get|next_proposal|infer")
    for action_mode in ("operations", "program"):
        tools, all_tools = (
            DocumentEnv(action_mode=action_mode, grounder=grounder).action_space.schemas for grounder in (None, "texts")
        )
        assert not words.search(json.dumps(tools))
        assert {*words.findall(json.dumps(all_tools))} >= {"find_and_get", "infer"} or action_mode == "program"
        assert len(all_tools) - len(tools) == (2 if action_mode == "operations" else 1)


def test_finding_returns_id_and_box():
    env = _begun(POSTER, "test_0", names=True, grounder="texts")
    for component, fault in ((5, "component"), ("gladly", "place")):
        assert fault in _do(env, "infer", component=component)[4]["feedback"]
    found = json.loads(_do(env, "find_and_get", component="Harbour Lights")[4]["feedback"])
    element = shipped_document(POSTER).find(IDS["headline"])
    assert found == {"id": element.id, "position": list(element.bbox[:2]), "bbox": list(element.bbox), "page": 1}
    box = json.loads(_do(env, "infer", component="below Harbour Lights")[4]["feedback"])["bbox"]
    assert box[1] >= element.bbox[1] + element.bbox[3]


# What comes to the same as the gold edit, and what does not.


def test_replacing_is_deleting_and_adding():
    name, number, request = _task_with("replace_image")
    gold = request.operations[0].arguments
    env = _begun(name, number)
    old = env.state.document.find(gold["object_id_to_replace"])
    _do(env, "delete", object_id=old.id)
    content = gold["new_object_content"]
    _do(env, "add", object_type="image", object_description=content, x=old.bbox[0], y=old.bbox[1])
    new = env.state.document.pages[env.state.page].elements[-1].id
    size = json.dumps(list(old.bbox[2:]))
    info = _do(env, "modify", object_id=new, modification=size, type_of_modification="resize")[4]
    assert info["score"]["success"] == 1


def test_rewording_is_replacing():
    name, number, request = _task_with("text")
    gold = request.operations[0].arguments
    env = _begun(name, number)
    old = env.state.document.find(gold["object_id_to_modify"])
    if old.type == "text":
        text = f'"{gold["modification"]}"'
        info = _do(env, "replace", object_id=old.id, object_type="text", object_content=text)[4]
        assert info["score"]["success"] == info["score"]["action_accuracy"] == 1


def test_a_move_by_coordinates_is_a_move_by_pixels():
    name, number, request = _task_with("move_a_bit")
    env = _begun(name, number)
    target = request.operations[0].arguments["object_id"]
    expected = env.state.task.expected.find(target)
    info = _do(env, "move", object_id=target, x=expected.bbox[0], y=expected.bbox[1])[4]
    assert info["score"]["success"] == info["score"]["edit_f1"] == 1


@pytest.mark.parametrize("edit", ["move_a_bit", "colour", "delete", "copy_beside", "add_text", "merge", "font", "fade"])
def test_the_right_edit_with_another_one_is_not_right(edit):
    name, number, _ = _task_with(edit)
    env = _begun(name, number)
    calls = env.state.solution()[:-1]
    for call in calls:
        info = env.step(env.action_space.from_call(call))[4]
    assert info["score"]["success"] == 1
    touched = {element for element, _ in env.state.task.requested}
    others = [e.id for e in env.state.document.elements() if e.id not in touched and e.type != "group"]
    info = _do(env, "move_by", object_id=others[0], direction="RIGHT", pixels=7)[4]
    assert info["score"]["success"] == 0
    assert info["score"]["preservation"] < 1
    assert info["score"]["edit_f1"] < 1


ADDED = (
    "allotment_meeting/test_13",
    "thesis_defence/test_6",
    "travel_club_report/test_2",
    "volunteer_onboarding/test_12",
)


@pytest.mark.parametrize("task", ADDED)
def test_what_is_added_with_a_size_and_a_style_is_added_by_tools_as_well(task):
    env = _begun(*task.split("/"))
    for call in env.state.solution()[:-1]:
        info = env.step(env.action_space.from_call(call))[4]
        assert info["valid"], info["feedback"]
    assert info["score"]["success"] == 1


def test_the_right_change_with_another_one_of_the_same_element_is_not_right():
    name, number, request = _task_with("colour")
    env = _begun(name, number)
    for call in env.state.solution()[:-1]:
        env.step(env.action_space.from_call(call))
    target = request.operations[0].arguments["object_id_to_modify"]
    info = _do(env, "move_by", object_id=target, direction="DOWN", pixels=30)[4]
    assert info["score"]["success"] == 0
    assert info["score"]["constraints"] == 1


def test_the_wrong_element_is_worth_nothing():
    name, number, request = _task_with("delete")
    env = _begun(name, number)
    target = request.operations[0].arguments["object_id"]
    other = next(e.id for e in env.state.document.elements() if e.id != target and e.type != "group")
    metrics = _do(env, "delete", object_id=other)[4]["score"]
    assert metrics["success"] == metrics["edit_f1"] == metrics["constraints"] == 0
    assert metrics["action_accuracy"] == 1


def test_picture_metrics_reveal_that_nothing_was_done(env):
    env.reset(options={"task": f"{POSTER}/test_0"})
    metrics = env.state.score().metrics
    assert metrics["changed_iou"] == 0
    assert metrics["ssim_outside"] == 1
    for call in env.state.solution()[:-1]:
        env.step(env.action_space.from_call(call))
    metrics = env.state.score().metrics
    assert metrics["changed_iou"] == metrics["ssim_outside"] == 1
    assert metrics.get("ssim_inside", 1) == 1


def test_fields_of_the_score_are_constraints(env):
    env.reset(options={"task": f"{POSTER}/test_0"})
    fields = env.state.score().fields
    assert len(fields) == len(env.state.task.request.constraints)
    assert not any(field.correct for field in fields)
    assert all(field.label for field in fields)


# Programs.


def _program(env):
    return env.state.task.request.program


def test_a_program_runs_on_the_document_as_it_was_at_first():
    env = _begun(POSTER, "test_1", "program")
    wrong = 'def main(document):\n    DELETE("e4")\n'
    info = _do(env, "run_program", code=wrong)[4]
    assert info["valid"]
    assert info["score"]["semantic_error"] == 1
    assert env.state.document.find(IDS["headline"]) is None
    info = _do(env, "run_program", code=_program(env))[4]
    assert env.state.document.find(IDS["headline"]) is not None
    assert info["score"]["success"] == info["score"]["pass_5"] == 1
    assert info["score"]["pass_1"] == info["score"]["semantic_error"] == 0


def test_a_program_that_fails_leaves_the_document_as_it_was():
    env = _begun(POSTER, "test_1", "program")
    begun = env.state.document.digest
    code = 'def main(document):\n    DELETE("e4")\n    DELETE("nobody")\n'
    info = _do(env, "run_program", code=code)[4]
    assert not info["valid"]
    assert "line 3" in info["feedback"]
    assert env.state.document.digest == begun
    info = _do(env, "run_program", code=_program(env))[4]
    assert info["score"]["pass_1"] == 0
    assert info["score"]["pass_5"] == 1


def test_only_five_programs_count():
    env = _begun(POSTER, "test_1", "program")
    for _ in range(5):
        _do(env, "run_program", code="def main(document):\n    pass\n")
    info = _do(env, "run_program", code=_program(env))[4]
    assert info["score"]["success"] == 1
    assert info["score"]["pass_5"] == 0


def test_strict_programs_name_what_is_published():
    code = 'def main(document):\n    DELETE(FIND_AND_GET("Harbour Lights")[0])\n'
    assert _do(_begun(POSTER, "test_1", "program", grounder="texts"), "run_program", code=code)[4]["valid"]
    info = _do(_begun(POSTER, "test_1", "program", grounder="texts", strict=True), "run_program", code=code)[4]
    assert not info["valid"]
    assert "document" in info["feedback"]


def test_the_feedback_of_a_program_is_what_it_changed():
    env = DocumentEnv("concert_poster", action_mode="program")
    env.reset(options={"task": "concert_poster/test_1"})
    line = "next(one for one in document.elements if one.text == 'Harbour Lights')"
    code = f"def main(document):\n    one = {line}\n    MOVE(one, position_diff=(DOWN, 20))\n"
    lines = _do(env, "run_program", code=code)[4]["feedback"].split("\n")
    assert lines[0] == "The program ran; it changed:"
    assert re.fullmatch(r'page 1, e\d+ text "Harbour Lights": moved 20 px down', lines[1])
    assert len(lines) == 2


def test_the_feedback_of_an_operation_is_what_it_changed(env):
    env.reset(seed=0)
    feedback = _do(env, "move_by", object_id="e4", direction="DOWN", pixels=20)[4]["feedback"]
    assert feedback == 'MOVE was carried out; it changed:\npage 1, e4 text "Harbour Lights": moved 20 px down'
    call = {"object_type": "text", "object_description": '"New"', "x": 50, "y": 50}
    assert _do(env, "add", **call)[4]["feedback"] == 'ADD was carried out; it changed:\npage 1, n1 text "New": added'
    again = _do(env, "move_by", object_id="e4", direction="DOWN", pixels=0)[4]["feedback"]
    assert again == "MOVE was carried out; it changed nothing."


def test_the_next_proposal_takes_the_next_box():
    name, number, request = _task_with("delete")
    env = _begun(name, number, "program", grounder="noisy", grounder_accuracy=0.0)
    assert not _do(env, "next_proposal", component="")[4]["valid"]
    code = env.state.solution()[-2]["code"]
    assert "FIND_AND_GET" in code
    info = _do(env, "run_program", code=code)[4]
    assert info["score"]["success"] == 0
    info = _do(env, "next_proposal", component="")[4]
    assert info["score"]["success"] == 1, info["feedback"]
    assert info["feedback"].startswith("Proposal 2")
    assert env.state.code == code
    assert request.mentions[0].words in env.state.skipped


class EveryElement:
    """A locator that finds every element of a page, whatever the words are."""

    def __init__(self, name):
        document = shipped_document(name)
        self._boxes = [ink_rect(document, one) for one in document.pages[0].elements]

    def locate(self, page, target):
        return [Detection(box, 1 / len(self._boxes)) for box in self._boxes]


def test_proposals_come_to_an_end():
    env = _begun(POSTER, "test_1", "program", grounder=EveryElement(POSTER))
    _do(env, "run_program", code='def main(document):\n    DELETE(FIND_AND_GET("the headline", document)[0])\n')
    info = _do(env, "next_proposal", component="the hat")[4]
    assert not info["valid"]
    assert "the headline" in info["feedback"]
    valid = [_do(env, "next_proposal", component="")[4]["valid"] for _ in range(30)]
    assert valid[0]
    assert not valid[-1]


@pytest.mark.parametrize("accuracy", [0.0, 0.5, 1.0])
def test_a_noisy_grounder_is_as_good_as_its_accuracy(accuracy):
    env = DocumentEnv(POSTER, split="train", action_mode="program", grounder="noisy", grounder_accuracy=accuracy)
    right = total = 0
    for seed in range(some(40, 240)):
        state = env.open_task(f"{POSTER}/{seed}")
        for mention in state.task.request.mentions:
            if len(mention.ids) == 1:
                right += state.find(state.document, mention.words)[0].id == mention.ids[0]
                total += 1
    assert right / total == pytest.approx(accuracy, abs=some(0.17, 0.08))


# Splits and options.


def test_smaller_documents_lie_in_the_corner():
    env = DocumentEnv(["business_card", POSTER])
    observation, _ = env.reset(options={"document": "business_card"})
    assert observation["page"].shape == (960, 720, 3)
    page = painted(shipped_document("business_card"), 0, marks=True)
    assert np.array_equal(observation["page"][:400, :700], page)
    assert (observation["page"][400:] == observation["page"][-1, -1]).all()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"documents": "no_such"}, "no_such"),
        ({"documents": []}, "at least one"),
        ({"documents": [POSTER, POSTER]}, "once"),
        ({"action_mode": "telepathy"}, "action_mode"),
        ({"grounder": "oracel"}, "grounder"),
        ({"grounder": "noisy", "grounder_accuracy": 2}, "grounder_accuracy"),
        ({"grounder": "texts", "grounder_accuracy": 0.5}, "grounder_accuracy"),
    ],
)
def test_wrong_arguments_are_refused(arguments, word):
    with pytest.raises(ValueError, match=word):
        DocumentEnv(**arguments)


def test_wrong_options_are_refused(env):
    for options in ({"document": "invoice"}, {"document": POSTER, "task": "x"}, {"task": "concert_poster/test_99"}):
        with pytest.raises(ValueError, match=r"document|task"):
            env.reset(options=options)
    with pytest.raises(ValueError, match="seed"):
        DocumentEnv(POSTER, split="train").reset(options={"task": "concert_poster/test_0"})


# What agents learn of the elements.


@pytest.mark.parametrize("mode", ["operations", "program"])
def test_neither_ids_nor_names_give_away_what_an_element_is(mode):
    shown = DocumentEnv(POSTER, action_mode=mode, names=True)
    hidden = DocumentEnv(POSTER, action_mode=mode)
    for env, other in ((hidden, shown), (DocumentEnv(POSTER, "train"), DocumentEnv(POSTER, "train", names=True))):
        source = env.reset(seed=3)[0]["source"]
        named = other.reset(seed=3)[0]["source"]
        elements = list(other.state.document.elements())
        assert [element.id for element in elements] == [f"e{number}" for number in range(1, len(elements) + 1)]
        for element in elements:
            assert f'"name": "{element.name}"' in named
            assert f'"name": "{element.name}"' not in source
        assert not {place.label for place in env.state.places} - set(env.state.document.places)


def test_an_episode_begins_with_the_page_that_the_person_looks_at():
    env = DocumentEnv("bakery_quarter", action_mode="program")
    requests = frozen_requests("bakery_quarter")
    number = next(number for number, request in enumerate(requests) if request.page)
    observation, _ = env.reset(options={"task": f"bakery_quarter/test_{number}"})
    page = requests[number].page
    assert read_text(observation["source"])[1] == page
    again = env.step(env.action_space.action("show_page", number=page + 1))[0]
    assert np.array_equal(again["page"], observation["page"])
    other = env.step(env.action_space.action("show_page", number=1))[0]
    assert not np.array_equal(other["page"], observation["page"])
