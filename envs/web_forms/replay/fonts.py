"""Fonts: glyphs photographed from Chromium, and the ink of lines."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from ...core.asset_cache import CACHE, cached
from ...core.files import load, open_file
from ...core.pages import opened_picture
from .bidi import MIRRORED, levels, visual_order
from .lines import PHASES, Glyph, Ink, Line, Mask, Shared
from .shaping import Shaped, can_shape, luminance, scripts, shape_pending

BULLET = "•"
"""The sign that hides each character of a password."""
MISSING = "\U0010fffd"
"""A character of private use, which no font has: what is photographed of it is drawn for all that were not."""

_FIXED = 65536
"""HarfBuzz places glyphs on 65536ths of a pixel; so do we, in whole numbers."""
_LAID_OUT = _FIXED // 64
_EXACT = 1 << 24
"""Up to here, in 65536ths, a pen is exact as the single-precision number that Skia is given."""
_BIAS = _FIXED // 8
"""Skia rounds the place of a glyph down to quarters of a pixel after adding this."""
_QUARTER_BITS, _PHASE_BITS = 14, 2
WITHOUT_WIDTH = ("Mn", "Me", "Cf", "Cc")
"""The categories of characters that are not photographed and draw nothing."""
_BREAKS = frozenset("\t\n\r")
_LAST_LATIN = "\u02ff"
"""Up to here characters are Latin or belong to no script."""
LONG = 300
"""From how many characters on a line is drawn in part."""

_Whole = NDArray[np.int64]


@dataclass(slots=True, eq=False)
class _Setting:
    """Where the characters and the glyphs of a line are.

    Attributes:
        offsets: the start of each character and the end of the last, in pixels and in reading order.
        numbers: of its glyphs, from left to right.
        pens: of these, in 65536ths of a pixel.
        owners: the characters of which these are parts; ``None``: one each.
        columns: where the glyphs are; ``None``: those of the face.
        edges: left and right of each character on the screen, in pixels; ``None``: as ``offsets``.
        lacking: the characters that are drawn as boxes.
        reach: pixels above and below the baseline that other fonts in it take.
    """

    offsets: list[float]
    numbers: _Whole
    pens: _Whole
    owners: _Whole | None = None
    columns: _Columns | None = None
    edges: list[tuple[float, float]] | None = None
    lacking: str = ""
    reach: tuple[int, int] = (0, 0)

    @property
    def n_bytes(self) -> int:
        """The approximate memory of a setting, with its text and key."""
        return 1000 + 52 * len(self.offsets) + (self.columns.n_bytes if self.columns else 0)


class Face:
    """One font at one size, in one shade of ink.

    Args:
        advances: of each character, in 65536ths of a pixel.
        kerns: for each width, likewise, the pairs of characters between which it is added, one after another.
        glyphs: the four phases of each character; empty for one without ink.
        size: in pixels.
        ink: a colour in which its glyphs are as they are.

    Attributes:
        advances: of each character, in pixels.
    """

    HAS_OWN_CACHE_ENTRY = True

    def __init__(
        self,
        advances: dict[str, int],
        kerns: dict[int, str],
        glyphs: dict[str, list[Glyph]],
        size: int,
        ink: Ink,
    ) -> None:
        self.advances = {c: width / _FIXED for c, width in advances.items()}
        self._glyphs = glyphs
        self._characters = _Characters(advances, kerns)
        self._phases = [*map(self._phases_of, advances), []]
        self._columns = _Columns(self._phases)
        base = next((g for g in self._phases_of("H")), None)
        self._look = size, luminance(ink), base.top + len(base.mask) if base else size
        self._setting = CACHE.cached(self._set, derived=True, size_of=attrgetter("n_bytes"))
        self._inked = CACHE.cached(self._ink, derived=True, size_of=attrgetter("n_bytes"))

    @property
    def n_bytes(self) -> int:
        """The approximate memory that it takes: tables of characters and pairs, and four glyphs of each character."""
        return 5 * len(self.advances) ** 2 + 2500 * len(self.advances)

    def missing(self, text: str) -> str:
        """The characters of ``text`` that are drawn as boxes or not at all, each once."""
        missing = self._characters.unknown(text)
        if missing and can_shape():
            return self._setting(text).lacking
        if missing and not self._characters.unknown(unicodedata.normalize("NFC", text)):
            # Marks are drawn as one with their letters.
            return ""
        return "".join(sorted(missing))

    def shaped(self, text: str) -> str:
        """The characters of ``text`` that other fonts draw."""
        return "".join(c for c, is_own in zip(text, self._characters.drawn_here(text), strict=True) if not is_own)

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
        setting = self._setting(text)
        numbers, pens = setting.numbers, setting.pens
        if setting.owners is None:
            numbers, pens = numbers[slice(*span)], pens[slice(*span)]
        elif span != (0, len(text)):
            inked = (setting.owners >= span[0]) & (setting.owners < span[1])
            numbers, pens = numbers[inked], pens[inked]
        if setting.offsets[-1] * _FIXED > _EXACT:
            pens = pens.astype(np.float32).astype(np.int64)
        quarters = (pens + (math.floor(x * _FIXED) + _BIAS)) >> _QUARTER_BITS
        columns = setting.columns or self._columns
        return columns.line(numbers * PHASES + (quarters & (PHASES - 1)), quarters >> _PHASE_BITS)

    def offsets(self, text: str) -> list[float]:
        """The start of each character of a line and the end of the last, in pixels and in reading order."""
        return self._setting(text).offsets

    def carets(self, text: str) -> list[float]:
        """Where the caret is before each character of a line and at its end, in pixels."""
        setting = self._setting(text)
        if setting.edges is None:
            return setting.offsets
        ways = levels(text)
        return [
            *(edge[way % 2] for edge, way in zip(setting.edges, ways, strict=True)),
            setting.edges[-1][1 - ways[-1] % 2],
        ]

    def reach(self, text: str) -> tuple[int, int]:
        """The rows above and below the baseline that a line's other fonts take."""
        return self._setting(text).reach

    @property
    def baseline(self) -> int:
        """Rows from a line's origin to its baseline."""
        return self._look[2]

    def _set(self, text: str) -> _Setting:
        if not text.isascii() and self._characters.unknown(text) and can_shape():
            return self._set_mixed(text)
        numbers, offsets = self._characters.set(text)
        return _Setting((offsets / _FIXED).tolist(), numbers, offsets[:-1])

    def _set_mixed(self, text: str) -> _Setting:
        """Set a line with characters that the face lacks."""
        ways, lacking, runs = levels(text), list[str](), list[tuple[int, int, Shaped]]()
        of_level, script = ways or [0] * len(text), scripts(text)
        own = self._characters.drawn_here(text)
        cuts = [0, *(i for i in range(1, len(text)) if _parts_at(i, own, script, of_level)), len(text)]
        bounds = list(pairwise(cuts))
        runs += [
            (start, end, self._own(text[start:end], start, of_level[start])) for start, end in bounds if own[start]
        ]
        pending = [bound for bound in bounds if not own[bound[0]]]
        for start, end, shaped in shape_pending(text, pending, script, of_level, self._look):
            if shaped is None:
                lacking += text[start:end]
            runs.append((start, end, shaped or self._own(text[start:end], start, of_level[start])))
        setting = _arranged(sorted(runs, key=itemgetter(0)), of_level, bool(ways))
        setting.reach = max(run.reach[0] for _, _, run in runs), max(run.reach[1] for _, _, run in runs)
        setting.lacking = "".join(sorted(self._characters.unknown("".join(lacking))))
        return setting

    def _own(self, text: str, start: int, level: int) -> Shaped:
        """A run of characters in the face's own glyphs."""
        numbers, offsets = self._characters.set(text.translate(MIRRORED) if level % 2 else text)
        widths, phases = np.diff(offsets), [self._phases[number] for number in numbers]
        pens = offsets[-1] - offsets[1:] if level % 2 else offsets[:-1]
        return Shaped(phases, pens.tolist(), list(range(start, start + len(text))), widths.tolist())

    def _phases_of(self, character: str) -> list[Glyph]:
        return self._glyphs.get(self._characters.drawn(character), [])


