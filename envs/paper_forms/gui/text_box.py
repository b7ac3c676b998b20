"""Text that is being edited, with its caret; and the open text box with the places of its parts."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ...core.boxes import Rect
from ...core.painting import Stamp
from ...core.text_sprites import advance
from ...core.tools import ToolError
from ..state import Mark, PaperFormState
from ..tools import MAX_TEXT_LENGTH, check_characters
from .page_view import View, stamp_at

_MIN_WIDTH = 10
_PADDING = 4


@dataclass(slots=True)
class EditedText:
    """A line of text that keys and typing change.

    Attributes:
        text: the text so far.
        caret: the number of characters before the caret.
        all_selected: whether all of the text is selected, so that the next input replaces it.
        max_length: of the text in characters.
    """

    text: str = ""
    caret: int = 0
    all_selected: bool = False
    max_length: int = MAX_TEXT_LENGTH

    def insert(self, typed: str) -> None:
        """Insert characters at the caret, or replace everything if all is selected."""
        before, after = ("", "") if self.all_selected else (self.text[: self.caret], self.text[self.caret :])
        if len(before) + len(typed) + len(after) > self.max_length:
            raise ToolError(f"A text box holds at most {self.max_length:,} characters; nothing was typed.")
        self._put(before + typed, after)

    def erase(self, forwards: bool) -> None:
        """Delete the selection, or the character after or before the caret."""
        if self.all_selected:
            self._put("", "")
            return
        at = self.caret + forwards
        if not 0 < at <= len(self.text):
            raise ToolError(f"There is no character {'after' if forwards else 'before'} the caret.")
        self._put(self.text[: at - 1], self.text[at:])

    def place_caret(self, at: int) -> None:
        """Put the caret after ``at`` characters, within the text."""
        self.caret, self.all_selected = min(max(at, 0), len(self.text)), False

    def _put(self, before: str, after: str) -> None:
        self.text, self.caret, self.all_selected = before + after, len(before), False


@dataclass(slots=True, kw_only=True)
class TextBox(EditedText):
    """A line of text that is not on the page yet.

    Attributes:
        x: of the beginning of the text, in pixels of the page.
        y: of its middle, in pixels of the page.
        signed: whether it is a signature rather than typed text.
        mark: the mark that is edited; ``None`` for a new one.
    """

    x: int
    y: int
    signed: bool
    mark: Mark | None = None


def typable(text: str) -> str:
    """``text`` as it can be typed, without line breaks and invisible characters.

    Raises:
        ToolError: if it holds a control character that is no white space.
    """
    spaced = "".join(" " if c.isspace() else c for c in text if unicodedata.category(c) != "Cf")
    check_characters(spaced, "typed")
    return spaced


class BoxPlace(NamedTuple):
    """The rectangles of the parts of an open text box in the window."""

    frame: Rect
    caret: Rect


def reopened(mark: Mark) -> TextBox:
    """A text box with the text of a mark, at its place."""
    left = mark.stamp.x - mark.stamp.sprite.advance // 2
    return TextBox(mark.text, len(mark.text), x=left, y=mark.stamp.y, signed=mark.signed, mark=mark)


def centre_of(box: TextBox, text: str, page: PaperFormState) -> tuple[float, float]:
    """The centre, in fractions of the page, of ``text`` that begins at the box."""
    x = box.x + page.drawn(text, box.signed).advance // 2
    return max(x, 0) / page.width, box.y / page.height


def text_stamp(box: TextBox, page: PaperFormState, view: View) -> Stamp:
    """The text of the box in the window, exactly where it is once confirmed."""
    x, y = centre_of(box, box.text, page)
    drawn = page.drawn(box.text, box.signed)
    return stamp_at(drawn, round(x * page.width), round(y * page.height), view)


def place_of(box: TextBox, page: PaperFormState, view: View) -> BoxPlace:
    """The places of the parts of the box in the window."""
    lettering = page.lettering(box.signed)
    drawn = page.drawn(box.text, box.signed)
    half, width = drawn.line_height // 2, max(drawn.advance, _MIN_WIDTH)
    x, y = box.x, box.y
    left, top, right, bottom = view.around((x, y - half, x + width, y + half))
    frame = (left - _PADDING, top - _PADDING // 2, right + _PADDING, bottom + _PADDING // 2)
    before = drawn.advance if box.caret == len(box.text) else advance(box.text[: box.caret], *lettering)
    at = view.around((x + before, y, x, y))[0]
    return BoxPlace(frame, (at - 1, frame[1] + 2, at + 1, frame[3] - 2))


def character_at(box: TextBox, page: PaperFormState, x: int) -> int:
    """The caret position nearest to the column ``x`` of the page."""
    lettering = page.lettering(box.signed)
    return nearest_boundary(box.text, x - box.x, lambda text: advance(text, *lettering))


def nearest_boundary(text: str, x: int, width: Callable[[str], int]) -> int:
    """The number of characters before the boundary that is nearest to ``x`` pixels from the left of a line."""

    def column(n: int) -> int:
        return width(text[:n])

    beyond = bisect_left(range(len(text) + 1), x, key=column)
    return min(range(max(beyond - 1, 0), min(beyond, len(text)) + 1), key=lambda n: abs(column(n) - x))
