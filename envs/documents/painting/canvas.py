"""The canvas on which an element is drawn before it becomes a sprite."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...core.boxes import union
from ...core.painting import Gray, Image, Sprite
from ..scene.elements import Colour
from .glyphs import Ink, lay

FINE = 4
"""The maximum factor of supersampling."""

_FULL = 255
_LARGE = 1_500
"""The minimum number of opaque pixels that is worth noting."""

_SIDE = 4096
"""The maximum side of a supersampled picture, in pixels."""

Mask = PillowImage.Image
"""Coverage, mode L."""


def fineness(width: int, height: int) -> int:
    """The factor of supersampling for a size in pixels; large things need less."""
    return max(1, min(FINE, _SIDE // max(width, height)))


class SpriteCanvas:
    """A transparent picture around a box.

    Args:
        width: of the box in pixels.
        height: of the box.
        margin: how many pixels more there are on every side.
        fine: the factor of supersampling; ``None``: as its size allows.
    """

    def __init__(self, width: int, height: int, margin: int = 0, fine: int | None = None) -> None:
        self.margin = margin
        self.size = width + 2 * margin, height + 2 * margin
        self.fine = fine or fineness(*self.size)
        self._written: dict[Colour, list[tuple[Ink, int, int]]] = {}
        self._laid: list[tuple[Mask, Colour]] = []
        self._shown: PillowImage.Image | None = None

    @property
    def picture(self) -> PillowImage.Image:
        """The picture without its text, in mode RGBA."""
        laid, self._laid = self._laid, []
        if self._shown is None:
            self._shown = PillowImage.new("RGBA", self.size, (0, 0, 0, 0))
        for mask, colour in laid:
            layer = PillowImage.new("RGBA", self.size, (*colour, 255))
            layer.putalpha(mask)
            self._shown.alpha_composite(layer)
        return self._shown

    def show(self, picture: PillowImage.Image) -> None:
        """Lay a picture of the box's size, mode RGBA, over what is drawn."""
        if self._shown is None and not self._laid and picture.size == self.size:
            self._shown = picture.copy()
        else:
            self.picture.alpha_composite(picture, (self.margin, self.margin))

    def fine_mask(self) -> Mask:
        """An empty mask, ``fine`` times as large as the canvas."""
        return PillowImage.new("L", (self.size[0] * self.fine, self.size[1] * self.fine))

    def write(self, ink: Ink, colour: Colour, x: int, baseline: int) -> None:
        """Write text from a point on its baseline; text is composited over everything else."""
        self._written.setdefault(colour, []).append((ink, x, baseline))

    def lay(self, mask: Mask, colour: Colour) -> None:
        """Composite a colour through a mask, which may be ``fine`` times as large."""
        if mask.size != self.size:
            mask = mask.reduce(self.fine)
        self._laid.append((mask, colour))

    def sprite(self, angle: float = 0, opacity: float = 1) -> Sprite:
        """The sprite of the drawing, turned clockwise; its anchor is the box's corner."""
        if not angle and self._shown is None and len(self._written) + len(self._laid) == 1:
            if self._written:
                return _text_sprite(*self._written.popitem(), opacity, -self.margin)
            mask, colour = self._laid.pop()
            box = mask.getbbox() or (0, 0, 1, 1)
            left, top, _, _ = box
            return _sprite_of_mask(np.asarray(mask.crop(box)), colour, opacity, left - self.margin, top - self.margin)
        for colour, written in self._written.items():
            letters = np.zeros(self.size[::-1], np.uint8)
            for ink, x, baseline in written:
                lay(letters, ink, x, baseline)
            self.lay(PillowImage.fromarray(letters), colour)
        picture, (width, height) = self.picture, self.size
        left = top = -self.margin
        if angle:
            # Transparent pixels have no colour of their own: what is turned is the colour times its coverage.
            turned = _premultiplied(picture).rotate(-angle, PillowImage.Resampling.BICUBIC, expand=True)
            left += (width - turned.width) // 2
            top += (height - turned.height) // 2
            return _sprite(turned, opacity, left, top)
        return _sprite(picture, opacity, left, top)


def _premultiplied(picture: PillowImage.Image) -> PillowImage.Image:
    return picture if picture.mode == "RGBa" else picture.convert("RGBa")


def _sprite(picture: PillowImage.Image, opacity: float, left: int, top: int) -> Sprite:
    """The sprite of a picture, cropped to what is not transparent."""
    right, down, *_ = box = picture.getbbox() or (0, 0, 1, 1)
    if opacity == 1 and picture.mode == "RGBA" and picture.getchannel("A").getextrema() == (_FULL, _FULL):
        return _solid_sprite(np.asarray(picture.convert("RGB")), left, top)
    pixels = np.asarray(_premultiplied(picture.crop(box)), np.uint16)
    if opacity != 1:
        pixels = _faded(pixels, opacity)
    return _sprite_of_pixels(pixels[..., 3:], np.minimum(pixels[..., :3], pixels[..., 3:]), left + right, top + down)


