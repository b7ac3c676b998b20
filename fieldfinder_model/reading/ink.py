"""The ink of a page: rules, letters and tick boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import cv2
import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box
from ...envs.core.painting import Gray
from ...envs.paper_forms.examples import Word

Mask = NDArray[np.uint8]
"""uint8 (height, width), 0 or 1."""

_MIN_LENGTH = 0.035
"""The minimum length of a rule, as a share of the page's width."""
_SOLID = 9
"""Dark areas this thick or thicker, in pixels, do not count as rules."""
_DARKEST_PAPER = 120


@dataclass(frozen=True, eq=False)
class Ink:
    """The dark pixels of a page, as rules and letters.

    Attributes:
        dark: all ink.
        across: horizontal rules.
        down: vertical rules.
        letters: all ink except rules and specks.
    """

    dark: Mask
    across: Mask
    down: Mask
    letters: Mask


def ink_of(gray: Gray) -> Ink:
    """The ink of a page.

    Args:
        gray: uint8 (height, width).
    """
    threshold, _ = cv2.threshold(gray, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    dark = (gray < max(threshold, _DARKEST_PAPER)).astype(np.uint8)
    length = max(24, int(_MIN_LENGTH * gray.shape[1]))
    solid = opened(dark, _SOLID, _SOLID)
    across, down = _rules(dark, length) & (1 - solid), _rules(dark.T.copy(), length).T & (1 - solid)
    return Ink(dark, across, down, _letters(dark, across | down))


def _rules(dark: Mask, length: int) -> Mask:
    """Horizontal strokes of at least ``length`` pixels.

    Slanted or broken ones must be almost twice as long.
    """
    slanted = opened(dilated(dark, 3, 1), 1, int(1.8 * length)) & dark
    return opened(dark, 1, length) | slanted


def opened(mask: Mask, height: int, width: int) -> Mask:
    """The morphological opening of a mask by a rectangle."""
    return cast(Mask, cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((height, width), np.uint8)))


def dilated(mask: Mask, height: int, width: int) -> Mask:
    """The dilation of a mask by a rectangle."""
    return cast(Mask, cv2.dilate(mask, np.ones((height, width), np.uint8)))


def _letters(dark: Mask, rules: Mask) -> Mask:
    rest = dark & (1 - dilated(rules, 3, 3))
    _, labels, sizes, _ = cv2.connectedComponentsWithStats(rest, connectivity=8)
    large = (sizes[:, cv2.CC_STAT_AREA] >= 8) & (
        (sizes[:, cv2.CC_STAT_HEIGHT] >= 4) | (sizes[:, cv2.CC_STAT_WIDTH] >= 10)
    )
    large[0] = False
    return cast(Mask, large.astype(np.uint8)[labels])


def strokes(rules: Mask, across: bool) -> NDArray[np.int32]:
    """The rules of a mask as boxes, int32 (n, 4): left, top, right, bottom.

    Args:
        rules: a mask of horizontal or of vertical rules.
        across: whether they are horizontal.
    """
    bridged = dilated(rules, 1, 5) if across else dilated(rules, 5, 1)
    _, _, stats, _ = cv2.connectedComponentsWithStats(bridged, connectivity=8)
    boxes = np.column_stack([stats[1:, 0], stats[1:, 1], stats[1:, 0] + stats[1:, 2], stats[1:, 1] + stats[1:, 3]])
    width, height = stats[1:, 2], stats[1:, 3]
    long, thick = (width, height) if across else (height, width)
    kept: NDArray[np.int32] = boxes[(long >= 14) & (thick <= np.maximum(14, 0.2 * long))].astype(np.int32)
    return kept


_LOOKS_LIKE_A_BOX = "OoD0Q□☐○〇◯[({|IlCG口"


class InkParts(NamedTuple):
    """The connected components of a page's ink.

    Attributes:
        dark: the ink.
        labels: the component of each pixel, int32 (height, width); 0 is the paper.
        stats: left, top, width, height and area of each component, int32 (n, 5).
        middles: x and y of each component's centroid, float64 (n, 2).
    """

    dark: Mask
    labels: NDArray[np.int32]
    stats: NDArray[np.int32]
    middles: NDArray[np.float64]


def parts_of(dark: Mask) -> InkParts:
    """The connected components of a page's ink."""
    _, labels, stats, middles = cv2.connectedComponentsWithStats(dark, connectivity=8)
    # A page without ink has one component, whose centroid is not a number.
    return InkParts(dark, cast("NDArray[np.int32]", labels), cast("NDArray[np.int32]", stats), np.nan_to_num(middles))


