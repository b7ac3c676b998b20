"""Lossless images for web pages, and the rectangles in which two pages differ."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...envs.core.boxes import Rect
from ...envs.core.pages import png_bytes
from ...envs.core.painting import Image

_PALETTE = 256
_APART = 24
"""Changes with more unchanged pixels than these between them are separate."""


def png(picture: Image) -> bytes:
    """The smallest lossless PNG of ``picture``, in gray or with a palette if possible."""
    return min((png_bytes(one, optimize=True) for one in _lossless(picture)), key=len)


def webp(picture: Image, effort: int = 100) -> bytes:
    """``picture`` as lossless WebP: for pages of many colours a third as large as PNG.

    Args:
        picture: uint8 (height, width, 3).
        effort: from 0 to 100; at 75 it takes half the time and is 2 % larger.
    """
    file = io.BytesIO()
    PillowImage.fromarray(picture).save(file, "WEBP", lossless=True, quality=effort, method=4, exact=True)
    return file.getvalue()


def changed_rects(before: Image, after: Image) -> list[Rect]:
    """Small rectangles outside of which two pages of one size are equal."""
    differs = (before != after).reshape(len(before), -1)
    rows = np.flatnonzero(differs.any(axis=1))
    if not len(rows):
        return []
    # Colours are compared where something differs alone: over whole pages that takes ten times as long.
    top, bottom = rows[0], rows[-1] + 1
    changed = differs[top:bottom].reshape(bottom - top, -1, 3).any(axis=2)
    return list(_parted(changed, 0, int(top)))


def _parted(changed: NDArray[np.bool_], left: int, top: int) -> Iterator[Rect]:
    """The rectangles of change in a part of a page whose corner is at (left, top)."""
    rows, columns = (_runs(np.logical_or.reduce(changed, axis=axis)) for axis in (1, 0))
    if len(rows) == len(columns) == 1:
        (y0, y1), (x0, x1) = rows[0], columns[0]
        yield left + x0, top + y0, left + x1, top + y1
        return
    for y0, y1 in rows:
        for x0, x1 in columns:
            yield from _parted(changed[y0:y1, x0:x1], left + x0, top + y0)


def _runs(changed: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The starts and ends of runs of change; runs with a small gap count as one."""
    places = np.flatnonzero(changed)
    cuts = np.flatnonzero(np.diff(places) > _APART)
    starts, ends = [0, *(cuts + 1)], [*cuts, len(places) - 1]
    return [(int(places[i]), int(places[j]) + 1) for i, j in zip(starts, ends, strict=True)] if len(places) else []


def _lossless(picture: Image) -> Iterator[PillowImage.Image]:
    """The lossless representations of ``picture``."""
    is_gray = bool((picture == picture[..., :1]).all())
    yield PillowImage.fromarray(np.ascontiguousarray(picture[..., 0] if is_gray else picture))
    numbers = picture.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, indices = np.unique(numbers, return_inverse=True)
    if len(colours) <= _PALETTE:
        indexed = PillowImage.fromarray(indices.reshape(picture.shape[:2]).astype(np.uint8))
        indexed.putpalette(np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1).astype(np.uint8).tobytes())
        yield indexed
