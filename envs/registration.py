"""Register the environments in the index of assets with Gymnasium."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, cast

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator
from gymnasium.vector import VectorEnv

from ..assets import INDEX


@lru_cache(maxsize=1)
def index() -> dict[str, Any]:
    """The index of assets: environments by id, files with hash and licence."""
    return dict(json.loads(INDEX.read_text(encoding="utf-8")))


def ids() -> tuple[str, ...]:
    """The ids of all environments of the suite."""
    return tuple(index()["environments"])


def register_all() -> None:
    """Register every environment; entry points are imported on first use."""
    for env_id, entry in index()["environments"].items():
        gym.register(
            env_id,
            entry_point=_entry_point(env_id),
            vector_entry_point=f"{__name__}:{env_id}",
            max_episode_steps=entry["max_episode_steps"],
            kwargs=entry.get("kwargs", {}),
        )


def __getattr__(name: str) -> Callable[..., VectorEnv[Any, Any, Any]]:
    """The environment of an id as a ``BatchVectorEnv``: ``gym.make_vec`` looks up what it calls by this name."""
    if name not in ids():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .core.vector import BatchVectorEnv

    return partial(BatchVectorEnv, cast("Callable[..., gym.Env[Any, Any]]", load_env_creator(_entry_point(name))))


def _entry_point(env_id: str) -> str:
    return f"formgym.envs.{index()['environments'][env_id]['entry_point']}"
