"""Text that a theme's typeface lacks: shaped by HarfBuzz, hinted by FreeType and filled by Skia, as Chromium does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from fontTools import unicodedata

from ..html.fallback_fonts import fallback_fonts
from .bidi import CONTROLS
from .lines import PHASES, Glyph, Ink, Mask

_FEATURES = dict.fromkeys(("liga", "clig", "dlig", "hlig", "calt"), False)
"""Those that ``font-variant-ligatures: none`` turns off."""
_MEASURED = frozenset("Latn Grek Thai Hani Zyyy Zinh".split())
"""The scripts of which no measured text differed from Chromium's; of some others a few pixels of a glyph do."""
_HORN = "\u031b"
"""A mark that HarfBuzz joins with its letter in an order of its own."""
_BY_DICTIONARY = frozenset("Thai Laoo Khmr Mymr".split())
"""Scripts whose words Chromium finds by a dictionary where it wraps lines."""
_CONTRAST, _GAMMA = 0.2, 76 / 64
"""Of text in Chromium; Skia keeps the gamma in 64ths."""


@dataclass(slots=True)
class Shaped:
    """Glyphs of a run of text from left to right.

    Attributes:
        glyphs: the phases of each.
        pens: of each, in 65536ths of a pixel from the start of the run.
        owners: the first character of which each is a part.
        widths: of the run's characters, likewise, in reading order.
        reach: pixels above and below the baseline that a line with it takes at least.
    """

    glyphs: list[list[Glyph]]
    pens: list[int]
    owners: list[int]
    widths: list[int]
    reach: tuple[int, int] = (0, 0)


class FallbackFont:
    """A font at one size, drawn in inks of one luminance.

    Args:
        path: of its file.
        size: in pixels.
        luminance: of the ink, 0 to 7.
        baseline: rows from a line's origin to its baseline.

    Raises:
        ImportError: if HarfBuzz, FreeType or Skia is lacking.
    """

    def __init__(self, path: Path, size: int, luminance: int, baseline: int) -> None:
        import freetype
        import skia
        import uharfbuzz as harfbuzz

        self._freetype, self._skia, self._harfbuzz = freetype, skia, harfbuzz
        self._face = freetype.Face(str(path))
        self._face.set_char_size(size * 64)
        self._baseline, self._table = baseline, _corrections(luminance)
        self._reach = _reach(self._face, size)
        self._font = harfbuzz.Font(harfbuzz.Face(harfbuzz.Blob.from_file_path(str(path))))
        self._font.scale = (size << 16, size << 16)
        self._advance = lru_cache(maxsize=4096)(self._measure)
        functions = harfbuzz.FontFuncs()
        functions.set_nominal_glyph_func(lambda font, code, data: self._face.get_char_index(code))
        functions.set_glyph_h_advance_func(lambda font, glyph, data: self._advance(glyph))
        self._font.funcs = functions
        self.glyph = lru_cache(maxsize=4096)(self._draw)

    def has(self, character: str) -> bool:
        """Whether the font has a character."""
        return bool(self._face.get_char_index(ord(character)))

    def shape(self, text: str, span: tuple[int, int], script: str, level: int) -> tuple[Shaped, list[int]]:
        """Shape a part of a text.

        Returns:
            The glyphs, and the characters that the font lacks.
        """
        start, end = span
        buffer = self._harfbuzz.Buffer()
        buffer.add_codepoints(list(map(ord, text)), start, end - start)
        buffer.direction, buffer.script, buffer.language = "rtl" if level % 2 else "ltr", script, "en"
        self._harfbuzz.shape(self._font, buffer, _FEATURES)
        found, pen, advances = Shaped([], [], [], []), 0, [0] * (end - start)
        starts = [*sorted({info.cluster for info in buffer.glyph_infos}), end]
        lacking = {info.cluster for info in buffer.glyph_infos if not info.codepoint}
        for info, at in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            found.glyphs.append(self.glyph(info.codepoint, self._baseline + ((32768 - at.y_offset) >> 16)))
            found.pens.append(pen + at.x_offset)
            found.owners.append(info.cluster)
            advances[info.cluster - start] += at.x_advance
            pen += at.x_advance
        for first, stop in pairwise(starts):
            _divide(advances, text, first, stop, start)
        found.widths, found.reach = advances, self._reach
        return found, [i for first, stop in pairwise(starts) if first in lacking for i in range(first, stop)]

    def _measure(self, glyph: int) -> int:
        self._face.load_glyph(glyph, self._freetype.FT_LOAD_TARGET_LIGHT | self._freetype.FT_LOAD_NO_BITMAP)
        return int(self._face.glyph.linearHoriAdvance)

    def _draw(self, glyph: int, down: int) -> list[Glyph]:
        """The phases of a glyph, moved down by whole pixels; none if it has no ink."""
        self._measure(glyph)
        path = self._path(self._face.glyph.outline)
        found = [self._fill(path, phase, down) for phase in range(PHASES)]
        return [one for one in found if one] if all(found) else []

    def _path(self, outline: Any) -> Any:
        path = self._skia.Path()

        def move(to: Any, _: Any) -> None:
            path.close()
            path.moveTo(to.x / 64, -to.y / 64)

        def line(to: Any, _: Any) -> None:
            path.lineTo(to.x / 64, -to.y / 64)

        def quadratic(a: Any, to: Any, _: Any) -> None:
            path.quadTo(a.x / 64, -a.y / 64, to.x / 64, -to.y / 64)

        def cubic(a: Any, b: Any, to: Any, _: Any) -> None:
            path.cubicTo(a.x / 64, -a.y / 64, b.x / 64, -b.y / 64, to.x / 64, -to.y / 64)

        outline.decompose(None, move, line, quadratic, cubic)
        path.close()
        return path

    def _fill(self, path: Any, phase: int, down: int) -> Glyph | None:
        skia, bounds = self._skia, path.getBounds()
        left, top = int(bounds.left()) - 2, int(bounds.top()) - 2
        width, height = int(bounds.right()) + 4 - left, int(bounds.bottom()) + 4 - top
        surface = skia.Surface.MakeRaster(skia.ImageInfo.MakeA8(width, height))
        surface.getCanvas().translate(phase / PHASES - left, -top)
        surface.getCanvas().drawPath(path, skia.Paint(AntiAlias=True))
        picture = surface.makeImageSnapshot().toarray(colorType=skia.kAlpha_8_ColorType).reshape(height, width)
        rows, columns = (np.flatnonzero(picture.any(axis=axis)) for axis in (1, 0))
        if not len(rows):
            return None
        mask = self._table[picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]]
        return Glyph(mask, left + int(columns[0]), top + int(rows[0]) + down)