class _Characters:
    """Characters by number, in the order of ``advances``; the last is the missing one.

    The missing character has no width.

    Attributes:
        known: the characters that were photographed.
    """

    def __init__(self, advances: dict[str, int], kerns: dict[int, str]) -> None:
        number = self._number = {c: i for i, c in enumerate(advances)}
        self.known = number.keys() - {MISSING}
        self._n = len(advances) + 1
        self._missing = number[MISSING]
        # The last code represents all greater ones.
        self._by_code = np.full(max(map(ord, self.known), default=0) + 2, self._missing)
        for c in self.known:
            self._by_code[ord(c)] = number[c]
        self._advances = np.array([*advances.values(), 0])
        self._kerns = np.zeros(self._n * self._n, np.int32)
        for width, pairs in kerns.items():
            numbers = self._numbers(pairs)
            self._kerns[numbers[::2] * self._n + numbers[1::2]] = width

    def _numbers(self, text: str) -> _Whole:
        return self._by_code.take(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), mode="clip")

    def unknown(self, text: str) -> set[str]:
        """The characters of ``text`` that were not photographed."""
        return set(text) - self.known - _BREAKS

    def drawn_here(self, text: str) -> list[bool]:
        """Whether each character is photographed, with the marks behind it as one."""
        found: list[bool] = []
        starts = [i for i, c in enumerate(text) if not i or unicodedata.category(c)[0] != "M"]
        for start, end in pairwise([*starts, len(text)]):
            is_known = not self.unknown(unicodedata.normalize("NFC", text[start:end]))
            found += [is_known] * (end - start)
        return found

    def drawn(self, character: str) -> str:
        """The character whose glyph is drawn for one: its own, the box, or "" for none."""
        if character in self.known:
            return character
        return "" if unicodedata.category(character) in WITHOUT_WIDTH else MISSING

    def set(self, text: str) -> tuple[_Whole, _Whole]:
        """The numbers and the starts of characters, and the end, in 65536ths of a pixel."""
        numbers = self._numbers(text)
        for i in np.flatnonzero(numbers == self._missing).tolist():
            if not self.drawn(text[i]):
                numbers[i] = self._n - 1
                self._compose(text, i, numbers)
        widths = self._advances.take(numbers)
        # A kern belongs to the advance of the first of the two.
        kerns = self._kerns.take(numbers[:-1] * self._n + numbers[1:])
        if not text.isascii() and max(text) > _LAST_LATIN:
            # Chromium sets each script apart.
            script = np.array(scripts(text))
            kerns[script[:-1] != script[1:]] = 0
        widths[:-1] += kerns
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


