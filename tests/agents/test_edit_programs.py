"""Edit programs of models: worked examples, what the prompt tells, the dry run."""

import json
import re

import pytest

from formgym.agents.edit_programs import EXAMPLES, code_in, document_text, dry_run, example, template_variables
from formgym.agents.model_agent import Prompts
from formgym.envs.documents.grounding.lookup import Grounder
from formgym.envs.documents.programs.program import NAMES, run_program
from formgym.envs.documents.programs.sandbox import ProgramError
from formgym.envs.documents.scene.document import DOCUMENTS, load_document

POSTER = load_document(DOCUMENTS / "concert_poster.json")
GROUNDER = Grounder()
SIZE = (POSTER.pages[0].height, POSTER.pages[0].width)


def _infer(document, words):
    return GROUNDER.infer(document, words, 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_worked_example_runs_and_uses_its_function(name):
    assert f"{name}(" in EXAMPLES[name][1]
    edited = run_program(POSTER, example(name), GROUNDER.find, _infer, strict=True).document
    assert edited.digest != POSTER.digest


def test_the_examples_do_what_their_requests_say():
    def after(name):
        return run_program(POSTER, example(name), GROUNDER.find, _infer).document

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
    rules = Prompts().render("programs", **template_variables(SIZE, strict=False), max_rounds=1)
    for name in NAMES:
        assert re.search(rf"^{name}\(", rules, re.M)
        assert f"```python\n{example(name)}```" in rules
    assert f"{SIZE[1]} px wide and {SIZE[0]} px high" in rules
    assert json.dumps("Harbour Lights") in document_text(POSTER)


def test_a_dry_run_leaves_the_document_and_names_the_page():
    before = POSTER.digest
    assert dry_run(POSTER, PROGRAM) == 0
    assert POSTER.digest == before
    with pytest.raises(ProgramError):
        dry_run(POSTER, "def main(document):\n    DELETE('nobody')\n")


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
