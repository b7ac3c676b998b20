"""Widgets: the state of each control, and how it looks where it stands."""

from __future__ import annotations

import copy
import math
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...core.painting import Image, Patch, Rect, intersection
from .capture import Box, Control, Option, Pictures, Place
from .editing import Editor
from .fonts import BULLET, LONG, UNIT, Face, ceiled, nearest, rounded, snapped, wrapped
from .lines import Even, Ink, draw_line

_BESIDE = 20
"""How many characters of a long line are drawn beside what is seen."""


def inside(box: Box, x: float, y: float) -> bool:
    """Whether a point of the page is in a box."""
    return box[0] <= x < box[2] and box[1] <= y < box[3]


@dataclass(slots=True, eq=False)
class Widget:
    """A control in an episode.

    Attributes:
        control: what it is.
        pictures: of its capture.
        place: where it stands in the layout; ``None`` if it is not shown.
        hovered: whether the pointer is over it.
        focused: whether it has the focus.
        by_key: whether it got the focus otherwise than by the mouse.
    """

    control: Control
    pictures: Pictures
    place: Place | None = None
    hovered: bool = False
    focused: bool = False
    by_key: bool = False

    @property
    def spot(self) -> Place:
        """Where it stands, of one that is shown."""
        assert self.place is not None
        return self.place

    def holds(self, x: float, y: float) -> bool:
        """Whether a point of the page is on it; round corners are not."""
        left, top, right, bottom = self.spot.box
        if not inside(self.spot.box, x, y):
            return False
        radius = min(self.spot.radius, (right - left) / 2, (bottom - top) / 2)
        # Chromium asks whether any part of the pixel is on it.
        dx = max(left + radius - x - 1, x - right + radius, 0)
        dy = max(top + radius - y - 1, y - bottom + radius, 0)
        return dx * dx + dy * dy <= radius * radius

    def reset(self) -> None:
        """Put back what it held at first."""

    def take_after(self, other: Widget) -> None:
        """Hold what another widget of the same control holds."""

    def dump(self) -> Any:
        """What it holds, as JSON."""

    def flags(self) -> str:
        """What tells its look, in the order of ``Control.looks``."""
        return self._state() + ("h" if self.hovered else "") + self._focus()

    def layers(self, page: Image) -> Iterator[Patch | Lettering]:
        """What to draw over the page's picture, in pixels of the page: its look, where it is not as there, and text."""
        look = self._look()
        if look is not None:
            yield look
        ink = self._ink_rect()
        if ink is not None:
            yield Lettering(self, ink, self._even_part(page, look))

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text; ``even``: where there is but one colour."""

    def _look(self) -> Patch | None:
        known, key = self.pictures.patches, (id(self.spot), self.flags())
        if key not in known:
            look = self.pictures.capture.looks[self.spot.looks].get(key[1])
            left, top = math.floor(self.spot.box[0]), math.floor(self.spot.box[1])
            known[key] = look and Patch(self.pictures.small[look[0]], left + look[1], top + look[2])
        return known[key]

    def _state(self) -> str:
        return ""

    def _focus(self) -> str:
        return ("F" if self.by_key else "f") if self.focused else ""

    def _ink_rect(self) -> Rect | None:
        """Where text may be drawn; ``None`` if there is none."""
        return None

    def _even_part(self, page: Image, look: Patch | None) -> Even | None:
        """The room for text if it is of one colour."""
        known, key = self.pictures.even, (id(self.spot), self.flags())
        if key not in known:
            known[key] = None
            room = _whole(self.spot.content, self.spot.padding)
            if part := intersection(room, (0, 0, page.shape[1], page.shape[0])):
                ground = page[part[1] : part[3], part[0] : part[2]].copy()
                if look is not None:
                    look.draw(ground, part)
                if (ground == ground[0, 0]).all():
                    red, green, blue = ground[0, 0].tolist()
                    known[key] = part, (red, green, blue)
        return known[key]


@dataclass(slots=True, eq=False)
class Lettering:
    """The text of a control as a layer.

    Attributes:
        widget: the control.
        rect: where text may be.
        even: where it stands on but one colour, in pixels of the page.
        scroll: how many pixels of the page are above what ``rect`` counts from.
    """

    widget: Widget
    rect: Rect
    even: Even | None
    scroll: int = 0

    def moved(self, scroll: int) -> Lettering:
        """The same where the page is scrolled."""
        left, top, right, bottom = self.rect
        return Lettering(self.widget, (left, top - scroll, right, bottom - scroll), self.even, scroll)

    @property
    def solid(self) -> None:
        """Between letters, what is below is seen."""

    def draw(self, target: Image, clip: Rect) -> None:
        """Draw what lies inside ``clip`` on ``target``, the pixels of ``clip``."""
        if part := intersection(self.rect, clip):
            left, top, right, bottom = part
            origin = clip[0], clip[1] + self.scroll
            self.widget.draw_ink(target, origin, (left, top + self.scroll, right, bottom + self.scroll), self.even)


@dataclass(slots=True, eq=False)
class Button(Widget):
    """Something to press."""


@dataclass(slots=True, eq=False)
class Tick(Widget):
    """A checkbox or a radio button. ``checked``: whether it is ticked."""

    checked: bool = False

    def reset(self) -> None:
        """Put back what it held at first."""
        self.checked = self.control.checked

    def take_after(self, other: Widget) -> None:
        """Hold what another widget of the same control holds."""
        assert isinstance(other, Tick)
        self.checked = other.checked

    def dump(self) -> Any:
        """What it holds, as JSON."""
        return self.checked

    def _state(self) -> str:
        return "c" if self.checked else ""


@dataclass(slots=True, eq=False)
class ListBox(Widget):
    """A box that opens a list.

    Attributes:
        options: what there is to choose.
        chosen: which of them are.
    """

    options: tuple[Option, ...] = ()
    chosen: list[bool] = field(default_factory=list)

    def offer(self, options: tuple[Option, ...]) -> None:
        """Offer other options, those chosen that are so at first."""
        self.options = options
        self.chosen = [option.selected for option in options]

    def reset(self) -> None:
        """Put back what it held at first."""
        self.offer(self.control.options)

    def take_after(self, other: Widget) -> None:
        """Hold what another widget of the same control holds."""
        assert isinstance(other, ListBox)
        self.options, self.chosen = other.options, list(other.chosen)

    def dump(self) -> Any:
        """What it holds, as JSON."""
        return self.values

    @property
    def values(self) -> list[str]:
        """The values of what is chosen."""
        return [option.value for option, chosen in zip(self.options, self.chosen, strict=True) if chosen]

    @property
    def text(self) -> str:
        """What it shows."""
        shown = ", ".join(option.text for option, chosen in zip(self.options, self.chosen, strict=True) if chosen)
        return shown or (self.control.empty_text if self.control.file or self.control.several else "")

    def _ink_rect(self) -> Rect | None:
        return _whole(self.spot.content, self.spot.padding) if self.text else None

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text."""
        face = self.pictures.face(self.control.face or 0)
        y = math.floor(self.spot.box[1]) + self.spot.baseline
        left, _, right, _ = self.spot.content
        x = left + (_shift(self.control, right - left, face.offsets(self.text)[-1]) if self.control.align else 0)
        draw_line(target, origin, face.line(self.text, x), y, self.control.ink, clip, even)


