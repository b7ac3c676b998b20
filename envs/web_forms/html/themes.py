"""Themes: how a page of a form looks, as style sheets, and the fonts that these name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

import fontpkg
import pydantic

from ....assets import ROOT
from ...core.files import load
from ..fields import Data

FOLDER = ROOT / "web_themes"
"""Where the shipped themes lie, a folder each."""

FontUrl = Callable[[Path], str]
"""The URL under which a page finds a font file."""


class Theme(Data):
    """A theme, as its ``theme.json`` tells.

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
        """The font files that a page of it may ask for.

        Raises:
            fontpkg.FamilyNotInstalled: if the package of one is missing.
        """
        return (file.path for _, file in self.faces())

    def faces(self) -> Iterator[tuple[str, fontpkg.FontFile]]:
        """The same with the names of their families."""
        return ((name, file) for name in self.fonts for file in fontpkg.family(name).files)


def themes() -> tuple[str, ...]:
    """The names of the shipped themes, sorted."""
    return tuple(sorted(path.parent.name for path in FOLDER.glob("*/theme.json")))


@lru_cache(maxsize=16)
def theme(name: str) -> Theme:
    """A shipped theme.

    Raises:
        ValueError: if there is none of this name, or its file is broken.
    """
    if name not in themes():
        raise ValueError(f"no theme {name!r}; there are {', '.join(themes())}")
    return load(Theme, FOLDER / name / "theme.json")


def font_rules(theme: Theme, font_url: FontUrl) -> str:
    """The ``@font-face`` rules of a theme's families."""
    return "\n".join(font_rule(name, file, font_url(file.path)) for name, file in theme.faces())


def font_rule(family: str, file: fontpkg.FontFile, url: str, more: str = "") -> str:
    """The ``@font-face`` rule that gives a family a font, with the weights and the style of ``file``."""
    weight = f"{file.wght_min} {file.wght_max}" if file.variable else str(file.weight)
    source = url.replace("\\", "\\\\").replace('"', '\\"')
    return (
        f'@font-face {{ font-family: "{family}"; font-style: {file.style}; font-weight: {weight}; '
        f'src: url("{source}"); font-display: block;{more} }}'
    )
