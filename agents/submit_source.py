"""The agent that hands a document in as it was, after an edit that changes nothing: what looking busy is worth."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .base import Action, TaskInfo


class SubmitSource:
    """Moves the first element of a document to where it stands already, and terminates (DocEdit).

    Pictures of its documents are as like to the wanted ones as most edits leave them, and its program runs: metrics
    that do not tell it from an agent that tries are worth little.
    """

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._task = task
        self._left: list[Action] | None = None

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """As many of its two actions as a round takes.

        Raises:
            ValueError: if the source is no document.
        """
        if self._left is None:
            self._left = [self._edit(observation["source"]), self._task.tools.action("terminate")]
        n = self._task.max_actions or len(self._left)
        actions, self._left = self._left[:n], self._left[n:]
        return actions

    def _edit(self, source: str) -> Action:
        try:
            element = json.loads(source)["pages"][0]["elements"][0]
        except (ValueError, LookupError, TypeError):
            raise ValueError("this agent edits documents: choose an environment of DocEdit") from None
        name, (x, y, _, _) = element["id"], element["bbox"]
        tools = self._task.tools
        if "run_program" in tools.names:
            return tools.action("run_program", code=f"def main(document):\n    MOVE({name!r}, [{x}, {y}])\n")
        return tools.action("move", object_id=name, x=x, y=y)