def _parts_at(i: int, own: list[bool], script: list[str], levels: list[int]) -> bool:
    """Whether a run begins at a character."""
    return own[i] != own[i - 1] or levels[i] != levels[i - 1] or (not own[i] and script[i] != script[i - 1])


def _arranged(runs: list[tuple[int, int, Shaped]], levels: list[int], is_mixed: bool) -> _Setting:
    """A line of runs, which are in reading order and cover it."""
    widths = [width for _, _, run in runs for width in run.widths]
    edges, offsets = [(0.0, 0.0)] * len(widths), np.concatenate(([0], np.cumsum(widths)))
    glyphs: list[list[Glyph]] = []
    pens: list[int] = []
    owners: list[int] = []
    x, before = 0, 0
    for i in visual_order([levels[start] for start, _, _ in runs]):
        start, end, run = runs[i]
        if is_mixed and levels[start] != before:
            # Chromium lays each direction out apart.
            x, before = -(-x // _LAID_OUT) * _LAID_OUT, levels[start]
        glyphs += run.glyphs
        pens += [x + pen for pen in run.pens]
        owners += run.owners
        inside = np.concatenate(([0], np.cumsum(run.widths)))
        inside = x + (inside[-1] - inside if levels[start] % 2 else inside)
        for at in range(start, end):
            left, right = sorted((inside[at - start] / _FIXED, inside[at - start + 1] / _FIXED))
            edges[at] = float(left), float(right)
        x += sum(run.widths)
    distinct = {id(phases): phases for phases in glyphs}
    number = {key: i for i, key in enumerate(distinct)}
    numbers = np.array([number[id(phases)] for phases in glyphs], np.int64)
    columns = _Columns(list(distinct.values()))
    places = (offsets / _FIXED).tolist()
    return _Setting(places, numbers, np.array(pens, np.int64), np.array(owners), columns, edges if is_mixed else None)


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
        # Of each glyph: its width, its first column, its left from the pen, its top and its bottom.
        self._places = np.zeros((5, len(glyphs) * PHASES), int)
        at = 1
        for number, phases in enumerate(glyphs):
            for i, g in enumerate(phases, number * PHASES):
                high, wide = g.mask.shape
                self._places[:, i] = wide, at, g.left, g.top, g.top + high
                self._ink[at : at + wide, g.top - self._top : g.top - self._top + high] = g.mask.T
                at += wide

    @property
    def n_bytes(self) -> int:
        """The memory of the glyphs."""
        return self._ink.nbytes

    def line(self, glyphs: _Whole, pens: _Whole) -> Line:
        """The ink of glyphs, by number and phase, with their pens at whole pixels."""
        placed = self._places.take(glyphs, axis=1)
        inked = placed[0] > 0
        if not inked.any():
            return Line(np.zeros((0, 0), np.uint8), 0, 0)
        widths, starts, lefts, tops, bottoms = placed[:, inked]
        lefts += pens[inked]
        rights = lefts + widths
        left, top = int(np.minimum.reduce(lefts)), int(np.minimum.reduce(tops))
        width, planes = int(np.maximum.reduce(rights)) - left, _planes(lefts, rights)
        n_planes = int(np.maximum.reduce(planes)) + 1
        # One entry for every column of every glyph: where it goes, and where it comes from.
        ends = widths.cumsum()
        before, run = ends - widths, np.arange(ends[-1])
        places = (planes * width + lefts - left - before).repeat(widths) + run
        columns = np.zeros(n_planes * width, np.int64)
        columns[places] = (starts - before).repeat(widths) + run
        rows = slice(top - self._top, int(np.maximum.reduce(bottoms)) - self._top)
        covers = self._ink.take(columns, axis=0).reshape(n_planes, width, -1)
        if n_planes == 1:
            return Line(_upright(covers[0], rows), left, top)
        several = np.minimum(*covers) if n_planes == 2 else np.count_nonzero(covers, axis=0) > 1
        shared = None
        if several.any():
            drawn_at = np.zeros_like(columns)
            drawn_at[places] = np.arange(len(widths)).repeat(widths)
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
    columns, rows = several.nonzero()
    order = drawn_at[:, columns].argsort(axis=0, kind="stable")
    return rows - top, columns, covers[order, columns, rows]


class _FaceFile(BaseModel):
    """The numbers of a face; of glyphs: left, top, width and height in the picture, and where they are drawn."""

    size: int
    ink: Ink
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
    return Face(data.advances, data.kerns, glyphs, data.size, data.ink)


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
