"""Text fields: a line or an area of text, with caret, selection and drawing."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ...core.boxes import Rect, intersection
from ...core.painting import Layer, SolidRect
from .fonts import BULLET, LONG, UNIT, Face, ceiled, nearest, rounded, snapped
from .lines import Even, ink_layers
from .text_breaks import (
    grapheme_bounds,
    is_erased_whole,
    is_visible,
    segment_bounds,
    word_after,
    word_before,
    wrapped,
)
from .widgets import Widget, whole_pixels

_BESIDE = 20
"""How many characters of a long line are drawn beside the visible ones."""


@dataclass(slots=True)
class Editor:
    """A text that is being edited.

    Attributes:
        text: the current text.
        caret: how many characters are before the caret.
        anchor: where the selection began; equal to ``caret`` where nothing is selected.
    """

    text: str = ""
    caret: int = 0
    anchor: int = 0

    @property
    def selection(self) -> tuple[int, int]:
        """The first selected character and the one after the last."""
        return (self.anchor, self.caret) if self.anchor <= self.caret else (self.caret, self.anchor)

    def insert(self, typed: str) -> None:
        """Replace the selection with characters."""
        start, end = self.selection
        self.text = self.text[:start] + typed + self.text[end:]
        self.caret = self.anchor = start + len(typed)

    def select(self, start: int, end: int) -> None:
        """Select from ``start`` to ``end``, where the caret goes."""
        self.anchor, self.caret = start, end

    def move(self, to: int, extend: bool) -> None:
        """Move the caret, and extend or clear the selection."""
        self.caret = to
        if not extend:
            self.anchor = to

    def erase(self, to: int) -> bool:
        """Remove the selection, or the text from the caret to ``to``; ``False`` if empty."""
        start, end = self.selection if self.anchor != self.caret else sorted((self.caret, to))
        if start == end:
            return False
        self.text = self.text[:start] + self.text[end:]
        self.caret = self.anchor = start
        return True

    def before(self) -> int:
        """The place one grapheme before the caret."""
        bounds = grapheme_bounds(self.text)
        return bounds[max(bisect_left(bounds, self.caret) - 1, 0)]

    def after(self) -> int:
        """The place one grapheme after the caret."""
        bounds = grapheme_bounds(self.text)
        return bounds[min(bisect_right(bounds, self.caret), len(bounds) - 1)]

    def erased_before(self) -> int:
        """Where Backspace erases to: it removes a mark without its letter, an emoji whole."""
        start = self.before()
        return start if is_erased_whole(self.text[start : self.caret]) else max(self.caret - 1, 0)

    def word_before(self) -> int:
        """The target of Control+ArrowLeft, within the line."""
        start, end = self._line()
        if start == end:
            return max(start - 1, 0)
        return start + word_before(self.text[start:end], self.caret - start)

    def word_erased_before(self) -> int:
        """Where Control+Backspace erases to: at least one character."""
        to = self.word_before()
        return to if to < self.caret else self.before()

    def word_after(self) -> int:
        """The target of Control+ArrowRight."""
        at = self.caret
        if self.text[at : at + 1] == "\n":
            at += 1
            # From the end of a line to the next one, and on over the spaces that it begins with.
            if at == len(self.text) or self.text[at] == "\n" or is_visible(self.text[at]):
                return at
        start, end = self._line(at)
        return start + word_after(self.text[start:end], at - start)

    def word_at(self, at: int) -> tuple[int, int]:
        """The word, the spaces or the sign around a character; at the end the last one."""
        bounds = segment_bounds(self.text)
        i = min(bisect_right(bounds, at), len(bounds) - 1)
        return bounds[max(i - 1, 0)], bounds[i]

    def _line(self, at: int | None = None) -> tuple[int, int]:
        """The start and the end of the line around the caret, or around another place."""
        at = self.caret if at is None else at
        end = self.text.find("\n", at)
        return self.text.rfind("\n", 0, at) + 1, end if end >= 0 else len(self.text)


@dataclass(slots=True, eq=False)
class TextField(Widget):
    """A line of text.

    Attributes:
        editor: the text.
        scroll: how many pixels are hidden at its left.
    """

    held: ClassVar[tuple[str, ...]] = ("editor", "scroll")
    editor: Editor = field(default_factory=Editor)
    scroll: int = 0

    def reset(self) -> None:
        """Restore the first value."""
        self.editor = Editor(self.control.value, len(self.control.value), len(self.control.value))
        self.scroll = 0

    def dump(self) -> Any:
        """Its value as JSON."""
        return [self.editor.text, self.editor.caret, self.editor.anchor, self.scroll]

    @property
    def face(self) -> Face:
        """The face of its text."""
        return self.pictures.face

    @property
    def visible_text(self) -> str:
        """Its text, or bullets for a password."""
        return BULLET * len(self.editor.text) if self.control.type == "password" else self.editor.text

    def offsets(self, text: str) -> list[float]:
        """The start of each character of a line and the end of the last, in pixels."""
        return self.face.offsets(text)

    @property
    def width(self) -> float:
        """The width of the text area in pixels."""
        return self.spot.content[2] - self.spot.content[0]

    def reveal_caret(self) -> None:
        """Scroll the caret into view."""
        carets, end = self.face.carets(self.visible_text), ceiled(self.face.offsets(self.visible_text)[-1])
        caret, width = rounded(carets[self.editor.caret]), self.width
        right = min(caret + 1, max(end, 1))
        if caret < self.scroll:
            self.scroll = math.floor(min(caret, right - 1))
        elif right > self.scroll + width:
            # Chromium takes the caret's box on the page, in whole pixels, from the text area's, which may lie between.
            between = self.spot.content[0] % 1
            self.scroll = math.floor(math.ceil(between + math.floor(right)) - between - width + 0.5)
        self.scroll = max(0, min(self.scroll, snapped(end) - math.floor(width)))

    def hides_caret(self) -> bool:
        """Whether the caret is left of the visible part."""
        return self.face.carets(self.visible_text)[self.editor.caret] < self.scroll

    def place_at(self, x: float, y: float) -> int:
        """The caret's place nearest to a point of the page."""
        line = y - math.floor(self.spot.box[1])
        if line < self.control.selection_band[0]:
            return 0
        if line >= self.control.selection_band[1]:
            return len(self.editor.text)
        offsets = self.face.offsets(self.visible_text)
        x, carets = x - self.spot.content[0] + self.scroll, self.face.carets(self.visible_text)
        if carets is not offsets:
            return min(range(len(carets)), key=lambda i: abs(carets[i] - x))
        return nearest(offsets, x, self.editor.text)

    def _state(self) -> str:
        return "v" if self.control.placeholder and self.editor.text else ""

    def _focus(self) -> str:
        return "F" if self.focused else ""

    def _text(self) -> Hashable:
        editor = self.editor
        is_selected = self.focused and editor.caret != editor.anchor
        return editor.text and (editor.text, self.scroll, editor.selection if is_selected else None)

    def _line_box(self) -> tuple[int, int, int]:
        """How far its text is moved down, and top and bottom of its line from the box's top.

        A line grows with the fonts in it, and stays in the middle of the box.
        """
        top, bottom = self.control.selection_band
        if self.editor.text.isascii():
            return 0, top, bottom
        above, below = self.face.reach(self.visible_text)
        baseline = self.spot.baseline + self.face.baseline
        up, down = max(0, above - (baseline - top)), max(0, below - (bottom - baseline))
        if not (up or down):
            return 0, top, bottom
        height, middle = up + down + bottom - top, (self.spot.content[1] + self.spot.content[3]) / 2
        start = math.floor(middle - math.floor(self.spot.box[1]) - height / 2 + 0.5)
        return start + up - top, start, start + height

    def text_layers(self, even: Even | None) -> Iterator[Layer]:
        """The layers of its text and of what is selected of it."""
        face, text = self.face, self.visible_text
        x = self.spot.content[0] - self.scroll
        left, _, right, _ = whole_pixels(self.spot.content)
        top, (lower, above, below) = math.floor(self.spot.box[1]), self._line_box()
        clip = left, top + above, right, top + below
        top += lower
        start, end = self.editor.selection if self.focused else (0, 0)
        first, last = self._visible_span(text)
        x += face.offsets(text)[first]
        selected = min(max(start, first), last) - first, min(max(end, first), last) - first
        yield from self._line_layers(clip, text[first:last], x, top, selected, even)

    def _visible_span(self, text: str) -> tuple[int, int]:
        """The visible characters of a very long text, and some beside them."""
        if len(text) <= LONG:
            return 0, len(text)
        offsets = self.face.offsets(text)
        first = bisect_right(offsets, self.scroll) - _BESIDE
        return max(first, 0), min(bisect_right(offsets, self.scroll + self.width) + _BESIDE, len(text))

    def _line_layers(
        self,
        clip: Rect,
        text: str,
        x: float,
        top: int,
        selected: tuple[int, int],
        even: Even | None,
        more: float = 0,
        hangs: bool = False,
    ) -> Iterator[Layer]:
        """The layers of a line of text.

        Args:
            clip: what may change.
            text: of the line.
            x: where it begins.
            top: of the line, in pixels of the page.
            selected: the first character that is, and the one after the last.
            even: where there is but one colour.
            more: how much farther the selection reaches, in pixels.
            hangs: whether spaces at its end hang over.

        Chromium clips unselected text at the selection, and draws the selected text over it, unclipped.
        """
        face, y, ink = self.face, top + self.spot.baseline, self.pictures.capture.parts.ink
        offsets, (start, end) = self.offsets(text), selected
        left_edge, x = x, x + offsets[-1] - face.offsets(text)[-1]
        part = None
        if start < end or more:
            band = self.control.selection_band
            left = math.floor((left_edge + offsets[start]) * UNIT) / UNIT
            right = math.ceil((left_edge + offsets[end] + more) * UNIT) / UNIT
            part = intersection((snapped(left), top + band[0], snapped(right), top + band[1]), clip)
        if part is None:
            yield from ink_layers(face.line(text, x), y, ink, clip, even)
            return
        chosen = face.line(text, x, selected)
        others = [face.line(text, x, span) for span in ((0, start), (end, len(text))) if span[0] < span[1]]
        for rest in _around(part, clip):
            for other in others:
                yield from ink_layers(other, y, ink, rest, even)
            yield from ink_layers(chosen, y, ink, rest)
        yield SolidRect(part, self.control.selection)
        yield from ink_layers(chosen, y, ink, part, (part, self.control.selection))
        if hangs and end > (hung := len(text.rstrip(" "))):
            # Spaces that hang over are laid out apart: what is behind them hides ink that reaches there.
            edge = snapped(math.floor((left_edge + max(offsets[hung], offsets[start])) * UNIT) / UNIT)
            yield SolidRect((max(edge, part[0]), part[1], part[2], part[3]), self.control.selection)


