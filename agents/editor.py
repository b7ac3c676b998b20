"""Base class of agents that edit documents in attempts, guided by feedback."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from ..envs.core.tools import Call
from ..envs.documents.scene.document import Document
from .base import Action, TaskInfo


class Editor(ABC):
    """Turns the attempts of an agent into rounds of actions."""

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; nothing is random."""
        self._task = task
        self._attempts: Iterator[list[Call]] | None = None
        self._waiting: list[Call] = []
        self._feedback: str | None = None

    @abstractmethod
    def attempts(self, document: Document, request: str) -> Iterator[list[Call]]:
        """Yield the calls of each attempt.

        When the next attempt is requested, ``last_feedback`` is the feedback on this one.
        """

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round; without feedback, the first attempt and the end."""
        self._feedback = observation.get("feedback")
        if self._attempts is None:
            document = Document.model_validate(json.loads(str(observation["source"])))
            self._attempts = self.attempts(document, str(observation["goal"]))
        if not self._waiting:
            self._waiting = next(self._attempts, [])
            if self._feedback is None or not self._waiting:
                self._waiting = [*self._waiting, {"tool": "terminate"}]
        count = self._task.max_actions or len(self._waiting)
        calls, self._waiting = self._waiting[:count], self._waiting[count:]
        return [self._task.tools.from_call(call) for call in calls]

    @property
    def last_feedback(self) -> str:
        """The feedback on the last call; empty if none is observed."""
        return (self._feedback or "").strip().rpartition("\n")[2]
