"""Page images: decoded once, kept compressed, returned read-only, in memory that returns to the system."""

from __future__ import annotations

import io
import math
import mmap
import weakref
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import lz4.block
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from .asset_cache import cached, derived
from .files import open_file
from .painting import Colour, Frame, Image, Layer

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
"""The formats of pictures that are read, by Pillow's names."""
MAX_PIXELS = 40_000_000
"""The most pixels of one picture."""
DESK: Colour = (160, 160, 160)
"""The colour around a page that is smaller than its environment's canvas."""


@derived
def page_image(path: Path, size: tuple[int, int], surround: Colour = (255, 255, 255)) -> Image:
    """The picture in a file at the top left of a canvas.

    Args:
        path: a picture of any mode that Pillow reads.
        size: height and width of the canvas; a larger picture is scaled down by ``fit_scale``.
        surround: the colour of the canvas where the picture does not reach.

    Returns:
        A read-only array, uint8 (height, width, 3), shared by all who ask for it.

    Raises:
        OSError: if the file is missing or no picture.
        ValueError: if it is no ordinary file, broken, or has more than ``MAX_PIXELS``.
    """
    return unpacked(_packed(path, size, surround), size)


def packed(pixels: bytes) -> bytes:
    """Pixels compressed for the cache."""
    return bytes(lz4.block.compress(pixels))


def packed_page(background: Image, layers: Sequence[Layer]) -> bytes:
    """A page with its layers drawn over it, compressed for the cache."""
    frame = Frame(np.empty_like(background))
    frame.show(background, layers)
    return packed(frame.buffer.tobytes())


def unpacked(kept: bytes, size: tuple[int, int]) -> Image:
    """Pixels from ``packed``: a read-only array, uint8 (height, width, 3)."""
    page = mapped_array((*size, 3))
    page.reshape(-1)[:] = np.frombuffer(lz4.block.decompress(kept), np.uint8)
    page.flags.writeable = False
    return page


def png_bytes(picture: Image | PillowImage.Image, **options: Any) -> bytes:
    """A picture as a PNG file; ``options`` are those of Pillow's ``save``."""
    file = io.BytesIO()
    (picture if isinstance(picture, PillowImage.Image) else PillowImage.fromarray(picture)).save(file, "PNG", **options)
    return file.getvalue()


@contextmanager
def opened_picture(file: IO[bytes], name: str) -> Iterator[PillowImage.Image]:
    """The picture in a file, which is decoded as it is used.

    Raises:
        OSError: if it is no picture, or its end is missing.
        ValueError: if it is broken otherwise, or has more than ``MAX_PIXELS``.
    """
    try:
        with PillowImage.open(file, formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise ValueError(f"it has {picture.width} x {picture.height} pixels; {MAX_PIXELS} are the most")
            yield picture
    except (SyntaxError, ValueError, PillowImage.DecompressionBombError) as error:
        raise ValueError(f"{name} cannot be read: {error}") from None


def picture_size(path: Path) -> tuple[int, int]:
    """Height and width of the picture in a file, read from its header.

    Raises:
        OSError: if the file is missing or no picture.
        ValueError: see ``page_image``.
    """
    with open_file(path) as file, opened_picture(file, str(path)) as picture:
        return picture.height, picture.width


def fit_scale(picture: tuple[int, int], canvas: tuple[int, int]) -> float:
    """The scale, at most 1, at which a picture fits a canvas; sizes (height, width)."""
    return min(1.0, canvas[0] / picture[0], canvas[1] / picture[1])


@cached
def _packed(path: Path, size: tuple[int, int], surround: Colour) -> bytes:
    with open_file(path) as file, opened_picture(file, str(path)) as opened:
        picture = opened.convert("RGB")
    scale = fit_scale((picture.height, picture.width), size)
    if scale < 1:
        picture = picture.resize(
            (round(picture.width * scale), round(picture.height * scale)), PillowImage.Resampling.BOX
        )
    canvas = PillowImage.new("RGB", (size[1], size[0]), surround)
    canvas.paste(picture, (0, 0))
    return packed(canvas.tobytes())


# -- Memory ------------------------------------------------------------------------------------------------------------

_MIN_BYTES = 1 << 17
"""Smaller arrays stay in the heap: a mapping costs a system call and fills whole pages of memory."""
MAX_SPARE_BYTES = 24 << 20
"""Freed mappings are kept up to this size: the pages of a new mapping are slow to touch for the first time."""


def mapped_array(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """An uninitialised uint8 array, for large ones that stay in a cache.

    Its memory is used again or returns to the system as soon as the array is freed. From the heap such arrays leave
    holes that small objects with a longer life fill, so that the next large array makes the heap grow.
    """
    n_bytes = math.prod(shape)
    if n_bytes < _MIN_BYTES:
        return np.empty(shape, np.uint8)
    memory = _SPARE.take(_size_class(n_bytes))
    array = np.frombuffer(memory, np.uint8, n_bytes)
    weakref.finalize(array, _SPARE.give, memory).atexit = False
    return array.reshape(shape)


def _size_class(n_bytes: int) -> int:
    """``n_bytes`` rounded up by an eighth at most, so that arrays share mappings."""
    step = 1 << max(n_bytes.bit_length() - 4, 12)
    return -(-n_bytes // step) * step


class _Spare:
    """Mappings that no array uses."""

    def __init__(self) -> None:
        self._by_size: defaultdict[int, list[mmap.mmap]] = defaultdict(list)

    def take(self, size: int) -> mmap.mmap:
        """A mapping of ``size`` bytes."""
        try:
            return self._by_size[size].pop()
        except IndexError:
            # Private, or a forked process would write into its parent's array.
            return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def give(self, memory: mmap.mmap) -> None:
        """Keep a mapping for the next array, if there is room."""
        if sum(size * len(kept) for size, kept in self._by_size.items()) + len(memory) <= MAX_SPARE_BYTES:
            self._by_size[len(memory)].append(memory)


_SPARE = _Spare()
