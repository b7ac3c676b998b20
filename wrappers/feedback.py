"""Feedback: the results of the last actions, as an observation."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation
from ..envs.core.texts import UnicodeText, truncate_middle
from .tool_wrapper import Step, extended

MAX_FEEDBACK_LENGTH = 20_000


class Feedback(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Adds the result of the last action to ``observation["feedback"]``.

    After a round it has a numbered line for each action.

    It is empty after ``reset``. Feedback longer than 20,000 characters is cut in the middle.

    >>> env = Feedback(gym.make("FormGym/Scans-v0"))
    >>> _ = env.reset(seed=0)
    >>> env.step(env.action_space.from_call({"tool": "terminate"}))[0]["feedback"]
    'The page was handed in.'

    Args:
        env: the environment, ``ActionBatch`` or not; its observation space is a ``Dict``.

    Raises:
        ValueError: if it is not.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.observation_space = extended(env, feedback=UnicodeText(MAX_FEEDBACK_LENGTH))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation | {"feedback": ""}, info

    def step(self, action: Any) -> Step:
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        feedback = truncate_middle(_in_words(info["feedback"]), MAX_FEEDBACK_LENGTH)
        return observation | {"feedback": feedback}, float(reward), terminated, truncated, info


def _in_words(feedback: str | list[str]) -> str:
    if isinstance(feedback, str):
        return feedback
    return "\n".join(f"{i}. {line}" for i, line in enumerate(feedback, start=1))
