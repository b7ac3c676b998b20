"""Read a page: words, segments of lines, rules and tick boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box, overlap_height, overlap_width, union
from ...envs.core.painting import Gray, Image
from ...envs.paper_forms.examples import Word
from .ink import Ink, Mask, cap_height, dilated, ink_of, parts_of, strokes, tick_boxes, without_ticks
from .ocr import ocr_words


def tightened(words: Iterable[Word], ink: Ink) -> list[Word]:
    """The words with boxes tight around their letters.

    Rules and pieces of other lines are left out.

    Args:
        words: as read by OCR.
        ink: of the page.
    """
    letters = ink.dark & (1 - dilated(ink.across, 3, 1)) & (1 - dilated(ink.down, 1, 3))
    found = ((word.text, _tight(word.box, letters)) for word in words)
    return [Word(text, box) for text, box in found if box is not None]


def _tight(box: Box, letters: Mask) -> Box | None:
    """The box around the rows with most ink in a box; ``None`` if it is off the page."""
    left, top = int(max(0, box[0] - 1)), int(max(0, box[1] - 1))
    patch = letters[top : max(0, int(box[3]) + 1), left : max(0, int(box[2]) + 1)]
    if patch.size == 0:
        return None
    rows, columns = np.flatnonzero(patch.any(axis=1)), np.flatnonzero(patch.any(axis=0))
    if not len(rows) or rows[-1] - rows[0] < max(3.0, 0.12 * (box[3] - box[1])) or columns[-1] - columns[0] < 2:
        return box
    first, last = _main_rows(rows, patch.sum(axis=1))
    columns = np.flatnonzero(patch[first : last + 1].any(axis=0))
    return float(left + columns[0]), float(top + first), float(left + columns[-1] + 1), float(top + last + 1)


def _main_rows(rows: NDArray[np.intp], weight: NDArray[np.intp]) -> tuple[int, int]:
    """The first and last row of the run with most ink, with dots and accents above."""
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1)
    main = max(runs, key=lambda run: float(weight[run].sum()) * (1.0 if len(run) >= 4 else 0.2))
    first = int(main[0])
    for run in reversed(runs):
        if 0 < first - run[-1] <= 3 and len(run) <= 4:
            first = int(run[0])
    return first, int(main[-1])


def levelled(words: Sequence[Word], segments: Sequence[Sequence[int]]) -> list[Word]:
    """The words of each segment with equal tops and bottoms.

    Args:
        words: of a page.
        segments: their indices, each segment a run of neighbouring words in one line.
    """
    level = list(words)
    for segment in segments:
        boxes = np.array([words[i].box for i in segment])
        height = float(np.median(boxes[:, 3] - boxes[:, 1]))
        top = max(float(boxes[:, 1].min()), float(np.median(boxes[:, 1])) - 0.45 * height)
        bottom = min(float(boxes[:, 3].max()), float(np.median(boxes[:, 3])) + 0.35 * height)
        for i in segment:
            left, _, right, _ = words[i].box
            level[i] = Word(words[i].text, (left, top, right, bottom))
    return level


_GAP = 1.6
"""A gap of more heights than this separates two segments of a line."""
_LINES_BACK = 12


def rows_of(words: Sequence[Word]) -> list[list[int]]:
    """The indices of words line by line, each from left to right.

    Args:
        words: of a page, in no order.
    """
    rows: list[list[int]] = []
    for i in sorted(range(len(words)), key=lambda i: words[i].box[1] + words[i].box[3]):
        row = _row_for(words, words[i].box, rows[-_LINES_BACK:])
        if row is None:
            rows.append([i])
        else:
            row.append(i)
    return [sorted(row, key=lambda i: words[i].box[0]) for row in rows]


def _row_for(words: Sequence[Word], box: Box, rows: Sequence[list[int]]) -> list[int] | None:
    """The line of a word: the one whose nearest word is at the same height."""
    best: tuple[float, list[int]] | None = None
    for row in rows:
        near = words[min(row, key=lambda j: -overlap_width(words[j].box, box))].box
        if overlap_height(near, box) > 0.5 * min(near[3] - near[1], box[3] - box[1]):
            distance = abs(near[1] + near[3] - box[1] - box[3])
            if best is None or distance < best[0]:
                best = distance, row
    return best[1] if best else None


def segments_of(
    words: Sequence[Word], rows: Sequence[Sequence[int]], uprights: NDArray[np.int32]
) -> list[tuple[int, ...]]:
    """Runs of words of one line with no wide gap and no vertical rule between them.

    Args:
        words: of a page.
        rows: their indices line by line.
        uprights: vertical rules, int32 (n, 4).
    """
    segments: list[tuple[int, ...]] = []
    for row in rows:
        run = [row[0]]
        for one, other in pairwise(row):
            a, b = words[one].box, words[other].box
            height = max(a[3] - a[1], b[3] - b[1], 6.0)
            if b[0] - a[2] > _GAP * height or _ruled(uprights, a, b):
                segments.append(tuple(run))
                run = []
            run.append(other)
        segments.append(tuple(run))
    return segments


def _ruled(uprights: NDArray[np.int32], a: Box, b: Box) -> bool:
    """Whether a vertical rule is between two words of a line."""
    top, bottom = max(a[1], b[1]), min(a[3], b[3])
    between = (uprights[:, 2] > a[2] - 1) & (uprights[:, 0] < b[0] + 1)
    height = np.minimum(uprights[:, 3], bottom) - np.maximum(uprights[:, 1], top)
    return bool((between & (height > 0.5 * (bottom - top))).any())


def continued(boxes: Sequence[Box], level: NDArray[np.int32]) -> dict[int, int]:
    """For each segment its continuation in the next line, if there is one.

    Args:
        boxes: of the segments.
        level: horizontal rules, int32 (n, 4): text does not continue across them.
    """
    following = {}
    array = np.array(boxes, np.float64).reshape(-1, 4)
    for i, box in enumerate(boxes):
        below = np.flatnonzero((array[:, 1] > box[1]) & (array[:, 1] - box[3] < 40) & (array[:, 0] < box[2]))
        steps = ((_step(box, boxes[j]), j) for j in map(int, below) if not _rule_between(level, box, boxes[j]))
        near = [(step, j) for step, j in steps if step is not None]
        if near:
            following[i] = min(near)[1]
    return following


def _step(upper: Box, lower: Box) -> float | None:
    """The distance of a segment from one above that it continues, or ``None``."""
    height = max(6.0, min(upper[3] - upper[1], lower[3] - lower[1]))
    gap = lower[1] - upper[3]
    narrower = min(upper[2] - upper[0], lower[2] - lower[0])
    if not -0.4 * height < gap < 0.9 * height or overlap_width(upper, lower) <= 0.3 * narrower:
        return None
    return abs(gap) + 0.2 * abs(upper[0] - lower[0])


def _rule_between(level: NDArray[np.int32], upper: Box, lower: Box) -> bool:
    left, right = max(upper[0], lower[0]), min(upper[2], lower[2])
    width = np.minimum(level[:, 2], right) - np.maximum(level[:, 0], left)
    between = (level[:, 1] >= upper[3] - 3) & (level[:, 3] <= lower[1] + 3)
    return bool((between & (width > 0.5 * (right - left))).any())


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
