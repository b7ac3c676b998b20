"""The visible part of the page, and pages and marks at its zoom."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PIL import Image as PillowImage

from ...core.asset_cache import Keyed, cached
from ...core.boxes import Rect, contains_pixel
from ...core.painting import Image, Sprite, Stamp, read_only
from ...core.text_sprites import INK
from .layout import CANVAS, MARGIN, SCROLLBAR

ZOOMS = (50, 75, 100, 150, 200)
"""The zooms in percent; those that fit the page to the window are between them."""
_MIN_ZOOM, _MAX_ZOOM = 10, 200
_MIN_THUMB = 28
_VIEW_WIDTH = CANVAS[2] - CANVAS[0] - SCROLLBAR


@dataclass(frozen=True, slots=True)
class View:
    """A view of a page.

    Attributes:
        width: of the page in its own pixels.
        height: of the page in its own pixels.
        percent: the zoom; at 100 a pixel of the page is a pixel of the window.
        left: how far it is scrolled to the right, in pixels of the window.
        top: how far it is scrolled down, in pixels of the window.
        begin: the top edge of its canvas in the window.
    """

    width: int
    height: int
    percent: int
    left: int = 0
    top: int = 0
    begin: int = CANVAS[1]

    # -- Sizes, in pixels of the window --------------------------------------------------------------------------------

    @property
    def scaled(self) -> tuple[int, int]:
        """Width and height of the page."""
        return round(self.width * self.percent / 100), round(self.height * self.percent / 100)

    @property
    def content(self) -> tuple[int, int]:
        """Width and height of the page with the desk around it."""
        width, height = self.scaled
        return width + 2 * MARGIN, height + 2 * MARGIN

    @property
    def viewport(self) -> Rect:
        """The part of the window for page and desk."""
        left, _, right, bottom = CANVAS
        has_bar = self.content[0] > _VIEW_WIDTH
        return left, self.begin, right - SCROLLBAR, bottom - SCROLLBAR * has_bar

    @property
    def room(self) -> tuple[int, int]:
        """How far it can be scrolled, to the right and down."""
        left, top, right, bottom = self.viewport
        width, height = self.content
        return max(width - (right - left), 0), max(height - (bottom - top), 0)

    @property
    def origin(self) -> tuple[int, int]:
        """The top left corner of the page."""
        left, top, right, bottom = self.viewport
        width, height = self.content
        across = left + max((right - left - width) // 2, 0) + MARGIN - self.left
        return across, top + max((bottom - top - height) // 2, 0) + MARGIN - self.top

    @property
    def page(self) -> Rect:
        """The rectangle of the page, visible or not."""
        (left, top), (width, height) = self.origin, self.scaled
        return left, top, left + width, top + height

    # -- From the window to the page and back --------------------------------------------------------------------------

    def to_page(self, x: int, y: int) -> tuple[int, int]:
        """The pixel of the page at a pixel of the window; it may be off the page."""
        left, top = self.origin
        return (2 * (x - left) + 1) * 50 // self.percent, (2 * (y - top) + 1) * 50 // self.percent

    def to_window(self, x: int, y: int) -> tuple[int, int]:
        """A pixel of the window that shows a pixel of the page."""
        left, top = self.origin
        # From 100 % on, it is the middle of the pixels that show it; below, it may show several pixels of the page.
        return left + (2 * x + 1) * self.percent // 200, top + (2 * y + 1) * self.percent // 200

    def around(self, rect: Rect) -> Rect:
        """The pixels of the window that show some of a rectangle of the page."""
        (left, top), k = self.origin, self.percent
        return (
            left + rect[0] * k // 100,
            top + rect[1] * k // 100,
            left - (-rect[2] * k // 100),
            top - (-rect[3] * k // 100),
        )

    def on_page(self, x: int, y: int) -> bool:
        """Whether a pixel of the window shows the page."""
        return contains_pixel(self.page, x, y) and contains_pixel(self.viewport, x, y)

    # -- Other views of the same page ----------------------------------------------------------------------------------

    def scrolled(self, across: int, down: int) -> View:
        """Scrolled further, within its limits."""
        return self.scrolled_to(self.left + across, self.top + down)

    def scrolled_to(self, left: int, top: int) -> View:
        """Scrolled to a position, within its limits."""
        room = self.room
        return replace(self, left=min(max(left, 0), room[0]), top=min(max(top, 0), room[1]))

    def zoomed(self, percent: int) -> View:
        """At another zoom, with the same point in the middle."""
        left, top, right, bottom = self.viewport
        x, y = self.to_page((left + right) // 2, (top + bottom) // 2)
        return replace(self, percent=percent).showing(x, y)

    def showing(self, x: int, y: int) -> View:
        """Scrolled so that a pixel of the page is as near to the middle as possible."""
        left, top, right, bottom = self.viewport
        across, down = replace(self, left=0, top=0).to_window(x, y)
        return self.scrolled_to(across - (left + right) // 2, down - (top + bottom) // 2)

    @property
    def width_percent(self) -> int:
        """The zoom at which the page is as wide as the canvas."""
        return min(max(100 * (_VIEW_WIDTH - 2 * MARGIN) // self.width, _MIN_ZOOM), _MAX_ZOOM)

    @property
    def page_percent(self) -> int:
        """The zoom at which the whole page is visible."""
        return min(max(100 * (CANVAS[3] - self.begin - 2 * MARGIN) // self.height, _MIN_ZOOM), self.width_percent)

    def next_zoom(self, larger: bool) -> int | None:
        """The next zoom in percent, ``None`` at the end."""
        zooms = sorted({*ZOOMS, self.width_percent, self.page_percent})
        beyond = [z for z in zooms if (z > self.percent if larger else z < self.percent)]
        return (beyond[0] if larger else beyond[-1]) if beyond else None


def opening_view(width: int, height: int) -> View:
    """The initial view of the editor: the whole width of a page, from its top."""
    view = View(width, height, 100)
    return replace(view, percent=view.width_percent)


@dataclass(frozen=True, slots=True)
class Scrollbar:
    """A scrollbar of a view.

    Attributes:
        upright: whether it scrolls up and down.
        track: its rectangle.
        thumb: the rectangle that can be dragged, ``None`` if there is nothing to scroll.
        room: how far the view can be scrolled.
    """

    upright: bool
    track: Rect
    thumb: Rect | None
    room: int

    def scroll_of(self, pixels: int) -> int:
        """The distance to scroll when the thumb is dragged by a number of pixels."""
        assert self.thumb is not None
        axis = int(self.upright)
        free = (self.track[axis + 2] - self.track[axis]) - (self.thumb[axis + 2] - self.thumb[axis])
        return round(pixels * self.room / free) if free else 0


def scrollbars(view: View) -> list[Scrollbar]:
    """The vertical scrollbar of a view, and the horizontal one if it is needed."""
    left, top, right, bottom = view.viewport
    bars = [_scrollbar(view, True, (right, top, right + SCROLLBAR, bottom))]
    if bottom < CANVAS[3]:
        bars.append(_scrollbar(view, False, (left, bottom, right, bottom + SCROLLBAR)))
    return bars


def _scrollbar(view: View, upright: bool, track: Rect) -> Scrollbar:
    axis = int(upright)
    room, at = view.room[axis], (view.left, view.top)[axis]
    length = track[axis + 2] - track[axis]
    if not room:
        return Scrollbar(upright, track, None, 0)
    long = max(length * length // (length + room), _MIN_THUMB)
    begin = track[axis] + (length - long) * at // room
    left, top, right, bottom = track
    thumb = (left + 3, begin, right - 3, begin + long) if upright else (begin, top + 3, begin + long, bottom - 3)
    return Scrollbar(upright, track, thumb, room)


_FILTER_REACH = 6
"""The maximum reach of the resampling filter, in pixels of the larger picture."""


def page_at(page: Image, paper: tuple[int, int], percent: int) -> Image:
    """The paper in the left top corner of a page, (height, width), at a zoom; the page's own pixels at 100 %."""
    shown = page[: paper[0], : paper[1]]
    return shown if percent == 100 else _resized(Keyed((id(page), paper), shown), percent)


