"""Register the environments in the index of assets with Gymnasium."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import gymnasium as gym

from ..assets import INDEX

_SUITES = "formgym.envs"


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
            entry_point=f"{_SUITES}.{entry['entry_point']}",
            vector_entry_point=f"{_SUITES}.{entry['vector_entry_point']}",
            max_episode_steps=entry["max_episode_steps"],
            kwargs=entry.get("kwargs", {}),
        )
