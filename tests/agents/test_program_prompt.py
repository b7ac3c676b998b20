"""The prompt for models that write edit programs, and the agent that runs what they write."""

import json
import re
from dataclasses import dataclass, field

import pytest

from formgym.agents.base import TaskInfo
from formgym.agents.program_prompt import EXAMPLES, code_in, example, program_prompt
from formgym.agents.program_writer import ProgramWriter
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.language.grounders import Grounder
from formgym.envs.documents.programs.functions import NAMES
from formgym.envs.documents.programs.program import checked, run_program
from formgym.envs.documents.scene.document import shipped_document
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback
from formgym.wrappers.edit_feedback import EditFeedback

POSTER = shipped_document("concert_poster")
GROUNDER = Grounder()
SIZE = (POSTER.pages[0].height, POSTER.pages[0].width)


@dataclass
class Reply:
    text: str
    usage: dict[str, float] = field(default_factory=dict)


class Scripted:
    """Replies from a list, and keeps what it was asked."""

    def __init__(self, *replies):
        self.replies, self.asked = list(replies), []

    def generate(self, messages, tools):
        self.asked.append(messages)
        return Reply(self.replies.pop(0), {"tokens": 10})


def _infer(document, words):
    return GROUNDER.infer(document, words, 0)


@pytest.mark.parametrize("name", NAMES)
def test_every_worked_example_runs_and_uses_its_function(name):
    assert f"{name}(" in EXAMPLES[name][1]
    checked(example(name), strict=True)
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
    system, user = program_prompt(POSTER, "Make it blue.", SIZE)
    assert [system["role"], user["role"]] == ["system", "user"]
    for name in NAMES:
        assert re.search(rf"^{name}\(", system["content"], re.M)
    assert f"{SIZE[1]} px wide and {SIZE[0]} px high" in system["content"]
    for element in POSTER.elements():
        assert f"- {element.id}: {element.type}" in user["content"]
        assert str(list(element.bbox)) in user["content"]
    assert json.dumps("Harbour Lights") in user["content"]
    assert user["content"].endswith("Make it blue.")


def test_a_strict_prompt_says_so():
    plain, strict = (
        program_prompt(POSTER, "Delete the footer.", SIZE, strict)[0]["content"] for strict in (False, True)
    )
    assert "every argument" in strict
    assert "every argument" not in plain


def test_what_was_tried_follows_as_turns():
    tried = [("def main(document):\n    DELETE('x')\n", "The program cannot be run: no x.")]
    messages = program_prompt(POSTER, "Delete the footer.", SIZE, feedback=tried)
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert code_in(messages[2]["content"]) == tried[0][0]
    assert tried[0][1] in messages[3]["content"]


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


def _task():
    """A task of deleting one thing, and its environment."""
    env = DocumentEnv("concert_poster", split="train", action_mode="program")
    for number in range(12, 400, 24):
        env.reset(options={"task": f"concert_poster/{number}"})
        if env.state.task.request.edits == ("delete",):
            break
    return env, env.state.task


def _deleting(ids):
    return "def main(document):\n" + "".join(f'    DELETE("{one}")\n' for one in ids)


def _played(env, model, task, **more):
    agent = ProgramWriter(model, **more)
    return run_episode(env, agent, index=0, seed=0, task=task.task_id)


def test_what_cannot_be_run_is_mended_before_it_is_tried():
    env, task = _task()
    ids = [operation.arguments["object_id"] for operation in task.request.operations]
    model = Scripted("I do not know.", "```python\ndef main(document):\n    DELETE('nobody')\n```", _deleting(ids))
    episode = _played(ActionBatch(env, max_rounds=1), model, task)
    assert episode.metrics["success"] == 1
    assert episode.metrics["pass_1"] == 1
    assert episode.usage == {"tokens": 30, "replies": 3}
    assert "nobody" in model.asked[2][-1]["content"]


def test_what_a_program_prints_comes_back_to_the_model():
    env, task = _task()
    ids = [operation.arguments["object_id"] for operation in task.request.operations]
    looking = "def main(document):\n    print([e.id for e in document.elements if e.type == 'text'][:2])\n"
    model = Scripted(looking, _deleting(ids))
    assert _played(ActionBatch(env, max_rounds=1), model, task).metrics["success"] == 1
    texts = [element.id for element in task.before.elements() if element.type == "text"][:2]
    assert f"It printed:\n{texts}\nThe program cannot be run" in model.asked[1][-1]["content"]


def test_after_so_many_repairs_it_hands_in_what_it_has():
    env, task = _task()
    model = Scripted(*["def main(document):\n    DELETE('nobody')\n"] * 3)
    episode = _played(ActionBatch(env, max_rounds=1), model, task, repairs=2)
    assert not model.replies
    assert episode.metrics["success"] == 0
    assert episode.rounds[0].valid[0] is False


def test_feedback_on_the_edit_leads_to_another_program():
    env, task = _task()
    ids = [operation.arguments["object_id"] for operation in task.request.operations]
    other = next(e.id for e in task.before.elements() if e.id not in ids and e.type != "group" and e.parent is None)
    model = Scripted(_deleting([other]), _deleting(ids))
    env = Feedback(EditFeedback(ActionBatch(env, max_rounds=10)))
    episode = _played(env, model, task)
    assert episode.metrics["success"] == 1
    assert episode.metrics["pass_1"] == 0
    assert [call["tool"] for one in episode.rounds for call in one.calls] == ["run_program", "run_program", "terminate"]


def test_it_asks_for_programs_to_be_allowed():
    env = DocumentEnv("concert_poster")
    with pytest.raises(ValueError, match="action_mode"):
        ProgramWriter(Scripted()).reset(TaskInfo("x", env.action_space), 0)
    with pytest.raises(ValueError, match="negative"):
        ProgramWriter(Scripted(), repairs=-1)
