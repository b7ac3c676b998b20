"""Characters that forms do not draw: a font of boxes stands in for them, in a browser as in captures."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from fontTools.ttLib import TTFont

from .themes import FOLDER, FontUrl, Theme, font_rule

BOXES = FOLDER / "missing.ttf"
"""A font that has a box for every character, and nothing for marks and other characters without width."""

_RANGES = (
    (0x20, 0x7E),
    (0xA0, 0xAC),
    (0xAE, 0x17F),
    (0x218, 0x21B),
    (0x1E80, 0x1E85),
    (0x1E9E, 0x1E9E),
    (0x1EA0, 0x1EF9),
)
_OTHERS = "ƒ‐‑‒–—―‘’‚“”„†‡…‰‹›€™−≤≥≈×•□"
_FIRST, _LAST = 0x20 - 1, 0x10FFFF
_CONTROLS = range(0x7F, 0xA0)


@lru_cache(maxsize=1)
def characters() -> Sequence[str]:
    """The characters that are drawn where fonts have them: what people type in languages written in Latin letters."""
    return tuple(dict.fromkeys([chr(c) for first, last in _RANGES for c in range(first, last + 1)] + list(_OTHERS)))


def box_rules(theme: Theme, font_url: FontUrl = Path.as_uri) -> str:
    """The ``@font-face`` rules by which a theme's families draw all other characters as boxes; they follow its own."""
    return "\n".join(
        font_rule(name, file, font_url(BOXES), f" unicode-range: {_other_ranges(file.path)};")
        for name, file in theme.faces()
    )


@lru_cache(maxsize=32)
def _other_ranges(font: Path) -> str:
    """What is drawn as boxes beside a font, as CSS has it; control characters are left to the browser."""
    with TTFont(font, lazy=True) as opened:
        drawn = sorted({ord(c) for c in characters()} & opened.getBestCmap().keys())
    runs = ((before + 1, after - 1) for before, after in pairwise([_FIRST, *drawn, _LAST + 1]))
    return ", ".join(f"U+{first:X}-{last:X}" for first, last in runs if first <= last and first not in _CONTROLS)
