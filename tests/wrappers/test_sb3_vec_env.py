"""Vector environments of Gymnasium in Stable-Baselines3, and wrapped environments in TorchRL."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit
from sizes import LONG, sample

from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.web_forms.grounding_env import WebGroundingEnv
from formgym.wrappers import FieldQueue, FlatObservation, GridPoint, OneShot, SB3VecEnv, TextAsArray

pytest.importorskip("stable_baselines3")
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

SAME_STEP = AutoresetMode.SAME_STEP


def _grounding(**kwargs):
    """Six targets a page, five steps an episode: episodes are cut."""
    env = WebGroundingEnv(render_size=(225, 128), max_targets=6, **kwargs)
    return TimeLimit(TextAsArray(GridPoint(env, 90, 8), 32), 5)


def _one_shot():
    return OneShot(TextAsArray(GridPoint(WebGroundingEnv(render_size=(225, 128), max_targets=1), 90, 8), 32))


def _form():
    env = gym.make("FormGym/Scans-v0", disable_env_checker=True)
    return TextAsArray(GridPoint(FieldQueue(env), 20, 20), 32)


def _picture():
    return FlatObservation(GridPoint(WebGroundingEnv(render_size=(225, 128), max_targets=2), 20, 20))


def _sync(make, n):
    return SyncVectorEnv([make] * n, autoreset_mode=SAME_STEP)


def _batch(make, n):
    return BatchVectorEnv(make, n, autoreset_mode=SAME_STEP)


def _is_equal(one, other):
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_is_equal(one[key], other[key]) for key in one)
    return np.array_equal(one, other)


VECTORS = [(make, vector) for make in (_grounding, _one_shot, _form) for vector in (_batch, _sync)] + [
    (_picture, _sync)
]


@pytest.mark.parametrize(("make", "vector"), sample(VECTORS, 3))
def test_it_agrees_with_the_envs_of_sb3_step_by_step(make, vector):
    ours, theirs = SB3VecEnv(vector(make, 3)), DummyVecEnv([make] * 3)
    assert (ours.observation_space, ours.action_space) == (theirs.observation_space, theirs.action_space)
    assert ours.seed(7) == theirs.seed(7)
    assert _is_equal(ours.reset(), theirs.reset())
    assert _is_equal(dict(enumerate(ours.reset_infos)), dict(enumerate(theirs.reset_infos)))
    rng, ends = np.random.default_rng(0), 0
    for _ in range(14):
        actions = rng.integers(ours.action_space.n, size=3)
        (observations, rewards, dones, infos), expected = ours.step(actions), theirs.step(actions)
        assert _is_equal(observations, expected[0])
        assert (rewards.dtype, dones.dtype) == (np.float32, bool)
        assert np.array_equal(rewards, expected[1])
        assert np.array_equal(dones, expected[2])
        assert all(_is_equal(one, other) for one, other in zip(infos, expected[3], strict=True))
        assert _is_equal(dict(enumerate(ours.reset_infos)), dict(enumerate(theirs.reset_infos)))
        ends += dones.sum()
    assert ends


def test_an_episode_that_is_cut_is_not_a_terminal_one():
    env = SB3VecEnv(_batch(_grounding, 2))
    env.seed(0)
    env.reset()
    infos = [env.step(np.zeros(2, int))[3] for _ in range(5)]
    assert all(not info["TimeLimit.truncated"] and "terminal_observation" not in info for info in infos[3])
    assert all(
        info["TimeLimit.truncated"] and set(info["terminal_observation"]) == {"page", "goal", "source"}
        for info in infos[4]
    )
    ended = SB3VecEnv(_batch(_one_shot, 2))
    ended.reset()
    assert [info["TimeLimit.truncated"] for info in ended.step(np.zeros(2, int))[3]] == [False, False]


def test_observations_stay_what_they_were():
    env = SB3VecEnv(_batch(_one_shot, 2))
    env.seed(0)
    first = env.reset()
    page = first["page"].copy()
    # All targets of a page are asked for before the next page is drawn.
    later = [env.step(np.zeros(2, int))[0]["page"] for _ in range(40)]
    assert np.array_equal(first["page"], page)
    assert not any(np.shares_memory(first["page"], other) for other in later)
    assert any(not np.array_equal(page, other) for other in later)


def test_options_are_for_all_environments():
    env = SB3VecEnv(_batch(WebGroundingEnv, 2))
    task = WebGroundingEnv().task_ids[3]
    env.set_options({"task": task})
    env.reset()
    assert [info["task"] for info in env.reset_infos] == [task, task]
    env.set_options([{"task": task}, {}])
    with pytest.raises(ValueError, match="same options"):
        env.reset()


def test_environments_are_reached_one_by_one():
    env = SB3VecEnv(_batch(_grounding, 3))
    env.reset()
    assert env.get_attr("page_size") == [(1800, 1024)] * 3
    assert [calls[0]["tool"] for calls in env.env_method("solution", indices=[0, 2])] == ["point", "point"]
    assert env.env_is_wrapped(GridPoint) == [True] * 3
    assert env.env_is_wrapped(OneShot, indices=1) == [False]
    env.set_attr("nickname", "second", indices=1)
    assert env.get_attr("nickname", 1) == ["second"]
    env.close()


def test_images_are_those_of_the_environments():
    env = SB3VecEnv(_batch(lambda: _grounding(render_mode="rgb_array"), 2))
    page = env.reset()["page"]
    assert np.array_equal(env.get_images(), page)
    assert env.render().shape == (450, 128, 3)


class _Counter(VectorEnv):
    """A vector environment without environments in it."""

    metadata = {"autoreset_mode": SAME_STEP}  # noqa: RUF012
    num_envs = 2
    single_observation_space = spaces.Box(0, 9, (1,))
    single_action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return np.zeros((2, 1), np.float32), {}

    def step(self, actions):
        return np.ones((2, 1), np.float32), np.asarray(actions, float), np.zeros(2, bool), np.zeros(2, bool), {}


def test_any_vector_environment_will_do():
    env = SB3VecEnv(_Counter())
    env.reset()
    observation, rewards, _, infos = env.step(np.array([0, 1]))
    assert rewards.tolist() == [0, 1]
    assert infos == [{"TimeLimit.truncated": False}] * 2
    assert observation.shape == (2, 1)
    assert env.env_is_wrapped(OneShot) == [False, False]
    with pytest.raises(NotImplementedError, match="no access"):
        env.env_method("solution")


def test_another_autoreset_mode_is_refused():
    with pytest.raises(ValueError, match="SameStep"):
        SB3VecEnv(BatchVectorEnv(_grounding, 2))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_ppo_sees_what_each_action_was_taken_on():
    """Its buffer holds the page of each step, though pages are painted in place."""
    env = VecMonitor(SB3VecEnv(_batch(_one_shot, 2)))
    model = PPO("MultiInputPolicy", env, n_steps=8, batch_size=16, n_epochs=1, seed=0, device="cpu")
    before = [parameter.clone() for parameter in model.policy.parameters()]
    model.learn(16)
    assert len(model.ep_info_buffer) > 0
    assert any((one != other).any() for one, other in zip(before, model.policy.parameters(), strict=True))
    twin = SB3VecEnv(_sync(_one_shot, 2))
    twin.seed(0)
    expected = [twin.reset()]
    actions = model.rollout_buffer.actions
    stored = model.rollout_buffer.observations
    assert stored["page"].shape == (16, 3, 225, 128)
    for step in range(7):
        expected.append(twin.step(actions.reshape(2, 8)[:, step].astype(int))[0])
    pages = np.stack([observation["page"] for observation in expected], 1).reshape(16, 225, 128, 3)
    assert np.array_equal(stored["page"].transpose(0, 2, 3, 1), pages)


@LONG  # importing TorchRL takes seconds
@pytest.mark.filterwarnings("ignore")
def test_torchrl_takes_wrapped_environments():
    torchrl = pytest.importorskip("torchrl.envs")
    env = torchrl.GymWrapper(FlatObservation(_grounding()))
    rollout = env.rollout(5)
    assert rollout["page"].shape[1:] == (3, 225, 128)
    assert rollout["vector"].shape[1:] == (64,)
