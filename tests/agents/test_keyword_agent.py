"""The rule-based agent of DocEdit: the programs that it writes, and how it plays."""

import pytest
from sizes import LONG, sample

from formgym.agents.base import TaskInfo
from formgym.agents.keyword import Keyword
from formgym.envs.core.tools import Tool, ToolSpace
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.language.grounders import Grounder
from formgym.envs.documents.language.programs import requested_edit
from formgym.envs.documents.language.scope import Refused
from formgym.envs.documents.operations.values import COLOURS
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.scene.document import shipped_document
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback
from formgym.wrappers.edit_feedback import EditFeedback

POSTER = shipped_document("concert_poster")
GROUNDER = Grounder()


def _edited(code):
    return run_program(POSTER, code, GROUNDER.find, lambda document, words: None).document


def test_a_program_finds_what_the_request_names_and_does_what_is_requested():
    edit = requested_edit(
        "Raise the font size of the headline by 4 px, then align the left edge of the badge with that of the headline.",
        POSTER,
    )
    assert edit.descriptions == ("the headline", "the badge")
    assert edit.code.count("FIND_AND_GET") == 2
    edited = _edited(edit.code)
    assert edited.find("headline").style.size == POSTER.find("headline").style.size + 4
    assert edited.find("badge").bbox[0] == POSTER.find("headline").bbox[0]


def test_all_of_a_kind_are_named_by_their_ids():
    edit = requested_edit("Make all texts on the page blue", POSTER)
    assert "FIND_AND_GET" not in edit.code
    edited = _edited(edit.code)
    for element in edited.elements():
        was = POSTER.find(element.id)
        expected = COLOURS["blue"] if element.type == "text" else was.style.colour
        assert element.style.colour == expected


def test_a_document_decides_what_words_leave_open():
    assert "REPLACE(" in requested_edit('Replace the photograph of the sea by the text "Soon"', POSTER).code
    assert "MODIFY(" in requested_edit('Replace the headline by the text "Soon"', POSTER).code


@pytest.mark.parametrize(
    "request_",
    [
        'Add the text "Soon" in the top left corner of page 9',
        "Delete all hexagons",
        "Make the headline dance.",
        "Move the headline.",
        "Hello there!",
        "",
        "Make the headline red, and then sing a song.",
        "Colour the headline",
    ],
)
def test_what_is_not_understood_or_not_there_is_refused(request_):
    with pytest.raises(Refused):
        requested_edit(request_, POSTER)


@pytest.mark.parametrize(
    "request_",
    [
        "Delete the badge. Then move all texts up by 5 px.",
        "Make a copy of the photograph with its top left corner at (20, 10), then make the headline red.",
        'Replace the rule under the band by the text "Soon".',
    ],
)
def test_the_calls_of_an_edit_make_what_its_program_makes(request_):
    edit = requested_edit(request_, POSTER)
    env = DocumentEnv("concert_poster")
    env.reset(seed=0)
    for call in next(edit.proposals):
        *_, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info["feedback"]
    assert env.state.document.digest == _edited(edit.code).digest


@pytest.fixture(scope="module")
def drawn():
    """Train tasks, drawn from all documents."""
    names = DocumentEnv().documents
    return [f"{name}/{900 + number}" for number, name in enumerate(names[:24])]


@LONG
@pytest.mark.parametrize("mode", sample(["program", "operations"], 1))
def test_it_solves_most_of_the_train_tasks(drawn, mode):
    env = ActionBatch(DocumentEnv(split="train", action_mode=mode), max_rounds=1)
    episodes = [run_episode(env, Keyword(), index=0, seed=0, task=task) for task in drawn]
    assert sum(episode.metrics["success"] for episode in episodes) >= 0.85 * len(drawn)
    assert {episode.ended for episode in episodes} == {"terminated"}


@pytest.mark.parametrize("mode", ["program", "operations"])
def test_one_action_a_round_gives_the_same(drawn, mode):
    for task in drawn[:3]:
        ends = []
        for flow in ({"max_rounds": 1}, {"max_actions": 1}):
            env = ActionBatch(DocumentEnv(split="train", action_mode=mode), **flow)
            run_episode(env, Keyword(), index=0, seed=0, task=task)
            ends.append(env.unwrapped.state.document.digest)
        assert ends[0] == ends[1]


def _wrongly_grounded():
    """An environment whose grounder errs, and a task of one edit of one element."""
    env = DocumentEnv("concert_poster", "train", action_mode="program", grounder="noisy", grounder_accuracy=0.0)
    for number in range(2, 24 * 8, 24):
        env.reset(options={"task": f"concert_poster/{number}"})
        request = env.state.task.request
        if request.edits == ("delete",) and len(request.mentions) == 1 and not request.is_pattern:
            return env, f"concert_poster/{number}"
    raise AssertionError("no such task")


def test_feedback_leads_it_to_the_next_proposal():
    env, task = _wrongly_grounded()
    without = run_episode(ActionBatch(env, max_rounds=10), Keyword(), index=0, seed=0, task=task)
    told = Feedback(EditFeedback(ActionBatch(env, max_rounds=10)))
    episode = run_episode(told, Keyword(), index=0, seed=0, task=task)
    assert without.metrics["success"] == 0
    assert episode.metrics["success"] == 1
    assert [call["tool"] for one in episode.rounds for call in one.calls] == [
        "run_program",
        "next_proposal",
        "terminate",
    ]
    once = run_episode(told, Keyword(proposals=0), index=0, seed=0, task=task)
    assert once.metrics["success"] == 0


def test_what_it_cannot_read_it_leaves_alone():
    env = DocumentEnv("concert_poster", action_mode="program")
    observation, _ = env.reset(seed=0)
    agent = Keyword()
    agent.reset(TaskInfo("x", env.action_space), 0)
    actions = agent.act({**observation, "goal": "Sing a song."})
    assert [env.action_space.to_call(action) for action in actions] == [{"tool": "terminate"}]


def test_it_edits_documents_only():
    tools = ToolSpace([Tool("terminate", lambda state: "Done.", {})])
    with pytest.raises(ValueError, match="DocEdit"):
        Keyword().reset(TaskInfo("x", tools), 0)
    with pytest.raises(ValueError, match="negative"):
        Keyword(proposals=-1)
