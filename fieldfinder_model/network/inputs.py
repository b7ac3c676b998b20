"""The network's inputs: a page's picture, a label's window, and its text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box
from ...envs.paper_forms.examples import Word
from ..reading.ink import dilated
from ..reading.page_reading import PageReading

LETTER = 7.0
"""The usual height of a word, in pixels of the scaled page."""
STRIDE = 4
"""The width and height of a cell, in pixels of the scaled page."""
MAX_STRIDE = 16
"""Sides of a scaled page are multiples of this."""
WINDOW = (32, 104)
"""Height and width of a window in cells."""
ANCHOR = (8, 28)
"""The row and column of the window's cell where the right end of a label's middle line is."""
_MARGIN = (4, 12)
"""Places nearer than this to the lower and the right edge of a window are hard to predict, in cells."""
MAX_SIDE = 1600
"""The longest side of a scaled page."""

Plane = NDArray[np.float32]


@dataclass(frozen=True)
class Scale:
    """The scale from pixels of a page to cells.

    ``cells = pixels * across`` and ``* down``.
    """

    across: float
    down: float

    def to_cells(self, box: Box) -> Box:
        """Convert a box from pixels to cells."""
        return box[0] * self.across, box[1] * self.down, box[2] * self.across, box[3] * self.down

    def to_pixels(self, box: Box) -> Box:
        """Convert a box from cells to pixels of the page."""
        return box[0] / self.across, box[1] / self.down, box[2] / self.across, box[3] / self.down


def scaled_size(size: tuple[int, int], letter: float) -> tuple[int, int]:
    """Height and width of the scaled page, without padding.

    Args:
        size: height and width of the page in pixels.
        letter: the usual height of a word on it.
    """
    factor = min(LETTER / letter, MAX_SIDE / max(size))
    return max(MAX_STRIDE, round(size[0] * factor)), max(MAX_STRIDE, round(size[1] * factor))


def origin_of(label: Box, jitter: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """The row and column of the first cell of a label's window; may be off the page.

    Args:
        label: its box in cells.
        jitter: down and right in cells.
    """
    column = int(label[2]) - ANCHOR[1]
    # The beginning of a long label matters more than the space far right of it.
    column = min(column, max(int(label[0]) - 2, column - 24))
    return int((label[1] + label[3]) / 2) - ANCHOR[0] + jitter[0], column + jitter[1]


def crossing_of(label: Box, other: Box) -> tuple[int, int] | None:
    """Where the window around the crossing of a row and a column begins.

    ``None`` if they do not cross, or if the label's own window includes the crossing.

    Args:
        label: the heading of a row or of a column, in cells.
        other: the heading of a column or of a row.
    """
    row, column = origin_of(label)
    if other[3] <= label[1] + 1 and other[0] >= label[2]:
        middle = (other[0] + other[2]) / 2
        return (row, int(middle) - WINDOW[1] // 2) if middle > column + WINDOW[1] - _MARGIN[1] else None
    if label[3] <= other[1] + 1 and label[0] >= other[2]:
        middle = (other[1] + other[3]) / 2
        return (int(middle) - WINDOW[0] // 2, column) if middle > row + WINDOW[0] - _MARGIN[0] else None
    return None


def covered(start: float, end: float, cells: int) -> Plane:
    """The share, from 0 to 1, of each cell in a line that lies between two places."""
    at = np.arange(cells, dtype=np.float32)
    share: Plane = np.clip(np.minimum(at + 1, end) - np.maximum(at, start), 0, 1).astype(np.float32)
    return share


PLANES = 8
"""The number of planes that ``planes_of`` returns."""


def planes_of(label: Box, other: Box | None, origin: tuple[int, int], size: tuple[int, int]) -> Plane:
    """The window's input planes besides the page: float32 (PLANES, height, width).

    They are the label; how far right of its ends and below its middle a cell is; the column and the row of another part
    of the target, such as the heading of a column, and whether there is one; what is off the page.

    Args:
        label: its box in cells of the page.
        other: the box of the other part.
        origin: of the window, see ``origin_of``.
        size: height and width of the page in cells.
    """
    height, width = WINDOW
    planes = np.zeros((PLANES, height, width), np.float32)
    top, left = origin
    x, y = np.arange(width, dtype=np.float32) + 0.5 + left, np.arange(height, dtype=np.float32) + 0.5 + top
    planes[0] = np.outer(
        covered(label[1] - top, label[3] - top, height), covered(label[0] - left, label[2] - left, width)
    )
    planes[1] = (x - label[2])[None] / 32
    planes[2] = (x - label[0])[None] / 32
    planes[3] = ((y - (label[1] + label[3]) / 2) / 16)[:, None]
    if other is not None:
        planes[4] = covered(other[0] - left, other[2] - left, width)[None]
        planes[5] = covered(other[1] - top, other[3] - top, height)[:, None]
        planes[6] = 1
    planes[7] = 1 - np.outer(covered(-top, size[0] - top, height), covered(-left, size[1] - left, width))
    return planes


CHANNELS = 4
Picture = NDArray[np.uint8]
"""uint8 (height, width, CHANNELS); sides are multiples of ``MAX_STRIDE``."""


def picture_of(reading: PageReading, words: Sequence[Word] | None = None) -> tuple[Picture, Scale]:
    """The picture of a page, and the scale from its pixels to cells.

    Args:
        reading: of the page.
        words: to draw instead of those of the reading.
    """
    height, width = scaled_size(reading.size, reading.letter)
    layers = np.dstack([reading.ink.letters * 255, _rules(reading), _words(reading, words), _ticks(reading)])
    smaller = height < reading.size[0]
    scaled = cv2.resize(layers, (width, height), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)
    padded = np.pad(scaled, ((0, -height % MAX_STRIDE), (0, -width % MAX_STRIDE), (0, 0)))
    scale = Scale(width / reading.size[1] / STRIDE, height / reading.size[0] / STRIDE)
    return cast(Picture, padded), scale


def _rules(reading: PageReading) -> Picture:
    # Thin rules would vanish where a page is made smaller.
    return dilated(reading.ink.across | reading.ink.down, 2, 2) * np.uint8(255)


def _words(reading: PageReading, words: Sequence[Word] | None) -> Picture:
    plane = np.zeros(reading.size, np.uint8)
    for _, (left, top, right, bottom) in reading.words if words is None else words:
        plane[max(int(top), 0) : max(int(bottom) + 1, 0), max(int(left), 0) : max(int(right) + 1, 0)] = 255
    return plane


def _ticks(reading: PageReading) -> Picture:
    plane = np.zeros(reading.size, np.uint8)
    for left, top, right, bottom in reading.ticks:
        plane[int(top) : int(bottom), int(left) : int(right)] = 255
    return plane


BUCKETS = 4096
MAX_TEXT_IDS = 48
"""The maximum number of ids of a text."""
_MAX_LENGTH = 60


def text_ids(text: str) -> NDArray[np.int64]:
    """The hashed trigrams and words of a text: int64 (MAX_TEXT_IDS,), padded by 0.

    Ids are from 1 to BUCKETS - 1.
    """
    plain = " ".join(text.lower().split())[:_MAX_LENGTH]
    framed = f"^{plain}$"
    pieces = {framed[i : i + 3] for i in range(len(framed) - 2)} | {f"={word}" for word in plain.split()}
    ids = sorted({1 + crc32(piece.encode()) % (BUCKETS - 1) for piece in pieces})[:MAX_TEXT_IDS]
    return np.array(ids + [0] * (MAX_TEXT_IDS - len(ids)), np.int64)
