"""What wrappers need to know about the places of fields in an environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym

from ..envs.core.boxes import Box, centre, contains, expand
from ..envs.core.spaces import Observation
from ..envs.core.tools import ToolSpace, coordinate, is_fraction, points_at_page

if TYPE_CHECKING:
    from ..envs.core.env import FieldBox, PaperworkEnv, State


def takes_fractions(env: gym.Env[Observation, Any]) -> bool:
    """Whether the tools of an environment take x and y as fractions of the page."""
    space = cast("PaperworkEnv", env.unwrapped).action_space
    return all(is_fraction(space.spaces.get(name)) for name in ("x", "y"))


def tools_with_places(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment whose x and y are fractions of the page.

    Raises:
        ValueError: if its tools take no such x and y, or a wrapper has padded the page.
    """
    check_unpadded(env)
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not takes_fractions(env):
        raise ValueError(f"the tools {', '.join(space.names)} take no x and y as fractions of the page")
    return space


def tools_with_points(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment of which at least one points at the page.

    Raises:
        ValueError: if none does, or a wrapper has padded the page.
    """
    check_unpadded(env)
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not any(points_at_page(tool) for tool in space.tools):
        raise ValueError(f"none of the tools {', '.join(space.names)} points at the page by x and y")
    return space


def single_tools(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The action space of an environment that takes one call of a tool a step.

    Raises:
        ValueError: if it takes something else.
    """
    if not isinstance(env.action_space, ToolSpace):
        raise ValueError(f"actions must be calls of tools, one a step, not {env.action_space}")
    return env.action_space


def place_at(state: State, x: float, y: float) -> FieldBox:
    """The place that a point is in, or the nearest; x and y are fractions of the page."""
    height, width = state.background.shape[:2]
    x, y = x * width, y * height
    return min(
        state.places, key=lambda place: (not contains(expand(place.box, 0.5), x, y), _distance(place.centre, (x, y)))
    )


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
    return (
        coordinate(x, left / width),
        coordinate(y, top / height),
        coordinate(x, right / width),
        coordinate(y, bottom / height),
    )


def point_in_units(box: Box, page_shape: tuple[int, ...], tools: ToolSpace) -> tuple[float, float]:
    """The centre of a box in the units of the tools' x and y."""
    middle = centre(box)
    x, y, _, _ = in_units((*middle, *middle), page_shape, tools)
    return x, y


def check_unpadded(env: gym.Env[Observation, Any]) -> None:
    """Raise ``ValueError`` if a wrapper has padded the page."""
    if env.has_wrapper_attr("padding"):
        raise ValueError("a wrapper inside has padded the page, so that x and y mean other places; put PadPage outside")


def _distance(a: tuple[float, float], b: tuple[float, float]) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
