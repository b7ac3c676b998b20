"""Sessions: blocks, calls, scores; bad calls are feedback, misuse raises."""

import io
import math
from functools import partial

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sizes import some

from formgym.agents.coordinate_space import UNITS
from formgym.agents.models.model import ImageBlock, TextBlock
from formgym.agents.session import Session, make_env
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.shipped import shipped_document
from formgym.envs.registration import ids
from formgym.experiments.running.rollout import replay, run_episode
from formgym.wrappers import ActionBatch, Feedback, FieldFinder, FlatObservation, PadPage, Ruler, SparseReward

SCAN, WEB, TRANSFER = "FormGym/Scans-v0", "FormFactory/NDA-v0", "FormGym/AutoLoans-DocTransfer-v0"
GROUNDING, TEXT = "DocEdit/Grounding-v0", "FormGym/AutoLoans-Text-v0"
BAD = [
    ("fly", {}),
    ("", {}),
    (None, {}),
    (7, {}),
    (["place_text"], {}),
    ("place_text", None),
    ("place_text", "x=1"),
    ("place_text", [0.1, 0.2, "Ann"]),
    ("place_text", {"x": 0.1, "y": 0.2}),
    ("place_text", {"x": math.nan, "y": 0.2, "text": "Ann"}),
    ("place_text", {"x": "0.1", "y": 0.2, "text": "Ann"}),
    ("place_text", {"x": 10**400, "y": 0.2, "text": "Ann"}),
    ("place_text", {"x": 0.1, "y": 1.5, "text": "Ann"}),
    ("place_text", {"x": 0.1, "y": 0.2, "text": "\ud800"}),
    ("place_text", {"x": 0.1, "y": 0.2, "text": "Ann", "tool": "terminate"}),
    ("place_text", {1: 0.1, None: {}}),
]
# Whatever a model may put where a call's parts belong.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def scan():
    env = make_env(SCAN)
    yield env
    env.close()


def test_pages_that_an_edit_changed_are_shown_beside_the_open_one():
    names = [page.elements[-1].id for page in shipped_document("quarterly_review_slides").pages]
    for action_mode in ("program", "operations"):
        session = Session("DocEdit/QuarterlyReviewSlides-v0", seed=0, action_mode=action_mode, max_side=400)
        with session:
            session.open()
            if action_mode == "program":
                moves = "".join(f"    MOVE({name!r}, [9, 9])\n" for name in names)
                blocks, _ = session.call("run_program", {"code": f"def main():\n{moves}"})
            else:
                blocks, _ = session.call("move", {"object_id": names[-1], "x": 9, "y": 9})
            shown = {one.name: one for one in blocks if isinstance(one, ImageBlock)}
            opened = session.env.unwrapped.state.page + 1
            others = [f"page_{i}" for i in range(1, len(names) + 1) if i != opened]
            assert list(shown) == (["page", *others] if action_mode == "program" else others[-1:])
            last, size = painted(session.env.unwrapped.state.document, len(names) - 1, marks=True), (400, 225)
            assert np.array_equal(
                shown[others[-1]].pixels, Image.fromarray(last).resize(size, Image.Resampling.LANCZOS)
            )
            assert any(
                isinstance(one, TextBlock) and one.text == f"Page {len(names)} has changed, too:" for one in blocks
            )
            blocks, _ = session.call("show_page", {"number": len(names)})
            assert [one.name for one in blocks if isinstance(one, ImageBlock)] == ["page"]


def _opened(env, **settings):
    session = Session(env, seed=3, **settings)
    session.open()
    return session


def test_an_episode_begins_with_its_goal_facts_and_page():
    with Session(SCAN, seed=3) as session:
        goal, source, page = session.open()
        observation, info = gym.make(SCAN).reset(seed=3)
        assert (goal.text, source.text) == (observation["goal"], observation["source"])
        assert np.array_equal(page.pixels, observation["page"])
        assert session.task == info["task"]
        assert session.env_id == SCAN
        assert np.array_equal(np.asarray(Image.open(io.BytesIO(page.png()))), page.pixels)


