"""Faces: the glyphs of one font at one size, photographed from Chromium, and where they go in a line."""

from __future__ import annotations

import json
import math
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...core.painting import Image, Rect, envelope, intersection

Ink = tuple[int, int, int]
Mask = NDArray[np.uint8]
"""Coverage of ink, uint8 (height, width): 255 where there is nothing but ink."""

PHASES = 4
MEASURED_SIZE = 8192
BULLET = "•"
"""What a password's characters are shown as."""
MISSING = "□"
"""What characters that were not photographed are drawn as."""

_BIAS = 1 / 8
"""Skia rounds the place of a glyph down to quarters of a pixel after adding this."""


@dataclass(slots=True, eq=False)
class Glyph:
    """A character at a quarter of a pixel, or ink of several that does not overlap.

    Attributes:
        mask: its coverage, the same in three channels: uint8 (height, width, 3).
        left: of its mask from the pen.
        top: of its mask from the line's origin.
    """

    mask: Image
    left: int
    top: int
    width: int = field(init=False)
    height: int = field(init=False)

    def __post_init__(self) -> None:
        self.height, self.width, _ = self.mask.shape


@dataclass(slots=True, eq=False)
class Line:
    """The ink of a line.

    Attributes:
        layers: to be drawn in order; ink of one layer does not overlap.
        box: around all of it, from the line's whole pixel and origin.
    """

    layers: list[Glyph]
    box: Rect = field(init=False)
    _stains: dict[tuple[Ink, Ink], Image] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rects = [(g.left, g.top, g.left + g.mask.shape[1], g.top + len(g.mask)) for g in self.layers]
        self.box = envelope(rects) if rects else (0, 0, 0, 0)

    def stain(self, ink: Ink, ground: Ink) -> Image:
        """What ink makes of an even ground in ``box``, as bits that change."""
        found = self._stains.get((ink, ground))
        if found is None:
            left, top, right, bottom = self.box
            paper = _row(ground, right - left)
            found = self._stains[ink, ground] = np.repeat(paper, bottom - top, axis=0)
            draw_line(found, (left, top), (0, self), 0, ink, self.box)
            found ^= paper
        return found


class Face:
    """One font at one size, in one shade of ink.

    Args:
        size: in pixels (em square).
        advances: of each character, in pixels at ``MEASURED_SIZE``.
        kerns: what is added between two characters, likewise.
        glyphs: the four phases of each character; empty for one without ink.
    """

    def __init__(
        self, size: float, advances: dict[str, float], kerns: dict[str, float], glyphs: dict[str, list[Glyph]]
    ) -> None:
        self.advances = {c: _fixed(width * size / MEASURED_SIZE) for c, width in advances.items()}
        self._kerns = {pair: _fixed(width * size / MEASURED_SIZE) for pair, width in kerns.items()}
        self._glyphs = glyphs
        self._lines: dict[tuple[str, float], Line] = {}
        self._offsets: dict[str, list[float]] = {}
        self._clashes: dict[tuple[int, int, int], bool] = {}

    def missing(self, text: str) -> str:
        """The characters of ``text`` that were not photographed, each once."""
        return "".join(sorted({c for c in text if c not in self.advances and c != "\n"}))

    def offsets(self, text: str) -> list[float]:
        """Where each character begins in a line, in pixels, and where the last one ends: one more than characters."""
        found = self._offsets.get(text)
        if found is None:
            if len(self._offsets) >= _KEPT_LINES:
                self._offsets.clear()
            found = self._offsets[text] = self.offsets_until(text, math.inf)
        return found

    def offsets_until(self, text: str, limit: float) -> list[float]:
        """``offsets``, ended by the first that is larger than ``limit``."""
        advances, kerns = self.advances, self._kerns
        at, found, before = 0.0, [0.0], ""
        for c in text:
            advance = advances.get(c)
            if advance is None:
                advance = 0.0 if unicodedata.combining(c) else advances[MISSING]
            # A kern belongs to the advance of the first of the two.
            if kern := kerns.get(before + c):
                at += kern
                found[-1] = at
            at += advance
            found.append(at)
            before = c
            if at > limit:
                break
        return found

    def glyph(self, character: str, x: float) -> tuple[Glyph | None, int]:
        """How a character is drawn with the pen at ``x``, and the whole pixel that its ``left`` counts from."""
        quarters = math.floor((x + _BIAS) * PHASES)
        phases = self._glyphs.get(character)
        if phases is None:
            phases = self._glyphs[MISSING] if character not in self.advances else []
        return (phases[quarters % PHASES] if phases else None), quarters // PHASES

    def line(self, text: str, x: float) -> tuple[int, Line]:
        """A line that begins at ``x``: its whole pixel, and its ink."""
        whole = math.floor(x)
        found = self._lines.get((text, x - whole))
        if found is None:
            if len(self._lines) >= _KEPT_LINES:
                self._lines.clear()
            found = self._lines[text, x - whole] = Line(self._layered(text, x - whole))
        return whole, found

    def _layered(self, text: str, x: float) -> list[Glyph]:
        layers = [_Layer(self._clashes)]
        reach = -math.inf
        for c, at in zip(text, self.offsets(text), strict=False):
            glyph, pen = self.glyph(c, x + at)
            if glyph is None:
                continue
            left = pen + glyph.left
            level = 0
            if left < reach:
                # Above every layer in which something lies under it.
                level = next((i for i in range(len(layers), 0, -1) if layers[i - 1].overlaps(glyph, left)), 0)
                if level == len(layers):
                    layers.append(_Layer(self._clashes))
            reach = max(reach, layers[level].add(glyph, left))
        return [layer.merged() for layer in layers if layer.parts]