@dataclass(slots=True, eq=False)
class TextField(Widget):
    """A line of text.

    Attributes:
        editor: the text.
        scroll: how many pixels are hidden at its left.
    """

    editor: Editor = field(default_factory=Editor)
    scroll: int = 0

    def reset(self) -> None:
        """Put back what it held at first."""
        self.editor = Editor(self.control.value, len(self.control.value), len(self.control.value))
        self.scroll = 0

    def take_after(self, other: Widget) -> None:
        """Hold what another widget of the same control holds."""
        assert isinstance(other, TextField)
        self.editor, self.scroll = copy.copy(other.editor), other.scroll

    def dump(self) -> Any:
        """What it holds, as JSON."""
        return [self.editor.text, self.editor.caret, self.editor.anchor, self.scroll]

    @property
    def face(self) -> Face:
        """The face of its text."""
        return self.pictures.face(self.control.face or 0)

    @property
    def shown(self) -> str:
        """What is seen of its text."""
        return BULLET * len(self.editor.text) if self.control.type == "password" else self.editor.text

    def offsets(self, text: str) -> list[float]:
        """Where each character of a line begins, in pixels, and where the last one ends."""
        return self.face.offsets(text)

    @property
    def width(self) -> float:
        """Of the room for text, in pixels."""
        return self.spot.content[2] - self.spot.content[0]

    def reveal_caret(self) -> None:
        """Scroll so that the caret is seen."""
        offsets = self.face.offsets(self.shown)
        caret, width, end = rounded(offsets[self.editor.caret]), self.width, ceiled(offsets[-1])
        right = min(caret + 1, max(end, 1))
        if caret < self.scroll:
            self.scroll = math.floor(min(caret, right - 1))
        elif right > self.scroll + width:
            self.scroll = math.floor(right - width)
        self.scroll = max(0, min(self.scroll, snapped(end) - math.floor(width)))

    def hides_caret(self) -> bool:
        """Whether the caret is left of what is seen."""
        return self.face.offsets(self.shown)[self.editor.caret] < self.scroll

    def place_at(self, x: float, y: float) -> int:
        """The caret's place nearest to a point of the page."""
        line = y - math.floor(self.spot.box[1])
        if line < self.control.selection_band[0]:
            return 0
        if line >= self.control.selection_band[1]:
            return len(self.editor.text)
        offsets = self.face.offsets(self.shown)
        return nearest(offsets, x - self.left_of(offsets[-1]) + self.scroll, self.editor.text)

    def left_of(self, width: float) -> float:
        """Where a line that is so wide begins on the page, if the text is not scrolled."""
        return self.spot.content[0] + (_shift(self.control, self.width, width) if self.control.align else 0)

    def _state(self) -> str:
        return "v" if self.control.placeholder and self.editor.text else ""

    def _focus(self) -> str:
        return "F" if self.focused else ""

    def _ink_rect(self) -> Rect | None:
        return _whole(self.spot.content, self.spot.padding) if self.editor.text else None

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text."""
        face, text = self.face, self.shown
        x = self.left_of(face.offsets(text)[-1] if self.control.align else 0) - self.scroll
        top = math.floor(self.spot.box[1])
        start, end = self.editor.selection if self.focused else (0, 0)
        first, last = self._seen(text)
        x += face.offsets(text)[first]
        selected = min(max(start, first), last) - first, min(max(end, first), last) - first
        self._draw_line(target, origin, clip, text[first:last], x, top, selected, even)

    def _seen(self, text: str) -> tuple[int, int]:
        """Of a very long text, the characters that can be seen, and some beside them."""
        if len(text) <= LONG or self.control.align:
            return 0, len(text)
        offsets = self.face.offsets(text)
        first = bisect_right(offsets, self.scroll) - _BESIDE
        return max(first, 0), min(bisect_right(offsets, self.scroll + self.width) + _BESIDE, len(text))

    def _draw_line(
        self,
        target: Image,
        origin: tuple[int, int],
        clip: Rect,
        text: str,
        x: float,
        top: int,
        selected: tuple[int, int],
        even: Even | None,
        more: float = 0,
        hangs: bool = False,
    ) -> None:
        """Draw a line of text.

        Args:
            target: uint8 (height, width, 3).
            origin: the page's pixel at its left top.
            clip: what may change.
            text: of the line.
            x: where it begins.
            top: of the line, in pixels of the page.
            selected: the first character that is, and the one after the last.
            even: where there is but one colour.
            more: how much farther the selection is seen, in pixels.
            hangs: whether spaces at its end hang over.

        Chromium keeps what is not selected out of the selection, and draws what is selected over it, uncut.
        """
        face, y, ink = self.face, top + self.spot.baseline, self.control.ink
        offsets, (start, end) = self.offsets(text), selected
        left_edge, x = x, x + offsets[-1] - face.offsets(text)[-1]
        line = face.line(text, x)
        if start >= end and not more:
            draw_line(target, origin, line, y, ink, clip, even)
            return
        band = self.control.selection_band
        left = math.floor((left_edge + offsets[start]) * UNIT) / UNIT
        right = math.ceil((left_edge + offsets[end] + more) * UNIT) / UNIT
        part = intersection((snapped(left), top + band[0], snapped(right), top + band[1]), clip)
        if part is None:
            draw_line(target, origin, line, y, ink, clip, even)
            return
        chosen = face.line(text, x, selected)
        for rest in _around(part, clip):
            for span in ((0, start), (end, len(text))):
                draw_line(target, origin, face.line(text, x, span), y, ink, rest, even)
            draw_line(target, origin, chosen, y, ink, rest)
        _fill(target, origin, part, self.control.selection)
        draw_line(target, origin, chosen, y, ink, part, (part, self.control.selection))
        if hangs and end > (hung := len(text.rstrip(" "))):
            # Spaces that hang over are laid out apart: what is behind them hides ink that reaches there.
            edge = snapped(math.floor((left_edge + max(offsets[hung], offsets[start])) * UNIT) / UNIT)
            _fill(target, origin, (max(edge, part[0]), part[1], part[2], part[3]), self.control.selection)


def _fill(target: Image, origin: tuple[int, int], rect: Rect, colour: Ink) -> None:
    x, y = origin
    target[rect[1] - y : rect[3] - y, rect[0] - x : rect[2] - x] = colour


def _around(part: Rect, clip: Rect) -> Iterator[Rect]:
    """The rectangles that make up what of ``clip`` is not in ``part``, which lies in it; some may be empty."""
    left, top, right, bottom = part
    yield clip[0], clip[1], clip[2], top
    yield clip[0], top, left, bottom
    yield right, top, clip[2], bottom
    yield clip[0], bottom, clip[2], clip[3]


def _shift(control: Control, room: float, width: float) -> float:
    """How far right of its room's left edge a line of a control begins."""
    if not control.align:
        return 0.0
    free = max(0.0, room - ceiled(width))
    return free if control.align == "right" else math.floor(free / 2 * UNIT) / UNIT


