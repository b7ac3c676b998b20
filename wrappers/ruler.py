"""Coordinates drawn on the page: a ruler around it, a grid over it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from PIL import Image as PillowImage
from PIL import ImageDraw

from ..envs.core.painting import Image
from ..envs.core.spaces import Observation, PageSpace, extended
from ..envs.core.text_sprites import TYPED_FACE, font
from ..envs.core.tools import AXES, is_fraction
from .tool_wrapper import check_page, shrink_factor

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv

_PAPER, _PRINT = (236, 236, 236), (20, 20, 20)


class Ruler(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Frames ``observation["page"]`` with a ruler at the top and left (FormFactory).

    Nothing on the page is covered: the picture grows by ``margin`` pixels, and the zero of both scales is the page's
    own corner. Unless ``unit`` says otherwise, numbers on the scales are what the tools take as coordinates.

    >>> env = Ruler(gym.make("FormFactory/NDA-v0"), margin=40)
    >>> env.observation_space["page"].shape, env.page_corner
    ((808, 1064, 3), (40, 40))

    Args:
        env: the environment; its observations have a ``"page"``.
        unit: ``"fraction"``: the edges read 0 to 1; ``"pixel"``: they read pixels of the page; ``None``: what the tools
            take.
        margin: the thickness of the ruler in pixels.

    Attributes:
        page_corner: the left top corner of the page in the picture, x and y in pixels.

    Raises:
        ValueError: if ``unit`` is none of these, or the margin is below 24.
    """

    def __init__(self, env: gym.Env[Observation, Any], unit: str | None = None, margin: int = 40) -> None:
        RecordConstructorArgs.__init__(self, unit=unit, margin=margin)
        super().__init__(env)
        unit = unit_of(env, unit)
        if margin < 24:
            raise ValueError(f"margin must be at least 24 pixels, not {margin}")
        height, width = check_page(env)
        inner_x, inner_y = env.get_wrapper_attr("page_corner") if env.has_wrapper_attr("page_corner") else (0, 0)
        self.page_corner = inner_x + margin, inner_y + margin
        self._margin, self._unit, self._factor = margin, unit, shrink_factor(env)
        self._framed = np.full((height + margin, width + margin, 3), _PAPER, np.uint8)
        self._measured = (0, 0)
        self.observation_space = extended(env, page=PageSpace(height + margin, width + margin))

    @property
    def paper_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Height and width of the paper in each picture; of the page with its ruler."""
        papers: Mapping[str, tuple[int, int]] = self.env.get_wrapper_attr("paper_sizes")
        height, width = papers["page"]
        return {**papers, "page": (height + self._margin, width + self._margin)}

    def observation(self, observation: Observation) -> Observation:
        """The observation with its page in the ruler's frame."""
        self._measure(*self.env.get_wrapper_attr("paper_sizes")["page"])
        page = self._framed.copy()
        page[self._margin :, self._margin :] = observation["page"]
        return observation | {"page": page}

    def _measure(self, height: int, width: int) -> None:
        """Draw the scales along a paper, if it has another size than the last one."""
        if self._measured != (height, width):
            margin, self._measured = self._margin, (height, width)
            self._framed[...] = _PAPER
            self._framed[:margin, margin : margin + width] = _scale(width, margin, self._unit, self._factor)
            left = _scale(height, margin, self._unit, self._factor, upright=True)
            self._framed[margin : margin + height, :margin] = left


def unit_of(env: gym.Env[Observation, Any], unit: str | None) -> str:
    """The unit of the scales: ``unit``, or the unit of the tools if that is ``None``.

    Raises:
        ValueError: if it is neither ``"fraction"`` nor ``"pixel"``.
    """
    if unit is None:
        arguments = cast("PaperworkEnv", env.unwrapped).action_space.spaces
        taken = [space for name, space in arguments.items() if name in AXES]
        return "fraction" if taken and all(map(is_fraction, taken)) else "pixel"
    if unit not in ("fraction", "pixel"):
        raise ValueError(f"unit must be 'fraction' or 'pixel', not {unit!r}")
    return unit


