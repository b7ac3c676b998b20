"""PadPage: pages of any size in pictures of one size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.coordinates import AXES, spans_page
from ..envs.core.pages import DESK
from ..envs.core.painting import Image, shrunk
from ..envs.core.spaces import Observation, PageSpace
from ..envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace
from .places import single_tools
from .ruler import check_page


@dataclass(frozen=True)
class _Side:
    """A side of the picture, and the page along it.

    Attributes:
        length: of the picture in pixels.
        page: length of the page in pixels, as tools count them.
        scale: pixels of the picture per pixel of the page.
    """

    length: int
    page: int
    scale: Fraction

    def space(self, space: spaces.Space[Any]) -> spaces.Space[Any]:
        """The space of a coordinate on the picture."""
        return spaces.Discrete(self.length) if isinstance(space, spaces.Discrete) else space

    def to_page(self, space: spaces.Space[Any], value: float) -> float:
        """A coordinate on the page; what is beside the page goes to its edge."""
        if isinstance(space, spaces.Discrete):
            return min(int((2 * int(value) + 1) / self.scale / 2), self.page - 1)
        assert isinstance(space, spaces.Box)
        return min(max(value / self._factor(space), float(space.low)), float(space.high))

    def to_picture(self, space: spaces.Space[Any], value: float) -> float:
        """A coordinate on the picture."""
        if isinstance(space, spaces.Discrete):
            return int(int(value) * self.scale)
        return value * self._factor(space)

    def _factor(self, space: spaces.Space[Any]) -> float:
        """What a coordinate on the picture is per coordinate on the page."""
        return float(self.scale * Fraction(self.page, self.length) if spans_page(space) else self.scale)


class PadPage(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Puts the page into the left top corner of a picture of a fixed size.

    A page that is too large is shrunk by a whole number first. So all environments have one observation space. The
    tools' places are places of the picture, as fractions or pixels; those beside the page mean its edge. Texts, such as
    feedback and programs, keep the coordinates of the page.

    Args:
        env: the environment; it takes one call a step.
        height: of the picture in pixels.
        width: of the picture in pixels.

    Attributes:
        page_size: height and width of the picture.
        padding: how many pixels of the picture are below the page, and to the right of it.

    Raises:
        ValueError: if the picture has no pixels, or the environment shows no page, takes lists of calls, or has a
            ruler around its page already.
    """

    def __init__(self, env: gym.Env[Observation, Any], height: int, width: int) -> None:
        RecordConstructorArgs.__init__(self, height=height, width=width)
        super().__init__(env)
        if min(height, width) < 1:
            raise ValueError(f"a picture needs at least one row and one column, not {height} and {width}")
        if env.has_wrapper_attr("page_corner"):
            raise ValueError("the page is in a ruler's frame; put PadPage inside of Ruler")
        shown, full = check_page(env), env.get_wrapper_attr("page_size")
        self.page_size = height, width
        self._divisor = max(-(-have // room) for have, room in zip(shown, self.page_size, strict=True))
        self.padding = height - -(-shown[0] // self._divisor), width - -(-shown[1] // self._divisor)
        self._sides = [
            _Side(length, page, Fraction(have, self._divisor * page))
            for length, page, have in zip(self.page_size, full, shown, strict=True)
        ]
        self._inner = single_tools(env)
        self._outer = ToolSpace([self._on_picture(tool) for tool in self._inner.tools])
        self.action_space = self._outer
        assert isinstance(env.observation_space, spaces.Dict)
        inner = env.observation_space.spaces
        self._pages = [name for name, space in inner.items() if isinstance(space, PageSpace)]
        self.observation_space = spaces.Dict(inner | {name: PageSpace(height, width) for name in self._pages})

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._padded(observation), info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take a step; ``info["actions"]`` holds the translated action."""
        error = ""
        try:
            tool, arguments = self._outer.parse(action)
            translated = self._inner.from_call(self._moved({"tool": tool.name, **arguments}, _Side.to_page))
        except ToolError as refusal:
            translated, error = {"tool": None, "call": self._outer.to_call(action)}, str(refusal)
        observation, reward, terminated, truncated, info = self.env.step(translated)
        info = {"actions": [translated]} | info | ({"feedback": error} if error else {})
        return self._padded(observation), float(reward), terminated, truncated, info

    def solution(self) -> list[Call]:
        """The environment's solution in places of the picture."""
        return [self._moved(call, _Side.to_picture) for call in self.env.get_wrapper_attr("solution")()]

    def _on_picture(self, tool: Tool) -> Tool:
        """A tool with its coordinates on the picture."""
        moved = {
            name: Argument(self._sides[AXES[name]].space(argument.space), argument.description)
            for name, argument in tool.arguments.items()
            if name in AXES
        }
        return replace(tool, arguments={**tool.arguments, **moved})

    def _moved(self, call: Call, move: Callable[[_Side, spaces.Space[Any], float], float]) -> Call:
        """A call with its coordinates moved."""
        places = {n: move(self._sides[AXES[n]], self._inner[n], v) for n, v in call.items() if n in AXES}
        return call | places

    def _padded(self, observation: Observation) -> Observation:
        return observation | {name: self._picture(observation[name]) for name in self._pages}

    def _picture(self, page: Image) -> Image:
        height, width, _ = page.shape
        blocks = _on_desk(page, -(-height // self._divisor) * self._divisor, -(-width // self._divisor) * self._divisor)
        return _on_desk(shrunk(blocks, self._divisor), *self.page_size)


def _on_desk(page: Image, height: int, width: int) -> Image:
    """A page in the left top corner of a picture."""
    if page.shape[:2] == (height, width):
        return page
    picture = np.full((height, width, 3), DESK, np.uint8)
    picture[: page.shape[0], : page.shape[1]] = page
    return picture
