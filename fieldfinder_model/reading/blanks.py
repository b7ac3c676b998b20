"""Blanks of a page: tick boxes, ruled cells, lines to write on, and the space behind labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np

from ...envs.core.boxes import Box, area, centre, contains, intersection_area, overlap_height, overlap_width
from ...envs.core.painting import Gray, Image
from .ink import Mask, dilated, opened, strokes
from .page_reading import PageReading, blank_above, blank_right, gray_page, read_page

_MIN_WIDTH, _MIN_HEIGHT = 1.6, 0.9
"""The least size of a blank, in heights of a letter."""
_WRITTEN, _MAX_WRITTEN = 1.6, 2.6
"""The least and the most height of what is written on a line, in heights of a letter."""
_MAX_CELL = 0.35
"""The most of a page that a cell covers."""
_RECTANGLE = 0.85
"""The least share of its box that a cell fills."""
_INSET = 2.0
"""How far a cell's blank stays from its rules, in pixels."""
_ALIKE, _MIN_CELLS = 0.15, 3
"""How much the cells of a comb differ in width, and how many they are at least."""
_MIN_COMB_WIDTH, _COMB_WIDTH = 0.8, 3.0
"""The least and the most width of a comb's cell, in heights of a letter."""
_MIN_BEHIND, _MAX_BEHIND, _GAP = 3.0, 12.0, 0.5
"""The least and the most space behind a label without a line, and the gap before it, in heights of the label."""
_NEAR, _UNUSUAL = 12.0, 3.0
"""How far from its blank a label is at most, and what is added for one on the unusual side, in heights of a letter."""
_MIN_RULE, _THICKNESS, _PALE = 2.0, 7, 10
"""The least length of a rule in heights of a letter, the most thickness in pixels, and its least contrast of 255."""
_TOUCHING = 4
"""How far the ends of rules that meet are apart, in pixels."""


@dataclass(frozen=True, slots=True)
class Blank:
    """A place where something is to be entered.

    Attributes:
        box: in pixels of the page.
        kind: ``tick``, ``cell``, ``line``, ``comb`` or ``space``.
        label: what is printed beside it; empty if nothing is.
        cells: of a comb.
    """

    box: Box
    kind: str
    label: str = ""
    cells: int = 0


def blanks_of(page: Image) -> list[Blank]:
    """The blanks of a page in reading order, each with its label.

    Args:
        page: uint8 (height, width, 3).

    Raises:
        ImportError: if RapidOCR is not installed.
    """
    gray = gray_page(page)
    return blanks_in(read_page(gray), gray)


def blanks_in(read: PageReading, gray: Gray) -> list[Blank]:
    """The blanks of a page that was read.

    Args:
        read: the page.
        gray: its picture, uint8 (height, width).
    """
    reading = _with_pale_rules(read, gray)
    found: list[Blank] = [Blank(box, "tick") for box in reading.ticks]
    for blank in (*_combs(_cells(reading), reading.letter), *_lines(reading), *_spaces(reading)):
        if not any(_meets(blank.box, other.box) for other in found):
            found.append(blank)
    printed = list(_printed(reading, found))
    placed = [replace(blank, label=_label(blank, printed, reading, found)) for blank in found]
    return sorted(placed, key=lambda blank: (round(blank.box[3] / (1.5 * reading.letter)), blank.box[0]))


def _with_pale_rules(reading: PageReading, gray: Gray) -> PageReading:
    """A page with rules that are too pale for print: lines thinner than letters, darker than both of their sides."""
    length = max(20, int(_MIN_RULE * reading.letter))
    across, down = (_thin(gray, length), _thin(gray.T.copy(), length).T.copy())
    ink = replace(reading.ink, across=reading.ink.across | across, down=reading.ink.down | down)
    level, uprights = strokes(ink.across, across=True), strokes(ink.down, across=False)
    return replace(reading, ink=ink, level=level, uprights=uprights)


def _thin(gray: Gray, length: int) -> Mask:
    """Horizontal lines at least so long that differ from what is above and below."""
    closed = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, np.ones((_THICKNESS, 1), np.uint8))
    lines = (closed.astype(np.int16) - gray > _PALE).astype(np.uint8)
    return opened(lines, 1, length)


def _meets(one: Box, other: Box) -> bool:
    return intersection_area(one, other) > 0.25 * min(area(one), area(other))