def _scale(length: int, margin: int, unit: str, factor: int, *, upright: bool = False) -> Image:
    """A scale of ``length`` pixels, with numbers and ticks; ``upright`` if vertical."""
    shape = (margin, length) if upright else (length, margin)
    picture = PillowImage.new("RGB", shape, _PAPER)
    draw = ImageDraw.Draw(picture)
    face = font(TYPED_FACE, max(8, margin * 3 // 10))
    for at, label in _ticks(length, unit, factor):
        reach = margin // 4 if label else margin // 8
        line = (margin - reach, at, margin, at) if upright else (at, margin - reach, at, margin)
        draw.line(line, fill=_PRINT)
        if label:
            near = min(max(at, 12), length - 12)
            place = (margin * 3 // 8, near) if upright else (near, margin * 3 // 8)
            draw.text(place, label, fill=_PRINT, font=face, anchor="mm")
    return np.asarray(picture)


def _ticks(length: int, unit: str, factor: int) -> list[tuple[int, str]]:
    """Where ticks are, in pixels, and their labels; small ticks have none."""
    if unit == "pixel":
        return [(at, str(at * factor) if at % 100 == 0 else "") for at in range(0, length, 20)]
    places = [(min(round(length * i / 100), length - 1), i) for i in range(0, 101)]
    return [(at, f"{i / 100:.2f}".rstrip("0").rstrip(".") if i % 5 == 0 else "") for at, i in places]


_COLOUR = np.array((220, 40, 40), np.uint16)
_LINE, _LABEL = 90, 230
"""The strength of lines and of labels, of 255."""


class GridOverlay(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Draws a grid over ``observation["page"]``, its lines labelled with x and y.

    What is under a line stays legible. The page keeps its size. A ``Ruler`` goes around it, not into it.

    >>> env = GridOverlay(gym.make("FormFactory/NDA-v0"), parts=10)
    >>> observation, _ = env.reset(seed=0)
    >>> bool((observation["page"] == env.unwrapped.page()).all())
    False

    Args:
        env: the environment; its observations have a ``"page"``.
        unit: ``"fraction"``: labels read 0 to 1; ``"pixel"``: they read pixels of the page; ``None``: what the tools
            take.
        parts: how many parts each side is cut into, from 2 to 50.

    Raises:
        ValueError: if ``unit`` is none of these, ``parts`` is out of range, or the page is in a ruler's frame already.
    """

    def __init__(self, env: gym.Env[Observation, Any], unit: str | None = None, parts: int = 20) -> None:
        RecordConstructorArgs.__init__(self, unit=unit, parts=parts)
        super().__init__(env)
        unit = unit_of(env, unit)
        if not 2 <= parts <= 50:
            raise ValueError(f"parts must lie between 2 and 50, not {parts}")
        height, width = check_page(env)
        if (height, width) != check_page(env.unwrapped):
            raise ValueError("the page is in a frame; put GridOverlay inside of Ruler")
        self._grid = partial(_grid, unit=unit, n=parts, factor=shrink_factor(env))
        self._measured = (0, 0)

    def observation(self, observation: Observation) -> Observation:
        """The observation with the grid on its page."""
        height, width = self.env.get_wrapper_attr("paper_sizes")["page"]
        if self._measured != (height, width):
            self._measured = (height, width)
            strength = np.asarray(self._grid(height, width), np.uint16)
            self._where = np.nonzero(strength)
            self._strength = strength[self._where][:, None]
        page: Image = observation["page"].copy()
        page[self._where] = (page[self._where] * (255 - self._strength) + (self._strength * _COLOUR + 127)) // 255
        return observation | {"page": page}


def _grid(height: int, width: int, unit: str, n: int, factor: int) -> PillowImage.Image:
    """The strength of the grid at each pixel, 0 to 255."""
    picture = PillowImage.new("L", (width, height))
    draw = ImageDraw.Draw(picture)
    xs, ys = ([round(length * i / n) for i in range(1, n)] for length in (width, height))
    for x in xs:
        draw.line((x, 0, x, height), fill=_LINE)
    for y in ys:
        draw.line((0, y, width, y), fill=_LINE)
    face = font(TYPED_FACE, max(9, height // 120))
    for i, x in enumerate(xs, start=1):
        draw.text((x + 2, 1), _label(i, n, x * factor, unit), fill=_LABEL, font=face)
    for i, y in enumerate(ys, start=1):
        draw.text((2, y + 1), _label(i, n, y * factor, unit), fill=_LABEL, font=face)
    return picture


def _label(i: int, n: int, at: int, unit: str) -> str:
    return str(at) if unit == "pixel" else f"{i / n:.2f}"
