"""The typefaces that text is drawn in: our own, and for those of others the most similar one at their width.

The widths of others were measured on an English text, in regular weight, or are estimates where the font is not free.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, get_args
from weakref import WeakKeyDictionary

from PIL.ImageFont import FreeTypeFont
from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load
from ...core.text_sprites import font
from ..scene.elements import Face

_BOLD, _REGULAR = 700, 400
_MIN_SIZE = 4.0
_EXACT = 1000
_enlarged: WeakKeyDictionary[FreeTypeFont, FreeTypeFont] = WeakKeyDictionary()


class Typeface(NamedTuple):
    """A typeface of ours in place of another.

    Attributes:
        face: ours.
        scale: the size at which it is as wide as the other, which has size 1.
        line: the height of the other's lines, in sizes.
    """

    face: Face = "Arimo"
    scale: float = 1.0
    line: float = 1.2


class Typefaces(RootModel[dict[str, tuple[Face, float, float]]]):
    """Faces of ours, scales and heights of lines by a part of the name of another face; the first that fits counts."""


@lru_cache(maxsize=1)
def _typefaces() -> dict[str, tuple[Face, float, float]]:
    return load(Typefaces, ROOT / "document_pictures" / "typefaces.json").root


def is_known(name: str) -> bool:
    """Whether a face is one of ours, or another for which one is drawn."""
    return name in get_args(Face) or any(part in name.lower() for part in _typefaces())


@lru_cache(maxsize=256)
def typeface(name: str) -> Typeface:
    """What a face of a name is drawn in."""
    if (own := next((face for face in get_args(Face) if face == name), None)) is not None:
        return Typeface(own)
    lowered = name.lower()
    return next((Typeface(*known) for part, known in _typefaces().items() if part in lowered), Typeface())


@lru_cache(maxsize=1024)
def face_font(name: str, size: int, bold: bool) -> FreeTypeFont:
    """The font for a face of a name at a size in pixels; that of another's face has a size that is no whole number."""
    known = typeface(name)
    weight = _BOLD if bold else _REGULAR
    if known.face == name:
        return font(name, size, weight)
    found = font(known.face, float(max(size * known.scale, _MIN_SIZE)), weight)
    _enlarged[found] = font(known.face, _EXACT, weight)
    return found


def enlarged(found: FreeTypeFont) -> FreeTypeFont:
    """The font whose widths count: one of ours itself, for another's one that is so large that nothing is rounded."""
    return _enlarged.get(found, found)
