"""MarkLocator: a model that names the numbered box on a page that words mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from ..envs.core.boxes import Box, intersection
from ..envs.core.locators import Detection
from ..envs.core.painting import Image
from .model_agent import Prompts
from .models.model import Block, ImageBlock, Message, Model, TextBlock
from .replies import without_reasoning

_COLOURS = ((214, 39, 40), (31, 119, 180), (44, 140, 60), (148, 70, 180), (200, 100, 10))
_TAG_HEIGHT = 12
_NUMBER = re.compile(r"\d+")


class MarkLocator:
    """Shows a model the page with numbered boxes, and asks which one is meant.

    This is set-of-mark prompting (Yang et al. 2023).

    Args:
        model: is asked; a scripted one or files will do.
        propose: the boxes on a page that are numbered, such as those of ``fieldfinder_model.reading.proposals``.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.

    Raises:
        ValueError: if there is no model, or the prompts are no folder of templates.

    >>> from formgym.agents.models.scripted import Scripted
    >>> locator = MarkLocator(Scripted(["2"]), lambda page: [(0, 0, 9, 9), (20, 20, 60, 40)])
    >>> locator.locate(np.zeros((80, 80, 3), np.uint8), "the lower one")
    [Detection(box=(20, 20, 60, 40), score=1.0)]
    """

    def __init__(
        self, model: Model | None, propose: Callable[[Image], Sequence[Box]], prompts: str | Path | None = None
    ) -> None:
        if model is None:
            raise ValueError("this locator needs a model: openai_compatible, inspect, files or scripted")
        self._model, self._propose, self._prompts = model, propose, Prompts(prompts)

    def locate(self, page: Image, target: str) -> list[Detection]:
        """The box that the model names, if it names one; see ``Locator``.

        Raises:
            ModelError: if the provider fails.
        """
        boxes = list(self._propose(page))
        if not boxes:
            return []
        rules = TextBlock(self._prompts.render("marks", count=len(boxes)))
        pictures = ImageBlock(page), ImageBlock(with_marks(page, boxes), "marks")
        asked: list[Block] = [TextBlock(f"Words: {target}"), *pictures]
        reply = self._model.generate([Message("system", [rules]), Message("user", asked)])
        numbers = [int(number) for number in _NUMBER.findall(without_reasoning(reply.text))]
        named = [number for number in numbers if 1 <= number <= len(boxes)]
        return [Detection(boxes[named[0] - 1], 1.0)] if named else []

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The boxes that the model names, one after another; see ``Locator``."""
        return [self.locate(page, target) for target in targets]


def with_marks(page: Image, boxes: Sequence[Box]) -> Image:
    """A page with outlined boxes and their numbers, from 1, at free places along their edges as far as there are some.

    Args:
        page: uint8 (height, width, 3).
        boxes: in pixels.
    """
    picture = PillowImage.fromarray(page)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(_TAG_HEIGHT - 1)
    taken: list[tuple[int, int, int, int]] = []
    for number, box in enumerate(boxes, start=1):
        colour = _COLOURS[number % len(_COLOURS)]
        draw.rectangle(box, outline=colour)
        size = int(draw.textlength(str(number), font)) + 4, _TAG_HEIGHT
        tag = _free_tag(box, size, page.shape, taken)
        taken.append(tag)
        draw.rectangle(tag, fill=colour)
        draw.text((tag[0] + 2, tag[1] - 1), str(number), (255, 255, 255), font)
    return np.asarray(picture)


def _free_tag(
    box: Box, size: tuple[int, int], shape: tuple[int, ...], taken: Sequence[tuple[int, int, int, int]]
) -> tuple[int, int, int, int]:
    """A place for a number at a corner of its box or farther along the edge, over no other number if there is one."""
    left, top, right, bottom = map(round, box)
    width, height = size
    steps = range(0, max(right - left, 1), width + 1)
    places = [(left + step, y) for y in (top - height, bottom, top) for step in steps]
    tags = []
    for x, y in places:
        x, y = min(max(x, 0), shape[1] - width - 1), min(max(y, 0), shape[0] - height - 1)
        tags.append((x, y, x + width, y + height))
    return next((tag for tag in tags if not any(intersection(tag, other) for other in taken)), tags[0])
