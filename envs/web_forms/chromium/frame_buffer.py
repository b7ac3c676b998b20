"""Frames as raw pixels, read from the memory of the process that draws them.

A frame as PNG costs Chromium and us five times as much as drawing it, and lacks the native popups of lists, dates and
colours. Linux lets a process read the memory of its descendants; the place is found by two marks that the page shows.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pictures

from .pipe import PageGone

Image = NDArray[np.uint8]

_MARK = 16
_CHUNK = 1 << 22
_LARGEST = 1 << 28
# Where frames were found before: those of the next page are often there again.
_recent: deque[int] = deque(maxlen=64)

UNMARKED = 'document.querySelectorAll("canvas").forEach(canvas => canvas.remove());'
"""A script that removes the marks from a blank page."""
_MARKED = (
    UNMARKED
    + """%s.forEach((pixels, i) => { const canvas = document.createElement("canvas"), width = pixels.length / 4;
  canvas.width = width; canvas.height = 1;
  canvas.style = "position: fixed; " + ["left: 0; top: 0", "right: 0; bottom: 0"][i];
  canvas.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels), width, 1), 0, 0);
  document.documentElement.append(canvas) })"""
)


class FrameBuffer:
    """The frames of one page, of a fixed size.

    Args:
        pid: of the process that draws.
        size: of the frames: width and height in pixels.
        show: runs a script in the page, which is blank, and draws a frame of it.

    Raises:
        LookupError: if the frames cannot be found.
        OSError: if the memory must not be read.
    """

    def __init__(self, pid: int, size: tuple[int, int], show: Callable[[str], None]) -> None:
        width, height = size
        self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        self._raw, self._spare = np.zeros((2, height, width), np.uint32)
        self._picture: Image = np.zeros((height, width, 3), np.uint8)
        self._last_mark = 4 * (width * height - _MARK)
        first, last = _show_marks(show)
        known = (place for place in set(_recent) if self._shows(place, first))
        places = itertools.chain(known, self._found(pid, first))
        self._address = next((place for place in places if self._shows(place + self._last_mark, last)), 0)
        first, last = _show_marks(show)
        if not self._shows(self._address, first) or not self._shows(self._address + self._last_mark, last):
            self.close()
            raise LookupError("the frames that the browser draws are not found in its memory")
        _recent.append(self._address)

    def picture(self) -> Image:
        """The last frame: uint8 (height, width, 3), read-only.

        Raises:
            PageGone: if the process that draws is gone.
        """
        if os.preadv(self._memory, [self._spare.data], self._address) != self._spare.nbytes:
            raise PageGone("the browser's process that draws has ended")
        rows = np.flatnonzero((self._spare != self._raw).any(axis=1))
        self._raw, self._spare = self._spare, self._raw
        if rows.size:
            changed = slice(int(rows[0]), int(rows[-1]) + 1)
            band = self._raw[changed]
            self._picture = self._picture.copy()
            pixels = Pictures.frombuffer("RGB", band.shape[::-1], band.tobytes(), "raw", "BGRX", 0, 1)
            self._picture[changed] = np.asarray(pixels)
            self._picture.flags.writeable = False
        return self._picture

    def close(self) -> None:
        """Release the memory; harmless if it has been."""
        if self._memory >= 0:
            os.close(self._memory)
            self._memory = -1

    def _shows(self, address: int, mark: bytes) -> bool:
        try:
            return os.pread(self._memory, len(mark), address) == mark
        except OSError:
            return False

    def _found(self, pid: int, mark: bytes) -> Iterator[int]:
        """The addresses in private memory at which a mark lies, the heap first."""
        chunk = bytearray(_CHUNK)
        for start, end in _private(pid):
            for at in range(start, end, _CHUNK - len(mark)):
                try:
                    size = os.preadv(self._memory, [memoryview(chunk)[: end - at]], at)
                except OSError:
                    break
                found = chunk.find(mark, 0, size)
                while found >= 0:
                    yield at + found
                    found = chunk.find(mark, found + 1, size)


def _private(pid: int) -> Iterator[tuple[int, int]]:
    with Path(f"/proc/{pid}/maps").open(encoding="utf-8") as lines:
        for place, mode, *rest in map(str.split, lines):
            start, end = (int(address, 16) for address in place.split("-"))
            if mode == "rw-p" and len(rest) == 3 and end - start <= _LARGEST:
                yield start, end


def _show_marks(show: Callable[[str], None]) -> list[bytes]:
    """Show two marks of random pixels, and return them as they are in memory."""
    marks = np.random.default_rng().integers(0, 256, (2, _MARK, 4), np.uint8)
    marks[:, :, 3] = 255
    show(_MARKED % marks.reshape(2, -1).tolist())
    return [mark[:, [2, 1, 0, 3]].tobytes() for mark in marks]
