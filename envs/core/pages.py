"""Page images: decoded once, kept compressed, returned read-only, in memory that returns to the system."""

from __future__ import annotations

import io
import itertools
import json
import math
import mmap
import weakref
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import lz4.block
import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from .asset_cache import cached, derived
from .files import open_file
from .painting import Colour, Image, Layer, LayeredPage

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")
"""The formats of pictures that are read, by Pillow's names."""
PACKED = ".lz4"
"""The suffix of files of ``PackedPixels``: three times as large as WebP, and decoded six times as fast."""
MAX_PIXELS = 40_000_000
"""The most pixels of one picture."""


@derived
def page_image(path: Path, size: tuple[int, int], surround: Colour | None = None) -> Image:
    """The picture in a file, at most as large as a canvas.

    Args:
        path: a picture of any mode that Pillow reads, or pixels packed in a file ``.lz4``, taken as they are.
        size: height and width of the canvas; a larger picture is scaled down by ``fit_scale``.
        surround: the colour of the rest of the canvas, with the picture at its top left; ``None``: without the rest.

    Returns:
        A read-only array, uint8 (height, width, 3), shared by all who request it.

    Raises:
        OSError: if the file is missing or no picture.
        ValueError: if it is no ordinary file, broken, or has more than ``MAX_PIXELS``.
    """
    return unpacked(_packed(path, size, surround))


@dataclass(frozen=True, slots=True)
class PackedPixels:
    """Pixels compressed with LZ4, in bands that fit a processor's cache; ``shape`` is the array's."""

    shape: tuple[int, ...]
    bands: tuple[bytes, ...]

    def dump(self) -> bytes:
        """The content of a file: a line of JSON, with the shape and the bytes of each band, and the bands."""
        head = {"shape": self.shape, "bands": [len(band) for band in self.bands]}
        return b"\n".join([json.dumps(head).encode(), b"".join(self.bands)])

    @classmethod
    def load(cls, content: bytes) -> PackedPixels:
        """Pixels from the content of a file, still compressed."""
        head, _, body = content.partition(b"\n")
        about = json.loads(head)
        ends = list(itertools.accumulate(about["bands"], initial=0))
        return cls(tuple(about["shape"]), tuple(body[start:end] for start, end in itertools.pairwise(ends)))


def packed(pixels: NDArray[np.uint8], **options: Any) -> PackedPixels:
    """Pixels compressed for the cache, or for a file; ``options`` are those of ``lz4.block.compress``."""
    flat = np.ascontiguousarray(pixels).reshape(-1)
    bands = (flat[start : start + _BAND_BYTES] for start in range(0, flat.size, _BAND_BYTES))
    return PackedPixels(pixels.shape, tuple(bytes(lz4.block.compress(band, **options)) for band in bands))


def packed_page(background: Image, layers: Sequence[Layer]) -> PackedPixels:
    """A page with its layers drawn over it, compressed for the cache."""
    return packed(LayeredPage(background, layers).pixels())


def unpacked(kept: PackedPixels) -> NDArray[np.uint8]:
    """Pixels from ``packed``: a read-only array."""
    array = mapped_array(kept.shape)
    flat = array.reshape(-1)
    for number, band in enumerate(kept.bands):
        flat[number * _BAND_BYTES :][:_BAND_BYTES] = np.frombuffer(lz4.block.decompress(band), np.uint8)
    array.flags.writeable = False
    return array


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


_BAND_BYTES = 1 << 17


@cached
def _packed(path: Path, size: tuple[int, int], surround: Colour | None) -> PackedPixels:
    if path.suffix == PACKED:
        return PackedPixels.load(path.read_bytes())
    with open_file(path) as file, opened_picture(file, str(path)) as opened:
        picture = opened.convert("RGB")
    scale = fit_scale((picture.height, picture.width), size)
    if scale < 1:
        picture = picture.resize(
            (round(picture.width * scale), round(picture.height * scale)), PillowImage.Resampling.BOX
        )
    if surround is not None:
        canvas = PillowImage.new("RGB", (size[1], size[0]), surround)
        canvas.paste(picture, (0, 0))
        picture = canvas
    return packed(np.asarray(picture))


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
