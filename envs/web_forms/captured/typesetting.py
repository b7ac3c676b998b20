"""Typesetting: where lines break and where the caret goes, as Chromium has it."""

from __future__ import annotations

import json
import math
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import Any

from .faces import Face

UNIT = 64
"""Chromium lays out in 64ths of a pixel."""

_SPARE = 16
"""How many pixels more than its room a line is measured: kerning may yet draw characters back into it."""

Line = tuple[int, int]
"""The first character of a line and the one after its last; a line feed belongs to no line."""


def wrapped(face: Face, text: str, width: float) -> list[Line]:
    """The lines of a text in a box of ``width`` pixels: ``white-space: pre-wrap; overflow-wrap: break-word``."""
    lines: list[Line] = []
    start = 0
    for paragraph in text.split("\n"):
        lines += _lines(face, text, start, start + len(paragraph), width)
        start += len(paragraph) + 1
    return lines


def _lines(face: Face, text: str, start: int, end: int, width: float) -> list[Line]:
    lines = []
    while True:
        stop = _line_end(face, text, start, end, width)
        lines.append((start, stop))
        if stop >= end:
            return lines
        start = stop


def _line_end(face: Face, text: str, start: int, end: int, width: float) -> int:
    """Where the line that begins at ``start`` ends; spaces at its end hang over."""
    offsets = face.offsets_until(text[start:end], width + _SPARE)
    # The most characters that can fit, spaces at the end not counted.
    fitting = bisect_right(offsets, width + 1 / UNIT) - 1
    if fitting >= end - start:
        return end
    stop = start + len(offsets) - 1
    while stop < end and text[stop] == " ":
        stop += 1
    for at in range(stop, start, -1):
        if at < end and not _breaks(text, at, start):
            continue
        hung = len(text[start:at].rstrip(" "))
        if hung < len(offsets) and _fits(face, text[start : start + hung], offsets[hung], width):
            return at
    return start + max(fitting, 1)


def _fits(face: Face, line: str, about: float, width: float) -> bool:
    """Whether a line fits; its own width counts, without kerning towards what follows."""
    if about + 2 < width:
        return True
    return math.ceil(face.offsets(line)[-1] * UNIT - 1e-6) <= width * UNIT


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
    """The caret's place nearest to ``x`` in a line whose characters begin at ``offsets``: never inside a grapheme."""
    i = min(max(bisect_right(offsets, x) - 1, 0), len(offsets) - 1)
    if i < len(offsets) - 1 and x >= (offsets[i] + offsets[i + 1]) / 2:
        i += 1
    while 0 < i < len(text) and unicodedata.combining(text[i]):
        i += 1
    return i


def snapped(x: float) -> int:
    """The whole pixel that Chromium snaps an edge to."""
    return math.floor(x + 0.5)
