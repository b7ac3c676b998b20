"""The cache of what is slow to make: pages without their answers, compressed, one file each.

It lies in the cache folder and may be deleted at any time.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.files import cache_folder
from .erasing import Cleared, cleared
from .sources import Source

_VERSION = 5
"""Counted up whenever pages are made in another way."""


def kept_cleared(source: Source, decoys: bool = False) -> Cleared:
    """``cleared``, made once and kept by the content of the page."""
    file = cache_folder() / f"fieldfinder-{_VERSION}" / f"{source.content[:32]}{'-decoys' * decoys}.zip"
    kept = _read(file)
    if kept is None:
        kept = cleared(source, decoys)
        _write(file, kept)
    return kept


def _read(file: Path) -> Cleared | None:
    """What is in a file; ``None`` if it is missing or broken."""
    try:
        with zipfile.ZipFile(file) as content:
            left = json.loads(content.read("left.json"))
            with PillowImage.open(io.BytesIO(content.read("page.png"))) as picture:
                gray = np.asarray(picture.convert("L"))
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    return Cleared(gray, {int(key): float(share) for key, share in left.items()})


def _write(file: Path, made: Cleared) -> None:
    """Keep what was made; two processes may do so at once. Where nothing can be written, nothing is kept."""
    picture = io.BytesIO()
    PillowImage.fromarray(made.gray).save(picture, "PNG")
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as parts:
        parts.writestr("page.png", picture.getvalue())
        parts.writestr("left.json", json.dumps({str(key): share for key, share in made.left.items()}))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=file.parent, prefix=file.stem, delete=False) as unfinished:
            unfinished.write(content.getvalue())
        Path(unfinished.name).replace(file)
    except OSError:
        return
