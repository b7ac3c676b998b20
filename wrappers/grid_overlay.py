"""GridOverlay: a grid with coordinates drawn over the page."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from PIL import Image as PillowImage
from PIL import ImageDraw

from ..envs.core.painting import Image
from ..envs.core.spaces import Observation
from ..envs.core.text_sprites import TYPED_FACE, font
from .ruler import check_page, shrink_factor, unit_of

_COLOUR = np.array((220, 40, 40), np.uint16)
_LINE, _LABEL = 90, 230
"""The strength of lines and of labels, of 255."""


class GridOverlay(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Draws a grid over ``observation["page"]``, its lines labelled with x and y.

    What is under a line stays legible. The page keeps its size. A ``Ruler`` goes around it, not into it.

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
        strength = np.asarray(_grid(height, width, unit, parts, shrink_factor(env)), np.uint16).reshape(-1, 1)
        self._where = np.flatnonzero(strength)
        self._keep = 255 - strength[self._where]
        self._ink = strength[self._where] * _COLOUR + 127

    def observation(self, observation: Observation) -> Observation:
        """The observation with the grid on its page."""
        page: Image = observation["page"].copy()
        pixels = page.reshape(-1, 3)
        pixels[self._where] = (pixels[self._where] * self._keep + self._ink) // 255
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
