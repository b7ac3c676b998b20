"""Train a policy that points at the controls of web forms, with PPO of Stable-Baselines3, from reward alone.

You learn how wrappers fit an environment to a learner, and how a policy is measured on new forms. Takes three minutes
on one core; needs ``pip install 'formgym[train]'``. ``formgym train`` has the full recipes.
"""

from pathlib import Path

import gymnasium as gym
import torch
from gymnasium.vector import SyncVectorEnv
from gymnasium.wrappers import FilterObservation
from stable_baselines3 import PPO

import formgym  # noqa: F401  (registers the environments)
from formgym.agents.policies.spatial_policy import SpatialPolicy
from formgym.envs.core.asset_cache import set_cache_budget
from formgym.fieldfinder_model.windows.window_network import WindowNetwork
from formgym.wrappers import LabelWindow, SB3VecEnv

OUT, STEPS = Path("out/train_grounding"), 12_000


def make_env(split: str, jitter: bool = False) -> gym.Env:
    """Pages of one theme; what is seen is the window about a label, the action is a cell of it."""
    env = gym.make("FormFactory/Grounding-v0", split=split, themes="night", copy=False, disable_env_checker=True)
    return FilterObservation(LabelWindow(env, jitter=jitter), ["picture", "planes"])


def hit_rate(policy: SpatialPolicy, env: gym.Env) -> float:
    """The share of a split's controls that the policy hits; each is pointed at once."""
    hits, targets = 0.0, 0
    for task in env.get_wrapper_attr("task_ids"):
        observation, _ = env.reset(options={"task": task})
        has_ended = False
        while not has_ended:
            observation, reward, has_ended, _, _ = env.step(policy.predict(observation, deterministic=True)[0])
            hits, targets = hits + (reward > 0), targets + 1
    return hits / targets


def main() -> None:
    """Print hit rates before and after training, and save the policy."""
    torch.set_num_threads(1)
    # In megabytes: all pages stay in memory once they are read.
    set_cache_budget(1500)
    envs = SB3VecEnv(SyncVectorEnv([lambda: make_env("train", jitter=True)] * 16, autoreset_mode="SameStep"))
    # A point is paid at once, so that nothing is to be learned of later rewards.
    learning = {"n_steps": 64, "batch_size": 128, "n_epochs": 2, "gamma": 0.0, "gae_lambda": 0.0}
    ppo = PPO(SpatialPolicy, envs, 1e-3, **learning, policy_kwargs={"network": WindowNetwork}, seed=0, device="cpu")
    dev = make_env("dev")
    print(f"before training: {hit_rate(ppo.policy, dev):.2f} of the controls of new forms are hit")
    ppo.learn(STEPS)
    OUT.mkdir(parents=True, exist_ok=True)
    ppo.save(OUT / "policy.zip")
    print(f"after {STEPS:,} points: {hit_rate(ppo.policy, dev):.2f}; the policy is in {OUT}")


if __name__ == "__main__":
    main()
