"""Policies: the map as logits, cloning, PPO with rehearsal, budgets, and the environments they learn in."""

import numpy as np
import pytest
from gymnasium import spaces

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")

from stable_baselines3 import PPO  # noqa: E402
from stable_baselines3.common.vec_env import VecCheckNan, VecMonitor  # noqa: E402

from formgym.agents.policies.spatial_policy import SpatialPolicy, likeliest_cells  # noqa: E402
from formgym.agents.policies.training import Rehearsal, TrainingBudget, clone, cloning_loss  # noqa: E402
from formgym.agents.policies.window_vec_env import WindowVecEnv  # noqa: E402
from formgym.envs.core.grounding import combined, hit  # noqa: E402

SIDE = 6


pytestmark = pytest.mark.usefixtures("one_thread")


class Spots:
    """A pool of maps with one bright cell, whose right cells are that one and the one below."""

    observation_space = spaces.Dict({"map": spaces.Box(0, 255, (1, SIDE, SIDE), np.uint8)})
    action_space = spaces.Discrete(SIDE * SIDE)

    def __len__(self):
        return SIDE * (SIDE - 1)

    def origins(self, index, rng=None):
        return np.zeros((len(index), 2), np.int64)

    def observe(self, index, origins):
        maps = np.zeros((len(index), SIDE * SIDE), np.uint8)
        maps[np.arange(len(index)), index] = 255
        return {"map": maps.reshape(-1, 1, SIDE, SIDE)}

    def right_cells(self, index, origins):
        cells = np.arange(SIDE * SIDE)
        return (cells == index[:, None]) | (cells == index[:, None] + SIDE)

    def points(self, index, cells, origins):
        rows, columns = np.divmod(cells, SIDE)
        return np.stack([columns + 0.5, rows + 0.5], 1) / SIDE

    def boxes(self, index):
        rows, columns = np.divmod(index, SIDE)
        return np.stack([columns, rows, columns + 1, rows + 2], 1) / SIDE