def _text_sprite(colour: Colour, written: list[tuple[Ink, int, int]], opacity: float, margin: int) -> Sprite:
    left, top, right, bottom = union([ink.rect_at(x, baseline) for ink, x, baseline in written])
    mask = np.zeros((max(bottom - top, 1), max(right - left, 1)), np.uint8)
    for ink, x, baseline in written:
        lay(mask, ink, x - left, baseline - top)
    return _sprite_of_mask(mask, colour, opacity, margin + left, margin + top)


def _sprite_of_mask(mask: Gray, colour: Colour, opacity: float, left: int, top: int) -> Sprite:
    """The sprite of a coverage in one colour: a faster way to the same pixels."""
    opaque_rect = _opaque_rect_of(mask == _FULL) if opacity == 1 and mask.size >= _LARGE else None
    plain = None
    if opaque_rect is not None:
        row = np.empty((1, mask.shape[1], 3), np.uint8)
        row[...] = colour
        plain = np.broadcast_to(row, (*mask.shape, 3))
        if opaque_rect == (0, 0, *mask.shape[::-1]):
            return _solid_sprite(plain, left, top)
    keep, premultiplied = _ramp(colour, opacity)
    return Sprite(
        left=left,
        top=top,
        inverse_alpha=_thrice(keep.take(mask)),
        premultiplied=premultiplied.take(mask, axis=0),
        advance=mask.shape[1],
        line_height=mask.shape[0],
        opaque_rect=opaque_rect,
        opaque_pixels=plain,
    )


@lru_cache(maxsize=256)
def _ramp(colour: Colour, opacity: float) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
    """For each coverage of a colour of ink: what shows through, uint8 (256,), and its part of the blend (256, 3)."""
    alpha = np.arange(256, dtype=np.uint16)[:, None]
    product: NDArray[np.uint16] = alpha * np.asarray(colour, np.uint16) + np.uint16(128)
    inked: NDArray[np.uint16] = (product + (product >> np.uint16(8))) >> np.uint16(8)
    if opacity != 1:
        alpha, inked = (_faded(part, opacity) for part in (alpha, inked))
    keep, ink = _blend_of(alpha, np.minimum(inked, alpha))
    return keep[:, 0].copy(), ink


def _thrice(gray: Gray) -> Image:
    """A picture with three equal channels; faster than numpy repeats."""
    pixels = np.empty((*gray.shape, 3), np.uint8)
    for channel in range(3):
        pixels[..., channel] = gray
    return pixels


def _blend_of(alpha: NDArray[np.uint16], colour: NDArray[np.uint16]) -> tuple[Image, NDArray[np.uint16]]:
    """The fields of a sprite from alpha (..., 1) and premultiplied colour (..., 3)."""
    return _thrice((_FULL - alpha[..., 0]).astype(np.uint8)), colour * np.uint16(_FULL) + np.uint16(128)


def _faded(pixels: NDArray[np.uint16], opacity: float) -> NDArray[np.uint16]:
    return (pixels * np.uint16(round(opacity * _FULL)) + np.uint16(127)) // np.uint16(_FULL)


def _solid_sprite(pixels: Image, left: int, top: int) -> Sprite:
    """The sprite of opaque pixels: nothing is ever blended with it, so that its coverage takes no room."""
    height, width, _ = pixels.shape
    return Sprite(
        left=left,
        top=top,
        inverse_alpha=np.broadcast_to(np.uint8(0), pixels.shape),
        premultiplied=np.broadcast_to(np.uint16(0), pixels.shape),
        advance=width,
        line_height=height,
        opaque_rect=(0, 0, width, height),
        opaque_pixels=pixels,
    )


def _sprite_of_pixels(alpha: NDArray[np.uint16], colour: NDArray[np.uint16], left: int, top: int) -> Sprite:
    """The sprite of alpha (height, width, 1) and premultiplied colour (…, 3)."""
    opaque_rect = _opaque_rect_of(alpha[..., 0] == _FULL)
    if opaque_rect == (0, 0, alpha.shape[1], alpha.shape[0]):
        return _solid_sprite(colour.astype(np.uint8), left, top)
    keep, ink = _blend_of(alpha, colour)
    return Sprite(
        left=left,
        top=top,
        inverse_alpha=keep,
        premultiplied=ink,
        advance=alpha.shape[1],
        line_height=alpha.shape[0],
        opaque_rect=opaque_rect,
        opaque_pixels=colour.astype(np.uint8) if opaque_rect else None,
    )


def _opaque_rect_of(full: NDArray[np.bool_]) -> tuple[int, int, int, int] | None:
    """A large rectangle of opaque pixels, if there is one."""
    height, width = full.shape
    clear = np.flatnonzero(~full[height // 2])
    left = int(clear[clear < width // 2].max(initial=-1)) + 1
    right = int(clear[clear >= width // 2].min(initial=width))
    if right <= left:
        return None
    broken = np.flatnonzero(~full[:, left:right].all(axis=1))
    top = int(broken[broken < height // 2].max(initial=-1)) + 1
    bottom = int(broken[broken >= height // 2].min(initial=height))
    is_large = bottom > top and (right - left) * (bottom - top) >= _LARGE
    return (left, top, right, bottom) if is_large else None
