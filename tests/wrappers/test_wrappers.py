"""Wrappers: flows, feedback, sparse reward, ruler."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from formgym.wrappers import (
    ActionBatch,
    ControlList,
    Feedback,
    FieldFinder,
    FieldQueue,
    FlatObservation,
    GridOverlay,
    GridPoint,
    GroundTruthCoordinates,
    OneShot,
    PadPage,
    Ruler,
    SparseReward,
    TextAsArray,
    Zoom,
)

ID = "FormGym/AutoLoans-Text-v0"


@pytest.fixture
def solved():
    """An environment and the actions that solve its task."""
    env = gym.make(ID)
    env.reset(seed=1)
    return env, [env.action_space.from_call(call) for call in env.unwrapped.state.solution()]


def test_a_round_is_a_list_of_actions(solved):
    env, actions = solved
    batch = ActionBatch(env, max_rounds=10)
    assert tuple(actions) in batch.action_space
    batch.reset(seed=1)
    _, reward, terminated, truncated, info = batch.step(actions[:5])
    assert (terminated, truncated) == (False, False)
    assert len(info["feedback"]) == len(info["valid"]) == info["carried_out"] == 5
    assert all(info["valid"])
    _, rest, terminated, _, info = batch.step(actions[5:])
    assert terminated
    assert reward + rest == pytest.approx(1.0)


@pytest.mark.parametrize("rounds", [1, 10])
def test_an_episode_ends_after_so_many_rounds(solved, rounds):
    env, actions = solved
    batch = ActionBatch(env, max_rounds=rounds)
    batch.reset(seed=1)
    results = [batch.step(actions[:3] if not i else []) for i in range(rounds)]
    assert [(result[2], result[3]) for result in results] == [(False, False)] * (rounds - 1) + [(False, True)]
    assert results[0][4]["score"]["field_accuracy"] > 0


def test_an_empty_round_changes_nothing_and_shares_nothing(solved):
    batch = ActionBatch(solved[0])
    first, _ = batch.reset(seed=1)
    second, reward, *_, info = batch.step([])
    assert np.array_equal(first["page"], second["page"])
    assert not np.shares_memory(first["page"], second["page"])
    assert (reward, info["feedback"], info["carried_out"]) == (0.0, [], 0)


def test_actions_after_the_end_or_beyond_the_limit_are_refused(solved):
    env, actions = solved
    batch = ActionBatch(env, max_actions=2)
    batch.reset(seed=1)
    info = batch.step(actions[:4])[4]
    assert info["carried_out"] == 2
    assert info["valid"] == [True, True, False, False]
    assert "at most 2" in info["feedback"][3]
    batch = ActionBatch(env)
    batch.reset(seed=1)
    info = batch.step([actions[-1], actions[0]])[4]
    assert "had ended" in info["feedback"][1]


@pytest.mark.parametrize("wrong", [None, {"tool": 0}, 3, "terminate"])
def test_a_round_that_is_no_list_is_the_callers_mistake(solved, wrong):
    batch = ActionBatch(solved[0])
    batch.reset(seed=1)
    with pytest.raises(ValueError, match="list of actions"):
        batch.step(wrong)


@pytest.mark.parametrize("limits", [{"max_rounds": 0}, {"max_actions": -1}])
def test_limits_below_one_are_refused(solved, limits):
    with pytest.raises(ValueError, match="at least 1"):
        ActionBatch(solved[0], **limits)


def test_feedback_is_observed(solved):
    env, actions = solved
    single = Feedback(env)
    observation, _ = single.reset(seed=1)
    assert observation["feedback"] == ""
    observation = single.step(actions[0])[0]
    assert observation["feedback"].startswith("Placed")
    assert observation in single.observation_space
    rounds = Feedback(ActionBatch(env))
    rounds.reset(seed=1)
    observation = rounds.step([actions[0], env.action_space.from_call({"tool": "fly"})])[0]
    assert observation["feedback"].splitlines()[0].startswith("1. Placed")
    assert "no tool 'fly'" in observation["feedback"]


def test_long_feedback_is_cut(solved):
    env, _ = solved
    rounds = Feedback(ActionBatch(env))
    rounds.reset(seed=1)
    bad = env.action_space.from_call({"tool": "x" * 30})
    observation = rounds.step([bad] * 450)[0]
    assert "left out" in observation["feedback"]
    assert observation in rounds.observation_space


def test_sparse_reward_pays_at_the_end(solved):
    env, actions = solved
    sparse = SparseReward(env)
    sparse.reset(seed=1)
    rewards = [sparse.step(action)[1] for action in actions]
    assert rewards[:-1] == [0.0] * (len(actions) - 1)
    assert rewards[-1] == pytest.approx(1.0)
    sparse.reset(seed=1)
    assert sparse.step(actions[-1])[1] == 0.0


@pytest.mark.parametrize("unit", ["fraction", "pixel"])
def test_the_ruler_frames_the_page_and_covers_nothing(solved, unit):
    env, actions = solved
    ruler = Ruler(env, unit=unit, margin=40)
    observation, _ = ruler.reset(seed=1)
    assert observation in ruler.observation_space
    assert np.array_equal(observation["page"][40:, 40:], env.unwrapped.page())
    top, left = observation["page"][:40, 40:].copy(), observation["page"][40:, :40].copy()
    observation = ruler.step(actions[0])[0]
    assert np.array_equal(observation["page"][40:, 40:], env.unwrapped.page())
    assert np.array_equal(observation["page"][:40, 40:], top)
    assert np.array_equal(observation["page"][40:, :40], left)


def test_the_ruler_has_a_tick_at_every_twentieth(solved):
    page = Ruler(solved[0]).reset(seed=1)[0]["page"]
    width = page.shape[1] - 40
    inner_edge = page[39, 40:].max(axis=1) < 60
    assert all(inner_edge[min(round(width * i / 20), width - 1)] for i in range(21))
    assert inner_edge.sum() == 101


@pytest.mark.parametrize("wrong", [{"unit": "inch"}, {"margin": 3}])
def test_a_wrong_ruler_is_refused(solved, wrong):
    with pytest.raises(ValueError, match="must be"):
        Ruler(solved[0], **wrong)


@pytest.mark.parametrize(
    ("env_id", "wrap"),
    [
        (ID, lambda env: SparseReward(Ruler(Feedback(ActionBatch(env, max_rounds=3)), unit="pixel"))),
        (ID, GridOverlay),
        (ID, GroundTruthCoordinates),
        ("FormGym/Scans-v0", FieldFinder),
        (ID, lambda env: Zoom(env, 300, 400)),
        (ID, FieldQueue),
        ("FormFactory/NDA-v0", lambda env: ControlList(env, marks=True)),
        (
            "FormFactory/NDA-v0",
            lambda env: FlatObservation(
                TextAsArray(OneShot(GridPoint(PadPage(env, 300, 300), 9, 9, "click")), 16, "ngrams")
            ),
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version|.*Sequence|.*wrapped|.*render")
def test_wrapped_environments_pass_the_checker_and_rebuild_from_their_spec(env_id, wrap):
    wrapped = wrap(gym.make(env_id))
    if not isinstance(wrapped.action_space, spaces.Sequence):
        check_env(wrapped, skip_render_check=True)
    twin = gym.make(EnvSpec.from_json(wrapped.spec.to_json()))
    left, right = wrapped.reset(seed=3)[0], twin.reset(seed=3)[0]
    assert set(left) == set(right)
    assert all(np.array_equal(left[name], right[name]) for name in left)
    assert twin.spec == wrapped.spec
