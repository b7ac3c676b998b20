"""Faces: the type that training pages are set, typed and written in; all come with the extra ``train``."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import fontpkg
from PIL import ImageFont

from ...envs.core.locators import Box

BOLD = 700

PRINT: dict[str, float] = {
    "Arimo": 40,
    "Open Sans": 5,
    "Inter": 3,
    "IBM Plex Sans": 5,
    "Roboto Condensed": 5,
    "PT Sans Narrow": 6,
    "Archivo Narrow": 5,
    "PT Serif": 10,
    "IBM Plex Serif": 5,
    "Libre Baskerville": 4,
    "Noto Serif": 5,
    "Roboto Slab": 3,
}
"""Families of printed forms, and how often each is met."""

TYPEWRITER: dict[str, float] = {
    "IBM Plex Mono": 30,
    "Source Code Pro": 18,
    "Roboto Mono": 8,
    "Inconsolata": 10,
    "DM Mono": 10,
    "Space Mono": 8,
    "Zilla Slab": 5,
}
"""Families that look typed."""

HANDWRITING: dict[str, float] = {
    "Caveat": 30,
    "Kalam": 15,
    "Indie Flower": 12,
    "Shadows Into Light": 15,
    "Zeyada": 12,
    "Dancing Script": 10,
}
"""Families that look written by hand."""

SIGNATURES: dict[str, float] = {"Dancing Script": 40, "Zeyada": 40, "Caveat": 20}
"""Families of signatures."""


class Type(NamedTuple):
    """A face at a size.

    Attributes:
        family: a font family installed by a ``fontpkg`` package.
        size: of the em square, in pixels.
        weight: 400, or 700 where the family has it.
    """

    family: str
    size: int
    weight: int = 400

    @property
    def font(self) -> ImageFont.FreeTypeFont:
        """The loaded font."""
        return _font(self.family, self.size, self.weight)

    @property
    def line(self) -> int:
        """From one baseline to the next in running text, in pixels."""
        return max(round(self.size * 1.17), 1)

    @property
    def capital(self) -> float:
        """How high a capital letter is, in pixels."""
        return self.size * 0.72

    def width(self, text: str) -> float:
        """The advance of ``text`` in pixels."""
        return _length(self, text)

    def ink(self, text: str) -> Box:
        """The box of the ink of ``text``, from where it starts on its baseline."""
        return _ink(self, text)

    def bold(self) -> Type:
        """The same, bold."""
        return self._replace(weight=BOLD)

    def scaled(self, share: float) -> Type:
        """The same, ``share`` times as large, but no smaller than can be read (6 pixels)."""
        return self._replace(size=max(round(self.size * share), 6))


@lru_cache(maxsize=1024)
def _font(family: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    try:
        path = fontpkg.path(family, weight=weight, nearest=True)
    except fontpkg.FamilyNotInstalled as error:
        raise ValueError(f'training pages need the face "{family}": pip install "formgym[train]"') from error
    loaded = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
    if path.name.endswith("].ttf"):
        values = [weight if axis["name"] == b"Weight" else axis["default"] for axis in loaded.get_variation_axes()]
        loaded.set_variation_by_axes([float(value or 0) for value in values])
    return loaded


@lru_cache(maxsize=16384)
def _length(type_: Type, text: str) -> float:
    return float(type_.font.getlength(text))


@lru_cache(maxsize=16384)
def _ink(type_: Type, text: str) -> Box:
    left, top, right, bottom = type_.font.getbbox(text, anchor="ls")
    return float(left), float(top), float(right), float(bottom)
