"""Screenshots decoded faster than Pillow does it."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

Image = NDArray[np.uint8]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PLAIN_RGB = bytes((8, 2, 0, 0, 0))  # 8 bits, RGB, not interlaced
_UP = 2


def decoded(png: bytes) -> Image:
    """The pixels of a PNG: uint8 (height, width, 3).

    Chromium's fast encoder filters each line by the one above it, which is undone here a line at a time. Whatever else
    comes is left to Pillow.
    """
    header, data = b"", []
    for kind, content in _chunks(png):
        if kind == b"IHDR":
            header = content
        elif kind == b"IDAT":
            data.append(content)
    width, height = int.from_bytes(header[:4], "big"), int.from_bytes(header[4:8], "big")
    if header[8:] == _PLAIN_RGB:
        lines = np.frombuffer(zlib.decompress(b"".join(data), bufsize=height * (3 * width + 1)), np.uint8)
        lines = lines.reshape(height, 3 * width + 1)
        if (lines[:, 0] == _UP).all():
            return _summed(lines[:, 1:]).reshape(height, width, 3)
    return np.array(Pictures.open(io.BytesIO(png)).convert("RGB"))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    start = len(_SIGNATURE)
    while start < len(png):
        length = int.from_bytes(png[start : start + 4], "big")
        yield png[start + 4 : start + 8], png[start + 8 : start + 8 + length]
        start += 12 + length


def _summed(differences: Image) -> Image:
    """Each line added to those above it. A loop over lines is four times as fast as ``np.add.accumulate``."""
    pixels = np.empty(differences.shape, np.uint8)
    pixels[0] = differences[0]
    for line in range(1, len(pixels)):
        np.add(pixels[line - 1], differences[line], pixels[line])
    return pixels
