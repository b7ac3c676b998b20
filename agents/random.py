"""The agent that acts at random: what luck is worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .base import Action, TaskInfo


class Random:
    """Writes words of the source at random places, and does whatever else the action space holds now and then.

    Args:
        n_actions: how many actions it takes before it terminates.
        wild: the share of actions drawn from the whole action space, random texts included.
    """

    privileged = False

    def __init__(self, n_actions: int = 40, wild: float = 0.2) -> None:
        if n_actions < 0 or not 0 <= wild <= 1:
            raise ValueError(f"n_actions must not be negative and wild lie in [0, 1]; they are {n_actions} and {wild}")
        self.n_actions, self.wild = n_actions, wild
        self.usage: dict[str, float] = {}

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
        actions = [self._action(observation) for _ in range(n)]
        if len(actions) < (self._task.max_actions or len(actions) + 1):
            actions.append(self._task.tools.action("terminate"))
        return actions

    def _action(self, observation: Mapping[str, Any]) -> Action:
        if self._rng.random() < self.wild:
            action = self._task.tools.sample()
            terminates = self._task.tools.names[action["tool"]] == "terminate"
            if not terminates:
                return action
        words = observation["source"].split() or ["x"]
        x, y = self._rng.random(2)
        text = str(self._rng.choice([*words, "x"])).strip(".,:;")
        return self._task.tools.from_call({"tool": "place_text", "x": x, "y": y, "text": text})