_KEPT_LINES = 512
_KEPT_CLASHES = 1 << 16


class _Layer:
    """Ink that is being set without overlaps, from left to right.

    Args:
        clashes: whether ink of two glyphs overlaps where the second begins so far right of the first, as far as known.
    """

    def __init__(self, clashes: dict[tuple[int, int, int], bool]) -> None:
        self.parts: list[tuple[Glyph, int, int]] = []
        self._clashes = clashes

    def overlaps(self, glyph: Glyph, left: int) -> bool:
        """Whether some of a glyph's ink would lie on this layer's."""
        for other, at, reach in reversed(self.parts):
            if reach <= left:
                return False
            if at + other.width > left and self._clash(other, glyph, left - at):
                return True
        return False

    def _clash(self, one: Glyph, other: Glyph, by: int) -> bool:
        key = id(one), id(other), by
        found = self._clashes.get(key)
        if found is None:
            if len(self._clashes) >= _KEPT_CLASHES:
                self._clashes.clear()
            found = self._clashes[key] = _share_ink(one, other, by)
        return found

    def add(self, glyph: Glyph, left: int) -> int:
        """Set a glyph; where the layer's ink ends now."""
        right = left + glyph.width
        reach = max(right, self.parts[-1][2]) if self.parts else right
        self.parts.append((glyph, left, reach))
        return reach

    def merged(self) -> Glyph:
        """All of it as one glyph."""
        left, right = min([at for _, at, _ in self.parts]), self.parts[-1][2]
        top = min([glyph.top for glyph, _, _ in self.parts])
        bottom = max([glyph.top + glyph.height for glyph, _, _ in self.parts])
        mask = np.zeros((bottom - top, right - left, 3), np.uint8)
        for glyph, at, _ in self.parts:
            y, x = glyph.top - top, at - left
            part = mask[y : y + glyph.height, x : x + glyph.width]
            np.bitwise_or(part, glyph.mask, part)
        return Glyph(mask, left, top)


