"""What wrappers that know the places of fields need of an environment."""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
from gymnasium import spaces

from ..envs.core.env import Observation, PaperworkEnv
from ..envs.core.tools import ToolSpace


def takes_fractions(env: gym.Env[Observation, Any]) -> bool:
    """Whether the tools of an environment take x and y as fractions of the page."""
    space = cast(PaperworkEnv, env.unwrapped).action_space
    taken = (space.spaces.get(name) for name in ("x", "y"))
    return all(isinstance(t, spaces.Box) and (float(t.low), float(t.high)) == (0.0, 1.0) for t in taken)


def tools_with_places(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment in which a field is named by x and y, fractions of the page.

    Raises:
        ValueError: if its tools take no such x and y.
    """
    space = cast(PaperworkEnv, env.unwrapped).action_space
    if not takes_fractions(env):
        raise ValueError(f"the tools {', '.join(space.names)} take no x and y as fractions of the page")
    return space
