"""PNG files: pages as they are painted."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from ...core.files import atomic_write
from ...core.painting import Frame, Image
from ..painting.view import background, layers_of
from ..scene.document import Document


def write_png(document: Document, path: Path) -> None:
    """Write the pages of a document; of several, ``name-1.png``, ``name-2.png`` and so on.

    Raises:
        OSError: if a file cannot be written.
    """
    for number, file in enumerate(page_paths(path, len(document.pages))):
        buffer = io.BytesIO()
        PillowImage.fromarray(painted(document, number)).save(buffer, "PNG")
        atomic_write(file, buffer.getvalue())


def page_paths(path: Path, pages: int) -> list[Path]:
    """The files of pages: the path itself for one, and with numbers from 1 for several."""
    if pages == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{number + 1}{path.suffix}") for number in range(pages)]


def painted(document: Document, number: int) -> Image:
    """A page as it is painted: uint8 (height, width, 3); pages are counted from 0."""
    page = document.pages[number]
    pixels = np.empty((page.height, page.width, 3), np.uint8)
    Frame(pixels).show(background(page, number), layers_of(page.elements))
    return pixels
