"""Feedback on edits: exact and noisy, and its wrapper."""

import pickle
from functools import cache, partial

import gymnasium as gym
import numpy as np
import pytest
from judge_metrics import edits, judge_metrics, judged_right
from sizes import some

from formgym.agents.base import ModelError
from formgym.agents.edit_judge import EditJudge
from formgym.agents.models.files import FilesModel
from formgym.agents.models.model import ImageBlock
from formgym.agents.models.scripted import Scripted
from formgym.envs.core.tools import ToolSpace
from formgym.envs.documents.env import DocumentEnv, document_split, document_task
from formgym.envs.documents.feedback.judgement import KINDS, exact_judgement, make_provider, noisy_judgement
from formgym.envs.documents.feedback.wrong_edits import wrong_edits
from formgym.envs.documents.grounding.grounder import Grounder
from formgym.envs.documents.operations.draft import Operation
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.requests.request import Request, apply_operations
from formgym.envs.documents.scoring.requirements import requirements_of
from formgym.envs.documents.shipped import shipped_document, shipped_documents
from formgym.envs.documents.state import DocumentState, DocumentTask
from formgym.wrappers import ActionBatch, EditFeedback, Feedback, SparseReward


@cache
def endless(seed):
    names = shipped_documents()
    return document_task(f"{names[seed % len(names)]}/{seed}", document_split(names, 0))


def success(task, document):
    """Whether the environment takes an edit for right."""
    state = DocumentState(task, Grounder(), (2000, 2000), by_program=False)
    state.edit(document)
    return bool(state.metrics()["success"])


@cache
def wrong(seed):
    """Wrong edits of a task, by kind."""
    return wrong_edits(endless(seed), np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(some(8, 40)))
def test_exact_feedback_is_right_where_the_edit_is(seed):
    task = endless(seed)
    assert success(task, task.expected)
    assert exact_judgement(task, task.expected).kind == "right"
    assert {kind for kind, _ in wrong(seed)} <= KINDS.keys() - {"right"}
    for kind, document in wrong(seed):
        assert not success(task, document)
        judgement = exact_judgement(task, document)
        assert (judgement.is_right, judgement.kind) == (False, kind)


def task_of(*operations, name="concert_poster"):
    """A task with the gold edit of some operations."""
    before = shipped_document(name)
    calls = tuple(Operation(**call) for call in operations)
    request = Request(
        document=name,
        text="Edit it.",
        operations=calls,
        constraints=requirements_of(before, apply_operations(before, calls)).constraints,
    )
    return DocumentTask("made", before, request)


def moved(element, direction, pixels):
    return {"name": "MOVE", "arguments": {"object_id": element, "position_diff": [direction, pixels]}}


def deleted(element):
    return {"name": "DELETE", "arguments": {"object_id": element}}


def test_exact_feedback_names_the_kind_of_mistake():
    texts = [e.id for e in shipped_document("concert_poster").elements() if e.type == "text" and e.parent is None]
    one, other, third = texts[:3]
    task = task_of(moved(one, "UP", 20), moved(other, "UP", 20))
    edits = {
        "right": (moved(one, "UP", 20), moved(other, "UP", 20)),
        "nothing": (),
        "incomplete": (moved(one, "UP", 20),),
        "wrong value": (moved(one, "DOWN", 20), moved(other, "UP", 20)),
        "wrong element": (moved(third, "UP", 20),),
        "wrong action": (deleted(one), deleted(other)),
        "extra change": (moved(one, "UP", 20), moved(other, "UP", 20), deleted(third)),
    }
    for kind, done in edits.items():
        assert exact_judgement(task, task_of(*done).expected if done else task.before).kind == kind
    assert edits.keys() == KINDS.keys()


@pytest.mark.parametrize("accuracy", [0.0, 0.7, 1.0])
def test_noisy_feedback_errs_as_often_as_is_set(accuracy):
    agreed = []
    for seed in range(some(8, 40)):
        task = endless(seed)
        documents = [task.expected, *(document for _, document in wrong(seed))]
        for document in documents:
            noisy, exact = noisy_judgement(task, document, accuracy), exact_judgement(task, document)
            assert noisy == noisy_judgement(task, document, accuracy)
            assert noisy.is_right == (noisy.kind == "right")
            agreed.append(noisy.is_right == exact.is_right)
    assert np.mean(agreed) == pytest.approx(accuracy, abs=some(0.2, 0.09))