@dataclass(slots=True, eq=False)
class TextArea(TextField):
    """Several lines of text; ``scroll``: how many pixels are hidden above.

    Attributes:
        column: the horizontal place of the caret, in pixels, while it goes up and down; ``None``: where it is.
        row: the line that it reached so.
        upstream: whether the caret at a soft line break belongs to the end of the first line.
    """

    held: ClassVar[tuple[str, ...]] = ("editor", "scroll", "upstream")
    column: float | None = None
    row: int = 0
    upstream: bool = False
    _wrapped: tuple[str, list[tuple[int, int]]] | None = None

    def dump(self) -> Any:
        """Its value as JSON."""
        return [self.editor.text, self.editor.caret, self.editor.anchor, self.scroll, self.upstream]

    @property
    def lines(self) -> list[tuple[int, int]]:
        """The first character of each line and the one after its last."""
        if self._wrapped is None or self._wrapped[0] != self.editor.text:
            self._wrapped = self.editor.text, wrapped(self.face, self.editor.text, self.width)
        return self._wrapped[1]

    def offsets(self, text: str) -> list[float]:
        """The start of each character of a line; leading spaces are laid out separately."""
        offsets = self.face.offsets(text)
        lead = len(text) - len(text.lstrip(" "))
        if not 0 < lead < len(text):
            return offsets
        more = ceiled(offsets[lead]) - offsets[lead]
        return offsets[:lead] + [at + more for at in offsets[lead:]]

    def line_of(self, at: int) -> int:
        """The line of a place; at a soft break the later one."""
        lines = self.lines
        for i in range(len(lines) - 1, -1, -1):
            if lines[i][0] <= at:
                return i
        return 0

    @property
    def caret_line(self) -> int:
        """The line of the caret; a selection ends in the line of its last character."""
        i, (caret, anchor) = self.line_of(self.editor.caret), (self.editor.caret, self.editor.anchor)
        is_before = self.upstream if caret == anchor else caret > anchor
        return i - 1 if is_before and i > 0 and self.is_soft_end(i - 1, caret) else i

    def is_soft_end(self, i: int, at: int) -> bool:
        """Whether a place is both the end of a line and the beginning of the next."""
        return i + 1 < len(self.lines) and self.lines[i][1] == at == self.lines[i + 1][0]

    def place_in_line(self, i: int, x: float) -> int:
        """The caret's place in a line nearest to ``x`` pixels from the line's start."""
        start, end = self.lines[i]
        text = self.editor.text[start:end]
        return start + nearest(self.offsets(text), x, text)

    def hides_caret(self) -> bool:
        """False: lines are not scrolled sideways."""
        return False

    def caret_x(self) -> float:
        """The caret's pixels from the start of its line; whole pixels on the page."""
        start, end = self.lines[self.caret_line]
        at = self.offsets(self.editor.text[start:end])[self.editor.caret - start]
        left = self.spot.content[0]
        return math.floor(left + rounded(at)) - left

    def reveal_caret(self) -> None:
        """Scroll the caret into view."""
        at = self.caret_line * self.spot.line_height + self.spot.content[1] - self.spot.padding[1]
        top, bottom = at + self.spot.caret[0], at + self.spot.caret[0] + self.spot.caret[1]
        height = self.spot.padding[3] - self.spot.padding[1]
        if top < self.scroll:
            self.scroll = math.floor(top)
        elif bottom > self.scroll + height:
            self.scroll = math.floor(bottom - height)
        self.scroll = min(self.scroll, self.last_scroll())

    def last_scroll(self) -> int:
        """The greatest possible scroll."""
        spot = self.spot
        paddings = spot.content[1] - spot.padding[1] + spot.padding[3] - spot.content[3]
        full = len(self.lines) * spot.line_height + paddings
        return max(0, math.floor(full - (spot.padding[3] - spot.padding[1])))

    def scroll_by(self, by: int) -> int:
        """Scroll as far as it goes; return how far that is."""
        before = self.scroll
        self.scroll = max(0, min(before + by, self.last_scroll()))
        return self.scroll - before

    def place_at(self, x: float, y: float) -> int:
        """The caret's place nearest to a point of the page."""
        line = self.line_at(y)
        if line < 0:
            return 0
        if line >= len(self.lines):
            return len(self.editor.text)
        return self.place_in_line(line, x - self.spot.content[0])

    def line_at(self, y: float) -> int:
        """The number of the line at ``y`` of the page, whether there is one or not."""
        return math.floor((y - self.spot.content[1] + self.scroll) / self.spot.line_height)

    def text_layers(self, even: Even | None) -> Iterator[Layer]:
        """The layers of its visible lines."""
        face, text, clip = self.face, self.editor.text, whole_pixels(self.spot.padding)
        top = math.floor(self.spot.box[1]) - self.scroll
        first, last = self.editor.selection if self.focused else (0, 0)
        low, height = top - 1000, self.spot.line_height
        for i in range(*self._rows_in(clip, top)):
            start, end = self.lines[i]
            line_text, x, shift = text[start:end], self.spot.content[0], round(i * height)
            above, below = (top + shift + self.spot.baseline + edge for edge in face.line(line_text, x)[1].box[1::2])
            even_here = even if low <= above else None
            selected = max(first, start) - start, max(min(last, end) - start, 0)
            # A break that is selected is drawn as a space.
            feeds = last > end and (first <= end if text[end : end + 1] == "\n" else first < end < len(text))
            space = math.floor(face.advances[" "] * UNIT) / UNIT if feeds else 0
            hangs = self.is_soft_end(i, end)
            yield from self._line_layers(clip, line_text, x, top + shift, selected, even_here, space, hangs)
            low = max(low, below)

    def _rows_in(self, clip: Rect, top: int) -> tuple[int, int]:
        """The first line that may have ink in ``clip``, and the one after the last."""
        height = self.spot.line_height
        first = math.floor((clip[1] - top) / height) - 2
        return max(first, 0), max(min(math.ceil((clip[3] - top) / height) + 2, len(self.lines)), 0)


def _around(part: Rect, clip: Rect) -> Iterator[Rect]:
    """The rectangles of ``clip`` outside of ``part``; some may be empty."""
    left, top, right, bottom = part
    yield clip[0], clip[1], clip[2], top
    yield clip[0], top, left, bottom
    yield right, top, clip[2], bottom
    yield clip[0], bottom, clip[2], clip[3]