def _reach(face: Any, size: int) -> tuple[int, int]:
    """What Chromium takes for a font's ascent and descent."""
    return int(face.ascender * size / face.units_per_EM + 0.5), int(-face.descender * size / face.units_per_EM + 0.5)


def _divide(advances: list[int], text: str, first: int, stop: int, start: int) -> None:
    """Share the width of several characters that are one among those that are no marks."""
    bases = [i for i in range(first, stop) if i == first or not unicodedata.category(text[i]).startswith(("M", "Cf"))]
    whole = advances[first - start]
    for n, i in enumerate(bases):
        advances[i - start] = whole * (n + 1) // len(bases) - whole * n // len(bases)


def _corrections(luminance: int) -> Mask:
    """What Skia makes of each coverage for inks of a luminance: uint8 (256,)."""
    source = luminance / 7
    ground = 1 - source
    coverage = np.arange(256) / 255
    coverage += (1 - coverage) * _CONTRAST * ground**_GAMMA * coverage
    mixed = (source**_GAMMA * coverage + ground**_GAMMA * (1 - coverage)) ** (1 / _GAMMA)
    table: Mask = np.floor(255 * (mixed - ground) / (source - ground) + 0.5).astype(np.uint8)
    return table


@lru_cache(maxsize=256)
def fallback_font(path: Path, size: int, luminance: int, baseline: int) -> FallbackFont:
    """A font, opened once."""
    return FallbackFont(path, size, luminance, baseline)


def luminance(ink: Ink) -> int:
    """The luminance of an ink as Skia tells them apart, 0 to 7."""
    red, green, blue = ((value / 255) ** _GAMMA for value in ink)
    return int((0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / _GAMMA) * 255 + 0.5) >> 5


@lru_cache(maxsize=1)
def can_shape() -> bool:
    """Whether fonts and libraries for other scripts are installed."""
    try:
        import freetype  # noqa: F401
        import skia  # noqa: F401
        import uharfbuzz  # noqa: F401
    except ImportError:
        return False
    return bool(fallback_fonts())


def may_differ(text: str, shaped: str, wraps: bool) -> bool:
    """Whether a text may look otherwise in Chromium: by its script, its controls of direction, or where it wraps.

    ``shaped``: the characters of it that are not photographed.
    """
    found = {unicodedata.script(c) for c in shaped}
    is_unmeasured = found - _MEASURED or _HORN in text or CONTROLS.search(text)
    return bool(is_unmeasured or (wraps and found & _BY_DICTIONARY))


def scripts(text: str) -> list[str]:
    """The script of each character; what belongs to none has that of what is before it, or behind it."""
    found = [unicodedata.script(c) for c in text]
    known = [script for script in found if script not in ("Zyyy", "Zinh")]
    current = known[0] if known else "Zyyy"
    for i, script in enumerate(found):
        current = found[i] = current if script in ("Zyyy", "Zinh") else script
    return found


def shape_pending(
    text: str, pending: list[tuple[int, int]], script: list[str], levels: list[int], look: tuple[int, int, int]
) -> Iterator[tuple[int, int, Shaped | None]]:
    """Shape runs of characters with the first fonts that have them; ``None``: no font has a run.

    ``look``: size, luminance and baseline, as of ``FallbackFont``.
    """
    for path in fallback_fonts().values():
        font, left = fallback_font(path, *look), list[tuple[int, int]]()
        for start, end in pending:
            if not any(map(font.has, text[start:end])):
                left.append((start, end))
                continue
            _, lacking = font.shape(text, (start, end), script[start], levels[start])
            parts = _parts(start, end, set(lacking))
            left += [(a, b) for a, b, is_lacking in parts if is_lacking]
            for a, b, is_lacking in parts:
                if not is_lacking:
                    yield a, b, font.shape(text, (a, b), script[a], levels[a])[0]
        pending = left
    yield from ((start, end, None) for start, end in pending)


def _parts(start: int, end: int, lacking: set[int]) -> list[tuple[int, int, bool]]:
    """A run cut where characters that are lacking begin and end."""
    cuts = [start, *(i for i in range(start + 1, end) if (i in lacking) != (i - 1 in lacking)), end]
    return [(a, b, a in lacking) for a, b in pairwise(cuts)]
