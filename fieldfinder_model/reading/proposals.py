"""What stands on a page as boxes: its texts, flat shapes, lines and pictures, found by OCR and by colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box, area, overlap_height, overlap_width, union
from ...envs.core.painting import Image
from ...envs.paper_forms.examples import Word
from .ocr import ocr_words
from .page_reading import rows_of, segments_of

_DIFFERENT = 8
"""The difference of a colour channel, of 255, from which a pixel does not belong to a flat ground."""
_MIN_SIDE, _MIN_AREA = 2, 24
_FLAT = 0.3
"""The minimum share of a region's commonest colour for things to lie on it."""
_PICTURE, _ICON, _SEEN = 4, 2, 0.03
"""How many colours a picture and an icon have at least, and the minimum share of a colour that counts."""
_EVEN = 0.45
"""The share of the commonest colour below which an area is a picture."""
_APART = 32
"""The difference of a channel from which colours are clearly different."""
_ICON_SIDE = 0.2
"""The maximum side of an icon, as a share of the page's shorter side."""
_LARGE = 0.004
"""The minimum share of the page of a region in which others are looked for."""
_MAX_DEPTH = 4
_IN_TEXT = 0.7
"""What shares more of its area with words is letters."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something on a page.

    Attributes:
        box: around its ink, in pixels.
        kind: text, picture, line, or the shape of an area: rectangle, circle, triangle, diamond, star, other.
        text: its words; of an area, those inside it.
        colour: of most of its pixels, or of letters.
        letter: the height of its letters in pixels; 0 without.
    """

    box: Box
    kind: str
    text: str
    colour: tuple[int, int, int]
    letter: float = 0.0


def proposals_of(page: Image) -> list[Proposal]:
    """The things on a page, as far as they can be distinguished: texts by line and by paragraph, and all else.

    Args:
        page: uint8 (height, width, 3).

    Raises:
        ImportError: if RapidOCR is not installed.
    """
    words = ocr_words(cv2.cvtColor(page, cv2.COLOR_RGB2GRAY).astype(np.uint8))
    lines = _lines(page, words)
    areas = [one for one in _areas(page, (0, 0, page.shape[1], page.shape[0]), 0) if not _is_letters(one.box, lines)]
    texts = [*lines, *_paragraphs(lines)]
    labelled = [replace(one, text=" ".join(t.text for t in lines if _inside(t.box, one.box))) for one in areas]
    return [*texts, *labelled]


# -- Texts ---------------------------------------------------------------------------------------------------------


def _lines(page: Image, words: list[Word]) -> list[Proposal]:
    """Runs of words in a line, with boxes tight around their letters."""
    segments = segments_of(words, rows_of(words), np.zeros((0, 4), np.int32)) if words else []
    found = []
    for segment in segments:
        box, colour = _inked(page, union(words[i].box for i in segment))
        found.append(Proposal(box, "text", " ".join(words[i].text for i in segment), colour, box[3] - box[1]))
    return found


def _inked(page: Image, box: Box) -> tuple[Box, tuple[int, int, int]]:
    """A text's box, tight around what differs from its ground, and the colour of its letters."""
    left, top = max(0, int(box[0]) - 2), max(0, int(box[1]) - 1)
    patch = page[top : int(box[3]) + 2, left : int(box[2]) + 3]
    ground = _commonest(patch)[0]
    differs = np.abs(patch.astype(np.int16) - ground).max(axis=2)
    inked = differs > max(_DIFFERENT, 0.35 * float(differs.max(initial=0)))
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    if not len(rows):
        return box, (0, 0, 0)
    strong = patch[differs >= np.percentile(differs[inked], 60)]
    tight = left + columns[0], top + rows[0], left + columns[-1] + 1, top + rows[-1] + 1
    return tuple(map(float, tight)), _as_colour(np.median(strong, axis=0))  # type: ignore[return-value]


def _paragraphs(lines: list[Proposal]) -> Iterator[Proposal]:
    """Lines below each other of one size and colour, with gaps of text, of lists and of tables."""
    for gap in (0.8, 1.7):
        groups: list[list[Proposal]] = []
        for line in sorted(lines, key=lambda one: one.box[1]):
            group = next((one for one in reversed(groups) if _continues(one[-1], line, gap)), None)
            groups.append([line]) if group is None else group.append(line)
        for group in groups:
            if len(group) > 1:
                text = " ".join(line.text for line in group)
                yield replace(group[0], box=union(line.box for line in group), text=text)
    rows = [line for line in lines if sum(overlap_height(line.box, one.box) > 0 for one in lines) > 1]
    if len(rows) > 3:
        yield replace(
            rows[0], box=union(row.box for row in rows), text=" ".join(row.text for row in rows), kind="table"
        )


def _continues(upper: Proposal, lower: Proposal, gap: float) -> bool:
    height = max(min(upper.letter, lower.letter), 6.0)
    is_alike = max(upper.letter, lower.letter) < 1.45 * height and _differ(upper.colour, lower.colour) < 60
    shared = overlap_width(upper.box, lower.box) > 0.4 * min(upper.box[2] - upper.box[0], lower.box[2] - lower.box[0])
    return is_alike and shared and -0.3 * height < lower.box[1] - upper.box[3] < gap * height