def _whole(box: Box, rows: Box | None = None) -> Rect:
    """The whole pixels of a box; ``rows``: another one that gives top and bottom."""
    return snapped(box[0]), snapped((rows or box)[1]), snapped(box[2]), snapped((rows or box)[3])


@dataclass(slots=True, eq=False)
class TextArea(TextField):
    """Several lines of text; ``scroll``: how many pixels are hidden above.

    Attributes:
        column: where the caret is kept when it goes up and down, in pixels; ``None``: where it is.
        row: the line that it went to so.
        upstream: whether a caret between two lines that one text runs through stands at the end of the first.
    """

    column: float | None = None
    row: int = 0
    upstream: bool = False
    _wrapped: tuple[str, list[tuple[int, int]]] | None = None

    def take_after(self, other: Widget) -> None:
        """Hold what another widget of the same control holds."""
        assert isinstance(other, TextArea)
        TextField.take_after(self, other)
        self.upstream = other.upstream

    def dump(self) -> Any:
        """What it holds, as JSON."""
        return [self.editor.text, self.editor.caret, self.editor.anchor, self.scroll, self.upstream]

    @property
    def lines(self) -> list[tuple[int, int]]:
        """The first character of each line and the one after its last."""
        if self._wrapped is None or self._wrapped[0] != self.editor.text:
            self._wrapped = self.editor.text, wrapped(self.face, self.editor.text, self.width)
        return self._wrapped[1]

    def offsets(self, text: str) -> list[float]:
        """Where each character of a line begins: spaces that a line begins with are laid out apart."""
        offsets = self.face.offsets(text)
        lead = len(text) - len(text.lstrip(" "))
        if not 0 < lead < len(text):
            return offsets
        more = ceiled(offsets[lead]) - offsets[lead]
        return offsets[:lead] + [at + more for at in offsets[lead:]]

    def line_of(self, at: int) -> int:
        """The line that a place is in: at a soft break the later one."""
        lines = self.lines
        for i in range(len(lines) - 1, -1, -1):
            if lines[i][0] <= at:
                return i
        return 0

    @property
    def caret_line(self) -> int:
        """The line that the caret is in: the end of what is selected is in the line of its last character."""
        i, (caret, anchor) = self.line_of(self.editor.caret), (self.editor.caret, self.editor.anchor)
        is_before = self.upstream if caret == anchor else caret > anchor
        return i - 1 if is_before and i > 0 and self.is_soft_end(i - 1, caret) else i

    def is_soft_end(self, i: int, at: int) -> bool:
        """Whether a place is both the end of a line and the beginning of the next."""
        return i + 1 < len(self.lines) and self.lines[i][1] == at == self.lines[i + 1][0]

    def place_in_line(self, i: int, x: float) -> int:
        """The caret's place in a line nearest to ``x``, in pixels from the line's beginning."""
        start, end = self.lines[i]
        text = self.editor.text[start:end]
        return start + nearest(self.offsets(text), x, text)

    def hides_caret(self) -> bool:
        """Whether the caret is left of what is seen: lines are not scrolled sideways."""
        return False

    def caret_x(self) -> float:
        """Where the caret is, in pixels from the line's beginning; on the page in whole pixels."""
        start, end = self.lines[self.caret_line]
        at = self.offsets(self.editor.text[start:end])[self.editor.caret - start]
        left = self.left_of(self.line_width(self.caret_line))
        return math.floor(left + rounded(at)) - left

    def reveal_caret(self) -> None:
        """Scroll so that the caret is seen."""
        at = self.caret_line * self.spot.line_height + self.spot.content[1] - self.spot.padding[1]
        top, bottom = at + self.spot.caret[0], at + self.spot.caret[0] + self.spot.caret[1]
        height = self.spot.padding[3] - self.spot.padding[1]
        if top < self.scroll:
            self.scroll = math.floor(top)
        elif bottom > self.scroll + height:
            self.scroll = math.floor(bottom - height)
        self.scroll = min(self.scroll, self.last_scroll())

    def last_scroll(self) -> int:
        """How far it can be scrolled."""
        spot = self.spot
        paddings = spot.content[1] - spot.padding[1] + spot.padding[3] - spot.content[3]
        full = len(self.lines) * spot.line_height + paddings
        return max(0, math.floor(full - (spot.padding[3] - spot.padding[1])))

    def scroll_by(self, by: int) -> bool:
        """Scroll as far as it goes; whether it went."""
        before = self.scroll
        self.scroll = max(0, min(self.scroll + by, self.last_scroll()))
        return self.scroll != before

    def place_at(self, x: float, y: float) -> int:
        """The caret's place nearest to a point of the page."""
        line = self.line_at(y)
        if line < 0:
            return 0
        if line >= len(self.lines):
            return len(self.editor.text)
        return self.place_in_line(line, x - self.left_of(self.line_width(line)))

    def line_at(self, y: float) -> int:
        """The number of the line at ``y`` of the page, whether there is one or not."""
        return math.floor((y - self.spot.content[1] + self.scroll) / self.spot.line_height)

    def line_width(self, i: int) -> float:
        """How wide a line is that does not stand at the left, in pixels; spaces at its end hang over."""
        start, end = self.lines[i]
        return self.face.offsets(self.editor.text[start:end].rstrip(" "))[-1] if self.control.align else 0.0

    def _ink_rect(self) -> Rect | None:
        return _whole(self.spot.padding) if self.editor.text else None

    def draw_ink(self, target: Image, origin: tuple[int, int], clip: Rect, even: Even | None) -> None:
        """Draw its text."""
        face, text = self.face, self.editor.text
        top = math.floor(self.spot.box[1]) - self.scroll
        first, last = self.editor.selection if self.focused else (0, 0)
        low, height = top - 1000, self.spot.line_height
        for i in range(*self._rows_in(clip, top)):
            start, end = self.lines[i]
            shown, x, shift = text[start:end], self.left_of(self.line_width(i)), round(i * height)
            above, below = (top + shift + self.spot.baseline + edge for edge in face.line(shown, x)[1].box[1::2])
            even_here = even if low <= above else None
            selected = max(first, start) - start, max(min(last, end) - start, 0)
            # A break that is selected is seen as a space.
            feeds = last > end and (first <= end if text[end : end + 1] == "\n" else first < end < len(text))
            space = math.floor(face.advances[" "] * UNIT) / UNIT if feeds else 0
            hangs = self.is_soft_end(i, end)
            self._draw_line(target, origin, clip, shown, x, top + shift, selected, even_here, space, hangs)
            low = max(low, below)

    def _rows_in(self, clip: Rect, top: int) -> tuple[int, int]:
        """The first line that reaches into ``clip`` and the one after the last; ink may reach over lines beside."""
        height = self.spot.line_height
        first = math.floor((clip[1] - top) / height) - 2
        return max(first, 0), max(min(math.ceil((clip[3] - top) / height) + 2, len(self.lines)), 0)


WIDGETS: dict[str, type[Widget]] = {"text": TextField, "area": TextArea, "tick": Tick, "box": ListBox, "button": Button}
"""Classes by kind of control."""