def _share_ink(one: Glyph, other: Glyph, by: int) -> bool:
    """Whether ink of two glyphs overlaps if the second's mask begins ``by`` pixels right of the first's."""
    left, right = max(by, 0), min(one.mask.shape[1], by + other.mask.shape[1])
    top, bottom = max(one.top, other.top), min(one.top + len(one.mask), other.top + len(other.mask))
    if left >= right or top >= bottom:
        return False
    mine = one.mask[top - one.top : bottom - one.top, left:right]
    theirs = other.mask[top - other.top : bottom - other.top, left - by : right - by]
    return bool(np.logical_and(mine, theirs).any())


def draw_line(
    target: Image,
    origin: tuple[int, int],
    line: tuple[int, Line],
    y: int,
    ink: Ink,
    clip: Rect,
    even: tuple[Rect, Ink] | None = None,
) -> None:
    """Draw a line on ``target``, whose top left pixel is ``origin``, inside ``clip``, as Skia does.

    Args:
        target: uint8 (height, width, 3).
        origin: x and y.
        line: what ``Face.line`` gave.
        y: the line's origin.
        ink: the colour.
        clip: what may change.
        even: where nothing but this colour was before; to know it spares time.
    """
    x0, y0 = origin
    pen, inked = line
    if even is not None and _stain(target, origin, line, y, ink, clip, even):
        return
    for layer in inked.layers:
        height, width, _ = layer.mask.shape
        x, above = pen + layer.left, y + layer.top
        box = intersection((x, above, x + width, above + height), clip)
        if box is not None:
            left, top, right, bottom = box
            region = target[top - y0 : bottom - y0, left - x0 : right - x0]
            blend(region, layer.mask[top - above : bottom - above, left - x : right - x], ink)


def _stain(
    target: Image, origin: tuple[int, int], line: tuple[int, Line], y: int, ink: Ink, clip: Rect, even: tuple[Rect, Ink]
) -> bool:
    """Draw a line all of which is on even ground; whether it is."""
    (x0, y0), (pen, inked) = origin, line
    left, top, right, bottom = inked.box
    x, above = pen + left, y + top
    box = intersection((x, above, pen + right, y + bottom), clip)
    if box is None:
        return True
    if intersection(box, even[0]) != box:
        return False
    left, top, right, bottom = box
    region = target[top - y0 : bottom - y0, left - x0 : right - x0]
    region ^= inked.stain(ink, even[1])[top - above : bottom - above, left - x : right - x]
    return True


def _fixed(width: float) -> float:
    """HarfBuzz places glyphs on 65536ths of a pixel."""
    return round(width * 65536) / 65536


def blend(region: Image, mask: Image, ink: Ink) -> None:
    """Cover ``region`` with ink where ``mask`` says, in Skia's arithmetic (each product ``(v * a + v) >> 8``).

    Args:
        region: uint8 (height, width, 3).
        mask: the same in all channels: uint8 (height, width, 3).
        ink: the colour.
    """
    alpha = mask.astype(np.uint16)
    product = region * (256 - alpha)
    product >>= 8
    alpha += 1
    alpha *= _row(ink, mask.shape[1])
    alpha >>= 8
    product += alpha
    region[...] = product


def _row(colour: Ink, width: int) -> Image:
    """A row of pixels of one colour, to be used on many rows at once: (1, width, 3)."""
    return _wide_row(colour, max(4096, width))[:, :width]


@lru_cache(maxsize=64)
def _wide_row(colour: Ink, width: int) -> Image:
    return np.tile(np.asarray(colour, np.uint8), (1, width, 1))


@lru_cache(maxsize=128)
def load_face(path: Path) -> Face:
    """The face in ``path``.json and ``path``.webp.

    Raises:
        OSError: if one of them is missing.
    """
    data: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    with PillowImage.open(path.with_suffix(".webp")) as picture:
        sheet = np.asarray(picture.convert("L"))
    glyphs = {
        c: [Glyph(_triple(sheet[y : y + h, x : x + w]), left, top) for x, y, w, h, left, top in phases]
        for c, phases in data["glyphs"].items()
    }
    return Face(data["size"], data["advances"], data["kerns"], glyphs)


def _triple(mask: Mask) -> Image:
    return np.repeat(mask[:, :, None], 3, axis=2)
