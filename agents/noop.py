"""The agent that hands in the page as it is: the floor of every score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .base import Action, TaskInfo


class Noop:
    """Terminates at once."""

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._tools = task.tools

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """One action: ``terminate``."""
        return [self._tools.action("terminate")]
