"""SparseReward: all of the reward at the end."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation


class SparseReward(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Moves the reward of an episode to its last step; the return stays what it is.

    An episode truncated by a ``TimeLimit`` outside of this wrapper pays nothing: put the limit inside.

    Args:
        env: the environment.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._accumulated = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        self._accumulated = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._accumulated += float(reward)
        reward = self._accumulated if terminated or truncated else 0.0
        return observation, reward, terminated, truncated, info
