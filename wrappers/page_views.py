"""Other pictures of the page: padded, enlarged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from PIL import Image as PillowImage

from ..envs.core.painting import DESK, Frame, Image, shrunk
from ..envs.core.spaces import Observation, PageSpace, extended
from ..envs.core.tools import AXES, Argument, Call, Tool, ToolError, ToolSpace, spans_page
from .tool_wrapper import ToolWrapper, Translated, called_tools, check_page, check_unpadded, own_tool, single_tools


@dataclass(frozen=True)
class _Side:
    """A side of the picture, and the page along it.

    Attributes:
        length: of the picture in pixels.
        page: length of its paper in pixels, as tools count them.
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


class PadPage(ToolWrapper, RecordConstructorArgs):
    """Puts the page into the left top corner of a picture of a fixed size.

    A page that is too large is shrunk by a whole number first. So all environments have one observation space. The
    tools' places are places of the picture, as fractions or pixels; those beside the page mean its edge. Texts, such as
    feedback and programs, keep the coordinates of the page.

    >>> env = PadPage(gym.make("FormGym/Scans-v0"), height=1200, width=1200)
    >>> env.observation_space["page"].shape
    (1200, 1200, 3)

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
        _check_size(height, width)
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
        inner = single_tools(env)
        super().__init__(env, inner, ToolSpace([self._on_picture(tool) for tool in inner.tools]))
        observed = cast(spaces.Dict, env.observation_space)
        self._pages = [name for name, space in observed.items() if isinstance(space, PageSpace)]
        self.observation_space = extended(env, **{name: PageSpace(height, width) for name in self._pages})

    @property
    def paper_sizes(self) -> Mapping[str, tuple[int, int]]:
        """The whole pictures: places are places of them, padding included."""
        return dict.fromkeys(self._pages, self.page_size)

    def begin(self) -> None:
        """Measure places by the paper of this episode's page."""
        papers = self._base.state.paper
        self._sides = [replace(side, page=paper) for side, paper in zip(self._sides, papers, strict=True)]

    def translate(self, action: Any, tool: Tool, arguments: dict[str, Any]) -> Translated:
        """The call with its places on the page."""
        return Translated(self._inner.from_call(self._moved({"tool": tool.name, **arguments}, _Side.to_page)))

    def observation(self, observation: Observation) -> Observation:
        """The observation with its pages padded."""
        return observation | {name: self._picture(observation[name]) for name in self._pages}

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


ZOOM = "zoom"
"""The name of the tool and of the observation."""
_ABOUT = "Enlarge a part of the page in a second picture. Nothing on the page changes."
_SIDES = ("left", "top", "right", "bottom")
_PAPER = 236
_MIN_SIDE = 8
"""The smallest side of an enlarged part, in pixels of the page."""
Region = tuple[float, float, float, float]


