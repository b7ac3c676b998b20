"""The interface of agents, and the task that they are given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..envs.core.tools import Call, ToolSpace

Action = dict[str, Any]


@dataclass(frozen=True)
class TaskInfo:
    """What an agent knows when an episode begins.

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
    """A provider failed after retries: the episode is recorded as unscored, not as 0."""


class Agent(Protocol):
    """An agent.

    Two attributes are optional: ``privileged = True`` asks for the solution (such agents measure the environment, not
    themselves), and ``usage`` has what was used since ``reset``: finite numbers by name, such as tokens.
    """

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; everything random follows from ``seed``."""
        ...

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """Return the actions of the next round.

        Each is an element of ``task.tools`` or a plain call ``{"tool": name, ...}``.

        Raises:
            ModelError: if a model's provider fails.
        """
        ...