@pytest.mark.parametrize("arguments", [("perfect", 1.0), ("noisy", 1.2), ("exact", 0.5)])
def test_providers_that_cannot_be_are_refused(arguments):
    with pytest.raises(ValueError, match=r"provider|accuracy"):
        make_provider(*arguments)


TASK = {"task": "concert_poster/test_0"}
NOTHING = {"is_right": False, "kind": "nothing"}


def made(**arguments):
    return gym.make("DocEdit/ConcertPoster-v0", **arguments)


def actions_of(env):
    space = env.unwrapped.action_space
    assert isinstance(space, ToolSpace)
    return [space.from_call(call) for call in env.unwrapped.solution()]


@pytest.mark.parametrize("mode", ["operations", "program"])
def test_the_wrapper_judges_every_edit(mode):
    env = EditFeedback(made(action_mode=mode))
    _, info = env.reset(seed=0, options=TASK)
    assert info["judgement"] == NOTHING
    *edits, end = actions_of(env)
    for action in edits:
        _, _, _, _, info = env.step(action)
    assert info["judgement"] == {"is_right": True, "kind": "right"}
    assert info["feedback"].endswith(KINDS["right"])
    _, _, terminated, _, info = env.step(end)
    assert terminated
    assert info["feedback"] == "Done."
    assert info["judgement"]["is_right"]
    assert env.reset(seed=0, options=TASK)[1]["judgement"] == NOTHING


def test_the_wrapper_judges_wrong_edits_and_undoing():
    env = EditFeedback(made())
    env.reset(seed=0, options=TASK)
    space = env.action_space
    element = next(iter(env.unwrapped.state.document.places))
    move = space.action("move_by", object_id=element, direction="UP", pixels=7.0)
    _, _, _, _, info = env.step(move)
    assert info["judgement"]["is_right"] is False
    assert KINDS[info["judgement"]["kind"]] in info["feedback"]
    assert f"Changed besides: y of {element}." in info["feedback"]
    _, _, _, _, info = env.step(space.action("undo"))
    assert info["judgement"] == NOTHING
    before = info["judgement"]
    _, _, _, _, info = env.step(space.action("get_metadata", object_id=element, attribute="text"))
    assert not info["feedback"].endswith(KINDS["nothing"])
    assert info["judgement"] == before


@pytest.mark.parametrize("is_outside", [True, False])
def test_rounds_are_judged_action_by_action(is_outside):
    env = EditFeedback(ActionBatch(made())) if is_outside else ActionBatch(EditFeedback(made()))
    env.reset(seed=0, options=TASK)
    space = env.unwrapped.action_space
    element = next(iter(env.unwrapped.state.document.places))
    move = space.action("move_by", object_id=element, direction="UP", pixels=7.0)
    look = space.action("get_metadata", object_id=element, attribute="text")
    _, _, _, _, info = env.step((move, look, space.action("undo"), *actions_of(env)))
    feedback = info["feedback"]
    assert any(words in feedback[0] for kind, words in KINDS.items() if kind != "right")
    assert not feedback[1].endswith(tuple(KINDS.values()))
    assert feedback[2].endswith(KINDS["nothing"])
    assert feedback[-2].endswith(KINDS["right"])
    assert info["judgement"] == {"is_right": True, "kind": "right"}


def test_a_model_judges_by_the_request_and_the_pages_before_and_after():
    env = made()
    asked = []

    def verdict(messages, tools, seed):
        asked.append(messages[-1].content)
        _, after = (one.pixels for one in messages[-1].content if isinstance(one, ImageBlock))
        is_shown = np.array_equal(after, painted(env.unwrapped.state.document, 0))
        return "**No**, it has moved." if is_shown else "Yes, they differ."

    judged = EditFeedback(env, provider=EditJudge(Scripted(verdict)))
    _, info = judged.reset(seed=0, options=TASK)
    before, goal = painted(env.unwrapped.state.document, 0), env.unwrapped.state.goal
    element = next(iter(env.unwrapped.state.document.places))
    *_, info = judged.step(env.action_space.action("move_by", object_id=element, direction="DOWN", pixels=40.0))
    assert info["judgement"] == {"is_right": False, "kind": "wrong"}
    assert info["feedback"].endswith("The edit is not right. it has moved.")
    assert goal in asked[0][0].text
    assert np.array_equal(next(block.pixels for block in asked[0] if isinstance(block, ImageBlock)), before)
    *_, info = judged.step(env.action_space.action("undo"))
    assert (info["judgement"], len(asked)) == (NOTHING, 1)


