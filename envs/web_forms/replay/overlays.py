"""Overlays of a page: lists, the calendar, and the bubble of invalid values."""

from __future__ import annotations

import calendar as gregorian
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from ...core.asset_cache import cached, derived
from ...core.boxes import Rect
from ...core.painting import Image, Patch
from .capture import Box, Pictures
from .fonts import snapped
from .lines import draw_line
from .text_breaks import wrapped
from .text_fields import TextField
from .validity import date_of
from .widgets import ListBox, Widget, inside

OVERLAYS = ("popup", "calendar", "bubble")
"""The names of the overlays, from the lowest to the highest."""
ROW = 32
MAX_ROWS = 8
_MIN_WIDTH = 320
_TEXT_LEFT = 35
_CALENDAR = (270, 258)
_MONTH_LEFT = 77
_TURNS = ((9, -12), (41, -1), (197, 1), (229, 12))
_BUBBLE_WIDTH = 300
_BUBBLE_LINE = 20


@dataclass(slots=True)
class Viewport:
    """The visible part of the page. ``scroll``: how many pixels are above it."""

    width: int
    height: int
    scroll: int = 0


def _placed(owner: Box, width: int, height: int, window: Viewport) -> Rect:
    """The place on the page of an overlay under ``owner``, above it, or elsewhere."""
    below, above = snapped(owner[3] - window.scroll), snapped(owner[1] - window.scroll) - height
    elsewhere = above if above >= 0 else max(0, window.height - height)
    top = (below if below + height <= window.height else elsewhere) + window.scroll
    left = max(0, min(snapped(owner[0]), window.width - width))
    return left, top, left + width, top + height


