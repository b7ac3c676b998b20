"""Fonts at a size: measure, draw and wrap text on training pages."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import fontpkg
from PIL import Image, ImageDraw, ImageFont

from ...core.boxes import Box
from ...core.text_sprites import font

BOLD = 700


class Type(NamedTuple):
    """A font at a size.

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
        """The loaded font.

        Raises:
            ValueError: if it is not installed.
        """
        try:
            return font(self.family, self.size, self.weight)
        except fontpkg.FamilyNotInstalled as error:
            raise ValueError(f'drawn pages need the font "{self.family}": pip install "formgym[train]"') from error

    @property
    def line(self) -> int:
        """The distance between baselines in running text, in pixels."""
        return max(round(self.size * 1.17), 1)

    @property
    def capital(self) -> float:
        """The height of a capital letter, in pixels."""
        return self.size * 0.72

    def width(self, text: str) -> float:
        """The advance of ``text`` in pixels."""
        return _length(self, text)

    def ink(self, text: str) -> Box:
        """The box of the ink of ``text``, relative to its start on the baseline."""
        return _ink(self, text)

    def picture(self, text: str, ink: int = 0, pad: int = 2) -> Image.Image:
        """``text`` on white with a margin of ``pad`` pixels, to be rotated and pasted."""
        _, top, right, bottom = self.ink(text)
        size = (round(max(right, self.width(text))) + 2 * pad, round(bottom - top) + 2 * pad)
        picture = Image.new("L", size, 255)
        ImageDraw.Draw(picture).text((pad, pad - top), text, fill=ink, font=self.font, anchor="ls")
        return picture

    def bold(self) -> Type:
        """The same type in bold."""
        return self._replace(weight=BOLD)

    def scaled(self, share: float) -> Type:
        """The same type, ``share`` times as large, but at least 6 pixels."""
        return self._replace(size=max(round(self.size * share), 6))


@lru_cache(maxsize=16384)
def _length(type_: Type, text: str) -> float:
    return float(type_.font.getlength(text))


@lru_cache(maxsize=16384)
def _ink(type_: Type, text: str) -> Box:
    left, top, right, bottom = type_.font.getbbox(text, anchor="ls")
    return float(left), float(top), float(right), float(bottom)


def wrap(text: str, type_: Type, width: float, max_lines: int, may_cut: bool = True) -> list[str]:
    """``text`` in at most ``max_lines`` lines no wider than ``width``.

    If it does not fit, it is cut, or empty if it may not be cut.
    """
    lines: list[list[str]] = []
    space, used = type_.width(" "), 0.0
    for word in text.split():
        advance = type_.width(word)
        if lines and used + space + advance <= width:
            lines[-1].append(word)
            used += space + advance
        elif advance > width or len(lines) == max_lines:
            return [" ".join(line) for line in lines] if may_cut else []
        else:
            lines.append([word])
            used = advance
    return [" ".join(line) for line in lines]
