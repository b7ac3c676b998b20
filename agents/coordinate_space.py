"""Coordinates of a model: how pictures are sent, and calls translated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ..envs.core.tools import AXES, Argument, Call, ToolSpace, coordinate, spans_page

Pixels = NDArray[np.uint8]
Size = tuple[int, int]
"""Height and width in pixels."""

UNITS: Mapping[str, str] = {
    "pixel": "in pixels of the picture, from 0 to {limit:g}",
    "fraction": "as a fraction of the picture, from 0 to 1",
    "thousand": "in thousandths of the picture, from 0 to 1000",
}
"""The units of a model's coordinates, with what it reads about them; all count from the top left corner."""
_SIDES = ("top", "left")
_MEANINGS = {
    **dict.fromkeys(("x0", "y0"), "From where"),
    **dict.fromkeys(("x1", "y1"), "To where"),
    **{side: f"The {side} edge" for side in ("left", "top", "right", "bottom")},
}
_LESS_THAN_A_PIXEL = 1e-9
"""Added to fractions before they are rounded down to whole pixels: 0.29 * 100 is 28.999999999999996."""


def limits(unit: str, size: Size) -> tuple[float, float]:
    """The greatest coordinates down and across a picture of a size.

    Raises:
        ValueError: if there is no such unit.
    """
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")
    constant = {"fraction": 1.0, "thousand": 1000.0}.get(unit)
    return (float(size[0]), float(size[1])) if constant is None else (constant, constant)


def rounded(value: float, unit: str | None) -> float:
    """A coordinate as short as it may be: whole, or four decimals of a fraction."""
    return round(value) if unit in ("pixel", "thousand") else round(value, 4)


def fitted(size: Size, max_side: int | None) -> Size:
    """A size with its longer side shrunk to ``max_side``, if that is less.

    Raises:
        ValueError: if ``max_side`` is below 1.
    """
    if max_side is not None and max_side < 1:
        raise ValueError(f"max_side must be at least 1 pixel, not {max_side}")
    scale = min(1.0, (max_side or max(size)) / max(size))
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


@dataclass(frozen=True)
class PictureView:
    """How a picture is prepared for a model: cropped, resized and padded.

    >>> PictureView.whole((2000, 1000), max_side=500).sent_size
    (500, 250)

    Attributes:
        crop: left, top, right and bottom of the part, in pixels.
        size: height and width to which the part is resized.
        padding: how many white pixels are added at the left, top, right and bottom.
    """

    crop: tuple[float, float, float, float]
    size: Size
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)

    @classmethod
    def whole(cls, picture: Size, max_side: int | None = None) -> PictureView:
        """The whole of a picture, shrunk so that no side is longer than ``max_side``."""
        return cls((0, 0, picture[1], picture[0]), fitted(picture, max_side))

    @classmethod
    def inside(
        cls, part: tuple[float, float], display: Size, corner: tuple[float, float] = (0, 0), enlarge: bool = False
    ) -> PictureView:
        """A part of a picture, shrunk to fit into the top left corner of a display.

        Args:
            part: height and width of the part.
            display: height and width of the display, white where the part does not reach.
            corner: left and top of the part.
            enlarge: whether a smaller part is enlarged.
        """
        scale = min(display[0] / part[0], display[1] / part[1])
        scale = scale if enlarge else min(scale, 1.0)
        size = max(1, round(part[0] * scale)), max(1, round(part[1] * scale))
        crop = (corner[0], corner[1], corner[0] + part[1], corner[1] + part[0])
        return cls(crop, size, (0, 0, display[1] - size[1], display[0] - size[0]))

    @property
    def sent_size(self) -> Size:
        """Height and width of the picture that is sent."""
        left, top, right, bottom = self.padding
        return self.size[0] + top + bottom, self.size[1] + left + right

    def image(self, picture: Pixels) -> Pixels:
        """The picture that is sent, an array of its own."""
        height, width = self.size
        left, top, right, bottom = self.crop
        is_whole = all(edge == int(edge) for edge in self.crop)
        if is_whole and (int(bottom - top), int(right - left)) == self.size:
            part = np.array(picture[int(top) : int(top) + height, int(left) : int(left) + width])
        else:
            whole = PillowImage.fromarray(np.array(picture))
            part = np.array(whole.resize((width, height), PillowImage.Resampling.LANCZOS, self.crop))
        left, top, right, bottom = self.padding
        return np.pad(part, ((top, bottom), (left, right), (0, 0)), constant_values=255) if any(self.padding) else part

    def sent(self, axis: int, position: float) -> float:
        """Where a position of the picture is in the sent one; axis 0 is down, 1 across."""
        low, high = self.crop[1 - axis], self.crop[3 - axis]
        return (position - low) / (high - low) * self.size[axis] + self.padding[1 - axis]


