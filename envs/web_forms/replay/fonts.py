"""Fonts: glyphs photographed from Chromium, and the ink of lines."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ...core.asset_cache import CACHE, cached
from ...core.files import load, open_file
from ...core.pages import opened_picture
from .lines import Ink, Line, Mask, Shared

PHASES = 4
BULLET = "•"
"""The sign that hides each character of a password."""
MISSING = "\U0010fffd"
"""A character of private use, which no font has: what is photographed of it is drawn for all that were not."""
_SQUARE = "□"
"""The sign drawn for them in older captures, which have no ``MISSING``."""

_FIXED = 65536
"""HarfBuzz places glyphs on 65536ths of a pixel; so do we, in whole numbers."""
_EXACT = 1 << 24
"""Up to here, in 65536ths, a pen is exact as the single-precision number that Skia is given."""
_BIAS = _FIXED // 8
"""Skia rounds the place of a glyph down to quarters of a pixel after adding this."""
_QUARTER_BITS, _PHASE_BITS = 14, 2
WITHOUT_WIDTH = ("Mn", "Me", "Cf", "Cc")
"""The categories of characters that are not photographed and draw nothing."""
_BREAKS = frozenset("\t\n\r")
LONG = 300
"""From how many characters on a line is drawn in part."""

_Whole = NDArray[np.int64]
_Setting = tuple[_Whole, _Whole, list[float]]
"""The number and the start of each character of a line, in 65536ths of a pixel and in pixels."""


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


class Face:
    """One font at one size, in one shade of ink.

    Args:
        advances: of each character, in 65536ths of a pixel.
        kerns: for each width, likewise, the pairs of characters between which it is added, one after another.
        glyphs: the four phases of each character; empty for one without ink.

    Attributes:
        advances: of each character, in pixels.
    """

    HAS_OWN_CACHE_ENTRY = True

    def __init__(self, advances: dict[str, int], kerns: dict[int, str], glyphs: dict[str, list[Glyph]]) -> None:
        self.advances = {c: width / _FIXED for c, width in advances.items()}
        self._glyphs = glyphs
        self._characters = _Characters(advances, kerns)
        self._columns = _Columns([*map(self._phases_of, advances), []])
        self._setting = CACHE.cached(self._set, derived=True, size_of=_setting_bytes)
        self._inked = CACHE.cached(self._ink, derived=True, size_of=attrgetter("n_bytes"))

    @property
    def n_bytes(self) -> int:
        """The approximate memory that it takes: tables of characters and pairs, and four glyphs of each character."""
        return 9 * len(self.advances) ** 2 + 2500 * len(self.advances)

    def missing(self, text: str) -> str:
        """The characters of ``text`` that were not photographed, each once."""
        missing = self._characters.unknown(text)
        if missing and not self._characters.unknown(unicodedata.normalize("NFC", text)):
            # Marks are drawn as one with their letters.
            return ""
        return "".join(sorted(missing))

    def glyph(self, character: str, x: float) -> tuple[Glyph | None, int]:
        """The glyph of a character with the pen at ``x``, and the pixel of its origin."""
        quarters = (math.floor(x * _FIXED) + _BIAS) >> _QUARTER_BITS
        phases = self._phases_of(character)
        return (phases[quarters % PHASES] if phases else None), quarters // PHASES

    def line(self, text: str, x: float, span: tuple[int, int] | None = None) -> tuple[int, Line]:
        """The whole pixel and the ink of a line that begins at ``x``.

        With ``span``, the ink has only these characters.
        """
        whole = math.floor(x)
        return whole, self._inked(text, x - whole, span or (0, len(text)))

    def _ink(self, text: str, x: float, span: tuple[int, int]) -> Line:
        numbers, offsets, _ = self._setting(text)
        inked = slice(*span)
        pens = offsets[:-1][inked]
        if offsets[-1] > _EXACT:
            pens = pens.astype(np.float32).astype(np.int64)
        quarters = (pens + (math.floor(x * _FIXED) + _BIAS)) >> _QUARTER_BITS
        return self._columns.line(numbers[inked] * PHASES + (quarters & (PHASES - 1)), quarters >> _PHASE_BITS)

    def offsets(self, text: str) -> list[float]:
        """The start of each character of a line and the end of the last, in pixels."""
        return self._setting(text)[2]

    def _set(self, text: str) -> _Setting:
        numbers, offsets = self._characters.set(text)
        return numbers, offsets, (offsets / _FIXED).tolist()

    def _phases_of(self, character: str) -> list[Glyph]:
        return self._glyphs.get(self._characters.drawn(character), [])


def _setting_bytes(setting: _Setting) -> int:
    """The approximate memory of a setting, with its text and key."""
    return 1000 + 52 * len(setting[0])


class _Characters:
    """Characters by number, in the order of ``advances``; the last is the missing one.

    The missing character has no width.

    Attributes:
        known: the characters that were photographed.
    """

    def __init__(self, advances: dict[str, int], kerns: dict[int, str]) -> None:
        number = self._number = {c: i for i, c in enumerate(advances)}
        self.known = number.keys() - {MISSING}
        self._box = MISSING if MISSING in number else _SQUARE
        self._n = len(advances) + 1
        self._missing = number.get(self._box, self._n - 1)
        # The last code represents all greater ones.
        self._by_code = np.full(max(map(ord, self.known), default=0) + 2, self._missing)
        for c in self.known:
            self._by_code[ord(c)] = number[c]
        self._advances = np.array([*advances.values(), 0])
        self._kerns = np.zeros(self._n * self._n, np.int64)
        for width, pairs in kerns.items():
            numbers = self._numbers(pairs)
            self._kerns[numbers[::2] * self._n + numbers[1::2]] = width

    def _numbers(self, text: str) -> _Whole:
        return self._by_code.take(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), mode="clip")

    def unknown(self, text: str) -> set[str]:
        """The characters of ``text`` that were not photographed."""
        return set(text) - self.known - _BREAKS

    def drawn(self, character: str) -> str:
        """The character whose glyph is drawn for one: its own, the box, or "" for none."""
        if character in self.known:
            return character
        return "" if unicodedata.category(character) in WITHOUT_WIDTH else self._box

    def set(self, text: str) -> tuple[_Whole, _Whole]:
        """The numbers and the starts of characters, and the end, in 65536ths of a pixel."""
        numbers = self._numbers(text)
        for i in np.flatnonzero(numbers == self._missing).tolist():
            if not self.drawn(text[i]):
                numbers[i] = self._n - 1
                self._compose(text, i, numbers)
        widths = self._advances.take(numbers)
        # A kern belongs to the advance of the first of the two.
        widths[:-1] += self._kerns.take(numbers[:-1] * self._n + numbers[1:])
        offsets = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(widths, out=offsets[1:])
        return numbers, offsets

    def _compose(self, text: str, at: int, numbers: _Whole) -> None:
        """Draw the mark at ``at`` and its letter as one character, if there is one."""
        letter = at
        while letter and numbers[letter] == self._n - 1:
            letter -= 1
        composed = unicodedata.normalize("NFC", text[letter : at + 1])
        if composed in self._number:
            numbers[letter] = self._number[composed]


class _Columns:
    """All glyphs of a face side by side in one array, to gather a line in one step.

    Args:
        glyphs: the phases of each character by its number.
    """

    def __init__(self, glyphs: list[list[Glyph]]) -> None:
        inked = [glyph for phases in glyphs for glyph in phases]
        self._top = min((g.top for g in inked), default=0)
        height = max((g.top + len(g.mask) for g in inked), default=0) - self._top
        # Column 0 is blank.
        self._ink = np.zeros((1 + sum(g.mask.shape[1] for g in inked), height), np.uint8)
        self._starts, self._widths, self._lefts, self._tops, self._bottoms = np.zeros((5, len(glyphs) * PHASES), int)
        at = 1
        for number, phases in enumerate(glyphs):
            for i, g in enumerate(phases, number * PHASES):
                high, wide = g.mask.shape
                self._starts[i], self._widths[i], self._lefts[i] = at, wide, g.left
                self._tops[i], self._bottoms[i] = g.top, g.top + high
                self._ink[at : at + wide, g.top - self._top : g.top - self._top + high] = g.mask.T
                at += wide

    def line(self, glyphs: _Whole, pens: _Whole) -> Line:
        """The ink of glyphs, by number and phase, with their pens at whole pixels."""
        inked = np.flatnonzero(self._widths.take(glyphs))
        if not len(inked):
            return Line(np.zeros((0, 0), np.uint8), 0, 0)
        glyphs = glyphs.take(inked)
        lefts, widths = pens.take(inked) + self._lefts.take(glyphs), self._widths.take(glyphs)
        left, right = int(lefts.min()), int((lefts + widths).max())
        top, bottom = int(self._tops.take(glyphs).min()), int(self._bottoms.take(glyphs).max())
        planes, width = _planes(lefts, lefts + widths), right - left
        n_planes = int(planes.max()) + 1
        # One entry for every column of every glyph: where it goes, and where it comes from.
        before = np.cumsum(widths) - widths
        run = np.arange(int(before[-1] + widths[-1]))
        places = np.repeat(planes * width + lefts - (left + before), widths) + run
        columns = np.zeros(n_planes * width, np.int64)
        columns[places] = np.repeat(self._starts.take(glyphs) - before, widths) + run
        covers = self._ink.take(columns, axis=0).reshape(n_planes, width, -1)
        rows = slice(top - self._top, bottom - self._top)
        if n_planes == 1:
            return Line(_upright(covers[0], rows), left, top)
        several = np.minimum(*covers) if n_planes == 2 else np.count_nonzero(covers, axis=0) > 1
        shared = None
        if several.any():
            drawn_at = np.zeros_like(columns)
            drawn_at[places] = np.repeat(np.arange(len(glyphs)), widths)
            shared = _shared(several, covers, drawn_at.reshape(n_planes, -1), rows.start)
        return Line(_upright(np.bitwise_or.reduce(covers), rows), left, top, shared)


def _upright(columns: Mask, rows: slice) -> Mask:
    """Some rows of a transposed picture."""
    return np.ascontiguousarray(columns[:, rows].T)


def _planes(lefts: _Whole, rights: _Whole) -> _Whole:
    """A plane for each glyph, so that no two glyphs of a plane share a column."""
    reach = np.maximum.accumulate(rights)
    numbers = np.arange(len(lefts))
    meets = np.zeros(len(lefts), bool)
    np.less(lefts[1:], reach[:-1], out=meets[1:])
    if not (lefts[2:] < reach[:-2]).any():
        # In a chain of neighbours that meet, every other one.
        begins = np.maximum.accumulate(np.where(meets, 0, numbers))
        return (numbers - begins) & 1
    planes = np.zeros(len(lefts), np.int64)
    ends: list[int] = []
    for i, (left, right) in enumerate(zip(lefts.tolist(), rights.tolist(), strict=True)):
        plane = next((p for p, end in enumerate(ends) if end <= left), len(ends))
        ends[plane : plane + 1] = [right]
        planes[i] = plane
    return planes


def _shared(several: NDArray[Any], covers: Mask, drawn_at: _Whole, top: int) -> Shared:
    """Where ink of several glyphs overlaps, and the coverages in drawing order.

    Args:
        several: nonzero there, by column and row.
        covers: by plane, column and row.
        drawn_at: the glyph that a column of a plane belongs to; later ones are drawn later.
        top: the row that is the first of the line.
    """
    columns, rows = np.nonzero(several)
    order = np.argsort(drawn_at[:, columns], axis=0, kind="stable")
    return rows - top, columns, np.take_along_axis(covers[:, columns, rows], order, axis=0)


class _FaceFile(BaseModel):
    """The numbers of a face; of glyphs: left, top, width and height in the picture, and where they are drawn."""

    ink: Ink = (0, 0, 0)
    advances: dict[str, int]
    kerns: dict[int, str]
    glyphs: dict[str, tuple[tuple[int, int, int, int, int, int], ...]]


@cached
def load_face(path: Path) -> Face:
    """The face in ``path``.json and ``path``.webp.

    Raises:
        ValueError: if one of them is broken, or the first is missing.
        OSError: if the second is missing.
    """
    data, picture_file = load(_FaceFile, path.with_suffix(".json")), path.with_suffix(".webp")
    with open_file(picture_file) as file, opened_picture(file, str(picture_file)) as picture:
        sheet = np.asarray(picture.convert("L"))
    glyphs = {
        c: [Glyph(sheet[y : y + h, x : x + w], left, top) for x, y, w, h, left, top in phases]
        for c, phases in data.glyphs.items()
    }
    return Face(data.advances, data.kerns, glyphs)


UNIT = 64
"""Chromium lays out in 64ths of a pixel."""


def nearest(offsets: list[float], x: float, text: str) -> int:
    """The caret's place nearest to ``x`` in a line, never inside a grapheme.

    ``offsets`` are the starts of the characters.
    """
    i = min(max(bisect_right(offsets, x) - 1, 0), len(offsets) - 1)
    if i < len(offsets) - 1 and x >= (offsets[i] + offsets[i + 1]) / 2:
        i += 1
    while 0 < i < len(text) and unicodedata.combining(text[i]):
        i += 1
    return i


def ceiled(width: float) -> float:
    """The width that Chromium gives a text in its layout."""
    return math.ceil(width * UNIT - 1e-6) / UNIT


def rounded(x: float) -> float:
    """The position of a caret in Chromium's layout."""
    return math.floor(x * UNIT + 0.5) / UNIT


def snapped(x: float) -> int:
    """The whole pixel that Chromium snaps an edge to."""
    return math.floor(x + 0.5)
