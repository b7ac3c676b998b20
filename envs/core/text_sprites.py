"""Text as sprites, cached by text, size and face; and the fonts that draw it."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, radians, sin
from operator import attrgetter
from pathlib import Path

import fontpkg
import numpy as np
from PIL import Image as PillowImage
from PIL import ImageFont

from .asset_cache import CACHE, cached
from .boxes import Rect, union
from .extras import missing
from .painting import Gray, Sprite, Stamp

INK = (16, 24, 96)
"""The colour of what agents write: the blue-black of a pen, apart from the black of the print."""

TYPED_FACE = "Arimo"
SIGNED_FACE = "Dancing Script"
_TICK_FACE = "Inter"
_REGULAR = 400
_SMALL_FACES = {"Caveat": 1.2}
"""Faces whose letters are small for their size, and the factor that makes up for it."""

_BOX = "□"
# Ticks that the tick face lacks are drawn as the nearest one it has.
_DRAWN_TICKS = str.maketrans({"✔": "✓", "☑": "✓", "√": "✓", "✘": "✗", "☒": "✗", "\ufe0e": None, "\ufe0f": None})


# Longer texts are not cached: a page-wide sprite takes a megabyte.
_KEPT_LENGTH = 80


def sprite(text: str, size: int, face: str = TYPED_FACE, angle: float = 0.0) -> Sprite:
    """One line of text as a sprite, its anchor in the middle as with Pillow's "mm".

    Characters that the face lacks are drawn as boxes and named in ``Sprite.unsupported``, never silently dropped.

    Args:
        text: what to draw, without control characters.
        size: the size of the face in pixels (em square).
        face: the name of a font family installed by a ``fontpkg`` package.
        angle: in degrees, counter-clockwise about the anchor; rounded to tenths.
    """
    return (_kept if len(text) <= _KEPT_LENGTH else _drawn)(text, size, face, round(angle, 1) if angle else 0.0)


@cached
def spread_sprite(text: str, columns: tuple[int, ...], size: int, face: str = TYPED_FACE) -> Sprite:
    """A text as a sprite of separate characters, as in the cells of a comb.

    Args:
        text: what to draw, at least one character.
        columns: of the middle of each character, from left to right, in pixels from the anchor.
        size: see ``sprite``.
        face: see ``sprite``.
    """
    parts = [Stamp(sprite(c, size, face), column, 0) for c, column in zip(text, columns, strict=True)]
    left, top, right, bottom = union([part.rect for part in parts])
    inverse = np.full((bottom - top, right - left, 3), 255, np.uint8)
    for part in parts:
        place = inverse[_within(part.rect, left, top)]
        np.minimum(place, part.sprite.inverse_alpha, out=place)
    return Sprite(
        left=left,
        top=top,
        inverse_alpha=inverse,
        premultiplied=(255 - inverse.astype(np.uint16)) * np.asarray(INK, np.uint16) + np.uint16(128),
        advance=right - left,
        line_height=parts[0].sprite.line_height,
        unsupported="".join(sorted({part.sprite.unsupported for part in parts})),
    )


def _within(rect: Rect, left: int, top: int) -> tuple[slice, slice]:
    return slice(rect[1] - top, rect[3] - top), slice(rect[0] - left, rect[2] - left)


def even_size(size: int, face: str) -> int:
    """The size at which a face looks as large as the others at ``size``."""
    return round(size * _SMALL_FACES.get(face, 1.0))


def advance(text: str, size: int, face: str = TYPED_FACE) -> int:
    """The width of ``text`` in pixels, side bearings included."""
    drawn, face, _ = _drawable(text, face)
    return round(font(face, size).getlength(drawn))


def _drawn(text: str, size: int, face: str, angle: float) -> Sprite:
    drawn, face, unsupported = _drawable(text, face)
    font_ = font(face, size)
    # As `ImageDraw.text` does, without a picture to draw on.
    mask, (left, top) = font_.getmask2(drawn, "L", anchor="mm")
    width, height = mask.size if mask.size[0] and mask.size[1] else (1, 1)
    alpha = np.frombuffer(bytes(mask) or b"\0", np.uint8).reshape(height, width)
    if angle:
        alpha, left, top = _rotated(alpha, left, top, angle)
    ascent, descent = font_.getmetrics()
    return Sprite(
        left=left,
        top=top,
        inverse_alpha=np.repeat(255 - alpha, 3, axis=1).reshape(*alpha.shape, 3),
        premultiplied=alpha[:, :, None] * np.asarray(INK, np.uint16) + np.uint16(128),
        advance=round(font_.getlength(drawn)),
        line_height=ascent + descent,
        unsupported=unsupported,
    )


_kept = CACHE.cached(_drawn, size_of=attrgetter("n_bytes"))


def _rotated(alpha: Gray, left: int, top: int, angle: float) -> tuple[Gray, int, int]:
    """A mask turned about its anchor without its empty margins, and where it begins, right of and below the anchor."""
    # A pixel moves by no more than its distance from the anchor, and across the line far less than along it.
    slope, mask = abs(sin(radians(angle))), PillowImage.fromarray(alpha)
    across, down = (ceil(2 * side * slope) + 2 for side in (mask.height, mask.width))
    wide = PillowImage.new("L", (mask.width + 2 * across, mask.height + 2 * down))
    wide.paste(mask, (across, down))
    turned = wide.rotate(angle, PillowImage.Resampling.BICUBIC, center=(across - left, down - top))
    inked = turned.getbbox() or (across, down, across + 1, down + 1)
    return np.asarray(turned.crop(inked)), left - across + inked[0], top - down + inked[1]


@lru_cache(maxsize=512, typed=True)
def font(face: str, size: float, weight: int | None = None) -> ImageFont.FreeTypeFont:
    """A face at a size in pixels, with the same pixels on every machine.

    Args:
        face: the name of a font family installed by a ``fontpkg`` package.
        size: in pixels (em square).
        weight: from 100 to 900, the nearest that the family has; ``None``: as the file is, but no thinner than regular.

    Raises:
        ImportError: if the family is not installed.
    """
    path = _path(face, weight)
    loaded = ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
    if path.name.endswith("].ttf"):
        axes = loaded.get_variation_axes()
        defaults = [axis["default"] or 0 for axis in axes]
        is_weight = [axis["name"] == b"Weight" for axis in axes]
        values = [(weight or max(n, _REGULAR)) if w else n for n, w in zip(defaults, is_weight, strict=True)]
        if weight is not None or values != defaults:
            loaded.set_variation_by_axes([float(value) for value in values])
    return loaded


def _drawable(text: str, face: str) -> tuple[str, str, str]:
    """The text to draw, its face, and the characters that this face lacks."""
    ticks = text.translate(_DRAWN_TICKS)
    if ticks and all(c in characters(_TICK_FACE) and c not in characters(face) for c in ticks):
        return ticks, _TICK_FACE, ""
    known = characters(face)
    lacking = {c for c in text if ord(c) > 126 and c not in known}
    drawn = "".join(_BOX if c in lacking else c for c in text) if lacking else text
    return drawn, face if not lacking or _BOX in known else TYPED_FACE, "".join(sorted(lacking))


@lru_cache(maxsize=8)
def characters(face: str) -> frozenset[str]:
    """The characters that a face can draw."""
    from fontTools.ttLib import TTFont

    with TTFont(_path(face), lazy=True) as file:
        return frozenset(map(chr, file.getBestCmap()))


def _path(face: str, weight: int | None = None) -> Path:
    try:
        path: Path = fontpkg.path(face) if weight is None else fontpkg.path(face, weight=weight, nearest=True)
    except fontpkg.FamilyNotInstalled as error:
        raise ImportError(missing(f"the font {face}", "train")) from error
    return path