def test_two_pages_are_told_apart():
    with Session(TRANSFER, seed=3, max_side=500) as session:
        blocks = session.open()
    named = [(blocks[i - 1].text, block.name) for i, block in enumerate(blocks) if isinstance(block, ImageBlock)]
    assert named == [("The page to work on:", "page"), ("The page to take facts from:", "source_page")]
    assert {max(block.pixels.shape) for block in blocks if isinstance(block, ImageBlock)} == {500}


def test_a_reply_has_what_has_changed(scan):
    session = _opened(scan)
    blocks, done = session.call("delete_text", {"x": 0.4, "y": 0.5})
    assert not done
    assert all(isinstance(block, TextBlock) for block in blocks)
    blocks, done = session.call("place_text", {"x": 0.4, "y": 0.5, "text": "Ann"})
    assert [type(block) for block in blocks] == [TextBlock, ImageBlock]
    assert np.array_equal(blocks[1].pixels, session.env.unwrapped.page())
    blocks, done = session.call("terminate")
    assert done


def test_the_next_goal_follows():
    with Session(GROUNDING, seed=1) as session:
        goal = session.open()[0].text
        blocks, _ = session.call("box", {"left": 0, "top": 0, "right": 1, "bottom": 1})
        assert [type(block) for block in blocks] == [TextBlock, TextBlock]
        assert blocks[1].text == session.env.unwrapped.state.goal != goal


def test_feedback_comes_once(scan):
    session = _opened(scan, wrappers=[Feedback])
    blocks, _ = session.call("fly", {})
    assert [block.text for block in blocks] == [session.turns[-1].feedback]


def test_pages_that_an_environment_paints_over_are_kept():
    session = _opened(gym.make(SCAN, copy=False))
    first = session.call("place_text", {"x": 0.4, "y": 0.5, "text": "Ann"})[0][1].pixels
    second = session.call("place_text", {"x": 0.4, "y": 0.6, "text": "Ann"})[0][1].pixels
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(("name", "arguments"), BAD, ids=str)
@pytest.mark.parametrize("unit", [None, "thousand"])
def test_a_bad_call_is_feedback_and_costs_a_step(scan, name, arguments, unit):
    session = _opened(scan, unit=unit)
    if unit and isinstance(arguments, dict) and arguments.get("y") == 1.5:
        arguments = arguments | {"y": 1500}
    before = session.env.unwrapped.page()
    blocks, done = session.call(name, arguments)
    assert not done
    assert len(blocks[0].text) > 20
    assert [turn.valid for turn in session.turns] == [False]
    assert np.array_equal(session.env.unwrapped.page(), before)


@given(JSON, JSON, st.sampled_from([None, "pixel"]))
@settings(max_examples=some(25, 1_000))
def test_no_call_of_a_model_raises(scan, name, arguments, unit):
    session = _opened(scan, unit=unit)
    session.call(name, arguments)
    session.call("place_text", arguments)
    assert len(session.turns) == 2


def test_the_last_step_says_so():
    with Session(SCAN, seed=0) as session:
        session.open()
        for _ in range(20):
            blocks, done = session.call("fly", {})
        assert done
        assert blocks[-1].text == "No steps are left: the episode has ended."


def test_misuse_raises_a_plain_message(scan):
    session = Session(scan)
    for use in (lambda: session.call("terminate"), session.score, session.solution, lambda: session.task):
        with pytest.raises(RuntimeError, match="open the session first"):
            use()
    session.open()
    with pytest.raises(RuntimeError, match="open already"):
        session.open()
    session.call("terminate")
    with pytest.raises(RuntimeError, match="the episode has ended; begin another session"):
        session.call("terminate")


