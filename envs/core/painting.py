"""Painting: redraw only the parts of a page that changed.

A frame is an immutable shared background and a list of layers over it. ``Frame.paint`` is the only writer of pixels: it
restores the background inside a rectangle and draws the layers that reach into it, in order. Blending follows Pillow's
integer arithmetic, so a patched page equals a page drawn by ``ImageDraw``, byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import memmove
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol, SupportsIndex, TypeVar
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from .boxes import Rect, RowBands, area, encloses, intersection, union

Image = NDArray[np.uint8]
"""Pixels, uint8 RGB of shape (height, width, 3)."""

Gray = NDArray[np.uint8]
"""A gray picture, uint8 (height, width), 255 = white."""

Colour = tuple[int, int, int]

DESK: Colour = (160, 160, 160)
"""The colour around a page that is smaller than its environment's canvas."""


class Layer(Protocol):
    """Something drawn over the background."""

    @property
    def rect(self) -> Rect:
        """The pixels that it may change; they may be outside the page."""
        ...

    @property
    def opaque_rect(self) -> Rect | None:
        """Pixels that hide everything below them; ``None`` if not known."""
        ...

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw the part inside ``clip`` (page coordinates) on ``target``, its pixels."""
        ...


class FixedLayer:
    """A layer that never changes."""

    __slots__ = ()


L = TypeVar("L", bound=Layer)


@dataclass(frozen=True, slots=True, eq=False)
class Sprite:
    """The coverage of one colour of ink, ready for blending.

    Attributes:
        left: where its pixels begin, right of the anchor point.
        top: where its pixels begin, below the anchor point.
        inverse_alpha: uint8 (height, width, 3): how much of the page shows through, 255 = all.
        premultiplied: uint16 (height, width, 3): the ink's part of the blend, rounding included.
        advance: the width of the text in pixels, side bearings included.
        line_height: the height of a line of text in pixels.
        unsupported: characters that the font lacks and that are drawn as boxes.
        opaque_rect: left, top, right, bottom of a part of its pixels that hides everything below it.
        opaque_pixels: its colours, uint8 (height, width, 3), where it has an ``opaque_rect``.
    """

    left: int
    top: int
    inverse_alpha: Image
    premultiplied: NDArray[np.uint16]
    advance: int
    line_height: int
    unsupported: str = ""
    opaque_rect: Rect | None = None
    opaque_pixels: Image | None = None

    @property
    def n_bytes(self) -> int:
        """Its memory; an array that repeats one number takes none."""
        arrays = (self.inverse_alpha, self.premultiplied, self.opaque_pixels)
        return 1024 + sum(array.nbytes for array in arrays if array is not None and array.strides[0])


@dataclass(slots=True, eq=False)
class Stamp:
    """A sprite with its anchor at a pixel of the page; ``rect`` is what it covers."""

    sprite: Sprite
    x: int
    y: int
    rect: Rect = field(init=False)
    opaque_rect: Rect | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        height, width = self.sprite.inverse_alpha.shape[:2]
        left, top = self.x + self.sprite.left, self.y + self.sprite.top
        self.rect = left, top, left + width, top + height
        if (opaque_rect := self.sprite.opaque_rect) is not None:
            self.opaque_rect = left + opaque_rect[0], top + opaque_rect[1], left + opaque_rect[2], top + opaque_rect[3]

    def draw(self, target: Image, clip: Rect) -> None:
        """Blend the part of the sprite inside ``clip`` into ``target``."""
        both = intersection(self.rect, clip)
        if both is None:
            return
        here, region = _slices(both, self.rect), target[_slices(both, clip)]
        if self.opaque_rect is not None and encloses(self.opaque_rect, both):
            assert self.sprite.opaque_pixels is not None
            region[...] = self.sprite.opaque_pixels[here]
            return
        keep, ink = self.sprite.inverse_alpha[here], self.sprite.premultiplied[here]
        # In bands that stay in the processor's cache.
        rows = max(1, _BAND // (region.shape[1] * 3))
        for top in range(0, region.shape[0], rows):
            band = np.s_[top : top + rows]
            blend = np.multiply(region[band], keep[band], dtype=np.uint16)
            blend += ink[band]
            blend += blend >> 8
            blend >>= 8
            region[band] = blend


@dataclass(slots=True, eq=False)
class Patch(FixedLayer):
    """An opaque picture with its top left at a page pixel; ``rect`` is its place."""

    pixels: Image
    x: int
    y: int
    rect: Rect = field(init=False)

    def __post_init__(self) -> None:
        height, width = self.pixels.shape[:2]
        self.rect = self.x, self.y, self.x + width, self.y + height

    @property
    def opaque_rect(self) -> Rect:
        """The whole picture."""
        return self.rect

    def draw(self, target: Image, clip: Rect) -> None:
        """Copy the part of the picture inside ``clip`` to ``target``."""
        if both := intersection(self.rect, clip):
            target[_slices(both, clip)] = self.pixels[_slices(both, self.rect)]


@dataclass(slots=True, eq=False)
class SolidRect:
    """A rectangle of one colour."""

    rect: Rect
    colour: Colour

    @property
    def opaque_rect(self) -> Rect:
        """The whole rectangle."""
        return self.rect

    def draw(self, target: Image, clip: Rect) -> None:
        """Fill the part inside ``clip``."""
        if both := intersection(self.rect, clip):
            _fill(target[_slices(both, clip)], self.colour)


def outline(rect: Rect, colour: Colour, thickness: int = 1) -> list[Layer]:
    """A frame of one colour, inside the edges of ``rect``."""
    left, top, right, bottom = rect
    t = thickness
    sides = [
        (left, top, right, top + t),
        (left, bottom - t, right, bottom),
        (left, top + t, left + t, bottom - t),
        (right - t, top + t, right, bottom - t),
    ]
    return [SolidRect(side, colour) for side in sides]


@dataclass(frozen=True, slots=True, eq=False)
class LayeredPage:
    """A page that does not change: a background, never changed, and the layers over it, the lowest first."""

    background: Image
    layers: Sequence[Layer] = ()

    def pixels(self) -> Image:
        """The page drawn anew: uint8 (height, width, 3)."""
        frame = Frame(np.empty_like(self.background))
        frame.show(self.background, self.layers)
        return frame.buffer


def flattened(background: Image, layers: Sequence[Layer]) -> tuple[Patch, ...]:
    """Layers as they look on a background, each an opaque picture, which is copied where the layer is blended."""
    height, width = background.shape[:2]
    clips = [clip for layer in layers if (clip := intersection(layer.rect, (0, 0, width, height)))]
    return tuple(Patch(composed(background, reaching(layers, clip), clip), *clip[:2]) for clip in clips)


def _slices(part: Rect, whole: Rect) -> _Slices:
    """The slices of a rectangle in the pixels of one that contains it."""
    left, top, right, bottom = part
    return np.s_[top - whole[1] : bottom - whole[1], left - whole[0] : right - whole[0]]


_Slices = tuple[slice, slice]
_BAND = 1 << 16
"""About how many bytes of a page are blended at once."""
_FEW_RECTS = 8
"""Up to this many rectangles are painted one by one, however they overlap."""


class Frame:
    """The pixels of a page, or of a window onto a higher one, kept up to date in a buffer.

    Args:
        buffer: where the pixels go: uint8 (height / factor, width / factor, 3). It may be a row of a batch.
        factor: a whole number by which the page is reduced; each pixel is the mean of a block.
        shown: the background that the buffer shows already, of the buffer's size times ``factor``.

    Attributes:
        buffer: the pixels.
        view: the pixels, read-only.

    Raises:
        ValueError: from ``show``, if the background is wider than the buffer.
    """

    def __init__(self, buffer: Image, factor: int = 1, shown: Image | None = None) -> None:
        self.buffer, self.view = buffer, read_only(buffer)
        self._factor = factor
        self._size = buffer.shape[0] * factor, buffer.shape[1] * factor
        self._background = shown
        self._reduced = None if shown is None else reduced(shown, factor)
        self._covered: tuple[int, int] | None = None if shown is None else buffer.shape[:2]
        self._window = 0, 0, self._size[1], self._size[0]
        self._layers: Sequence[Layer] = ()
        self._dirty: list[Rect] = []

    def show(self, background: Image, layers: Sequence[Layer], scroll_y: int = 0) -> None:
        """Show another page, or another part of it: ``background`` under ``layers``.

        Args:
            background: uint8 (height, width, 3), never changed afterwards; around a smaller one than the buffer holds,
                in its left top corner, is the desk.
            layers: what is drawn over it, the lowest first; the caller may change the sequence later.
            scroll_y: how many rows of the page are above the window.
        """
        if background is self._background and scroll_y == self._window[1]:
            self._restore(self._dirty)
        else:
            self._replace(background, scroll_y)
        self._layers = layers
        self._dirty = []
        self._draw_all()

    def update(self, background: Image, layers: Sequence[Layer], rects: Iterable[Rect], scroll_y: int = 0) -> None:
        """Show another background, or another part of it; or repaint ``rects`` if it is the same one."""
        if background is not self._background:
            self.show(background, layers, scroll_y)
        elif scroll_y == self._window[1]:
            self.paint(rects)
        elif bared := self._scroll(scroll_y):
            self._layers = layers
            self.paint([*rects, bared])
        else:
            self.show(background, layers, scroll_y)

    def paint(self, rects: Iterable[Rect]) -> None:
        """Repaint the pixels inside ``rects`` of the page from the background and the layers."""
        for rect in self._merged(list(rects)):
            self._paint(rect)

    def _merged(self, rects: Sequence[Rect]) -> Sequence[Rect]:
        """The rectangles, or one around them if many overlap, which is faster."""
        if len(rects) <= _FEW_RECTS:
            return rects
        visible = [part for rect in rects if (part := intersection(rect, self._window))]
        if not visible:
            return ()
        whole = union(visible)
        return [whole] if sum(map(area, visible)) > area(whole) else visible

    def _draw_all(self) -> None:
        """Draw the layers on the bare background."""
        if self._factor > 1:
            self._draw_reduced(reaching(self._layers, self._window), self._window)
            return
        for layer in self._layers:
            if visible := intersection(layer.rect, self._window):
                layer.draw(self.buffer, self._window)
                self._dirty.append(self._in_buffer(visible))

    def _draw_reduced(self, layers: Sequence[Layer], clip: Rect) -> None:
        """Draw layers that reach into a part of the window, where they are; at once where they overlap much."""
        assert self._background is not None
        parts: list[Rect] = []
        for layer in layers:
            part = intersection(_aligned(layer.rect, self._factor, self._window[1]), clip)
            # What is inside the layer below is painted with that.
            if part and not (parts and encloses(parts[-1], part)):
                parts.append(part)
        if len(parts) > 1 and sum(map(area, parts)) > area(clip):
            parts = [clip]
        for part in parts:
            left, top, right, bottom = small = self._in_buffer(part)
            above = layers if len(parts) == 1 else reaching(layers, part)
            self.buffer[top:bottom, left:right] = _reduced_part(self._background, above, part, self._factor)
            self._dirty.append(small)

    def _replace(self, background: Image, scroll_y: int) -> None:
        """Show another background, on a desk that stays unless the old one covered more or less of it."""
        (full_height, full_width), k = self.buffer.shape[:2], self._factor
        picture = reduced(background, k, scroll_y % k)
        height, width = covered = min(len(picture) - scroll_y // k, full_height), picture.shape[1]
        if width > full_width:
            raise ValueError(f"a page of {picture.shape} does not fit a buffer of {self.buffer.shape}")
        off_page = [rect for rect in self._dirty if rect[2] > width or rect[3] > height]
        rects = [(0, 0, width, height), *off_page] if covered == self._covered else [(0, 0, full_width, full_height)]
        self._background, self._reduced, self._covered = background, picture, covered
        self._window = 0, scroll_y, self._size[1], scroll_y + self._size[0]
        self._restore(rects)

    def _scroll(self, scroll_y: int) -> Rect | None:
        """Move what stays in the window; the part of the page that comes into it, or ``None`` if nothing was moved."""
        assert self._background is not None
        (_, above, width, below), rows = self._window, self.buffer
        by, last = scroll_y - above, len(self._background) - self._size[0]
        fits = self._background.shape[1] == width and min(above, scroll_y) >= 0 and max(above, scroll_y) <= last
        moved = abs(by) // self._factor
        if not fits or by % self._factor or moved >= len(rows) or not rows.flags.c_contiguous:
            return None
        to, source = (rows[:-moved], rows[moved:]) if by > 0 else (rows[moved:], rows[:-moved])
        # numpy would copy twice what overlaps.
        memmove(to.ctypes.data, source.ctypes.data, to.nbytes)
        self._window = 0, scroll_y, width, below + by
        self._dirty = [(0, 0, rows.shape[1], rows.shape[0])]
        return (0, below, width, below + by) if by > 0 else (0, scroll_y, width, above)

    def _restore(self, rects: Iterable[Rect]) -> None:
        """Show the bare background in rectangles of the buffer."""
        assert self._reduced is not None
        above = self._window[1] // self._factor
        for left, top, right, bottom in rects:
            _lay(self.buffer[top:bottom, left:right], self._reduced, (left, top + above, right, bottom + above))

    def _paint(self, rect: Rect) -> None:
        assert self._background is not None
        k = self._factor
        clip = intersection(rect if k == 1 else _aligned(rect, k, self._window[1]), self._window)
        if clip is None:
            return
        left, top, right, bottom = small = self._in_buffer(clip)
        # Filtered here, not in `draw`: of a hundred layers, few reach into a patch.
        layers = reaching(self._layers, clip)
        if k == 1:
            compose(self.buffer[top:bottom, left:right], self._background, layers, clip)
        else:
            if not (layers and encloses(layers[0].rect, clip)):
                self._restore([small])
            self._draw_reduced(layers, clip)
        self._dirty.append(small)

    def _in_buffer(self, part: Rect) -> Rect:
        """The place in the buffer of a part of the window, of whole blocks."""
        (left, top, right, bottom), k, above = part, self._factor, self._window[1]
        return left // k, (top - above) // k, right // k, (bottom - above) // k


@dataclass(slots=True)
class _Reductions:
    """What was reduced of a background: the whole of it by the row that is the first of a block, and parts."""

    pages: dict[int, Image] = field(default_factory=dict)
    parts: dict[tuple[int, ...], tuple[Image, Sequence[Layer]]] = field(default_factory=dict)


_REDUCTIONS: dict[tuple[int, int], _Reductions] = {}
"""By the identity of the background and the factor, for as long as there is this background."""
MAX_PARTS = 256
"""How many parts of a background, with layers over it, are kept reduced."""
_MAX_PART = 1 << 17
"""The pixels of the largest of them, before they are reduced."""


def _reductions(background: Image, factor: int) -> _Reductions:
    key = id(background), factor
    found = _REDUCTIONS.get(key)
    if found is None:
        found = _REDUCTIONS[key] = _Reductions()
        finalize(background, _REDUCTIONS.pop, key, None).atexit = False
    return found


def reduced(background: Image, factor: int, first: int = 0) -> Image:
    """A background at 1 / ``factor`` from a row on, kept until it goes; what lacks to a block is desk."""
    if factor == 1:
        return background
    pages = _reductions(background, factor).pages
    if first not in pages:
        pages[first] = shrunk(_padded(background[first:], factor), factor)
    return pages[first]


def _reduced_part(background: Image, layers: Sequence[Layer], clip: Rect, factor: int) -> Image:
    """``composed`` at 1 / ``factor``, kept where none of the layers ever changes."""
    if area(clip) > _MAX_PART or not all(isinstance(layer, FixedLayer) for layer in layers):
        return shrunk(composed(background, layers, clip), factor)
    parts, key = _reductions(background, factor).parts, (*clip, *map(id, layers))
    found = parts.get(key)
    if found is None:
        if len(parts) >= MAX_PARTS:
            parts.clear()
        # What is held keeps its id.
        found = parts[key] = shrunk(composed(background, layers, clip), factor), layers
    return found[0]


def compose(target: Image, background: Image, layers: Sequence[Layer], clip: Rect) -> None:
    """Paint a rectangle of a background and the layers over it, the lowest first, on its pixels ``target``."""
    lowest = _lowest_visible(layers, clip)
    if lowest is None:
        _lay(target, background, clip)
    for layer in layers[lowest or 0 :]:
        layer.draw(target, clip)


def composed(background: Image, layers: Sequence[Layer], clip: Rect) -> Image:
    """A rectangle of a background and the layers over it: uint8 (height, width, 3)."""
    pixels = np.empty((clip[3] - clip[1], clip[2] - clip[0], 3), np.uint8)
    compose(pixels, background, layers, clip)
    return pixels


def _lay(target: Image, background: Image, clip: Rect) -> None:
    """Copy a rectangle of a background to its pixels ``target``, with the desk around the background."""
    left, top, right, bottom = clip
    height, width = background.shape[:2]
    if right <= width and bottom <= height:
        target[...] = background[top:bottom, left:right]
        return
    part = background[top:bottom, left:right]
    target[: part.shape[0], : part.shape[1]] = part
    _fill(target[: part.shape[0], part.shape[1] :], DESK)
    _fill(target[part.shape[0] :], DESK)


def _fill(target: Image, colour: Colour) -> None:
    # Row by row: numpy copies three bytes at a time otherwise.
    row = np.empty((target.shape[1], 3), np.uint8)
    row[:] = colour
    target[...] = row


class LayerStack(list[L]):
    """Layers, the lowest first, by bands of rows; they come and go by ``insert`` and ``remove`` alone."""

    def __init__(self, layers: Iterable[L] = ()) -> None:
        super().__init__()
        self._bands: RowBands[L] = RowBands()
        for layer in layers:
            self.insert(len(self), layer)

    def insert(self, index: SupportsIndex, layer: L) -> None:
        """Put a layer at a place among the others."""
        super().insert(index, layer)
        for band in self._bands.between(layer.rect[1], layer.rect[3] - 1):
            band.append(layer)
            if self[-1] is not layer:
                band.sort(key=self.index)

    def remove(self, layer: L) -> None:
        """Take a layer away."""
        super().remove(layer)
        for band in self._bands.between(layer.rect[1], layer.rect[3] - 1):
            band.remove(layer)

    def reaching(self, rect: Rect) -> list[L]:
        """The layers that reach into a rectangle, the lowest first."""
        bands = self._bands.between(rect[1], rect[3] - 1)
        found = [layer for band in bands for layer in _reaching(band, rect)]
        return sorted(set(found), key=self.index) if len(bands) > 1 < len(found) else found


def reaching(layers: Iterable[L], rect: Rect) -> list[L]:
    """The layers that reach into a rectangle, the lowest first."""
    return layers.reaching(rect) if isinstance(layers, LayerStack) else _reaching(layers, rect)


def _reaching(layers: Iterable[L], rect: Rect) -> list[L]:
    left, top, right, bottom = rect
    return [layer for layer in layers if (r := layer.rect)[0] < right and left < r[2] and r[1] < bottom and top < r[3]]


def _lowest_visible(layers: Sequence[Layer], clip: Rect) -> int | None:
    """The index of the highest layer that hides everything below it in ``clip``."""
    for i in range(len(layers) - 1, -1, -1):
        opaque_rect = layers[i].opaque_rect
        if opaque_rect is not None and encloses(opaque_rect, clip):
            return i
    return None


def read_only(page: Image) -> Image:
    """A read-only view of a page: only ``Frame.paint`` may write."""
    view = page.view()
    view.flags.writeable = False
    return view


def _padded(page: Image, factor: int) -> Image:
    """A page whose sides are multiples of ``factor``, if need be with the desk on its right and below it."""
    height, width = (-(-side // factor) * factor for side in page.shape[:2])
    return page if page.shape[:2] == (height, width) else composed(page, (), (0, 0, width, height))


def shrunk(page: Image, factor: int) -> Image:
    """``page`` at 1 / ``factor``: each pixel is the rounded mean of a square block."""
    if factor == 1:
        return page
    height, width = page.shape[0] // factor, page.shape[1] // factor
    rows = np.add.reduce(page.reshape(height, factor, -1), axis=1, dtype=np.uint16)
    # Columns by a product of matrices: it is fast, and exact for such numbers.
    total = rows.reshape(-1, factor * 3).astype(np.float32) @ _column_sums(factor)
    total += factor * factor // 2
    total /= factor * factor
    small: Image = total.astype(np.uint8).reshape(height, width, 3)
    return small


@lru_cache(maxsize=16)
def _column_sums(factor: int) -> NDArray[np.float32]:
    """The matrix that adds the colours of so many pixels beside each other."""
    return np.tile(np.eye(3, dtype=np.float32), (factor, 1))


def _aligned(rect: Rect, factor: int, first: int) -> Rect:
    """The smallest rectangle of whole blocks around ``rect``; a block begins at the row ``first``."""
    left, top, right, bottom = rect
    top, bottom = first + (top - first) // factor * factor, first - (first - bottom) // factor * factor
    return left // factor * factor, top, -(-right // factor) * factor, bottom