def stamp_at(sprite: Sprite, x: int, y: int, view: View) -> Stamp:
    """The stamp in the window for a sprite with its anchor at a pixel of the page."""
    stamp = Stamp(sprite, x, y)
    left, top, right, bottom = view.around(stamp.rect)
    if view.percent != 100:
        phases = stamp.rect[0] * view.percent % 100, stamp.rect[1] * view.percent % 100
        sprite = _resized_sprite(sprite, view.percent, phases, (right - left, bottom - top))
    return Stamp(sprite, left - sprite.left, top - sprite.top)


def _filter(percent: int) -> PillowImage.Resampling:
    return PillowImage.Resampling.BICUBIC if percent > 100 else PillowImage.Resampling.LANCZOS


@cached
def _resized(page: Keyed[Image], percent: int) -> Image:
    picture = PillowImage.fromarray(page.value)
    size = (round(picture.width * percent / 100), round(picture.height * percent / 100))
    return read_only(np.asarray(picture.resize(size, _filter(percent))))


@cached
def _resized_sprite(sprite: Sprite, percent: int, phases: tuple[int, int], size: tuple[int, int]) -> Sprite:
    """A sprite at a zoom, with its anchor in the top left corner.

    Args:
        sprite: at 100 %.
        percent: the zoom.
        phases: the offset of its first pixel from a pixel of the window, in hundredths of a pixel of the window.
        size: width and height in the window.
    """
    # Transparent padding: pixels of the window at its edges also show what is beside it.
    beside = 100 * _FILTER_REACH // percent + 2
    alpha = np.pad(255 - sprite.inverse_alpha[:, :, 0], beside)
    left, top = (beside - phase / percent for phase in phases)
    box = (left, top, left + size[0] * 100 / percent, top + size[1] * 100 / percent)
    mask = PillowImage.fromarray(alpha).resize(size, _filter(percent), box=box)
    covered = np.asarray(mask, np.uint16)[:, :, None]
    return Sprite(
        left=0,
        top=0,
        inverse_alpha=np.repeat(255 - covered, 3, axis=2).astype(np.uint8),
        premultiplied=covered * np.asarray(INK, np.uint16) + np.uint16(128),
        advance=size[0],
        line_height=size[1],
        unsupported=sprite.unsupported,
    )
