"""Write PNG files of painted pages."""

from __future__ import annotations

import io
from pathlib import Path

from PIL import Image as PillowImage

from ...core.files import atomic_write
from ..painting.view import painted
from ..scene.document import Document


def write_png(document: Document, path: Path) -> None:
    """Write the pages of a document as PNG files, numbered if there are several.

    Raises:
        OSError: if a file cannot be written.
    """
    for number, file in enumerate(page_paths(path, len(document.pages))):
        buffer = io.BytesIO()
        PillowImage.fromarray(painted(document, number)).save(buffer, "PNG")
        atomic_write(file, buffer.getvalue())


def page_paths(path: Path, pages: int) -> list[Path]:
    """The path of each page's file: ``path``, or with numbers from 1 if several."""
    if pages == 1:
        return [path]
    return [path.with_name(f"{path.stem}-{number + 1}{path.suffix}") for number in range(pages)]
