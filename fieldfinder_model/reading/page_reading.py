"""Everything that is read from a page, and the blank space between it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box, overlap_height, overlap_width, union
from ...envs.core.painting import Image
from ...envs.paper_forms.examples import Gray, Word
from .ink import Ink, cap_height, ink_of, parts_of, strokes, tick_boxes, without_ticks
from .ocr import ocr_words
from .segments import continued, levelled, rows_of, segments_of, tightened

_DARK = 128
"""Pages that are mostly darker than this have light print."""


@dataclass(frozen=True, eq=False)
class PageReading:
    """What is printed on a page; boxes are in its pixels.

    Attributes:
        size: height and width in pixels.
        ink: its dark pixels.
        words: in no order.
        rows: indices of words line by line, each from left to right.
        segments: runs of neighbouring words in a line.
        segment_boxes: their boxes.
        following: for each segment its continuation in the next line.
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
        """The envelope of some words, by their indices."""
        return union(self.words[i].box for i in indices)


def gray_page(page: Image) -> Gray:
    """A page as dark print on light paper.

    The darkest channel: coloured print is as dark as black. Light print on dark is turned over.

    Args:
        page: uint8 (height, width, 3).

    Raises:
        ValueError: if it is no page.
    """
    if page.ndim != 3 or page.shape[2] != 3 or page.dtype != np.uint8:
        raise ValueError(f"a page is uint8 (height, width, 3), not {page.dtype} {page.shape}")
    darkest = np.minimum(np.minimum(page[..., 0], page[..., 1]), page[..., 2])
    lightest = np.maximum(np.maximum(page[..., 0], page[..., 1]), page[..., 2])
    # Half of the page at most is print.
    return 255 - lightest if np.count_nonzero(lightest < _DARK) > lightest.size / 2 else darkest


def read_page(gray: Gray, words: Sequence[Word] | None = None) -> PageReading:
    """Read a page.

    Args:
        gray: uint8 (height, width).
        words: on it, if they are known; otherwise RapidOCR reads them.

    Raises:
        ImportError: if RapidOCR is needed and not installed.
    """
    ink = ink_of(gray)
    read = ocr_words(gray) if words is None else words
    parts = parts_of(ink.dark)
    ticks = tick_boxes(parts, cap_height(parts, read))
    tight = tightened(without_ticks(read, ticks), ink)
    level, uprights = strokes(ink.across, across=True), strokes(ink.down, across=False)
    rows = rows_of(tight)
    segments = segments_of(tight, rows, uprights)
    even = levelled(tight, segments)
    boxes = [union(even[i].box for i in segment) for segment in segments]
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


_ON_LINE = 0.3
"""A box that shares this much of a line's height, or of a column's width, ends the blank space."""


def blank_right(box: Box, reading: PageReading) -> float:
    """The x where the blank space right of a box ends: at print, a rule or the edge."""
    return min(
        [float(reading.size[1])]
        + [other[0] for other in _printed(reading) if other[0] >= box[2] - 1 and _level(box, other)]
        + [float(x) for x in _crossing(reading.uprights, box, axis=0) if x >= box[2] - 1]
    )


def blank_below(box: Box, reading: PageReading) -> float:
    """The y where the blank space below a box ends: at print, a rule or the edge."""
    return min(
        [float(reading.size[0])]
        + [other[1] for other in _printed(reading) if other[1] >= box[3] - 1 and _in_column(box, other)]
        + [float(y) for y in _crossing(reading.level, box, axis=1) if y >= box[3] - 1]
    )


def blank_above(box: Box, reading: PageReading) -> float:
    """The y where the blank space above a box ends: at print, a rule or the edge."""
    return max(
        [0.0]
        + [other[3] for other in _printed(reading) if other[3] <= box[1] + 1 and _in_column(box, other)]
        + [float(y) for y in _crossing(reading.level, box, axis=1) if y <= box[1] + 1]
    )


def rule_under(box: Box, reading: PageReading, reach: float) -> Box | None:
    """The longest rule within ``reach`` pixels of a box's lower edge, cut to the box."""
    level = reading.level
    near = level[np.abs(level[:, 1] - box[3]) <= reach]
    cut = [
        (max(float(left), box[0]), float(top), min(float(right), box[2]), float(low)) for left, top, right, low in near
    ]
    return max((rule for rule in cut if rule[2] > rule[0]), key=lambda rule: rule[2] - rule[0], default=None)


def _printed(reading: PageReading) -> Sequence[Box]:
    return [*reading.segment_boxes, *reading.ticks]


def _level(box: Box, other: Box) -> bool:
    return overlap_height(box, other) > _ON_LINE * (box[3] - box[1])


def _in_column(box: Box, other: Box) -> bool:
    return overlap_width(box, other) > _ON_LINE * min(box[2] - box[0], other[2] - other[0])


def _crossing(rules: NDArray[np.int32], box: Box, axis: int) -> NDArray[np.int32]:
    """The x (axis 0) or y (axis 1) of the rules along more than half of a box's side."""
    along = 1 - axis
    shared = np.minimum(rules[:, along + 2], box[along + 2]) - np.maximum(rules[:, along], box[along])
    crossing: NDArray[np.int32] = rules[shared > 0.5 * (box[along + 2] - box[along])][:, axis]
    return crossing