class Zoom(ToolWrapper, RecordConstructorArgs):
    """Adds ``zoom(left, top, right, bottom)`` and the picture ``observation["zoom"]``.

    The picture has one size and shows the part as it is now, enlarged from the page in full resolution, also where a
    smaller one is observed; it is all zeros before the first use. The coordinates of all tools stay those of the page,
    also of ``zoom``. It costs a step like any other tool and changes nothing. What other wrappers draw on the page is
    not in the picture.

    >>> env = Zoom(gym.make("FormGym/Scans-v0"), height=300, width=400)
    >>> _ = env.reset(seed=0)
    >>> call = {"tool": "zoom", "left": 0.0, "top": 0.0, "right": 0.5, "bottom": 0.25}
    >>> env.step(env.action_space.from_call(call))[0]["zoom"].shape
    (300, 400, 3)

    Args:
        env: the environment, ``ActionBatch`` or not.
        height: of the picture in pixels.
        width: of the picture in pixels.

    Raises:
        ValueError: if the picture has no pixels, the environment shows no page, takes no calls or has a tool ``zoom``
            already, or a wrapper inside has padded the page.
    """

    def __init__(self, env: gym.Env[Observation, Any], height: int = 768, width: int = 1024) -> None:
        RecordConstructorArgs.__init__(self, height=height, width=width)
        _check_size(height, width)
        check_page(env)
        check_unpadded(env)
        self._shape = height, width, 3
        inner = called_tools(env)
        self._spaces = {side: _space(side, inner) for side in _SIDES}
        arguments = {side: Argument(space, f"The {side} edge of the part.") for side, space in self._spaces.items()}
        super().__init__(env, inner, ToolSpace([*inner.tools, own_tool(ZOOM, _ABOUT, arguments)]))
        self.observation_space = extended(env, **{ZOOM: spaces.Box(0, 255, self._shape, np.uint8)})
        self._region: Region | None = None

    def begin(self) -> None:
        """Nothing is enlarged."""
        self._region = None

    def translate(self, action: Any, tool: Tool, arguments: dict[str, Any]) -> Translated:
        """The call as it is; ``zoom`` is answered here."""
        if tool.name != ZOOM:
            return Translated(self._inner.from_call({"tool": tool.name, **arguments}))
        ends = [self._fraction(side, arguments[side]) for side in _SIDES]
        if ends[0] >= ends[2] or ends[1] >= ends[3]:
            raise ToolError("zoom: left must be less than right, and top less than bottom.")
        edges = ", ".join(f"{side} {arguments[side]:g}" for side in _SIDES)
        reply = f"The enlarged picture shows this part of the page: {edges}."
        return Translated(self.refused(action, reply), is_answered=True, details=tuple(ends))

    def note(self, carried_out: Sequence[Translated]) -> None:
        """Show the part that was enlarged last."""
        self._region = next((one.details for one in reversed(carried_out) if one.details), self._region)

    def observation(self, observation: Observation) -> Observation:
        """The observation with the enlarged part."""
        return observation | {ZOOM: self._picture()}

    def _fraction(self, side: str, value: float) -> float:
        space = self._spaces[side]
        return float(value) / float(space.n if isinstance(space, spaces.Discrete) else cast(spaces.Box, space).high)

    def _picture(self) -> Image:
        """The part, as large as it fits into the picture."""
        picture = np.zeros(self._shape, np.uint8)
        if self._region is None:
            return picture
        height, width = self._base.state.paper
        page = self._full_page()[:height, :width]
        left, right = _at_least(self._region[0] * width, self._region[2] * width, width)
        top, bottom = _at_least(self._region[1] * height, self._region[3] * height, height)
        scale = min(self._shape[0] / (bottom - top), self._shape[1] / (right - left))
        size = max(1, round((right - left) * scale)), max(1, round((bottom - top) * scale))
        box = (left, top, right, bottom)
        picture[:] = _PAPER
        picture[: size[1], : size[0]] = np.asarray(
            PillowImage.fromarray(page).resize(size, PillowImage.Resampling.LANCZOS, box)
        )
        return picture

    def _full_page(self) -> Image:
        """The page in full resolution, whatever size is observed."""
        if self._base.page().shape[:2] == self._base.page_size:
            return self._base.page()
        frame = Frame(np.empty((*self._base.page_size, 3), np.uint8))
        frame.show(self._base.state.background, self._base.state.layers, self._base.state.scroll_y)
        return frame.buffer


def _space(side: str, tools: ToolSpace) -> spaces.Space[Any]:
    """The space of a side: that of the tools' own; or what x and y span, if that is the page; or fractions."""
    x, y = tools.spaces.get("x"), tools.spaces.get("y")
    spanned = x is not None and y is not None and spans_page(x) and spans_page(y)
    default = (y if AXES[side] == 0 else x) if spanned else spaces.Box(0.0, 1.0, (), np.float64)
    return cast(spaces.Space[Any], tools.spaces.get(side, default))


def _check_size(height: int, width: int) -> None:
    if min(height, width) < 1:
        raise ValueError(f"a picture needs at least one row and one column, not {height} and {width}")


def _at_least(low: float, high: float, limit: int) -> tuple[float, float]:
    """A part of a side that is not too small to be enlarged."""
    middle, half = (low + high) / 2, max((high - low) / 2, min(_MIN_SIDE, limit) / 2)
    middle = min(max(middle, half), limit - half)
    return max(middle - half, 0.0), min(middle + half, float(limit))
