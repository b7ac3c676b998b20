"""OpenEnv: a server of an environment, for clients in other processes.

``uvicorn formgym.agents.bridges.openenv:app`` serves the environment that ``FORMGYM_ENV`` names.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Sequence
from typing import Any

from pydantic import Field

try:
    from openenv.core.env_server.http_server import create_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
except ImportError as error:
    raise ImportError(f"the server needs OpenEnv: pip install 'formgym[bridges]' ({error})") from error

from ... import __version__
from ..models.model import Block, ImageBlock, words_of
from .episodes import SessionFactory

MAX_CLIENTS = 64
"""So many episodes at once, if nothing else is said."""


class CallAction(Action):
    """A call of a tool, in the session's coordinates."""

    tool: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class PageObservation(Observation):
    """New words, pictures as PNG in base64, and after reset the tools' JSON schemas.

    ``reward`` is the change of the score, from -1 to 1.
    """

    text: str
    images: list[str] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)


class EpisodeState(State):
    """The task and the metrics of its score so far; it holds no right answers."""

    env_id: str
    task: str | None = None
    metrics: dict[str, float] = Field(default_factory=dict)


class PaperworkServer(Environment):
    """One client's episodes, one after another, in one environment.

    >>> server = PaperworkServer("FormGym/Scans-v0")
    >>> server.reset(seed=0).done
    False

    Args:
        env_id: the id of the environment.
        **arguments: of ``Session``: ``wrappers``, ``unit``, ``max_side``, and what the environment is made with.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, env_id: str, **arguments: Any) -> None:
        super().__init__()
        self._sessions = SessionFactory(env_id, **arguments)
        self._episode_id: str | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, task: str | None = None, **_: Any
    ) -> PageObservation:
        """Begin an episode: of ``task``, or of one that the seed draws."""
        observation = _observation(self._sessions.begin(task, seed).open())
        self._episode_id = episode_id
        observation.tools = self._sessions.tools.schemas
        return observation

    def step(self, action: CallAction, timeout_s: float | None = None, **_: Any) -> PageObservation:
        """Call a tool.

        Raises:
            RuntimeError: before ``reset`` and after the end of the episode.
        """
        session = self._sessions.current
        before = session.reward
        blocks, done = session.call(action.tool, action.arguments)
        observation = _observation(blocks)
        observation.reward, observation.done = session.reward - before, done
        return observation

    @property
    def state(self) -> EpisodeState:
        """The episode's task, steps and metrics."""
        if not self._sessions.has_begun:
            return EpisodeState(env_id=self._sessions.env_id)
        session = self._sessions.current
        return EpisodeState(
            episode_id=self._episode_id,
            step_count=len(session.turns),
            env_id=session.env_id,
            task=session.task,
            metrics=dict(session.score().metrics),
        )

    def get_metadata(self) -> EnvironmentMetadata:
        """The name and version of the environment."""
        return EnvironmentMetadata(
            name=self._sessions.env_id, description="Paperwork as an environment, by formgym", version=__version__
        )

    def close(self) -> None:
        """Close the environment."""
        self._sessions.close()


def make_app(env_id: str, max_clients: int = MAX_CLIENTS, **arguments: Any) -> Any:
    """A FastAPI application with an environment for each client.

    Args:
        env_id: the id of the environment.
        max_clients: how many episodes may run at once.
        **arguments: of ``PaperworkServer``.

    Raises:
        ValueError: if there is no such environment.
    """
    PaperworkServer(env_id, **arguments).close()
    return create_app(
        lambda: PaperworkServer(env_id, **arguments),
        CallAction,
        PageObservation,
        env_name="formgym",
        max_concurrent_envs=max_clients,
    )


def _observation(blocks: Sequence[Block]) -> PageObservation:
    return PageObservation(
        text=words_of(blocks),
        images=[base64.b64encode(block.png()).decode() for block in blocks if isinstance(block, ImageBlock)],
    )


def __getattr__(name: str) -> Any:
    """``app``, as ``FORMGYM_ENV``, ``FORMGYM_UNIT`` and ``FORMGYM_MAX_SIDE`` say."""
    if name != "app":
        raise AttributeError(name)
    side = os.environ.get("FORMGYM_MAX_SIDE")
    return make_app(
        os.environ.get("FORMGYM_ENV", "FormGym/AutoLoans-Text-v0"),
        unit=os.environ.get("FORMGYM_UNIT"),
        max_side=int(side) if side else None,
    )
