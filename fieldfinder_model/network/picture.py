"""The picture of a page that the network sees: letters, rules, words and tick boxes, scaled to the height of a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import cv2
import numpy as np
from numpy.typing import NDArray

from ..examples import Word
from ..reading.ink import dilated
from ..reading.page import PageReading
from .geometry import DEEPEST, STRIDE, Scale, scaled_size

CHANNELS = 4
Picture = NDArray[np.uint8]
"""uint8 (height, width, CHANNELS); sides are multiples of ``DEEPEST``."""


def picture_of(reading: PageReading, words: Sequence[Word] | None = None) -> tuple[Picture, Scale]:
    """The picture of a page, and how its pixels become cells.

    Args:
        reading: of the page.
        words: to show in place of those that were read.
    """
    height, width = scaled_size(reading.size, reading.letter)
    layers = np.dstack([reading.ink.letters * 255, _rules(reading), _words(reading, words), _ticks(reading)])
    smaller = height < reading.size[0]
    scaled = cv2.resize(layers, (width, height), interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)
    padded = np.pad(scaled, ((0, -height % DEEPEST), (0, -width % DEEPEST), (0, 0)))
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
