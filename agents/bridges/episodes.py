"""What bridges share: the tasks and seeds of ``formgym sweep``, and sessions one after another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from ...envs.core.env import PaperworkEnv
from ...envs.core.tasks import EndlessTasks, episode_seed
from ..session import Session, make_env


@dataclass(frozen=True)
class EpisodeKey:
    """What an episode begins from.

    >>> EpisodeKey("nda/test_0", seed=3).task
    'nda/test_0'

    Attributes:
        task: the task's id; ``None``: the seed draws one.
        seed: of the environment.
    """

    task: str | None
    seed: int


def episode_keys(env_id: str, episodes: int | None = None, seed: int = 0, **options: Any) -> list[EpisodeKey]:
    """The tasks and seeds that a run of ``formgym sweep`` has.

    Args:
        env_id: the id of the environment.
        episodes: how many, their tasks drawn from the seed; ``None``: one of every task.
        seed: of the run.
        **options: what the environment is made with, such as ``split="train"``.

    Raises:
        ValueError: if there is no such environment, ``episodes`` is no positive number, or is ``None`` where tasks are
            endless.
    """
    if episodes is not None:
        if episodes < 1:
            raise ValueError(f"episodes must be at least 1, or None for one of every task; it is {episodes}")
        return [EpisodeKey(None, episode_seed(seed, index)) for index in range(episodes)]
    env = make_env(env_id, **options)
    task_ids = cast(PaperworkEnv, env.unwrapped).task_ids
    env.close()
    if isinstance(task_ids, EndlessTasks):
        raise ValueError("these tasks have no end; say how many episodes to play, such as episodes=200")
    return [EpisodeKey(task, episode_seed(seed, index)) for index, task in enumerate(task_ids)]


class SessionFactory:
    """Sessions one after another in one environment.

    >>> sessions = SessionFactory("FormGym/Scans-v0", unit="thousand")
    >>> len(sessions.begin(seed=0).open())
    3

    Args:
        env_id: the id of the environment.
        unit, max_side, **arguments: of ``Session``: ``wrappers``, and what the environment is made with.

    Attributes:
        env_id: as above.
        tools: the tools as the model sees them.

    Raises:
        ValueError: if there is no such environment, or it cannot be a session.
    """

    def __init__(self, env_id: str, unit: str | None = None, max_side: int | None = None, **arguments: Any) -> None:
        self._view: dict[str, Any] = {"unit": unit, "max_side": max_side}
        self._first = Session(env_id, **self._view, **arguments)
        self._current: Session | None = None
        self.env_id, self.tools = env_id, self._first.tools

    def begin(self, task: str | None = None, seed: int | None = None) -> Session:
        """A new session, which is the current one from now on."""
        self._current = Session(self._first.env, task, seed, **self._view)
        return self._current

    @property
    def has_begun(self) -> bool:
        """Whether there is a current session."""
        return self._current is not None

    @property
    def current(self) -> Session:
        """The session that began last.

        Raises:
            RuntimeError: before the first one.
        """
        if self._current is None:
            raise RuntimeError("call reset() first")
        return self._current

    def close(self) -> None:
        """Close the environment."""
        self._first.close()