def _is_high(box: Box, letter: float) -> bool:
    return box[3] - box[1] >= _MIN_HEIGHT * letter and box[2] - box[0] >= _MIN_COMB_WIDTH * letter


def _is_large(box: Box, letter: float) -> bool:
    return _is_high(box, letter) and box[2] - box[0] >= _MIN_WIDTH * letter


# -- Cells -------------------------------------------------------------------------------------------------------------


def _cells(reading: PageReading) -> Iterator[Blank]:
    """The blank part of every cell that rules bound on four sides, if it is as wide as one of a comb."""
    rules = dilated(reading.ink.across | reading.ink.down, 3, 3)
    count, _, stats, _ = cv2.connectedComponentsWithStats(1 - rules, connectivity=4)
    height, width = reading.size
    for i in range(1, count):
        left, top, wide, high, pixels = (int(value) for value in stats[i])
        box = left + _INSET, top + _INSET, left + wide - _INSET, top + high - _INSET
        at_edge = left == 0 or top == 0 or left + wide == width or top + high == height
        if at_edge or pixels > _MAX_CELL * height * width or pixels < _RECTANGLE * wide * high:
            continue
        yield from (Blank(blank, "cell") for blank in _unprinted(box, reading) if _is_high(blank, reading.letter))


def _unprinted(box: Box, reading: PageReading) -> list[Box]:
    """The part of a cell without print: under its label, behind it, or above it, the first that is large enough."""
    left, top, right, bottom = box
    if any(contains(box, *centre(tick)) for tick in reading.ticks):
        return []
    printed = [one for one in reading.segment_boxes if contains(box, *centre(one))]
    if not printed:
        return [box]
    edges = np.array(printed)
    parts = [
        (left, float(edges[:, 3].max()) + 1, right, bottom),
        (float(edges[:, 2].max()) + _GAP * reading.letter, top, right, bottom),
        (left, top, right, float(edges[:, 1].min()) - 1),
    ]
    large = [part for part in parts if _is_large(part, reading.letter) and part[2] - part[0] >= 2 * reading.letter]
    return large[:1]


def _combs(cells: Iterable[Blank], letter: float) -> Iterator[Blank]:
    """Cells, with rows of narrow ones of one width joined to combs."""
    ordered = sorted(cells, key=lambda one: (round(one.box[1] / 4), one.box[0]))
    rows: list[list[Blank]] = []
    for cell in ordered:
        if rows and _goes_on(rows[-1][-1].box, cell.box, letter):
            rows[-1].append(cell)
        else:
            rows.append([cell])
    for row in rows:
        if len(row) >= _MIN_CELLS:
            first, last = row[0].box, row[-1].box
            yield Blank((first[0], first[1], last[2], first[3]), "comb", cells=len(row))
        else:
            yield from (cell for cell in row if _is_large(cell.box, letter))


def _goes_on(one: Box, other: Box, letter: float) -> bool:
    """Whether two cells are neighbours in a comb."""
    width = one[2] - one[0]
    is_alike = abs(other[2] - other[0] - width) <= max(2.0, _ALIKE * width) and abs(other[1] - one[1]) <= 3
    return is_alike and width <= _COMB_WIDTH * letter and 0 <= other[0] - one[2] <= 10 and abs(other[3] - one[3]) <= 3


# -- Lines and spaces --------------------------------------------------------------------------------------------------


def _lines(reading: PageReading) -> Iterator[Blank]:
    """The space over every rule that is no side of a cell, where nothing is printed above it."""
    letter = reading.letter
    for left, top, right, _ in reading.level.tolist():
        band = float(left), top - _WRITTEN * letter, float(right), float(top)
        if _is_side(band, reading):
            continue
        above = sorted(
            (box for box in reading.segment_boxes if overlap_height(box, band) > 0.35 * (box[3] - box[1])),
            key=lambda box: box[0],
        )
        start = band[0]
        for box in [*(one for one in above if overlap_width(one, band) > 0), (band[2], 0.0, band[2], 0.0)]:
            free = start, band[1], min(box[0] - 1, band[2]), band[3]
            if free[2] - free[0] >= 2 * _MIN_WIDTH * letter and (top_of := _room_above(free, reading)) is not None:
                yield Blank((free[0], top_of, free[2], free[3]), "line")
            start = max(start, box[2] + _GAP * letter)


