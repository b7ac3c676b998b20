"""Time learning from reward, and the grounding environments' share of it."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from gymnasium import Env
from timing import MEMCPY, Rows, Work, measured, memcpy, print_rows, repeated

from formgym.agents.policies.training import cloning_step
from formgym.agents.policies.window_vec_env import WindowVecEnv
from formgym.experiments.training.grounding.pools import made_training_pool
from formgym.experiments.training.grounding.recipes import Tuning, new_policy, new_ppo, targets_of
from formgym.fieldfinder_model.windows.window_pool import WindowPool

_PAGES, _ENVS, _BATCH = 20, 256, 64
_SHAPE = (_ENVS, *(WindowPool.observation_space["picture"].shape or ()))
LEARNING, WINDOWS = "PPO, per target", f"windows of {_ENVS} targets, per target"
_TARGETS: dict[str, tuple[str, dict[str, Any]]] = {
    "a loan form's field, reset and step": ("FormGym/Grounding-v0", {"domain": "loans"}),
    "a scan's field, reset and step": ("FormGym/Grounding-v0", {"domain": "scans"}),
    "a drawn form's field, reset and step": ("FormGym/Grounding-v0", {"domain": "made"}),
    "a drawn form's field of 16 pages that are kept": ("FormGym/Grounding-v0", {"domain": "made", "max_pages": 16}),
    "a web form's control, reset and step": ("FormFactory/Grounding-v0", {}),
    "a document's element, reset and step": ("DocEdit/Grounding-v0", {}),
}


def run_training_benchmark(rounds: int) -> dict[str, Any]:
    """Measure and print a table; the timings by row and the environment's share."""
    torch.set_num_threads(1)
    rows = measured(_works(), rounds, "training")
    share = rows[WINDOWS]["ratio_to_memcpy"] / rows[LEARNING]["ratio_to_memcpy"]
    print_rows(f"grounding, median of {rounds} rounds, thread CPU time, PyTorch {torch.__version__}", rows)
    print(f"the batched windows are {100 * share:.1f} % of learning from reward; {_speed(rows)}")
    return {"pages": _PAGES, "candidates": rows, "environments_share": share}


def _speed(rows: Rows) -> str:
    return f"{1e6 / rows[LEARNING]['microseconds']:,.0f} targets a CPU second"


def _works() -> dict[str, Work]:
    pool = made_training_pool(_PAGES)
    split: dict[str, Any] = {"split": "train", "max_targets": 1, "copy": False, "disable_env_checker": True}
    targets = {name: _resets_and_steps(gym.make(id_, **split, **more)) for name, (id_, more) in _TARGETS.items()}
    return {
        MEMCPY: memcpy(_SHAPE),
        LEARNING: _learning(pool),
        "cloning, per target": _cloning(pool),
        WINDOWS: _windows(pool),
        **targets,
    }


def _learning(pool: WindowPool) -> Work:
    """Rollouts and updates of PPO."""
    ppo = new_ppo(Tuning("reward", targets_of(pool)), seed=0)
    rollout = ppo.n_steps * _ENVS
    return repeated(lambda: ppo.learn(rollout), rollout)


def _cloning(pool: WindowPool) -> Work:
    policy, rng = new_policy(), np.random.default_rng(0)
    policy.set_training_mode(True)
    optimizer = torch.optim.Adam(policy.network.parameters(), 1e-3)
    return repeated(lambda: cloning_step(policy, optimizer, pool, rng), _BATCH)


def _windows(pool: WindowPool) -> Work:
    env = WindowVecEnv(pool, _ENVS)
    env.reset()
    actions = np.random.default_rng(0).integers(env.action_space.n, size=(16, _ENVS))  # type: ignore[attr-defined]
    turns = itertools.cycle(actions)
    return repeated(lambda: env.step(next(turns)), _ENVS)


def _resets_and_steps(env: Env[Any, Any]) -> Work:
    """One target after another, each of a page that is drawn."""
    env.action_space.seed(0)
    env.reset(seed=0)

    def run() -> None:
        env.reset()
        env.step(env.action_space.sample())

    return repeated(run)
