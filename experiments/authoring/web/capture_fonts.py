"""Photograph fonts: glyphs, advances and kerning; write the font of boxes."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

from ....envs.core.painting import Image
from ....envs.web_forms.html.themes import characters
from ....envs.web_forms.replay.fonts import MISSING, WITHOUT_WIDTH
from ....envs.web_forms.replay.lines import PHASES, Ink, Mask, blend
from ...reporting.page_images import webp
from .camera import Camera

_COLUMNS = 16
_SAMPLE = "Hamburg 0123"
_WHITE, _BLACK = (255, 255, 255), (0, 0, 0)


def photograph_face(camera: Camera, style: dict[str, Any], folder: Path) -> str:
    """Photograph a face unless it is there already.

    Args:
        camera: on a page where the font is loaded.
        style: family, weight, slant, size and ink, as computed.
        folder: of the faces.

    Returns:
        The file's name without suffix.
    """
    key = "|".join(str(style[name]) for name in ("family", "weight", "slant", "size"))
    colour, paper = _measurable_colour(camera, style)
    name = hashlib.sha256(f"{key}|{colour}".encode()).hexdigest()[:16]
    path = folder / name
    if not path.with_suffix(".json").exists():
        folder.mkdir(parents=True, exist_ok=True)
        data, sheet = _photograph(camera, style, colour, paper)
        path.with_suffix(".webp").write_bytes(webp(np.repeat(sheet[:, :, None], 3, axis=2)))
        path.with_suffix(".json").write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n")
    return name


def _photograph(camera: Camera, style: dict[str, Any], colour: Ink, paper: Ink) -> tuple[dict[str, Any], Mask]:
    sheet = _Sheet()
    everything = [*characters(), MISSING]
    masks = _all_masks(camera, style, everything, colour, paper)
    measured = camera.ask("measureGlyphs", style, everything)
    drawn = [c for c in everything if c == MISSING or not _is_missing(c, masks, measured["advances"])]
    glyphs = {c: [place for mask in masks[c] if (place := sheet.add(mask, _cell(style) // 4))] for c in drawn}
    data = {"family": style["family"], "weight": style["weight"], "slant": style["slant"], "size": style["size"]}
    advances = {c: measured["advances"][c] for c in drawn}
    kerns: dict[int, str] = {}
    for pair, width in measured["kerns"].items():
        if set(pair) <= advances.keys():
            kerns[width] = kerns.get(width, "") + pair
    return data | {"ink": colour, "advances": advances, "kerns": kerns, "glyphs": glyphs}, sheet.pixels()


def _is_missing(character: str, masks: dict[str, list[Mask]], advances: dict[str, int]) -> bool:
    """Whether a character is drawn as the glyph of missing characters."""
    if advances[character] != advances[MISSING] or not masks[MISSING][0].any():
        return False
    return all(map(np.array_equal, masks[character], masks[MISSING]))


def _all_masks(
    camera: Camera, style: dict[str, Any], everything: Sequence[str], colour: Ink, paper: Ink
) -> dict[str, list[Mask]]:
    """The coverage of each character at each phase."""
    found: dict[str, list[Mask]] = {}
    for start in range(0, len(everything), 64):
        part = everything[start : start + 64]
        masks = _masks(camera, style, part, colour, paper)
        found |= {c: masks[i * PHASES : (i + 1) * PHASES] for i, c in enumerate(part)}
    return found


def _cell(style: dict[str, Any]) -> int:
    return int(style["size"] * 4) // 4 * 4


def _masks(camera: Camera, style: dict[str, Any], part: Sequence[str], colour: Ink, paper: Ink) -> list[Mask]:
    """Coverage in the cell of each character at each phase."""
    cell = _cell(style)
    height = camera.ask("drawGlyphs", style, list(part), _css(colour), _css(paper), cell, _COLUMNS)
    camera.resize(1024, max(height, 768))
    picture = camera.picture((0, 0, cell * _COLUMNS, height))
    camera.ask("uncover")
    coverage = _coverage(picture, colour, paper)
    cells = [(i % _COLUMNS * cell, i // _COLUMNS * cell) for i in range(len(part) * PHASES)]
    return [coverage[y : y + cell, x : x + cell] for x, y in cells]


def _coverage(picture: Image, colour: Ink, paper: Ink) -> Mask:
    """The ink on each pixel, exact in a channel where ink and paper are 0 and 255."""
    channel = next(i for i in range(3) if {colour[i], paper[i]} == {0, 255})
    values = picture[:, :, channel]
    return values if colour[channel] == 255 else 255 - values


def _measurable_colour(camera: Camera, style: dict[str, Any]) -> tuple[Ink, Ink]:
    """An ink with the same coverage as the style's, and a paper to read it off.

    Skia thins and thickens glyphs by the ink's luminance, in a few steps; coverage cannot be read off an ink that has
    no black or white channel.
    """
    ink: Ink = tuple(int(v) for v in style["ink"])  # type: ignore[assignment]
    expected = [(_sample(camera, style, ink, ground), ground) for ground in (_WHITE, _BLACK)]
    for colour, paper in _candidates(ink):
        coverage = _coverage(_sample(camera, style, colour, paper), colour, paper)
        if all(np.array_equal(_drawn(coverage, ink, ground), picture) for picture, ground in expected):
            return colour, paper
    raise ValueError(f"no ink shows how text of the colour {ink} is drawn")


def _drawn(coverage: Mask, ink: Ink, ground: Ink) -> Image:
    picture = np.empty((*coverage.shape, 3), np.uint8)
    picture[...] = ground
    blend(picture, coverage, ink)
    return picture


def _candidates(ink: Ink) -> Iterator[tuple[Ink, Ink]]:
    if 0 in ink:
        yield ink, _WHITE
    for value in range(0, 256, 4):
        yield (0, value, value), _WHITE
    for value in range(255, -1, -4):
        yield (255, value, value), _BLACK


def _sample(camera: Camera, style: dict[str, Any], ink: Ink, paper: Ink) -> Image:
    height = camera.ask("drawGlyphs", style, list(_SAMPLE), _css(ink), _css(paper), _cell(style), _COLUMNS)
    picture = camera.picture((0, 0, _cell(style) * _COLUMNS, height))
    camera.ask("uncover")
    return picture


def _css(colour: Ink) -> str:
    return "rgb({}, {}, {})".format(*colour)


class _Sheet:
    """Masks packed into one picture."""

    _WIDTH = 1024

    def __init__(self) -> None:
        self._rows: list[tuple[int, list[Mask]]] = []
        self._x = self._y = self._height = 0
        self._placed: list[tuple[int, int, Mask]] = []

    def add(self, mask: Mask, origin: int) -> list[int] | None:
        """Keep the inked part of a cell.

        Returns:
            Left, top, width and height in the sheet, and left and top from the pen and the line's origin; None if
            there is no ink.
        """
        inked = np.nonzero(mask)
        if not inked[0].size:
            return None
        top, bottom, left, right = inked[0].min(), inked[0].max() + 1, inked[1].min(), inked[1].max() + 1
        width, height = int(right - left), int(bottom - top)
        if self._x + width > self._WIDTH:
            self._x, self._y, self._height = 0, self._y + self._height, 0
        x, y = self._x, self._y
        self._placed.append((x, y, mask[top:bottom, left:right]))
        self._x, self._height = x + width, max(self._height, height)
        return [x, y, width, height, int(left) - origin, int(top)]

    def pixels(self) -> Mask:
        """The sheet: uint8 (height, width)."""
        sheet = np.zeros((self._y + self._height, self._WIDTH), np.uint8)
        for x, y, mask in self._placed:
            sheet[y : y + mask.shape[0], x : x + mask.shape[1]] = mask
        return sheet


_UNITS, _WIDTH = 1000, 600
_OUTSIDE, _INSIDE = (60, 0, 540, 700), (120, 60, 480, 640)
_MANY_TO_ONE = 13
"""The format of character maps in which a run of characters has one glyph."""


def write_box_font(path: Path) -> None:
    """Write the font of boxes; the same bytes for one version of fontTools."""
    box, blank = _rectangles(_OUTSIDE, _INSIDE), _rectangles()
    font = FontBuilder(_UNITS, isTTF=True)
    font.setupHead(unitsPerEm=_UNITS, created=0, modified=0)
    font.setupGlyphOrder([".notdef", "box", "blank"])
    font.setupCharacterMap({})
    font.setupGlyf({".notdef": box, "box": box, "blank": blank})
    font.setupHorizontalMetrics({".notdef": (_WIDTH, _OUTSIDE[0]), "box": (_WIDTH, _OUTSIDE[0]), "blank": (0, 0)})
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "formgym boxes", "styleName": "Regular"})
    font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    font.font["cmap"].tables.append(_every_character())
    font.font.recalcTimestamp = False
    font.save(path)


def _rectangles(*rectangles: tuple[int, int, int, int]) -> object:
    """A glyph of rectangles, each a hole in the one before."""
    pen = TTGlyphPen(None)
    for i, (left, bottom, right, top) in enumerate(rectangles):
        corners = [(left, bottom), (left, top), (right, top), (right, bottom)]
        first, *others = corners[::-1] if i % 2 else corners
        pen.moveTo(first)
        for corner in others:
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def _every_character() -> CmapSubtable:
    table = CmapSubtable.newSubtable(_MANY_TO_ONE)
    table.platformID, table.platEncID, table.language, table.format = 3, 10, 0, _MANY_TO_ONE
    table.length = table.nGroups = 0
    everything = (c for c in range(0x20, 0x110000) if not 0xD800 <= c < 0xE000)
    table.cmap = {c: "blank" if unicodedata.category(chr(c)) in WITHOUT_WIDTH else "box" for c in everything}
    return table
