"""Pictures for web pages: PNGs as small as they can be without losing a pixel, and what changed between two pages."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from PIL import Image as PillowImage

from ..envs.core.painting import Image, Rect

_PALETTE = 256


def png(picture: Image) -> bytes:
    """``picture`` as PNG: gray or with a palette where that loses nothing and is smaller."""
    return min(map(_packed, _lossless(picture)), key=len)


def changed_rect(before: Image, after: Image) -> Rect | None:
    """The smallest rectangle outside of which two pages of one size are equal; ``None`` if they are equal."""
    rows = np.flatnonzero((before != after).reshape(len(before), -1).any(axis=1))
    if not len(rows):
        return None
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    columns = np.flatnonzero((before[top:bottom] != after[top:bottom]).any(axis=(0, 2)))
    return int(columns[0]), top, int(columns[-1]) + 1, bottom


def _lossless(picture: Image) -> Iterator[PillowImage.Image]:
    """The ways to hold ``picture`` that lose nothing."""
    if (picture == picture[..., :1]).all():
        yield PillowImage.fromarray(np.ascontiguousarray(picture[..., 0]))
        return
    yield PillowImage.fromarray(np.ascontiguousarray(picture))
    numbers = picture.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, indices = np.unique(numbers, return_inverse=True)
    if len(colours) <= _PALETTE:
        indexed = PillowImage.fromarray(indices.reshape(picture.shape[:2]).astype(np.uint8))
        indexed.putpalette(np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1).astype(np.uint8).tobytes())
        yield indexed


def _packed(picture: PillowImage.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