def cap_height(parts: InkParts, words: Sequence[Word]) -> float:
    """The approximate height of capitals on a page, in pixels; by default 12.

    Args:
        parts: of its ink.
        words: on it.
    """
    dark, _, stats, middles = parts
    on_words = np.zeros(dark.shape, np.uint8)
    for _, (left, top, right, bottom) in words:
        on_words[max(int(top), 0) : max(int(bottom), 0), max(int(left), 0) : max(int(right), 0)] = 1
    x = np.clip(middles[:, 0].astype(int), 0, dark.shape[1] - 1)
    y = np.clip(middles[:, 1].astype(int), 0, dark.shape[0] - 1)
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    letters = (on_words[y, x] > 0) & (height >= 5) & (height <= 60) & (width <= 60) & (stats[:, cv2.CC_STAT_AREA] >= 8)
    return float(np.percentile(height[letters], 70)) if letters.sum() > 20 else 12.0


def tick_boxes(parts: InkParts, letter: float) -> list[Box]:
    """The boxes of small hollow squares and circles that are no letters of a word.

    Args:
        parts: of the ink of a page.
        letter: the approximate height of capitals, in pixels.
    """
    dark, labels, stats, _ = parts
    width, height, ink = (stats[:, i] for i in (cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT, cv2.CC_STAT_AREA))
    sized = (np.minimum(width, height) >= max(6.0, 0.55 * letter)) & (np.maximum(width, height) <= 2.3 * letter)
    square = (width > 0.7 * height) & (width < 1.4 * height) & (ink <= 0.62 * width * height)
    found = []
    for i in np.flatnonzero(sized & square):
        left, top = int(stats[i, 0]), int(stats[i, 1])
        right, bottom = left + int(width[i]), top + int(height[i])
        shape = labels[top:bottom, left:right] == i
        if _is_tick_box(shape, letter) and _is_isolated(dark, (left, top, right, bottom), letter):
            found.append((float(left), float(top), float(right), float(bottom)))
    return found


def _is_tick_box(shape: NDArray[np.bool_], letter: float) -> bool:
    height, width = shape.shape
    hole = _hole(shape)
    if hole < 0.38 * width * height:
        return False
    rows, columns = max(2, height // 6), max(2, width // 6)
    sides = [
        shape[:rows].any(axis=0).mean(),
        shape[-rows:].any(axis=0).mean(),
        shape[:, :columns].any(axis=1).mean(),
        shape[:, -columns:].any(axis=1).mean(),
    ]
    square = min(sides) > 0.82 and min(width, height) >= 0.85 * letter
    circle = min(sides) > 0.3 and hole > 0.5 * width * height and height > 1.15 * letter
    return bool(square or circle)


def _hole(shape: NDArray[np.bool_]) -> int:
    """The number of paper pixels that a shape encloses."""
    paper = np.pad((~shape).astype(np.uint8), 1, constant_values=1)
    cv2.floodFill(paper, None, (0, 0), 2)
    return int((paper == 1).sum())


def _is_isolated(dark: Mask, box: tuple[int, int, int, int], letter: float) -> bool:
    left, top, right, bottom = box
    reach = max(2, int(0.18 * letter))
    before = dark[top + 1 : bottom - 1, max(0, left - reach) : left].any()
    after = dark[top + 1 : bottom - 1, right : right + reach].any()
    return not (before and after)


def without_ticks(words: Iterable[Word], ticks: Sequence[Box]) -> list[Word]:
    """The words of a page without the tick boxes that were read as letters.

    Args:
        words: as read by OCR.
        ticks: boxes of the tick boxes.
    """
    if not ticks:
        return list(words)
    boxes = np.asarray(ticks, np.float64)
    kept = (_trimmed(word, boxes) for word in words)
    return [word for word in kept if word is not None]


def _trimmed(word: Word, ticks: NDArray[np.float64]) -> Word | None:
    text, (left, top, right, bottom) = word
    touching = ticks[(ticks[:, 0] < right) & (ticks[:, 2] > left) & (ticks[:, 1] < bottom) & (ticks[:, 3] > top)]
    for tick_left, _, tick_right, _ in touching:
        middle, width = (tick_left + tick_right) / 2, right - left
        if left < middle < right and (width < 1.5 * (tick_right - tick_left) or sum(map(str.isalnum, text)) <= 1):
            return None
        if middle < left + 0.4 * width:
            left = max(left, tick_right + 1)
            text = text[1:].lstrip(")]}| ") if text[:1] in _LOOKS_LIKE_A_BOX and len(text) > 2 else text
        elif middle > right - 0.4 * width:
            right = min(right, tick_left - 1)
            text = text[:-1] if text[-1:] in _LOOKS_LIKE_A_BOX and len(text) > 2 else text
    return Word(text, (left, top, right, bottom)) if right - left > 2 else None