class MapNetwork(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.near = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.out, self.value = torch.nn.Conv2d(4, 1, 1), torch.nn.Linear(4, 1)

    def forward(self, observations):
        near = torch.relu(self.near(observations["map"].float() / 255))
        return self.out(near).flatten(1), self.value(near.mean((2, 3))).squeeze(-1)


def _policy(seed=0):
    torch.manual_seed(seed)
    return SpatialPolicy(Spots.observation_space, Spots.action_space, lambda _: 1e-2, network=MapNetwork)


def _weights(policy):
    return [parameter.detach().clone() for parameter in policy.network.parameters()]


def _are_equal(one, other):
    return all((a == b).all() for a, b in zip(_weights(one), _weights(other), strict=True))


# --- the policy ---------------------------------------------------------------------------------------------


def test_logits_and_values_are_the_networks():
    policy, pool = _policy(), Spots()
    index = np.arange(10)
    seen = pool.observe(index, pool.origins(index))
    tensors = policy.obs_to_tensor(seen)[0]
    logits, values = policy.network(tensors)
    distribution = policy.get_distribution(tensors).distribution
    torch.testing.assert_close(distribution.logits, logits.log_softmax(-1))
    torch.testing.assert_close(policy.predict_values(tensors)[:, 0], values)
    torch.testing.assert_close(policy.log_probabilities(tensors)[0], logits.log_softmax(-1))
    assert policy.predict(seen, deterministic=True)[0].tolist() == logits.argmax(1).tolist()
    assert likeliest_cells(policy, pool, 7)[:10].tolist() == logits.argmax(1).tolist()
    # All that it learns is the network, each weight once.
    counted = sum(parameter.numel() for group in policy.optimizer.param_groups for parameter in group["params"])
    assert counted == sum(parameter.numel() for parameter in policy.network.parameters())


def test_a_model_is_saved_and_loaded_by_stable_baselines(tmp_path):
    model = PPO(SpatialPolicy, WindowVecEnv(Spots(), 4), policy_kwargs={"network": MapNetwork}, device="cpu")
    model.save(tmp_path / "model")
    assert _are_equal(model.policy, PPO.load(tmp_path / "model", device="cpu").policy)
    model.policy.save(tmp_path / "policy")
    assert _are_equal(model.policy, SpatialPolicy.load(tmp_path / "policy", device="cpu"))


# --- cloning ------------------------------------------------------------------------------------------------


def test_the_cloning_loss_is_minus_log_of_any_right_cell():
    policy, pool = _policy(), Spots()
    index = np.random.default_rng(5).integers(len(pool), size=32)
    logits, values = policy.network({"map": torch.as_tensor(pool.observe(index, None)["map"])})
    chances = logits.softmax(-1)
    right = torch.stack([chances[k, i] + chances[k, i + SIDE] for k, i in enumerate(index)])
    expected = -right.log().mean() + 0.5 * ((values - right) ** 2).mean()
    torch.testing.assert_close(cloning_loss(policy, pool, np.random.default_rng(5), 32), expected)


def test_cloning_learns_and_is_the_same_for_the_same_seed():
    policies = [_policy() for _ in range(3)]
    for policy, seed in zip(policies, (1, 1, 2), strict=True):
        clone(policy, Spots(), TrainingBudget(steps=20), seed=seed)
    assert _are_equal(policies[0], policies[1])
    assert not _are_equal(policies[0], policies[2])
    learned, pool = _policy(), Spots()
    curve = clone(learned, pool, TrainingBudget(steps=300), seed=1, learning_rate=2e-2)
    assert [steps for steps, _ in curve] == [50, 100, 150, 200, 250, 300]
    assert curve[-1][1] < 0.7 * curve[0][1]
    index = np.arange(len(pool))
    right = pool.right_cells(index, None)[index, likeliest_cells(learned, pool)]
    assert right.mean() > 0.9


class _Invisible(Spots):
    def right_cells(self, index, origins):
        return np.zeros((len(index), SIDE * SIDE), bool)


def test_targets_out_of_sight_teach_nothing():
    policy, before = _policy(), _policy()
    assert cloning_loss(policy, _Invisible(), np.random.default_rng(0)) is None
    clone(policy, _Invisible(), TrainingBudget(steps=3))
    assert _are_equal(policy, before)


# --- environments -------------------------------------------------------------------------------------------


def test_the_environments_keep_the_rules_of_stable_baselines():
    env = VecCheckNan(VecMonitor(WindowVecEnv(Spots(), 8, seed=0)), raise_exception=True, check_inf=True)
    observations = env.reset()
    for _ in range(5):
        assert all(env.observation_space.contains({"map": each}) for each in observations["map"])
        observations, rewards, dones, infos = env.step(np.array([env.action_space.sample() for _ in range(8)]))
        assert rewards.shape == (8,)
        assert rewards.dtype == np.float32
        assert dones.all()
        assert [info["episode"]["r"] for info in infos] == pytest.approx(rewards.tolist())
    assert env.get_attr("render_mode") == [None] * 8
    assert env.env_is_wrapped(VecMonitor) == [False] * 8
    env.set_attr("note", 1)
    assert env.get_attr("note", [0, 1]) == [1, 1]
    with pytest.raises(NotImplementedError, match="no single environments"):
        env.env_method("reset")
    env.close()


def test_the_same_seed_gives_the_same_targets():
    def played(seed, by_seed=False):
        env = WindowVecEnv(Spots(), 16, seed=0 if by_seed else seed)
        if by_seed:
            env.seed(seed)
        seen = [env.reset()["map"]]
        seen += [env.step(np.arange(16))[0]["map"] for _ in range(3)]
        return np.stack(seen)

    assert (played(3) == played(3)).all()
    assert (played(3) != played(4)).any()
    assert (played(3) == played(3, by_seed=True)).all()


@pytest.mark.parametrize("reward", ["hit", "gaussian_point", {"hit": 1, "gaussian_point": 3}])
def test_rewards_are_those_of_grounding(reward):
    pool, actions = Spots(), np.arange(30)
    env = WindowVecEnv(pool, 30, reward, seed=1)
    index = env.reset()["map"].reshape(30, -1).argmax(1)
    points = pool.points(index, actions, None)
    expected = combined(reward)(np.concatenate([points, points], 1), pool.boxes(index))
    np.testing.assert_allclose(env.step(actions)[1], expected, rtol=1e-6)


def test_a_reward_may_be_a_function_of_points():
    pool = Spots()
    env = WindowVecEnv(pool, 20, lambda index, points: 1 - hit(np.tile(points, 2), pool.boxes(index)), seed=1)
    index = env.reset()["map"].reshape(20, -1).argmax(1)
    assert not env.step(index)[1].any()
    assert env.step(np.full(20, SIDE * SIDE - 1))[1].any()
    with pytest.raises(ValueError, match="reward must be of"):
        WindowVecEnv(pool, 2, "gold")


# --- reward and rehearsal -----------------------------------------------------------------------------------


def _tuned(budget, rehearsed=None, seed=0):
    kwargs = {"network": MapNetwork}
    env = WindowVecEnv(Spots(), 16)
    model = PPO(SpatialPolicy, env, n_steps=4, batch_size=32, gamma=0.0, policy_kwargs=kwargs, seed=seed, device="cpu")
    rehearsal = Rehearsal(budget, 1e-2, rehearsed, seed=seed)
    model.learn(10**9, callback=rehearsal)
    return model.policy, rehearsal.curve


def test_reward_teaches_within_its_budget_the_same_for_the_same_seed():
    first, second = (_tuned(TrainingBudget(steps=128))[0] for _ in range(2))
    assert _are_equal(first, second)
    _, curve = _tuned(TrainingBudget(steps=1600))
    assert curve[-1][0] == 1600
    rewards = [reward for _, reward in curve]
    assert np.mean(rewards[-25:]) > np.mean(rewards[:25]) + 0.1


def test_rehearsal_is_cloning_before_each_rollout():
    alone, _ = _tuned(TrainingBudget(steps=64))
    rehearsed, _ = _tuned(TrainingBudget(steps=64), Spots())
    assert not _are_equal(alone, rehearsed)
    loss = [cloning_loss(each, Spots(), np.random.default_rng(0), 512).item() for each in (alone, rehearsed)]
    assert loss[1] < loss[0]


def test_budgets_are_steps_or_seconds():
    assert TrainingBudget(steps=10).start()(5) == 0.5
    assert TrainingBudget(cpu_seconds=1e-9).start()(0) > 1
    for wrong in ({}, {"steps": 0}, {"cpu_seconds": -1.0}, {"steps": 1, "cpu_seconds": 1.0}):
        with pytest.raises(ValueError, match="a budget is"):
            TrainingBudget(**wrong)
    _, curve = _tuned(TrainingBudget(cpu_seconds=0.3))
    assert curve
