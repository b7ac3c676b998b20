"""The pictures of a capture: pages and the small ones of its sheet."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from ...core.pages import page_image
from ...core.painting import Image
from .faces import Face, load_face
from .files import Capture, Layout, load_capture


class Pictures:
    """What a capture looks like.

    Args:
        folder: the capture's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.capture: Capture = load_capture(folder)
        with PillowImage.open(folder / "sheet.webp") as picture:
            sheet = np.asarray(picture.convert("RGB"))
        self.small = [np.ascontiguousarray(sheet[y : y + h, x : x + w]) for x, y, w, h in self.capture.sheet]
        self._faces = [load_face((folder / name).resolve()) for name in self.capture.faces]

    def face(self, number: int) -> Face:
        """A face by its number."""
        return self._faces[number]

    def page(self, layout: Layout) -> Image:
        """The picture of a page: uint8 (layout.height, viewport width, 3), read-only."""
        return page_image(self.folder / layout.picture, (layout.height, self.capture.viewport[0]))


@lru_cache(maxsize=128)
def load_pictures(folder: Path) -> Pictures:
    """The pictures of the capture in a folder.

    Raises:
        ValueError: if the capture is missing or broken.
        OSError: if a picture is missing.
    """
    return Pictures(folder)
