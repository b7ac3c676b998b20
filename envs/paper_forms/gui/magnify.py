"""Pages and marks at another zoom: both are magnified alike, as a photo editor does it."""

from __future__ import annotations

import numpy as np
from PIL import Image as PillowImage

from ...core.asset_cache import cached
from ...core.painting import Image, Sprite, Stamp, read_only
from ...core.text_sprites import INK
from .view import View

_ABOUT = 6
"""How far beyond a pixel its colour is taken from, at most, in pixels of the larger picture."""


def page_at(page: Image, percent: int) -> Image:
    """A page at a zoom; read-only, and the page itself at 100 %."""
    return page if percent == 100 else _magnified(_Same(page), percent)


def stamp_at(sprite: Sprite, x: int, y: int, view: View) -> Stamp:
    """What is drawn in the window for a sprite with its anchor at a pixel of the page."""
    stamp = Stamp(sprite, x, y)
    left, top, right, bottom = view.around(stamp.rect)
    if view.percent != 100:
        phases = stamp.rect[0] * view.percent % 100, stamp.rect[1] * view.percent % 100
        sprite = _magnified_sprite(sprite, view.percent, phases, (right - left, bottom - top))
    return Stamp(sprite, left - sprite.left, top - sprite.top)


class _Same:
    """A picture as a key: equal to itself alone."""

    __slots__ = ("picture",)

    def __init__(self, picture: Image) -> None:
        self.picture = picture

    def __hash__(self) -> int:
        return id(self.picture)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.picture is self.picture


def _filter(percent: int) -> PillowImage.Resampling:
    return PillowImage.Resampling.BICUBIC if percent > 100 else PillowImage.Resampling.LANCZOS


@cached
def _magnified(page: _Same, percent: int) -> Image:
    picture = PillowImage.fromarray(page.picture)
    size = (round(picture.width * percent / 100), round(picture.height * percent / 100))
    return read_only(np.asarray(picture.resize(size, _filter(percent))))


@cached
def _magnified_sprite(sprite: Sprite, percent: int, phases: tuple[int, int], size: tuple[int, int]) -> Sprite:
    """A sprite at a zoom, with its anchor in the upper left corner.

    Args:
        sprite: at 100 %.
        percent: the zoom.
        phases: by how much of its pixel, in hundredths, it begins after a pixel of the window begins.
        size: width and height in the window.
    """
    # Room for the pixels of the window that it shares with what is beside it.
    beside = 100 * _ABOUT // percent + 2
    alpha = np.pad(255 - sprite.keep[:, :, 0], beside)
    left, top = (beside - phase / percent for phase in phases)
    box = (left, top, left + size[0] * 100 / percent, top + size[1] * 100 / percent)
    mask = PillowImage.fromarray(alpha).resize(size, _filter(percent), box=box)
    covered = np.asarray(mask, np.uint16)[:, :, None]
    return Sprite(
        left=0,
        top=0,
        keep=np.repeat(255 - covered, 3, axis=2).astype(np.uint8),
        ink=covered * np.asarray(INK, np.uint16) + np.uint16(128),
        advance=size[0],
        line_height=size[1],
        unsupported=sprite.unsupported,
    )
