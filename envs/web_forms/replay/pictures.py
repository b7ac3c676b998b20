"""The pictures of a capture: pages and the small ones of its sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from ...core.asset_cache import cached
from ...core.pages import page_image
from ...core.painting import Image, Patch
from .files import Box, Capture, Layout, Place, load_capture
from .fonts import Face, load_face
from .lines import Even


class Pictures:
    """What a capture looks like.

    Args:
        folder: the capture's.

    Attributes:
        even: by a place's identity and a control's flags: the room for text, and its colour if it has but one.
        patches: likewise: how the control looks; ``None``: as in the page's picture.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.capture: Capture = load_capture(folder)
        with PillowImage.open(folder / "sheet.webp") as picture:
            sheet = np.asarray(picture.convert("RGB"))
        self.small = [np.ascontiguousarray(sheet[y : y + h, x : x + w]) for x, y, w, h in self.capture.sheet]
        self._areas: dict[int, list[tuple[int, float, float, float, float]]] = {}
        self.even: dict[tuple[int, str], Even | None] = {}
        self.patches: dict[tuple[int, str], Patch | None] = {}
        self._faces = [load_face((folder / name).resolve()) for name in self.capture.faces]

    def __reduce__(self) -> tuple[Any, ...]:
        """Those of a folder are loaded once in a process; a copy is the same."""
        return load_pictures, (self.folder,)

    def face(self, number: int) -> Face:
        """A face by its number."""
        return self._faces[number]

    def near(self, layout: Layout, x: float, y: float) -> list[int]:
        """The numbers of the controls that may be, with their labels and buttons, at a point of a page, in order."""
        areas = self._areas.get(id(layout))
        if areas is None:
            areas = self._areas[id(layout)] = [(place.id, *_around(place)) for place in layout.places]
        return [i for i, left, top, right, bottom in areas if left <= x < right and top <= y < bottom]

    def page(self, layout: Layout) -> Image:
        """The picture of a page: uint8 (layout.height, viewport width, 3), read-only."""
        return page_image(self.folder / layout.picture, (layout.height, self.capture.viewport[0]))


def _around(place: Place) -> Box:
    boxes = [place.box, *place.labels, *([place.calendar_button] if place.calendar_button else [])]
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


@cached
def load_pictures(folder: Path) -> Pictures:
    """The pictures of the capture in a folder.

    Raises:
        ValueError: if the capture is missing or broken.
        OSError: if a picture is missing.
    """
    return Pictures(folder)