@pytest.mark.parametrize(
    ("made", "match"),
    [
        (lambda: Session("FormGym/Nothing-v0"), r"cannot make 'FormGym/Nothing-v0'.*formgym list"),
        (lambda: Session("CartPole-v1"), "is no paperwork"),
        (lambda: Session(SCAN, wrappers=[ActionBatch]), "one call of a tool a step"),
        (lambda: Session(GROUNDING, wrappers=[FlatObservation]), "a page and texts"),
        (lambda: Session(gym.make(SCAN), split="train"), "split: options go with an id"),
        (lambda: Session(SCAN, task="none/such").open(), "no task 'none/such'"),
    ],
)
def test_a_wrong_session_is_refused(made, match):
    with pytest.raises(ValueError, match=match):
        made()


class _Repeats:
    """An agent that makes given calls, one a round."""

    def __init__(self, calls):
        self._calls = list(calls)

    def reset(self, task, seed):
        pass

    def act(self, observation):
        return [self._calls.pop(0)]


def _wrapped(env_id, arguments):
    env = make_env(env_id, **arguments)
    return ActionBatch(env), env


def _rounded(call):
    """A call whose numbers are rounded as those of actions are: to single precision."""
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in call.items()}


@pytest.mark.parametrize("env_id", some([SCAN, WEB, GROUNDING, TRANSFER], ids()))
@pytest.mark.parametrize("unit", some(["thousand"], [None, *UNITS]))
def test_scores_are_those_of_a_rollout(env_id, arguments, unit):
    """Right and wrong calls of every environment: the same score, reward, page and calls as the record of a run."""
    batched, bare = _wrapped(env_id, arguments[env_id])
    with Session(env_id, seed=5, unit=unit, max_side=None, **arguments[env_id]) as session:
        session.open()
        solution = session.solution()
        for call in [{"tool": "fly"}, *solution[:6], *solution[-1:]]:
            if not session.done:
                session.call(call["tool"], {name: value for name, value in call.items() if name != "tool"})
        for _ in range(1_000):
            if session.done:
                break
            session.call("terminate")
        agent = _Repeats([bare.unwrapped.action_space.from_call(turn.call) for turn in session.turns])
        episode = run_episode(batched, agent, index=0, seed=5)
        assert episode.error is None
        score = session.score()
        assert (dict(score.metrics), list(score.fields)) == (episode.metrics, episode.fields)
        assert session.reward == episode.reward
        calls = [call for r in episode.rounds for call in r.calls]
        assert list(map(_rounded, (turn.call for turn in session.turns))) == list(map(_rounded, calls))
        assert [turn.valid for turn in session.turns] == [valid for r in episode.rounds for valid in r.valid]
        *_, last = replay(bare.unwrapped, episode)
        assert np.array_equal(last.page, session.env.unwrapped.page())
    batched.close()


WRAPPERS = {
    SCAN: [[Ruler], [lambda env: PadPage(env, 1100, 700), Ruler], [SparseReward]],
    WEB: [[Ruler], [lambda env: PadPage(env, 400, 800)]],
    GROUNDING: [[Ruler], [lambda env: PadPage(env, 300, 700)]],
    **some({}, {TEXT: [[Ruler], [lambda env: PadPage(env, 1100, 700), Ruler]]}),
}


@pytest.mark.parametrize(("env_id", "wrappers"), [(name, one) for name, all_ in WRAPPERS.items() for one in all_])
@pytest.mark.parametrize("unit", some(["pixel"], [None, *UNITS]))
def test_the_oracle_is_right_in_any_coordinates(env_id, wrappers, unit):
    with Session(env_id, seed=2, wrappers=wrappers, unit=unit, max_side=600) as session:
        session.open()
        for call in session.solution():
            session.call(call.pop("tool"), call)
        assert session.done
        assert session.score().metrics["strict_accuracy"] == 1
        assert session.reward == pytest.approx(1)


def test_named_fields_go_through():
    finder = partial(FieldFinder, locator="oracle")
    with Session(TEXT, seed=3, wrappers=[finder], unit="pixel", max_side=700) as session:
        session.open()
        place = session.env.unwrapped.state.places[0]
        blocks, _ = session.call("place_text_at", {"target": place.label, "text": "Ann"})
        assert session.turns[-1].valid
        assert session.turns[-1].call["tool"] == "place_text"
        assert isinstance(blocks[-1], ImageBlock)
