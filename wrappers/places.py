"""What wrappers need to know about the places of fields in an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium import spaces

from ..envs.core.locators import Box
from ..envs.core.spaces import Observation

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv
from ..envs.core.tools import Tool, ToolSpace


def takes_fractions(env: gym.Env[Observation, Any]) -> bool:
    """Whether the tools of an environment take x and y as fractions of the page."""
    space = cast("PaperworkEnv", env.unwrapped).action_space
    taken = (space.spaces.get(name) for name in ("x", "y"))
    return all(isinstance(t, spaces.Box) and (float(t.low), float(t.high)) == (0.0, 1.0) for t in taken)


def tools_with_places(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment whose x and y are fractions of the page.

    Raises:
        ValueError: if its tools take no such x and y.
    """
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not takes_fractions(env):
        raise ValueError(f"the tools {', '.join(space.names)} take no x and y as fractions of the page")
    return space


def tools_with_points(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment of which at least one points at the page.

    Raises:
        ValueError: if none does.
    """
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not any(points_at_page(tool) for tool in space.tools):
        raise ValueError(f"none of the tools {', '.join(space.names)} points at the page by x and y")
    return space


def points_at_page(tool: Tool) -> bool:
    """Whether a tool takes x and y of a point of the page, fractions or pixels.

    Coordinates that may be negative do not count: they say where to put something, as DocEdit's do.
    """
    return all(name in tool.arguments and _lowest(tool.arguments[name].space) == 0 for name in ("x", "y"))


def in_units(box: Box, page_shape: tuple[int, ...], tools: ToolSpace) -> tuple[float, float, float, float]:
    """A box in pixels of a page in the units of the tools' x and y, within bounds.

    Args:
        box: in pixels of the page.
        page_shape: of the page as it is observed, which may be smaller than what the tools count in.
        tools: the tools that take x and y.
    """
    height, width = page_shape[:2]
    left, top, right, bottom = box
    x, y = tools.spaces["x"], tools.spaces["y"]
    return _unit(x, left / width), _unit(y, top / height), _unit(x, right / width), _unit(y, bottom / height)


def point_in_units(box: Box, page_shape: tuple[int, ...], tools: ToolSpace) -> tuple[float, float]:
    """The centre of a box in the units of the tools' x and y."""
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    x, y, _, _ = in_units((*middle, *middle), page_shape, tools)
    return x, y


def _lowest(space: spaces.Space[Any]) -> float | None:
    if isinstance(space, spaces.Discrete):
        return int(space.start)
    return float(space.low) if isinstance(space, spaces.Box) else None


def _unit(space: spaces.Space[Any], fraction: float) -> float:
    """The coordinate at a fraction of the space that spans the page."""
    if isinstance(space, spaces.Discrete):
        return int(space.start) + int(min(max(fraction * int(space.n), 0), int(space.n) - 1))
    assert isinstance(space, spaces.Box)
    low, high = float(space.low), float(space.high)
    return min(max(low + fraction * (high - low), low), high)
