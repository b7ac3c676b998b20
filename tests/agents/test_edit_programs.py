"""Edit programs of models: worked examples, what the prompt tells, the dry run."""

import json
import re

import pytest
from elements_by_name import find_by_name

from formgym.agents.edit_programs import BY_IDS, EXAMPLES, code_in, document_text, dry_run, example, template_variables
from formgym.agents.model_agent import Prompts
from formgym.envs.documents.programs.program import NAMES, run_program
from formgym.envs.documents.programs.sandbox import ProgramError
from formgym.envs.documents.scene.document import load_document
from formgym.envs.documents.shipped import DOCUMENTS, shipped_document

POSTER = load_document(DOCUMENTS / "concert_poster.json")
SIZE = (POSTER.pages[0].height, POSTER.pages[0].width)


@pytest.mark.parametrize("name", NAMES)
def test_every_worked_example_runs_and_uses_its_function(name):
    assert f"{name}(" in EXAMPLES[name][1]
    by_ids = {"INSERT", "REMOVE", "SHIFT"}
    neutral = shipped_document("conference_slides" if name.endswith("_PAGE") else "concert_poster")
    document = neutral if name in by_ids or name.endswith("_PAGE") else POSTER
    edited = run_program(document, example(name), find_by_name, strict=True).document
    assert edited.digest != document.digest


def test_the_examples_do_what_their_requests_say():
    def after(name):
        return run_program(POSTER, example(name), find_by_name).document

    assert after("MOVE").find("headline").bbox[1] == POSTER.find("headline").bbox[1] + 30
    assert after("DELETE").find("foot") is None
    assert after("ADD").pages[0].elements[-1].text == "Sold out"
    assert after("ADD").pages[0].elements[-1].bbox[1] > POSTER.find("headline").bbox[1]
    assert after("COPY").pages[0].elements[-1].bbox[0] < POSTER.find("badge").bbox[0]
    assert after("REPLACE").find("photo").asset == "icon/cup"
    assert after("MODIFY").find("foot").text == "Tickets online"
    assert after("GET_METADATA").find("headline").style.size == POSTER.find("headline").style.size + 4
    assert after("FIND_AND_GET").find("badge").bbox[0] == POSTER.find("headline").bbox[0]
    assert after("MERGE").find("band") is None
    assert len(after("SPLIT").pages[0].elements) > len(POSTER.pages[0].elements)
    star = after("INFER").pages[0].elements[-1]
    assert star.shape == "star"
    assert star.centre[0] > SIZE[1] / 2
    assert star.centre[1] > SIZE[0] / 2


def test_the_prompt_tells_the_functions_the_page_and_every_element():
    rules = Prompts().render("programs", **template_variables(SIZE, strict=False, search=True), max_rounds=1)
    for name in NAMES:
        assert re.search(rf"^{name}\(", rules, re.M)
        assert f"```python\n{example(name)}```" in rules
    assert f"{SIZE[1]} px wide and {SIZE[0]} px high" in rules
    assert json.dumps("Harbour Lights") in document_text(POSTER)


def test_pages_are_listed_with_their_notes_all_or_those_of_some_numbers():
    page = POSTER.pages[0]
    two = POSTER.with_pages((page, page.model_copy(update={"elements": (), "notes": 'Say "hello"'})))
    assert document_text(two).startswith(document_text(two, pages=[0]))
    assert document_text(two, pages=[1]) == f'page 2 of 2, {SIZE[1]} x {SIZE[0]} px, notes "Say \\"hello\\""'


def test_all_cells_and_letters_are_listed_unless_there_are_thousands():
    timetable = shipped_document("gym_timetable")
    table = next(one for one in timetable.elements() if one.cells)
    listed = document_text(timetable)
    assert all(json.dumps(cell) in listed for row in table.cells for cell in row)
    text = next(one for one in timetable.elements() if one.text and not one.cells)
    huge = timetable.with_pages(
        (
            timetable.pages[0].model_copy(
                update={
                    "elements": (
                        table.model_copy(update={"cells": table.cells * 100, "rows": ()}),
                        text.model_copy(update={"runs": (text.runs[0].model_copy(update={"text": "long " * 900}),)}),
                    )
                }
            ),
        )
    )
    listed = document_text(huge)
    assert f"(cut: {100 * len(table.cells)} rows)" in listed
    assert "(cut: 4,500 characters)" in listed
    assert len(listed) < 9_000


def test_by_default_elements_are_named_by_ids_and_nothing_is_searched():
    rules = Prompts().render("programs", **template_variables(SIZE, strict=False), max_rounds=1)
    assert not re.search("FIND_AND_GET|INFER", rules)
    poster = shipped_document("concert_poster")
    context = run_program(poster, BY_IDS[1])
    assert context.document.find("e4").style.size == poster.find("e4").style.size + 4
    assert [(run.text, run.colour) for run in context.document.find("e4").runs][1] == ("Lights", (208, 44, 44))
    assert context.document.find("n1").text == "Sold out"
    assert "e4: text" in document_text(poster)
    assert not re.search(r"\be\d+\b", document_text(poster, ids=False))


@pytest.mark.parametrize("name", ["document", "doc", "d"])
def test_the_document_has_any_name_in_main(name):
    code = f"def main({name}):\n    MOVE({name}.elements[0], [1, 2])\n    print(len({name}.elements))\n"
    context = run_program(POSTER, code)
    assert context.document.pages[0].elements[0].bbox[:2] == (1, 2)
    assert context.printed == str(len(POSTER.places))


def test_a_dry_run_leaves_the_document_and_names_the_page():
    before = POSTER.digest
    assert dry_run(POSTER, PROGRAM) == 0
    assert POSTER.digest == before
    with pytest.raises(ProgramError):
        dry_run(POSTER, "def main(document):\n    DELETE('nobody')\n")


def test_a_dry_run_searches_only_where_programs_may():
    two = shipped_document("conference_slides")
    text = next(one.text for one in two.pages[1].elements if one.text)
    code = f"def main(document):\n    ADD('text', 'New', INFER({f'below {text}'!r}, document)[0])\n"
    assert dry_run(two, code, search=True) == 1
    with pytest.raises(ProgramError, match="not available here"):
        dry_run(two, code)


PROGRAM = 'def main(document):\n    DELETE("foot")\n'


@pytest.mark.parametrize(
    "reply",
    [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"Here it is:\n\n```\n{PROGRAM}```\nIt deletes the footer.",
        f"First I thought of\n```python\nprint(1)\n```\nbut:\n```py\n{PROGRAM}\n```",
        f"The program is:\n{PROGRAM}",
        f"```python\n{PROGRAM}",
    ],
)
def test_the_program_is_taken_out_of_a_reply(reply):
    assert code_in(reply) == PROGRAM
