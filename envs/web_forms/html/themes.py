"""Themes: style sheets, their fonts, and boxes for characters that no font has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import fontpkg
import pydantic
from fontTools.ttLib import TTFont

from ....assets import ROOT
from ...core.files import Data, load
from .fallback_fonts import fallback_fonts

FOLDER = ROOT / "web_themes"
"""The shipped themes, each in its folder."""

FontUrl = Callable[[Path], str]
"""The URL under which a page finds a font file."""


class WebTheme(Data):
    """A theme, as its ``theme.json`` defines it.

    Attributes:
        name: that of its folder.
        title: what people read.
        description: its look in one line.
        fonts: the font families that its style sheet names, the one of its controls first.
    """

    name: str
    title: str
    description: str
    fonts: tuple[str, ...] = pydantic.Field(min_length=1)

    @property
    def style(self) -> str:
        """Its style sheet, without fonts."""
        return (FOLDER / self.name / "theme.css").read_text(encoding="utf-8")

    def font_files(self) -> Iterator[Path]:
        """The font files that its pages may load.

        Raises:
            fontpkg.FamilyNotInstalled: if the package of one is missing.
        """
        return (file.path for _, file in self.faces())

    def faces(self) -> Iterator[tuple[str, fontpkg.FontFile]]:
        """The font files with the names of their families."""
        return ((name, file) for name in self.fonts for file in fontpkg.family(name).files)


@lru_cache(maxsize=1)
def themes() -> tuple[str, ...]:
    """The names of the shipped themes, sorted."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/theme.json")))


def theme_of(number: int) -> str:
    """The theme that the instance of a number has if none is named."""
    return themes()[number % len(themes())]


@lru_cache(maxsize=16)
def theme(name: str) -> WebTheme:
    """A shipped theme.

    Raises:
        ValueError: if there is none of this name, or its file is broken.
    """
    if name not in themes():
        raise ValueError(f"no theme {name!r}; there are {', '.join(themes())}")
    return load(WebTheme, FOLDER / name / "theme.json")


def font_rules(theme: WebTheme, font_url: FontUrl) -> str:
    """The ``@font-face`` rules of a theme's families."""
    return "\n".join(font_rule(name, file, font_url(file.path)) for name, file in theme.faces())


def font_rule(family: str, file: fontpkg.FontFile, url: str, more: str = "") -> str:
    """The ``@font-face`` rule for the weights and the style of a font file."""
    weight = f"{file.wght_min} {file.wght_max}" if file.variable else str(file.weight)
    source = url.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'@font-face {{ font-family: "{family}"; font-style: {file.style}; font-weight: {weight}; '
        f'src: url("{source}"); font-display: block;{more} }}'
    )


BOXES = FOLDER / "missing.ttf"
"""A font that has a box for every character, and nothing for marks and other characters without width."""

_RANGES = (
    (0x20, 0x7E),
    (0xA0, 0xAC),
    (0xAE, 0x17F),
    (0x218, 0x21B),
    (0x384, 0x3CE),
    (0x400, 0x45F),
    (0x490, 0x491),
    (0x1E80, 0x1E85),
    (0x1E9E, 0x1E9E),
    (0x1EA0, 0x1EF9),
)
_OTHERS = "ƒ‐‑‒–—―‘’‚“”„†‡…‰‹›€™−≤≥≈×•□"
_FIRST, _LAST = 0x20 - 1, 0x10FFFF
_CONTROLS = range(0x7F, 0xA0)


@lru_cache(maxsize=1)
def characters() -> Sequence[str]:
    """The characters that are drawn from fonts: those of languages in Latin, Greek and Cyrillic letters."""
    return tuple(dict.fromkeys([chr(c) for first, last in _RANGES for c in range(first, last + 1)] + list(_OTHERS)))


def box_rules(theme: WebTheme, font_url: FontUrl = Path.as_uri) -> str:
    """The ``@font-face`` rules that draw all other characters as boxes.

    They follow the theme's own rules.
    """
    return "\n".join(
        font_rule(name, file, font_url(BOXES), f" unicode-range: {_other_ranges(file.path)};")
        for name, file in theme.faces()
    )


def text_rules(theme: WebTheme, font_url: FontUrl = Path.as_uri) -> str:
    """The rules by which texts are drawn in a theme's first family, then in ``fallback_fonts``, then in boxes.

    They follow the theme's style.
    """
    name = theme.fonts[0]
    rules = [
        font_rule("formgym text", file, font_url(file.path), f" unicode-range: {_ranges(drawn_characters(file.path))};")
        for family, file in theme.faces()
        if family == name
    ]
    families = ", ".join(f'"{family}"' for family in ("formgym text", *fallback_fonts(), "formgym boxes"))
    boxes = f'@font-face {{ font-family: "formgym boxes"; src: url("{font_url(BOXES)}"); font-display: block; '
    boxes += "unicode-range: U+20-7E, U+A0-10FFFF; }"
    return "\n".join((*rules, boxes, f":root {{ --fg-font: {families}; }}"))


@lru_cache(maxsize=32)
def drawn_characters(font: Path) -> frozenset[str]:
    """Those of ``characters()`` that a font has."""
    with TTFont(font, lazy=True) as opened:
        return frozenset(characters()) & {chr(code) for code in opened.getBestCmap()}


def _ranges(drawn: frozenset[str]) -> str:
    """The CSS ranges of characters."""
    return ", ".join(f"U+{ord(c):X}" for c in sorted(drawn))


@lru_cache(maxsize=32)
def _other_ranges(font: Path) -> str:
    """The CSS ranges of characters drawn as boxes beside a font, without controls."""
    drawn = sorted(map(ord, drawn_characters(font)))
    runs = ((before + 1, after - 1) for before, after in pairwise([_FIRST, *drawn, _LAST + 1]))
    return ", ".join(f"U+{first:X}-{last:X}" for first, last in runs if first <= last and first not in _CONTROLS)
