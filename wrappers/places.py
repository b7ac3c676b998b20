"""What wrappers that know the places of fields need of an environment."""

from __future__ import annotations

from typing import Any, cast

import gymnasium as gym
from gymnasium import spaces

from ..envs.core.env import Observation, PaperworkEnv
from ..envs.core.tools import ToolSpace


def tools_with_places(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment in which a field is named by x and y, fractions of the page.

    Raises:
        ValueError: if its tools take no such x and y.
    """
    space = cast(PaperworkEnv, env.unwrapped).action_space
    for name in ("x", "y"):
        taken = space.spaces.get(name)
        if not isinstance(taken, spaces.Box) or (float(taken.low), float(taken.high)) != (0.0, 1.0):
            raise ValueError(f"the tools {', '.join(space.names)} take no x and y as fractions of the page")
    return space
