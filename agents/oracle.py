"""The agent that knows the answers: the ceiling of every score, and a check of the environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import Action, TaskInfo


class Oracle:
    """Carries out the solution that it is handed."""

    privileged = True

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._actions = [task.tools.from_call(call) for call in task.solution]
        self._per_round = task.max_actions or max(len(self._actions), 1)

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The next actions of the solution, as many as a round takes."""
        actions, self._actions = self._actions[: self._per_round], self._actions[self._per_round :]
        return actions
