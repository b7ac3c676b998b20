"""Canvas: colour and coverage of what is being drawn, before it becomes a sprite."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...core.painting import Sprite
from ..scene.elements import Colour

FINE = 4
"""How many times finer than pixels edges are drawn before they are smoothed."""

Mask = PillowImage.Image
"""Coverage, mode L."""


class Canvas:
    """A transparent picture around a box.

    Args:
        width: of the box in pixels.
        height: of the box.
        margin: how many pixels more there are on every side.
    """

    def __init__(self, width: int, height: int, margin: int = 0) -> None:
        self.margin = margin
        self.size = width + 2 * margin, height + 2 * margin
        self.picture = PillowImage.new("RGBA", self.size, (0, 0, 0, 0))
        self._written: dict[Colour, Mask] = {}

    def fine_mask(self) -> Mask:
        """An empty mask, ``FINE`` times as large as the canvas."""
        return PillowImage.new("L", (self.size[0] * FINE, self.size[1] * FINE))

    def ink(self, colour: Colour) -> Mask:
        """Where text of a colour goes; it is laid over everything else in the end."""
        if colour not in self._written:
            self._written[colour] = PillowImage.new("L", self.size)
        return self._written[colour]

    def lay(self, mask: Mask, colour: Colour) -> None:
        """Lay a colour over what is there, where ``mask`` says; it may be ``FINE`` times as large."""
        if mask.size != self.size:
            mask = mask.reduce(FINE)
        layer = PillowImage.new("RGBA", self.size, (*colour, 255))
        layer.putalpha(mask)
        self.picture.alpha_composite(layer)

    def sprite(self, angle: float = 0, opacity: float = 1) -> Sprite:
        """What was drawn, turned clockwise around its middle, with its anchor at the box's left top corner."""
        for colour, mask in self._written.items():
            self.lay(mask, colour)
        picture, (width, height) = self.picture, self.size
        left = top = -self.margin
        if angle:
            # Transparent pixels have no colour of their own: what is turned is the colour times its coverage.
            turned = _premultiplied(picture).rotate(-angle, PillowImage.Resampling.BICUBIC, expand=True)
            left += (width - turned.width) // 2
            top += (height - turned.height) // 2
            return _sprite(np.asarray(turned, np.uint16), opacity, left, top)
        return _sprite(np.asarray(_premultiplied(picture), np.uint16), opacity, left, top)


def _premultiplied(picture: PillowImage.Image) -> PillowImage.Image:
    return picture.convert("RGBa")


def _sprite(pixels: NDArray[np.uint16], opacity: float, left: int, top: int) -> Sprite:
    """A sprite of pixels whose colours are times their coverage."""
    alpha = pixels[..., 3:] if opacity == 1 else (pixels[..., 3:] * round(opacity * 255) + 127) // 255
    colour = pixels[..., :3] if opacity == 1 else (pixels[..., :3] * round(opacity * 255) + 127) // 255
    colour = np.minimum(colour, alpha)
    return Sprite(
        left=left,
        top=top,
        keep=np.repeat(255 - alpha, 3, axis=2).astype(np.uint8),
        ink=colour * np.uint16(255) + np.uint16(128),
        advance=pixels.shape[1],
        line_height=pixels.shape[0],
    )
