"""The agent that acts at random: what luck is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..envs.core.spaces import UnicodeText
from .base import Action, TaskInfo


class Random:
    """Calls tools at random, at random places, with words that it has read.

    Args:
        n_actions: how many actions it takes before it terminates.
        wild: the share of texts that are random characters rather than words of the observation.
    """

    def __init__(self, n_actions: int = 40, wild: float = 0.1) -> None:
        if n_actions < 0 or not 0 <= wild <= 1:
            raise ValueError(f"n_actions must not be negative and wild lie in [0, 1]; they are {n_actions} and {wild}")
        self.n_actions, self.wild = n_actions, wild

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._task = task
        self._rng = np.random.default_rng(seed)
        task.tools.seed(seed)
        self._left = self.n_actions

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """As many random actions as a round takes; ``terminate`` when all are spent."""
        n = min(self._left, self._task.max_actions or self._left)
        self._left -= n
        words = [word for text in observation.values() if isinstance(text, str) for word in _words(text)]
        actions = [self._action(words) for _ in range(n)]
        if len(actions) < (self._task.max_actions or len(actions) + 1):
            actions.append(self._task.tools.action("terminate"))
        return actions

    def _action(self, words: Sequence[str]) -> Action:
        tools = self._task.tools
        action = tools.sample()
        action["tool"] = int(self._rng.choice([i for i, name in enumerate(tools.names) if name != "terminate"]))
        for name, space in tools.spaces.items():
            if words and isinstance(space, UnicodeText) and self._rng.random() >= self.wild:
                action[name] = str(self._rng.choice(words))
        return action


def _words(text: str) -> list[str]:
    """The words of a text, without the quotation marks, brackets and stops around them."""
    return [word for token in text.split() if (word := token.strip("\"'()[]{},:;"))]
