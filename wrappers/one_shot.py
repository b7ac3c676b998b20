"""OneShot: episodes of one step."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation


class OneShot(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Ends the episode after its first step: a contextual bandit.

    Args:
        env: the environment.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take the step."""
        observation, reward, _, _, info = self.env.step(action)
        return observation, float(reward), True, False, info