# -- Areas ---------------------------------------------------------------------------------------------------------


def _areas(page: Image, box: Box, depth: int) -> Iterator[Proposal]:
    """What lies on the ground of a region, and on what lies there."""
    left, top, right, bottom = map(int, box)
    region = page[top:bottom, left:right]
    ground, share = _commonest(region)
    if share < _FLAT and depth:
        return
    differs = (np.abs(region.astype(np.int16) - ground).max(axis=2) > _DIFFERENT).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(differs, connectivity=8)
    for i in range(1, count):
        x, y, width, height, _ = (int(value) for value in stats[i])
        if max(width, height) < 6 or min(width, height) < 1 or width * height < _MIN_AREA:
            continue
        within = float(left + x), float(top + y), float(left + x + width), float(top + y + height)
        mask = labels[y : y + height, x : x + width] == i
        patch = region[y : y + height, x : x + width]
        yield from _described(page, within, mask, patch, depth)


def _described(page: Image, box: Box, mask: NDArray[np.bool_], patch: Image, depth: int) -> Iterator[Proposal]:
    """An area, and what lies on it."""
    colour, share = _commonest(patch[mask][None])
    is_picture = share < _EVEN or _colours(patch, mask) >= (_ICON if _is_small(box, page) else _PICTURE)
    kind = "picture" if is_picture else _shape(mask)
    yield Proposal(box, kind, "", _as_colour(colour))
    is_large = area(box) >= _LARGE * page.shape[0] * page.shape[1] and min(mask.shape) > 12
    if is_large and kind != "picture" and depth < _MAX_DEPTH and area(box) < 0.995 * page.shape[0] * page.shape[1]:
        yield from _areas(page, box, depth + 1)


def _is_small(box: Box, page: Image) -> bool:
    return max(box[2] - box[0], box[3] - box[1]) < _ICON_SIDE * float(min(page.shape[:2]))


def _colours(patch: Image, mask: NDArray[np.bool_]) -> int:
    """How many clearly different colours an area has, without its smoothed edges."""
    inner = cv2.erode(np.pad(mask, 1).astype(np.uint8), np.ones((3, 3), np.uint8))[1:-1, 1:-1] > 0
    pixels = patch[inner if inner.sum() > 20 else mask]
    bins, counts = np.unique(pixels >> 4, axis=0, return_counts=True)
    seen: list[NDArray[np.int16]] = []
    for i in np.argsort(-counts):
        colour = bins[i].astype(np.int16) * 16
        if counts[i] >= _SEEN * len(pixels) and all(np.abs(colour - other).max() > _APART for other in seen):
            seen.append(colour)
    return len(seen)


def _shape(mask: NDArray[np.bool_]) -> str:
    """The shape of an area by how it fills its box, and how convex it is."""
    height, width = mask.shape
    if min(height, width) <= 6 and max(height, width) >= 5 * min(height, width):
        return "line"
    contours, _ = cv2.findContours(np.pad(mask, 1).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    contour = max(contours, key=cv2.contourArea)
    filled, hull = cv2.contourArea(contour) / (height * width), cv2.contourArea(cv2.convexHull(contour))
    solidity = cv2.contourArea(contour) / max(hull, 1.0)
    corners = len(cv2.approxPolyDP(contour, 0.03 * cv2.arcLength(contour, True), True))
    if solidity < 0.85:
        return "star" if filled > 0.3 else "other"
    if filled > 0.93:
        return "rectangle"
    if corners == 3:
        return "triangle"
    return "diamond" if corners == 4 and filled < 0.62 else "circle" if filled > 0.7 and corners > 4 else "other"


def _commonest(pixels: Image) -> tuple[NDArray[np.int16], float]:
    """The commonest colour of some pixels, and the share of those near to it."""
    coarse = (pixels >> 4).astype(np.int32)
    keys = (coarse[..., 0] << 8 | coarse[..., 1] << 4 | coarse[..., 2]).ravel()
    key = int(np.bincount(keys).argmax())
    colour = np.median(pixels.reshape(-1, 3)[keys == key], axis=0).astype(np.int16)
    near = np.abs(pixels.reshape(-1, 3).astype(np.int16) - colour).max(axis=1) <= _DIFFERENT
    return colour, float(near.mean())


def _as_colour(values: NDArray[np.floating] | NDArray[np.int16]) -> tuple[int, int, int]:
    red, green, blue = (int(value) for value in values)
    return red, green, blue


def _differ(one: tuple[int, int, int], other: tuple[int, int, int]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))


def _inside(inner: Box, outer: Box) -> bool:
    shared = max(0.0, overlap_width(inner, outer)) * max(0.0, overlap_height(inner, outer))
    return shared > 0.8 * area(inner)


def _is_letters(box: Box, lines: list[Proposal]) -> bool:
    """Whether an area is a part of a line of text."""
    for line in lines:
        left, top, right, bottom = line.box
        rim = 0.3 * line.letter
        room = left - rim, top - rim, right + rim, bottom + rim
        shared = max(0.0, overlap_width(box, room)) * max(0.0, overlap_height(box, room))
        if shared > _IN_TEXT * area(box) and box[3] - box[1] < 1.6 * line.letter:
            return True
    return False
