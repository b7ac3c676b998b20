"""Editing: a text with caret and selection, and what keys do to it in Chromium on Linux."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Words as ICU parts them, as far as Latin text goes.
_SEGMENT = re.compile(
    r"(?:[^\W\d_]|[\d_])+(?:(?:(?<=[^\W\d_])['’.:·](?=[^\W\d_])|(?<=\d)['.,;](?=\d))(?:[^\W\d_]|[\d_])+)*| +|\r?\n|.",
    re.S,
)


@dataclass(slots=True)
class Editor:
    """A text that is being edited.

    Attributes:
        text: what it holds.
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
        """Put characters in the place of the selection."""
        start, end = self.selection
        self.text = self.text[:start] + typed + self.text[end:]
        self.caret = self.anchor = start + len(typed)

    def select(self, start: int, end: int) -> None:
        """Select from ``start`` to ``end``, where the caret goes."""
        self.anchor, self.caret = start, end

    def move(self, to: int, extend: bool) -> None:
        """Put the caret somewhere, drawing the selection along or dropping it."""
        self.caret = to
        if not extend:
            self.anchor = to

    def erase(self, to: int) -> bool:
        """Take out the selection, or else all from the caret to ``to``; whether there was anything."""
        start, end = self.selection if self.anchor != self.caret else sorted((self.caret, to))
        if start == end:
            return False
        self.text = self.text[:start] + self.text[end:]
        self.caret = self.anchor = start
        return True

    def before(self) -> int:
        """The place one grapheme before the caret."""
        at = max(self.caret - 1, 0)
        while at and unicodedata.combining(self.text[at]):
            at -= 1
        return at

    def after(self) -> int:
        """The place one grapheme after the caret."""
        at = min(self.caret + 1, len(self.text))
        while at < len(self.text) and unicodedata.combining(self.text[at]):
            at += 1
        return at

    def word_before(self) -> int:
        """The beginning of the word before the caret."""
        starts = [s.start() for s in _SEGMENT.finditer(self.text) if s.start() < self.caret and _is_word(s.group())]
        return starts[-1] if starts else 0

    def word_after(self) -> int:
        """The end of the word after the caret."""
        ends = (s.end() for s in _SEGMENT.finditer(self.text) if s.end() > self.caret and _is_word(s.group()))
        return next(ends, len(self.text))

    def word_at(self, at: int) -> tuple[int, int]:
        """The word, the spaces or the sign around a character; at the end the last one."""
        span = (0, 0)
        for segment in _SEGMENT.finditer(self.text):
            span = segment.span()
            if at < segment.end():
                break
        return span


def _is_word(segment: str) -> bool:
    return segment[0].isalnum() or segment[0] == "_"


def number_characters(typed: str, before: str, after: str) -> str:
    """What of ``typed`` Chromium lets into a number field between two texts."""
    taken = ""
    for c in typed:
        if _fits_number(c, before + taken, after):
            taken += c
    return taken


def _fits_number(c: str, before: str, after: str) -> bool:
    has_e = any(e in before + after for e in "eE")
    if after[:1] in ("+", "-") and after:
        return False
    if c == ".":
        return "." not in before + after and not any(e in before for e in "eE")
    if c in "eE":
        return not has_e and "." not in after
    if c in "+-":
        return not before or before[-1] in "eE"
    return c.isascii() and c.isdigit()
