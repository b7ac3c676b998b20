"""A page as it was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...envs.core.locators import Box
from ..examples import Gray, Word
from .ink import Ink, ink_of, strokes
from .ocr import ocr_words
from .segments import continued, envelope, rows_of, segments_of
from .ticks import cap_height, parts_of, tick_boxes, without_ticks
from .words import levelled, tightened


@dataclass(frozen=True, eq=False)
class PageReading:
    """What is printed on a page, boxes in its pixels.

    Attributes:
        size: height and width in pixels.
        ink: where it is dark.
        words: in no order.
        rows: indices of words line by line, each from left to right.
        segments: runs of near words of a line.
        segment_boxes: their boxes.
        following: for each segment the one that goes on with it in the next line.
        level: horizontal rules, int32 (n, 4).
        uprights: vertical rules, int32 (n, 4).
        ticks: boxes of the tick boxes.
        letter: the usual height of a word, in pixels.
    """

    size: tuple[int, int]
    ink: Ink
    words: Sequence[Word]
    rows: Sequence[Sequence[int]]
    segments: Sequence[tuple[int, ...]]
    segment_boxes: Sequence[Box]
    following: dict[int, int]
    level: NDArray[np.int32]
    uprights: NDArray[np.int32]
    ticks: Sequence[Box]
    letter: float

    def box(self, indices: Sequence[int]) -> Box:
        """The box about some words."""
        return envelope(self.words, indices)


def read_page(gray: Gray, words: Sequence[Word] | None = None) -> PageReading:
    """Read a page.

    Args:
        gray: uint8 (height, width).
        words: what is printed on it, if that is known; otherwise it is read by RapidOCR.

    Raises:
        ImportError: if RapidOCR is needed and not installed.
    """
    ink = ink_of(gray)
    seen = ocr_words(gray) if words is None else words
    parts = parts_of(ink.dark)
    ticks = tick_boxes(parts, cap_height(parts, seen))
    tight = tightened(without_ticks(seen, ticks), ink)
    level, uprights = strokes(ink.across, across=True), strokes(ink.down, across=False)
    rows = rows_of(tight)
    segments = segments_of(tight, rows, uprights)
    even = levelled(tight, segments)
    boxes = [envelope(even, segment) for segment in segments]
    heights = [bottom - top for _, (_, top, _, bottom) in even]
    return PageReading(
        size=(gray.shape[0], gray.shape[1]),
        ink=ink,
        words=even,
        rows=rows,
        segments=segments,
        segment_boxes=boxes,
        following=continued(boxes, level),
        level=level,
        uprights=uprights,
        ticks=ticks,
        letter=max(6.0, float(np.median(heights))) if heights else 12.0,
    )