def _is_side(band: Box, reading: PageReading) -> bool:
    """Whether a rule is a side of a cell: vertical rules go down from both of its ends."""
    uprights, (left, _, right, rule) = reading.uprights, band
    down = (uprights[:, 1] <= rule + _TOUCHING) & (uprights[:, 3] >= rule + reading.letter)
    return all(bool((down & (np.abs(uprights[:, 0] - end) <= 2 * _TOUCHING)).any()) for end in (left, right))


def _room_above(box: Box, reading: PageReading) -> float | None:
    """Where the room over a line ends, at most so high as people write; ``None`` if there is too little."""
    rule = box[0], box[3] - _TOUCHING, box[2], box[3] - _TOUCHING
    highest = max(blank_above(rule, reading), box[3] - _MAX_WRITTEN * reading.letter)
    return highest if box[3] - highest >= 0.9 * (box[3] - box[1]) else None


def _spaces(reading: PageReading) -> Iterator[Blank]:
    """The space behind labels that end in a colon."""
    for segment, box in zip(reading.segments, reading.segment_boxes, strict=True):
        if not reading.words[segment[-1]].text.rstrip().endswith((":", "：")):
            continue
        height = box[3] - box[1]
        end = min(blank_right(box, reading) - _GAP * height, box[2] + _MAX_BEHIND * height)
        if end - box[2] >= _MIN_BEHIND * height:
            yield Blank((box[2] + _GAP * height, box[1] - 0.2 * height, end, box[3] + 0.1 * height), "space")


# -- Labels ------------------------------------------------------------------------------------------------------------


def _printed(reading: PageReading, blanks: Sequence[Blank]) -> Iterator[tuple[str, Box]]:
    """The printed texts and their boxes: segments of lines, parted where a blank is between their words."""
    for segment in reading.segments:
        run = [segment[0]]
        for one, other in pairwise(segment):
            gap = reading.box((one,))[2], reading.box((one, other))[1], reading.box((other,))[0], reading.box((one,))[3]
            if any(intersection_area(blank.box, gap) > 0 for blank in blanks):
                yield " ".join(reading.words[i].text for i in run), reading.box(run)
                run = []
            run.append(other)
        yield " ".join(reading.words[i].text for i in run), reading.box(run)


def _label(blank: Blank, printed: Sequence[tuple[str, Box]], reading: PageReading, blanks: Sequence[Blank]) -> str:
    """What is printed nearest to a blank: in its cell, left of it, above it; of a tick box, right of it."""
    ranked = ((_distance(blank, box, reading, blanks), text) for text, box in printed if any(map(str.isalnum, text)))
    near = [(distance, text) for distance, text in ranked if distance < _NEAR * reading.letter]
    return min(near)[1].strip(" :：.,;") if near else ""


def _distance(blank: Blank, label: Box, reading: PageReading, blanks: Sequence[Blank]) -> float:
    """How far a printed text is from a blank, dearer where it is on the less usual side."""
    left, top, right, bottom = blank.box
    if blank.kind == "line":
        top = max(top, bottom - _WRITTEN * reading.letter)
    beside = overlap_height(label, blank.box) > 0.3 * min(label[3] - label[1], bottom - top)
    after, before = label[0] - right, left - label[2]
    unusual = _UNUSUAL * reading.letter
    if beside and before > after:
        gap = max(before, 0.0) + (unusual if blank.kind == "tick" else 0.0)
        between = (label[2], max(top, label[1]), left, min(bottom, label[3]))
    elif beside:
        gap = max(after, 0.0) + (0.0 if blank.kind == "tick" else unusual)
        between = (right, max(top, label[1]), label[0], min(bottom, label[3]))
    elif overlap_width(label, blank.box) > 0:
        is_above = label[3] <= top + reading.letter
        gap = 1.5 * max(top - label[3], 0.0) if is_above else 1.5 * max(label[1] - bottom, 0.0)
        gap += reading.letter if is_above == (blank.kind == "line") else 0.0
        between = (max(left, label[0]), min(label[3], bottom), min(right, label[2]), max(top, label[1]))
    else:
        return float("inf")
    is_taken = any(one is not blank and intersection_area(one.box, between) > 0 for one in blanks)
    return gap + (unusual if is_taken else 0.0)
