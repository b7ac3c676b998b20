"""Lines: the ink of a line of text, and how it is drawn, in Skia's arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, encloses, intersection
from ...core.painting import FixedLayer, Image

Ink = tuple[int, int, int]
Mask = NDArray[np.uint8]
"""Coverage of ink, uint8 (height, width): 255 where there is nothing but ink."""
Shared = tuple[NDArray[np.int64], NDArray[np.int64], Mask]
"""Rows and columns of pixels, and the coverages of the glyphs that meet there: uint8 (glyphs, pixels), in order."""
PHASES = 4
"""Glyphs are drawn at quarters of a pixel."""
Even = tuple[Rect, Ink]
"""A part of the page that is of one colour."""


@dataclass(frozen=True, slots=True, eq=False)
class Glyph:
    """A character at a quarter of a pixel.

    Attributes:
        mask: its coverage, uint8 (height, width).
        left: of its mask from the pen.
        top: of its mask from the line's origin.
    """

    mask: Mask
    left: int
    top: int


@dataclass(slots=True, eq=False)
class Line:
    """The ink of a line.

    Attributes:
        mask: its coverage, except where several glyphs overlap.
        left: of its mask, from the line's whole pixel.
        top: of its mask, from the line's origin.
        shared: where several glyphs overlap, each drawn over those before; ``None``: nowhere.
    """

    mask: Mask
    left: int
    top: int
    shared: Shared | None = None
    _stains: dict[tuple[Ink, Ink], Image] = field(default_factory=dict)

    @property
    def n_bytes(self) -> int:
        """The approximate memory that it takes, with its key and stains of two colours."""
        return 1000 + 7 * self.mask.nbytes + sum(part.nbytes for part in self.shared or ())

    @property
    def box(self) -> Rect:
        """The bounding box, from the line's whole pixel and origin."""
        height, width = self.mask.shape
        return self.left, self.top, self.left + width, self.top + height

    def stain(self, ink: Ink, ground: Ink) -> Image:
        """The bits that the line in ``ink`` flips (XOR) in ``box`` on ground of one colour; cached."""
        found = self._stains.get((ink, ground))
        if found is None:
            found = _tints(ink, ground).take(self.mask, mode="clip").view(np.uint8).reshape(*self.mask.shape, 3)
            if self.shared is not None:
                rows, columns, covers = self.shared
                paper = np.full((len(rows), 3), ground, np.uint8)
                found[rows, columns] = _covered(paper, covers, ink) ^ paper
            self._stains[ink, ground] = found
        return found

    def draw(self, target: Image, x: int, y: int, ink: Ink, clip: Rect) -> None:
        """Draw it inside ``clip``, with its pixel and origin at (x, y) of ``target``."""
        left, top, right, bottom = self.box
        box = intersection((x + left, y + top, x + right, y + bottom), clip)
        if box is None:
            return
        region, (dx, dy) = target[box[1] : box[3], box[0] : box[2]], (box[0] - x - left, box[1] - y - top)
        if self.shared is None:
            blend(region, self.mask[dy : dy + len(region), dx : dx + region.shape[1]], ink)
            return
        rows, columns, covers = self.shared
        rows, columns = rows - dy, columns - dx
        inside = (rows >= 0) & (rows < len(region)) & (columns >= 0) & (columns < region.shape[1])
        at = rows[inside], columns[inside]
        overlapping = _covered(region[at], covers[:, inside], ink)
        blend(region, self.mask[dy : dy + len(region), dx : dx + region.shape[1]], ink)
        region[at] = overlapping


@dataclass(slots=True, unsafe_hash=True)
class InkLayer(FixedLayer):
    """The ink of a line of text, or a part of it, as a layer.

    Attributes:
        rect: the pixels of the page that it may change.
        line: the line.
        x: its whole pixel on the page.
        y: its origin on the page.
        ink: its colour.
        ground: the only colour under it; ``None`` if there may be several.
    """

    opaque_rect: ClassVar[None] = None
    rect: Rect
    line: Line
    x: int
    y: int
    ink: Ink
    ground: Ink | None

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw what lies inside ``clip`` on ``target``, the pixels of ``clip``, as Skia does."""
        part = intersection(self.rect, clip)
        if part is None:
            return
        left, top, right, bottom = part
        region = target[top - clip[1] : bottom - clip[1], left - clip[0] : right - clip[0]]
        if self.ground is None:
            self.line.draw(region, self.x - left, self.y - top, self.ink, (0, 0, right - left, bottom - top))
        else:
            x, y = self.x + self.line.left, self.y + self.line.top
            region ^= self.line.stain(self.ink, self.ground)[top - y : bottom - y, left - x : right - x]


def ink_layers(line: tuple[int, Line], y: int, ink: Ink, clip: Rect, even: Even | None = None) -> Iterator[InkLayer]:
    """The layer of a line, unless it has no ink in ``clip``.

    Args:
        line: the result of ``Face.line``.
        y: the line's origin on the page.
        ink: the colour.
        clip: what may change.
        even: where only this colour is under it, which makes drawing faster.
    """
    x, inked = line
    left, top, right, bottom = inked.box
    if rect := intersection((x + left, y + top, x + right, y + bottom), clip):
        ground = even[1] if even is not None and encloses(even[0], rect) else None
        yield InkLayer(rect, inked, x, y, ink, ground)


def draw_line(target: Image, line: tuple[int, Line], y: int, ink: Ink, clip: Rect, even: Even | None = None) -> None:
    """Draw a line of text on a picture; see ``ink_layers``."""
    for layer in ink_layers(line, y, ink, clip, even):
        layer.draw(target, (0, 0, target.shape[1], target.shape[0]))


def blend(region: Image, mask: Mask, ink: Ink) -> None:
    """Cover ``region`` with ink through ``mask``, in Skia's arithmetic.

    Each product is ``(v * a + v) >> 8``.

    Args:
        region: uint8 (height, width, 3).
        mask: uint8 (height, width).
        ink: the colour.
    """
    alpha = np.repeat(mask, 3, axis=1).reshape(*mask.shape, 3).astype(np.uint16)
    product = region * (256 - alpha)
    product >>= 8
    alpha += 1
    alpha *= _row(ink, mask.shape[1])
    alpha >>= 8
    product += alpha
    region[...] = product


def _covered(pixels: Image, covers: Mask, ink: Ink) -> Image:
    """Pixels (n, 3) after drawing ink with coverages (glyphs, n), glyph by glyph."""
    found = pixels.astype(np.uint16)
    for alpha in covers[:, :, None].astype(np.uint16):
        found = (found * (256 - alpha) >> 8) + ((alpha + 1) * np.asarray(ink, np.uint16) >> 8)
    return found.astype(np.uint8)


@lru_cache(maxsize=256)
def _tints(ink: Ink, ground: Ink) -> NDArray[np.void]:
    """The bits that each coverage changes on a ground: 256 pixels of three bytes."""
    tints = np.full((1, 256, 3), ground, np.uint8)
    blend(tints, np.arange(256, dtype=np.uint8)[None], ink)
    tints ^= np.asarray(ground, np.uint8)
    return tints.reshape(-1).view("V3")


def _row(colour: Ink, width: int) -> Image:
    """A row of pixels of one colour, for use on many rows: (1, width, 3)."""
    return _wide_row(colour, max(4096, width))[:, :width]


@lru_cache(maxsize=64)
def _wide_row(colour: Ink, width: int) -> Image:
    return np.tile(np.asarray(colour, np.uint8), (1, width, 1))