@dataclass(slots=True, eq=False)
class Popup:
    """The list of a box.

    Attributes:
        owner: the box.
        rect: its place on the page.
        active: the row that is highlighted; -1: none.
        top: how many pixels of the rows are hidden above.
        under: the row that the pointer was last over.
    """

    owner: ListBox
    rect: Rect
    active: int
    top: int = 0
    under: int = -1
    _frame: Patch | None = None
    _rows: dict[tuple[int, int, bool, bool], Patch] = field(default_factory=dict)

    @classmethod
    def opened(cls, box: ListBox, window: Viewport) -> Popup:
        """The list of a box in a window, with the first chosen row in view."""
        left, _, right, _ = box.spot.box
        height = min(max(len(box.options), 1), MAX_ROWS) * ROW + 2
        rect = _placed(box.spot.box, max(snapped(right - left), _MIN_WIDTH), height, window)
        popup = cls(box, rect, box.chosen.index(True) if True in box.chosen else -1)
        popup._show(popup.active)
        return popup

    def dump(self) -> Any:
        """Its state as JSON."""
        return [self.owner.control.id, self.active, self.top]

    def scroll(self, by: int) -> int:
        """Scroll as far as it goes; return how far that is."""
        before, last = self.top, max(0, len(self.owner.options) - MAX_ROWS) * ROW
        self.top = min(max(before + by, 0), last)
        return self.top - before

    def activate(self, row: int) -> None:
        """Highlight the row of a number, or the nearest, and scroll it into view."""
        self.active = min(max(row, 0), len(self.owner.options) - 1)
        self._show(self.active)

    def _show(self, row: int) -> None:
        """Scroll a row into view; of none the first."""
        at = max(row, 0) * ROW
        self.top = min(max(self.top, at + ROW - MAX_ROWS * ROW), at)
        self.scroll(0)

    def row_at(self, x: float, y: float) -> int:
        """The row at a point of the page; -1: none."""
        left, top, right, bottom = self.rect
        if not (left + 1 <= x < right - 1 and top + 1 <= y < bottom - 1):
            return -1
        row = int(y - top - 1 + self.top) // ROW
        return row if row < len(self.owner.options) else -1

    def point(self, x: float, y: float) -> None:
        """Update the pointer, and the row that it highlights."""
        row = self.row_at(x, y)
        if row >= 0 and row != self.under:
            self.active = row
        self.under = row

    def look(self) -> Any:
        """All values that determine its look."""
        return self.active, self.top, tuple(self.owner.chosen)

    def layers(self) -> Sequence[Patch]:
        """Its frame, and each visible row: the same objects as long as they look the same."""
        rows = range(self.top // ROW, min(-(-self.top // ROW) + MAX_ROWS, len(self.owner.options)))
        looks = [(i, self.top, self.owner.chosen[i], i == self.active) for i in rows]
        for look in looks:
            if look not in self._rows:
                self._rows[look] = self._row(*look)
        if self._frame is None:
            left, top, right, bottom = self.rect
            parts = self.owner.pictures.capture.parts
            self._frame = Patch(_frame(right - left, bottom - top, parts.edge, parts.paper), left, top)
        return [self._frame, *(self._rows[look] for look in looks)]

    def _row(self, i: int, scroll: int, chosen: bool, active: bool) -> Patch:
        """The visible part of a row, without the frame beside it."""
        box, (left, top, right, bottom) = self.owner, self.rect
        picture = _row(box.pictures, right - left - 2, box.options[i].text, box.control.several, chosen, active)
        y = top + 1 + i * ROW - scroll
        above, below = max(y, top + 1), min(y + ROW, bottom - 1)
        return Patch(picture[above - y : below - y], left + 1, above)


@cached
def _row(pictures: Pictures, width: int, text: str, several: bool, chosen: bool, active: bool) -> Image:
    parts = pictures.capture.parts
    ground = parts.hover if active else parts.chosen if chosen else parts.paper
    pixels = _flat(width, ROW, ground).copy()
    left = 0
    if several:
        tick = pictures.small[parts.ticks[2 * chosen + active]]
        left = tick.shape[1]
        pixels[:, :left] = tick
    line = pictures.face.line(text, float(_TEXT_LEFT - 1))
    draw_line(pixels, line, parts.row_baseline, parts.ink, (0, 0, width, ROW), ((left, 0, width, ROW), ground))
    return pixels


@dataclass(slots=True, eq=False)
class Calendar:
    """The calendar of a date.

    Attributes:
        owner: the date's field.
        rect: its place on the page.
        year, month: the visible month.
        chosen: the date that was in the field when the month was drawn.
        under: the part under the pointer: a day from 1 on, a turn as -1 to -4, or 0.
    """

    owner: TextField
    rect: Rect
    year: int
    month: int
    chosen: str
    under: int = 0

    @classmethod
    def opened(cls, field: TextField, window: Viewport) -> Calendar:
        """The calendar of a date in a window, at the month of the date or of the page's today."""
        text = field.editor.text
        day = date_of(text) or date_of(field.pictures.capture.today) or date(2025, 1, 1)
        return cls(field, _placed(field.spot.box, *_CALENDAR, window), day.year, day.month, text)

    def dump(self) -> Any:
        """Its state as JSON."""
        return [self.owner.control.id, self.year, self.month, self.under]

    def look(self) -> Any:
        """All values that determine its look."""
        return self.year, self.month, self.chosen, self.under

    def part_at(self, x: float, y: float) -> int:
        """The day at a point of the page, a turn as -1 to -4, or 0."""
        dx, dy = x - self.rect[0], y - self.rect[1]
        for i, (left, _) in enumerate(_TURNS):
            if left <= dx < left + 32 and 7 <= dy < 39:
                return -1 - i
        column, row = int(dx - 9) // 36, int(dy - 69) // 30
        if dx < 9 or dy < 69 or column > 6:
            return 0
        day = row * 7 + column - self._before() + 1
        return day if 1 <= day <= self._n_days() else 0

    def point(self, x: float, y: float) -> None:
        """Update the pointer."""
        self.under = self.part_at(x, y)

    def turn(self, part: int) -> None:
        """Change the month by the clicked turn, from -1 to -4."""
        months = self.year * 12 + self.month - 1 + _TURNS[-1 - part][1]
        months = min(max(months, 1900 * 12), 2100 * 12 - 1)
        self.year, self.month = months // 12, months % 12 + 1
        self.under = 0
        self.chosen = self.owner.editor.text

    def layers(self) -> Sequence[Patch]:
        """Its picture."""
        pictures = self.owner.pictures
        parts, small = pictures.capture.parts, pictures.small
        pixels = small[parts.calendar].copy()
        if self.under < 0:
            _put(pixels, small[parts.turns[-1 - self.under]], _TURNS[-1 - self.under][0], 7)
        for day in range(1, self._n_days() + 1):
            at = self._before() + day - 1
            look = 2 if day == self.under else int(self.iso(day) == self.chosen)
            _put(pixels, small[parts.days[day - 1][look]], 9 + 36 * (at % 7), 69 + 30 * (at // 7))
        month = f"{gregorian.month_name[self.month]} {self.year}"
        line = pictures.face.line(month, float(_MONTH_LEFT))
        draw_line(pixels, line, parts.month_baseline, parts.ink, (1, 1, _CALENDAR[0] - 1, _CALENDAR[1] - 1))
        return [Patch(pixels, *self.rect[:2])]

    def iso(self, day: int) -> str:
        """A day of the month as YYYY-MM-DD."""
        return f"{self.year:04}-{self.month:02}-{day:02}"

    def _before(self) -> int:
        """How many days of the first week belong to the month before."""
        return gregorian.weekday(self.year, self.month, 1)

    def _n_days(self) -> int:
        return gregorian.monthrange(self.year, self.month)[1]


@dataclass(slots=True, eq=False)
class Bubble:
    """The bubble that explains the problem of a control.

    Attributes:
        owner: the control.
        message: the problem.
        box: of the control when it opened.
        window: the visible part of the page then.
    """

    owner: Widget
    message: str
    box: Box
    window: Viewport

    @classmethod
    def opened(cls, owner: Widget, message: str, window: Viewport) -> Bubble:
        """The bubble of a control in a window: under the control, or above it."""
        return cls(owner, message, owner.spot.box, replace(window))

    def dump(self) -> Any:
        """Its state as JSON."""
        return [self.owner.control.id, self.message]

    def look(self) -> Any:
        """The values that determine its look, which never changes."""
        return self.message

    def layers(self) -> Sequence[Patch]:
        """Its picture: typing may open hundreds that nobody sees, so it is placed only here."""
        parts = self.owner.pictures.capture.parts
        face = self.owner.pictures.face
        lines = wrapped(face, self.message, _BUBBLE_WIDTH - 26)
        height = 18 + _BUBBLE_LINE * len(lines)
        pixels = _frame(_BUBBLE_WIDTH, height, parts.edge, parts.bubble).copy()
        for i, (start, end) in enumerate(lines):
            line = face.line(self.message[start:end], 13.0)
            y = parts.bubble_baseline + i * _BUBBLE_LINE
            draw_line(pixels, line, y, parts.ink, (1, 1, _BUBBLE_WIDTH - 1, height - 1))
        box, window = self.box, self.window
        below, above = snapped(box[3] - window.scroll) + 6, snapped(box[1] - window.scroll) - 6 - height
        left = max(0, min(snapped(box[0]), window.width - _BUBBLE_WIDTH))
        return [Patch(pixels, left, window.scroll + (below if below + height <= window.height else above))]


@dataclass(slots=True)
class Overlays:
    """What is open over the page: a list, a calendar, a bubble."""

    popup: Popup | None = None
    calendar: Calendar | None = None
    bubble: Bubble | None = None

    def close(self) -> None:
        """Close the list and the calendar."""
        self.popup = self.calendar = None

    def at(self, x: float, y: float) -> Popup | Calendar | None:
        """The list or the calendar at a point of the page."""
        for part in (self.popup, self.calendar):
            if part is not None and inside(part.rect, x, y):
                return part
        return None

    def point(self, x: float, y: float) -> bool:
        """Highlight the part at a point of the page; return whether it is on an overlay."""
        over = self.at(x, y)
        for part in (over,) if over is not None else (self.popup, self.calendar):
            if part is not None:
                part.point(x, y)
        return over is not None

    def parts(self) -> Iterator[tuple[str, Popup | Calendar | Bubble | None]]:
        """What is open by its name, from the lowest to the highest; ``None``: not open."""
        return zip(OVERLAYS, (self.popup, self.calendar, self.bubble), strict=True)

    def dump(self) -> dict[str, Any]:
        """The open parts by name, as a JSON object."""
        return {name: part.dump() for name, part in self.parts() if part is not None}


@derived
def _flat(width: int, height: int, colour: tuple[int, int, int]) -> Image:
    """A picture of one colour, to copy: filling one takes many times as long."""
    pixels = np.empty((height, width, 3), np.uint8)
    pixels[...] = colour
    return pixels


@derived
def _frame(width: int, height: int, edge: tuple[int, int, int], paper: tuple[int, int, int]) -> Image:
    pixels = _flat(width, height, edge).copy()
    pixels[1:-1, 1:-1] = paper
    return pixels


def _put(pixels: Image, picture: Image, x: int, y: int) -> None:
    pixels[y : y + picture.shape[0], x : x + picture.shape[1]] = picture
