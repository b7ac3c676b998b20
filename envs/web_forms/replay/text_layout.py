"""Layout of text as in Chromium: line breaks, caret places, rounding to pixels."""

from __future__ import annotations

import json
import math
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import Any

from .fonts import Face

UNIT = 64
"""Chromium lays out in 64ths of a pixel."""

_SPARE = 16
"""Pixels beyond the width to which a line is measured, because kerning may pull characters back."""

Span = tuple[int, int]
"""The first character of a line and the one after its last; a line feed belongs to no line."""


def wrapped(face: Face, text: str, width: float) -> list[Span]:
    """The lines of a text in a box of ``width`` pixels.

    They follow ``white-space: pre-wrap; overflow-wrap: break-word``.
    """
    lines: list[Span] = []
    begin = 0
    for paragraph in text.split("\n"):
        lines += [(begin + start, begin + stop) for start, stop in _lines(face, paragraph, width)]
        begin += len(paragraph) + 1
    return lines


def _lines(face: Face, text: str, width: float) -> list[Span]:
    offsets, lines, start = face.offsets(text), [], 0
    while True:
        stop = _line_end(face, text, start, offsets, width)
        lines.append((start, stop))
        if stop >= len(text):
            return lines
        start = stop


def _line_end(face: Face, text: str, start: int, offsets: list[float], width: float) -> int:
    """The end of the line that begins at ``start``; spaces at its end hang over."""
    left = offsets[start]
    # The most characters that can fit, spaces at the end not counted.
    fitting = bisect_right(offsets, left + width + 1 / UNIT, start) - 1
    if fitting >= len(text):
        return len(text)
    measured = stop = bisect_right(offsets, left + width + _SPARE, start, len(text))
    while stop < len(text) and text[stop] == " ":
        stop += 1
    for at in range(stop, start, -1):
        if at < len(text) and not _breaks(text, at, start):
            continue
        hung = start + len(text[start:at].rstrip(" "))
        if hung <= measured and _fits(face, text[start:hung], offsets[hung] - left, width):
            return at
    return max(fitting, start + 1)


def _fits(face: Face, line: str, about: float, width: float) -> bool:
    """Whether a line fits, without kerning towards the next character."""
    if about + 2 < width:
        return True
    return ceiled(face.offsets(line)[-1]) <= width


def _breaks(text: str, at: int, start: int) -> bool:
    """Whether a line can end before the character ``at``."""
    before, after = text[at - 1], text[at]
    if after == " ":
        return False
    if before == " ":
        return True
    rules = _rules()
    if before == "-" and after.isdigit():
        return at - 2 >= start and text[at - 2].isalnum()
    if before.isascii() and after.isascii():
        return after in rules["pairs"].get(before, "")
    return (before in rules["after"] and after.isalnum()) or (after in rules["before"] and before.isalnum())


@lru_cache(maxsize=1)
def _rules() -> dict[str, Any]:
    return dict(json.loads((Path(__file__).parent / "line_breaks.json").read_text(encoding="utf-8")))


def nearest(offsets: list[float], x: float, text: str) -> int:
    """The caret's place nearest to ``x`` in a line, never inside a grapheme.

    ``offsets`` are the starts of the characters.
    """
    i = min(max(bisect_right(offsets, x) - 1, 0), len(offsets) - 1)
    if i < len(offsets) - 1 and x >= (offsets[i] + offsets[i + 1]) / 2:
        i += 1
    while 0 < i < len(text) and unicodedata.combining(text[i]):
        i += 1
    return i


def ceiled(width: float) -> float:
    """The width that Chromium gives a text in its layout."""
    return math.ceil(width * UNIT - 1e-6) / UNIT


def rounded(x: float) -> float:
    """The position of a caret in Chromium's layout."""
    return math.floor(x * UNIT + 0.5) / UNIT


def snapped(x: float) -> int:
    """The whole pixel that Chromium snaps an edge to."""
    return math.floor(x + 0.5)
