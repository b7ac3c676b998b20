"""Blocks: what an observation says and shows, as texts and pictures."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from ..envs.core.pages import png_bytes
from .coordinate_space import Pixels, View

PAGES = {
    "page": "The page to work on:",
    "source_page": "The page to take facts from:",
    "zoom": "The enlarged part of the page:",
}
"""What is written before each picture where there are several."""


@dataclass(frozen=True)
class TextBlock:
    """A text for a model or a person."""

    text: str


@dataclass(frozen=True, eq=False)
class ImageBlock:
    """A picture for a model or a person.

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
    observation: Mapping[str, Any], views: Mapping[str, View], last: Mapping[str, Any]
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