def test_a_model_that_says_neither_yes_nor_no_is_a_failure_of_the_provider():
    page = np.zeros((4, 4, 3), np.uint8)
    with pytest.raises(ModelError, match="neither yes nor no"):
        EditJudge(Scripted(["Perhaps."]))("Move it.", [page], [page])
    assert EditJudge(Scripted(["<think>Yes?</think>No: it is gone."]))("Move it.", [page], [page]) == (
        False,
        "it is gone.",
    )


def test_environments_are_rebuilt_from_their_spec():
    env = SparseReward(Feedback(EditFeedback(ActionBatch(made(), max_rounds=3), provider="noisy", accuracy=0.6)))
    spec = env.spec
    assert [one.name for one in spec.additional_wrappers] == ["ActionBatch", "EditFeedback", "Feedback", "SparseReward"]
    again = gym.make(spec)
    assert again.spec == spec
    for one in (env, again):
        one.reset(seed=5, options=TASK)
    action = actions_of(env)[:1]
    assert env.step(action)[4]["feedback"] == again.step(action)[4]["feedback"]
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_a_wrapper_can_be_pickled():
    env = EditFeedback(made(), provider="noisy")
    env.reset(seed=0, options=TASK)
    first = actions_of(env)[0]
    copy = pickle.loads(pickle.dumps(env))
    assert env.step(first)[4] == copy.step(first)[4]


def test_judgements_come_from_vector_environments():
    envs = gym.vector.SyncVectorEnv([lambda: EditFeedback(made())] * 2)
    envs.reset(seed=0, options=TASK)
    first, *_ = actions_of(envs.envs[0])
    look = envs.single_action_space.action("get_metadata", object_id="e4", attribute="text")
    actions = {name: np.array([first[name], look[name]], dtype=object) for name in first}
    _, _, _, _, info = envs.step(actions)
    assert info["judgement"]["is_right"].tolist() == [True, False]
    assert info["judgement"]["kind"].tolist() == ["right", "nothing"]


def test_the_wrapper_wants_documents_and_comes_once():
    with pytest.raises(ValueError, match="DocEdit"):
        EditFeedback(gym.make("FormGym/AutoLoans-Text-v0"))
    with pytest.raises(ValueError, match="one EditFeedback is enough"):
        EditFeedback(ActionBatch(EditFeedback(made())))
    with pytest.raises(ValueError, match="no provider of feedback"):
        EditFeedback(made(), provider="guessing")


def test_the_accuracy_of_judges_is_balanced(tmp_path):
    asked = list(edits(12, split="train"))
    assert [edit.kind == "right" for edit in asked] == [True, False] * 6
    assert len({edit.task.task_id for edit in asked}) == 12
    exact = judge_metrics(judged_right(make_provider("exact"), asked))
    # As Wilson has it, six of six do not show that all would be.
    assert all(0.5 < exact[name]["ci95"][0] < exact[name]["ci95"][1] == 1 for name in ("right", "wrong", "balanced"))
    assert {one["mean"] for one in exact.values()} == {1, None}
    for verdict in (True, False):
        metrics = judge_metrics([(edit, verdict) for edit in asked])
        assert metrics["right"]["mean"] == float(verdict)
        assert metrics["balanced"]["mean"] == pytest.approx(0.5)
    assert judge_metrics([(asked[0], True)])["balanced"]["mean"] is None
    model = make_provider(EditJudge(FilesModel(tmp_path, batch=True)))
    assert judged_right(model, asked[:2]) == []
    for question in tmp_path.rglob("prompt.md"):
        assert len(list(question.parent.glob("*.png"))) >= 2
        (question.parent / "reply.md").write_text("Yes. It is done.")
    assert judged_right(model, asked[:2]) == [(edit, True) for edit in asked[:2]]


def test_where_tasks_run_out_their_other_edits_follow(monkeypatch):
    monkeypatch.setattr("judge_metrics.DocumentEnv", partial(DocumentEnv, documents=("concert_poster",)))
    asked = list(edits(99))
    first, then = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    assert [edit.task.task_id for edit in first] == [edit.task.task_id for edit in then]
    assert all((one.kind == "right") != (other.kind == "right") for one, other in zip(first, then, strict=True))
