"""What an agent is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..envs.core.tools import Call, ToolSpace

Action = dict[str, Any]


@dataclass(frozen=True)
class TaskInfo:
    """What an agent is told when an episode begins.

    Attributes:
        env_id: the environment's id.
        tools: the action space; it knows the tools' names, schemas and how to build actions.
        max_actions: how many actions of a round are carried out; ``None``: all.
        solution: calls that solve the task, for agents that declare ``privileged = True``; empty for all others.
    """

    env_id: str
    tools: ToolSpace
    max_actions: int | None = None
    solution: Sequence[Call] = ()


class ModelError(Exception):
    """A provider failed after retries. The episode is recorded as unscored and counted apart, never as 0."""


class Agent(Protocol):
    """An agent. ``privileged`` agents are handed the solution: they measure the environment, not themselves.

    Attributes:
        privileged: whether it is handed the solution.
        usage: what it has used since ``reset``: figures by name, such as tokens or calls of a model.
    """

    privileged: bool
    usage: Mapping[str, float]

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; everything random follows from ``seed``, and ``usage`` begins anew."""
        ...

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next round.

        Raises:
            ModelError: if a model's provider fails.
        """
        ...
