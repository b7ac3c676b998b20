"""The words of pages as OCR reads them, kept on disk: reading is most of the time of an evaluation."""

from __future__ import annotations

import hashlib
import json
import time
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from ...envs.core.files import atomic_write, cache_folder
from ..examples import Gray, Word
from ..processors import threads
from ..reading import ocr

_LIBRARIES = ("rapidocr", "onnxruntime", "opencv-python-headless")


class ReadWords(NamedTuple):
    """The words of a page, and the wall and CPU seconds that reading took when the page was read."""

    words: list[Word]
    seconds: float
    cpu_seconds: float


def read_words(gray: Gray) -> ReadWords:
    """The words of a page, read once on this machine for each version of what reads it, and number of threads.

    Args:
        gray: uint8 (height, width).

    Raises:
        ImportError: if the page must be read and RapidOCR is not installed.
    """
    digest = hashlib.sha256(f"{_reader()} {threads()} {gray.shape}".encode() + gray.tobytes()).hexdigest()[:32]
    file = cache_folder() / "words" / f"{digest}.json"
    kept = _kept(file)
    if kept is None:
        kept = _read(gray)
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, json.dumps(kept).encode())
    return kept


@lru_cache(maxsize=1)
def _reader() -> str:
    """What the words of a page depend on besides the page: our code, and the libraries that it calls."""
    code = hashlib.sha256(Path(ocr.__file__).read_bytes()).hexdigest()
    with suppress(PackageNotFoundError):
        return " ".join((code, *map(version, _LIBRARIES)))
    return code


def _read(gray: Gray) -> ReadWords:
    wall, cpu = time.perf_counter(), time.process_time()
    words = ocr.ocr_words(gray)
    return ReadWords(words, time.perf_counter() - wall, time.process_time() - cpu)


def _kept(file: Path) -> ReadWords | None:
    """What a file holds; ``None`` if it is missing or broken."""
    try:
        words, seconds, cpu_seconds = json.loads(file.read_bytes())
        return ReadWords([Word(text, tuple(box)) for text, box in words], float(seconds), float(cpu_seconds))
    except (OSError, ValueError, TypeError):
        return None
