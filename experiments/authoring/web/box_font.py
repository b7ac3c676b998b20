"""The font of boxes that stands in for all characters that forms do not draw."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

from ....envs.web_forms.replay.fonts import WITHOUT_WIDTH

_UNITS, _WIDTH = 1000, 600
_OUTSIDE, _INSIDE = (60, 0, 540, 700), (120, 60, 480, 640)
_MANY_TO_ONE = 13
"""The format of character maps in which a run of characters has one glyph."""


def write_box_font(path: Path) -> None:
    """Write the font; the same bytes whenever it is written with one version of fontTools."""
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
