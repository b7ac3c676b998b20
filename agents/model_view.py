"""What a model sees of an environment: blocks of text and pictures; its calls as actions."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from ..envs.core.pages import png_bytes
from ..envs.core.spaces import Observation
from ..envs.core.tools import Call, ToolError, ToolSpace
from .coordinate_space import CoordinateSpace, PictureView, Pixels, Size

PAGES = {
    "page": "The page to work on:",
    "source_page": "The page to take facts from:",
    "zoom": "The enlarged part of the page:",
}
"""What is written before each picture where there are several."""


@dataclass(frozen=True)
class TextBlock:
    """A text for a model or a person.

    >>> TextBlock("Total: 5").text
    'Total: 5'
    """

    text: str


@dataclass(frozen=True, eq=False)
class ImageBlock:
    """A picture for a model or a person.

    >>> ImageBlock(np.zeros((20, 30, 3), np.uint8)).pillow().size
    (30, 20)

    Attributes:
        pixels: uint8 (height, width, 3).
        name: of the observation that it shows: ``"page"``, ``"source_page"`` or ``"zoom"``.
    """

    pixels: Pixels
    name: str = "page"

    def pillow(self) -> PillowImage.Image:
        """The picture as Pillow's."""
        return PillowImage.fromarray(self.pixels)

    def png(self) -> bytes:
        """The picture as a PNG file."""
        return png_bytes(self.pixels)

    @cached_property
    def data_url(self) -> str:
        """The PNG file as a data URL; made once, since a conversation is sent many times."""
        return f"data:image/png;base64,{base64.b64encode(self.png()).decode()}"

    @cached_property
    def sha256(self) -> str:
        """The digest of the pixels."""
        return hashlib.sha256(self.pixels.tobytes()).hexdigest()


Block = TextBlock | ImageBlock


def changes_of(
    observation: Mapping[str, Any], views: Mapping[str, PictureView], last: Mapping[str, Any]
) -> tuple[dict[str, str], list[Block]]:
    """The texts by name, and the pictures, that differ from the last observation.

    Args:
        observation: of an environment; ``"feedback"`` is left out, which comes with the call that it is on.
        views: how each picture is sent, by its name; one without anything on it, all zeros, is not.
        last: the observation before; empty: everything is new.
    """
    changed = [name for name in observation if not _same(last.get(name, ""), observation[name])]
    texts = {name: observation[name] for name in changed if isinstance(observation[name], str) and name != "feedback"}
    pictures: list[Block] = []
    for name in (name for name in views if name in changed and observation[name].any()):
        pictures += [TextBlock(PAGES[name])] if len(views) > 1 else []
        pictures.append(ImageBlock(views[name].image(observation[name]), name))
    return texts, pictures


def _same(old: Any, new: Any) -> bool:
    """Whether two texts or pictures are the same."""
    return bool(np.array_equal(old, new)) if isinstance(new, np.ndarray) else bool(old == new)


class ModelView:
    """Observations as texts and pictures, and a model's calls as actions.

    Args:
        tools: what the environment takes.
        views: how each picture that is observed is sent, by its name; one is the ``"page"``.
        page_size: height and width of the page as the tools count them.
        page_corner: the left top corner of the page in its picture, x and y.
        unit: of the model's coordinates: ``None``: what the tools take; or one of ``coordinate_space.UNITS``, over the
            picture that it was sent.

    Attributes:
        views: as above.
        tools: as the model sees them; ``tools.schemas`` are their JSON schemas.

    Raises:
        ValueError: if there is no such unit.
    """

    def __init__(
        self,
        tools: ToolSpace,
        views: Mapping[str, PictureView],
        page_size: Size,
        page_corner: tuple[int, int] = (0, 0),
        *,
        unit: str | None = None,
    ) -> None:
        self._inner = tools
        self.views = views
        self._space: CoordinateSpace | None = None
        if unit is not None:
            left, top, right, bottom = views["page"].crop
            size = round(bottom - top), round(right - left)
            self._space = CoordinateSpace.of_view(tools, page_size, size, views["page"], unit, page_corner)
        self.tools = tools if self._space is None else self._space.model_tools()
        self._last: Observation = {}

    def changes(self, observation: Mapping[str, Any]) -> tuple[dict[str, str], list[Block]]:
        """The texts by name, and the pictures, that differ from the last observation."""
        # Copies: an environment may paint its next page into the same array.
        new = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in observation.items()}
        changes = changes_of(new, self.views, self._last)
        self._last = new
        return changes

    def blocks(self, observation: Mapping[str, Any]) -> list[Block]:
        """What differs from the last observation, as blocks; feedback is left out."""
        texts, pictures = self.changes(observation)
        return [*map(TextBlock, texts.values()), *pictures]

    def action(self, name: Any, arguments: Any) -> dict[str, Any]:
        """The environment's action for a call; never raises.

        What is no valid call becomes an action that changes nothing, and whose feedback says why.

        Args:
            name: of the tool.
            arguments: by name, in the model's coordinates; whatever a model has put there.
        """
        call = {"tool": name, "arguments": arguments}
        try:
            if not isinstance(arguments, Mapping | None):
                raise ToolError(f"Arguments are an object of names and values, not {type(arguments).__name__}.")
            if "tool" in (arguments or {}):
                raise ToolError(f"No tool has an argument 'tool'; the tools are {', '.join(self.tools.names)}.")
            call = {"tool": name, **(arguments or {})}
            tool, parsed = self.tools.parse(self.tools.from_call(call))
        except ToolError as error:
            return self.refused(call, str(error))
        return self._inner.from_call(
            call if self._space is None else self._space.to_tools({**parsed, "tool": tool.name})
        )

    def refused(self, call: Any, reason: str) -> dict[str, Any]:
        """An action that costs a step, changes nothing and has ``reason`` as its feedback."""
        # A replay must not take it for a valid call in the units of the tools.
        with suppress(ToolError):
            self._inner.parse(self._inner.from_call(call))
            call = {"refused": call}
        return {"tool": None, "call": call, "refusal": reason}

    def to_model(self, call: Call) -> Call:
        """A call of the environment in the model's coordinates."""
        return call if self._space is None else self._space.to_model(call)
