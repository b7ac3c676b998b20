"""Step many environments at once, and measure how fast that is.

You learn how ``gym.make_vec`` paints all pages into one batch, what batched actions and observations are, and that an
ended episode begins anew by itself. Takes about ten seconds.
"""

import time
from typing import Any

import gymnasium as gym
import numpy as np

import formgym  # noqa: F401  (registers the environments)

NUM_ENVS, STEPS = 32, 300


def main() -> None:
    """Print steps per second in a batch, and of one environment that copies its observations."""
    envs = gym.make_vec("FormGym/AutoLoans-Text-v0", num_envs=NUM_ENVS)
    envs.action_space.seed(0)
    observations, _ = envs.reset(seed=0)
    print("a batch of pages:", observations["page"].shape, observations["page"].dtype)
    seconds, ended = 0.0, 0
    scores = np.zeros(NUM_ENVS)
    for step in range(STEPS):
        actions = marks(envs, step)
        began = time.perf_counter()
        # The same read-only array at each step, painted in place: copy what you keep.
        observations, rewards, terminated, truncated, _ = envs.step(actions)
        seconds += time.perf_counter() - began
        scores += rewards
        ended += np.count_nonzero(terminated | truncated)
    print(f"{ended} episodes ended; their mean score is {scores.sum() / ended:.4f}")
    print(f"{NUM_ENVS} in a batch, in place: {STEPS * NUM_ENVS / seconds:,.0f} steps a second")
    envs.close()

    env = gym.make("FormGym/AutoLoans-Text-v0")
    env.reset(seed=0)
    tools = env.action_space
    places = np.random.default_rng(0).random((STEPS, 2))
    calls = [tools.action("place_text", x=x, y=y, text=str(step)) for step, (x, y) in enumerate(places)]
    began = time.perf_counter()
    for call in calls:
        env.step(call)
    print(f"one environment, each observation a copy: {STEPS / (time.perf_counter() - began):,.0f} steps a second")


def marks(envs: gym.vector.VectorEnv, step: int) -> dict[str, Any]:
    """A batch of actions: numbers at random places; every 100th ends the episodes."""
    tools = envs.single_action_space
    actions = envs.action_space.sample()
    actions["tool"][:] = tools.names.index("terminate" if step % 100 == 99 else "place_text")
    actions["text"] = (str(step),) * NUM_ENVS
    return actions


if __name__ == "__main__":
    main()