@dataclass(frozen=True)
class CoordinateSpace:
    """Translates calls between a model's coordinates and those of the tools.

    A model counts in a unit over the picture that it was sent, from its top left corner. A point beside the page, such
    as on a ruler or in the padding, means the nearest edge of the page; a tool that takes whole pixels gets the pixel
    that the point is in. Only places are translated: lengths, such as how far to scroll, and texts, such as feedback,
    stay in the units of the tools.

    Attributes:
        tools: what the environment takes.
        page_size: height and width of the page as tools count them.
        page_edges: for both axes, where the page begins and ends in the picture that is sent, in the model's unit.
        limits: the greatest coordinates down and across that picture, in the model's unit.
        unit: one of ``UNITS``.
    """

    tools: ToolSpace
    page_size: Size
    page_edges: tuple[tuple[float, float], tuple[float, float]]
    limits: tuple[float, float]
    unit: str

    @classmethod
    def of_view(
        cls,
        tools: ToolSpace,
        page_size: Size,
        end: Size,
        view: PictureView,
        unit: str,
        corner: tuple[int, int] = (0, 0),
    ) -> CoordinateSpace:
        """The coordinates on a view of a picture.

        Args:
            tools: what the environment takes.
            page_size: height and width of the page as tools count them.
            end: the bottom and right edges of the page in the picture that is observed.
            view: what is sent of the picture.
            unit: one of ``UNITS``.
            corner: the top left corner of the page in the observed picture, x and y.

        Raises:
            ValueError: if there is no such unit.
        """
        most = limits(unit, view.sent_size)
        per_pixel = [greatest / side for greatest, side in zip(most, view.sent_size, strict=True)]
        down, across = (
            (view.sent(axis, corner[1 - axis]) * per_pixel[axis], view.sent(axis, end[axis]) * per_pixel[axis])
            for axis in (0, 1)
        )
        return cls(tools, page_size, (down, across), most, unit)

    def model_tools(self) -> ToolSpace:
        """The tools as the model sees them, with its own coordinates."""
        listed = []
        for tool in self.tools.tools:
            moved = {name: self._argument(name, one) for name, one in tool.arguments.items() if name in AXES}
            listed.append(replace(tool, arguments={**tool.arguments, **moved}))
        return ToolSpace(listed)

    def to_tools(self, call: Call) -> Call:
        """A valid call of the model as a call of the environment."""
        return self._moved(call, self._to_page)

    def to_model(self, call: Call) -> Call:
        """A call of the environment as one of the model, such as of a solution."""
        return self._moved(call, self._to_picture)

    def _moved(self, call: Call, move: Callable[[int, spaces.Space[Any], float], float]) -> Call:
        places = {n: move(AXES[n], self.tools[n], v) for n, v in call.items() if n in AXES and n in self.tools.spaces}
        return call | places

    def _to_page(self, axis: int, space: spaces.Space[Any], value: float) -> float:
        low, high = self.page_edges[axis]
        fraction = (value - low) / (high - low)
        if isinstance(space, spaces.Discrete):
            return coordinate(space, fraction + _LESS_THAN_A_PIXEL)
        if spans_page(space):
            return coordinate(space, fraction)
        assert isinstance(space, spaces.Box)
        return min(max(fraction * self.page_size[axis], float(space.low)), float(space.high))

    def _to_picture(self, axis: int, space: spaces.Space[Any], value: float) -> float:
        low, high = self.page_edges[axis]
        length = float(space.high if isinstance(space, spaces.Box) and spans_page(space) else self.page_size[axis])
        return low + value / length * (high - low)

    def _argument(self, name: str, argument: Argument) -> Argument:
        axis, space = AXES[name], argument.space
        low, high = 0.0, self.limits[axis]
        if not spans_page(space):
            assert isinstance(space, spaces.Box)
            low, high = (self._to_picture(axis, space, float(bound)) for bound in (space.low, space.high))
        unit = UNITS[self.unit].format(limit=high)
        description = f"{_MEANINGS.get(name, 'Where')}, counted from the {_SIDES[axis]} edge: {unit}."
        return Argument(spaces.Box(low, high, (), np.float64), description)
