"""What a model sees of an environment: blocks of text and pictures; its calls as actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..envs.core.painting import Image
from ..envs.core.spaces import Observation
from ..envs.core.tools import Call, ToolError, ToolSpace
from .coordinate_space import CoordinateSpace, PictureView, Size
from .models.model import Block, ImageBlock, TextBlock

PAGES = {
    "page": "The page to work on:",
    "source_page": "The page to take facts from:",
    "zoom": "The enlarged part of the page:",
}
"""What is written before each picture where there are several."""


class ModelView:
    """Observations as texts and pictures, and a model's calls as actions.

    Args:
        tools: what the environment takes.
        views: how each picture that is observed is sent, by its name; one is the ``"page"``, which ends where its crop
            does.
        page_size: height and width of the page as the tools count them.
        page_corner: the left top corner of the page in its picture, x and y.
        unit: the unit of the model's coordinates, one of ``coordinate_space.UNITS``, measured on the picture that it
            gets; ``None``: the tools' own units.

    Attributes:
        views: how each picture is sent, by its name.
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
            _, _, right, bottom = views["page"].crop
            end = round(bottom), round(right)
            self._space = CoordinateSpace.of_view(tools, page_size, end, views["page"], unit, page_corner)
        self.tools = tools if self._space is None else self._space.model_tools()
        self._last: Observation = {}

    def changes(self, observation: Mapping[str, Any]) -> tuple[dict[str, str], list[Block]]:
        """The texts by name, and the pictures, that differ from the last observation.

        Of a text whose first paragraph alone differs, that is all. Feedback is left out, which comes with the call that
        it is on; so are pictures that are black all over.
        """
        # Copies: an environment may paint its next page into the same array.
        new = {name: np.array(value) if isinstance(value, np.ndarray) else value for name, value in observation.items()}
        changed = {name: value for name, value in new.items() if not np.array_equal(self._last.get(name, ""), value)}
        last, self._last = self._last, new
        texts = dict(
            _changed_part(name, text, last.get(name, ""))
            for name, text in changed.items()
            if isinstance(text, str) and name != "feedback"
        )
        pictures: list[Block] = []
        for name in (name for name in self.views if name in changed and changed[name].any()):
            pictures += [TextBlock(PAGES[name])] if len(self.views) > 1 else []
            pictures.append(ImageBlock(self.views[name].image(changed[name]), name))
        return texts, pictures

    def blocks(self, observation: Mapping[str, Any]) -> list[Block]:
        """What differs from the last observation, as blocks; feedback is left out."""
        texts, pictures = self.changes(observation)
        return [*map(TextBlock, texts.values()), *pictures]

    def changed_pages(self, pages: Sequence[tuple[str, Image]]) -> list[Block]:
        """Other pages that have changed, by their names: pictures no larger than that of the page."""
        longest = max(self.views["page"].sent_size)
        blocks: list[Block] = []
        for name, picture in pages:
            view = PictureView.whole((picture.shape[0], picture.shape[1]), longest)
            blocks += [
                TextBlock(f"{name.capitalize()} has changed, too:"),
                ImageBlock(view.image(picture), name.replace(" ", "_")),
            ]
        return blocks

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


def _changed_part(name: str, text: str, last: str) -> tuple[str, str]:
    """Name and text of what has changed: the first paragraph, such as the number of a page, or all of it."""
    head, *rest = text.partition("\n\n")
    is_all = not rest[1] or rest != list(last.partition("\n\n")[1:])
    return (name, text) if is_all else (f"beginning of the {name} text", head)
