"""Words as coverage, composed of cached glyphs: pixel by pixel as Pillow draws them, in a fraction of its time.

The faces have no kerning table, so that a letter is as far from the next as it is wide, in our faces in whole pixels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PIL.ImageFont import FreeTypeFont

from ...core.asset_cache import CACHE
from ...core.boxes import Rect
from ...core.painting import Gray
from .faces import enlarged

PARTS = re.compile(r"\S+[^\S\n]*|[^\S\n]+|\n")
"""Words with the spaces behind them, other spaces, and line feeds."""


@dataclass(frozen=True, slots=True, eq=False)
class Ink:
    """The coverage of a text.

    Attributes:
        pixels: uint8 (height, width), 255 = full.
        left, top: of its pixels, from where the text begins on its baseline.
        advance: the width of the text in pixels, side bearings included.
    """

    pixels: Gray
    left: int
    top: int
    advance: float

    def rect_at(self, x: float, baseline: int) -> Rect:
        """Left, top, right and bottom of the pixels of the text at a point, in whole pixels."""
        left, top, (height, width) = round(x) + self.left, baseline + self.top, self.pixels.shape
        return left, top, left + width, top + height


def lay(mask: Gray, ink: Ink, x: float, baseline: int) -> None:
    """Composite ink over a mask, cut at its edges."""
    left, top, right, bottom = ink.rect_at(x, baseline)
    cut_left, cut_top = max(left, 0), max(top, 0)
    region = mask[cut_top : max(bottom, 0), cut_left : max(right, 0)]
    pixels = ink.pixels[cut_top - top :, cut_left - left :][: region.shape[0], : region.shape[1]]
    if region.any():
        below = region * (255 - pixels.astype(np.uint16)) + np.uint16(128)
        region[...] = pixels + (((below >> 8) + below) >> 8)
    else:
        region[...] = pixels


def _word_ink(font: FreeTypeFont, text: str) -> Ink:
    """A word, and the spaces behind it, as ink."""
    placed, x, advances = [], 0.0, _advances(font)
    for letter in text:
        placed.append((_glyph(font, letter), round(x)))
        x += advances[letter]
    inked = [(glyph, at + glyph.left) for glyph, at in placed if glyph.pixels.size]
    if not inked:
        return Ink(np.zeros((0, 0), np.uint8), 0, 0, x)
    left, top = min(at for _, at in inked), min(glyph.top for glyph, _ in inked)
    right = max(at + glyph.pixels.shape[1] for glyph, at in inked)
    bottom = max(glyph.top + glyph.pixels.shape[0] for glyph, _ in inked)
    pixels, edge = np.zeros((bottom - top, right - left), np.uint8), left
    for glyph, at in inked:
        height, width = glyph.pixels.shape
        if at >= edge:
            pixels[glyph.top - top : glyph.top - top + height, at - left : at - left + width] = glyph.pixels
        else:
            lay(pixels, glyph, at - glyph.left - left, -top)
        edge = max(edge, at + width)
    return Ink(pixels, left, top, x)


word_ink = CACHE.cached(_word_ink, derived=True, size_of=lambda ink: 256 + ink.pixels.nbytes)
"""A word, and the spaces behind it, as ink; cached by font and text."""


class _Advances(dict[str, float]):
    """The widths of the letters of a font in pixels, measured when they are first needed.

    Those of a font in place of another are not rounded to whole pixels.
    """

    def __init__(self, font: FreeTypeFont) -> None:
        super().__init__()
        self._font = enlarged(font)
        self._scale = font.size / self._font.size

    def __missing__(self, letter: str) -> float:
        return self.setdefault(letter, self._font.getlength(letter) * self._scale)


_advances = lru_cache(maxsize=512)(_Advances)


def text_width(font: FreeTypeFont, text: str) -> float:
    """The width of a text without line feeds in pixels, side bearings included."""
    return sum(map(_advances(font).__getitem__, text))


@lru_cache(maxsize=16384)
def _glyph(font: FreeTypeFont, letter: str) -> Ink:
    mask, (left, top) = font.getmask2(letter, "L", anchor="ls")
    width, height = mask.size
    pixels = np.frombuffer(bytes(mask), np.uint8).reshape(height, width)
    return Ink(pixels, left, top, round(font.getlength(letter)))
