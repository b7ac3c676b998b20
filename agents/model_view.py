"""What a model sees of an environment, and its calls as the environment's actions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from ..envs.core.spaces import Observation
from ..envs.core.tools import Call, ToolError, ToolSpace
from .blocks import Block, TextBlock, changes_of
from .coordinate_space import CoordinateSpace, Size, View


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
        views: Mapping[str, View],
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
