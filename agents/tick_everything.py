"""The agent that ticks every box: what a metric is worth that does not count wrong marks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..envs.core.texts import PLACES, TICK_BOX
from .base import Action, TaskInfo

_BOX = re.compile(rf"{re.escape(TICK_BOX)}: x=([\d.]+), y=([\d.]+)$", re.MULTILINE)


class TickEverything:
    """Ticks each box whose place the goal tells, right or wrong, and writes nothing else.

    It reads the places that the wrapper ``GroundTruthCoordinates`` adds to the goal.
    """

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._task = task
        self._left: list[Action] | None = None

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """As many ticks as a round takes; ``terminate`` when all boxes are ticked.

        Raises:
            ValueError: if the goal tells no places.
        """
        tools = self._task.tools
        if self._left is None:
            if PLACES not in observation["goal"]:
                raise ValueError("this agent ticks what the goal tells it: add wrappers=[ground_truth_coordinates]")
            found = _BOX.findall(observation["goal"])
            self._left = [tools.action("place_text", x=float(x), y=float(y), text="X") for x, y in found]
            self._left.append(tools.action("terminate"))
        n = self._task.max_actions or len(self._left)
        actions, self._left = self._left[:n], self._left[n:]
        return actions
