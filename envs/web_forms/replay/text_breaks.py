"""Where texts are parted: graphemes, words and lines, as in Chromium."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path
from typing import Any

from .fonts import UNIT, Face, ceiled

# Graphemes and words as ICU parts them, as far as Latin text and pictures go. Each character is of one kind.

_BY_KIND = {
    # Letters, and signs that go as such.
    "L": "¸˂˃˄˅˒˓˔˕˖˗˞˟˥˦˧˨˩˪˫˭˯˰˱˲˳˴˵˶˷˸˹˺˻˼˽˾˿",
    # Between letters, between digits, and between either.
    "l": "·\u0387՟״‧︓",
    "n": ",.;\u037e։،؍٬߸⁄﹐﹔，．；",
    "b": "'‘’․﹒＇",
    "_": "\u202f",
    "x": "\xa0\u2007\u200b",
    "e": "\u200c" + "".join(map(chr, [*range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)])),
    "z": "\u200d",
    "v": "\ufe0f\u20e3",
    "R": "".join(map(chr, range(0x1F1E6, 0x1F200))),
    "\n": "\n",
}
_BY_CATEGORY = {"L": "L", "Nl": "L", "Nd": "N", "Pc": "_", "M": "m", "Cf": "f", "Zs": "s"}


class _Kinds(dict[int, str]):
    """A lazy table of the kind of each character, for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        kind = _BY_CATEGORY.get(category) or _BY_CATEGORY.get(category[0], "x")
        self[code] = "P" if category == "So" and (code >= 0x1F000 or 0x2600 <= code < 0x27C0) else kind
        return self[code]


_KINDS = _Kinds({ord(c): kind for kind, characters in _BY_KIND.items() for c in characters})
_MARK = "[emvz]*"
_PICTURES = f"P{_MARK}(?:(?<=z)P{_MARK})*"
_GRAPHEME = re.compile(rf"RR{_MARK}|{_PICTURES}|\n|.{_MARK}")
_WHOLE = re.compile("[PRv]")
_WITH = "[emvzf]*"
_SEGMENT = re.compile(
    rf"(?:L{_WITH}(?:[lb]{_WITH}(?=L))?|N{_WITH}(?:[nb]{_WITH}(?=N))?|_{_WITH})+"
    rf"|s+{_WITH}|R{_WITH}(?:R{_WITH})?|P{_WITH}(?:(?<=z)P{_WITH})*|\n|.{_WITH}"
)


def grapheme_bounds(text: str) -> list[int]:
    """The boundaries of a text's graphemes, with its start and end."""
    return _bounds(_GRAPHEME, text)


def segment_bounds(text: str) -> list[int]:
    """The boundaries of a text's words, runs of spaces and single signs, with its start and end."""
    return _bounds(_SEGMENT, text)


def _bounds(part: re.Pattern[str], text: str) -> list[int]:
    return [0, *(found.end() for found in part.finditer(text.translate(_KINDS)))]


def is_erased_whole(grapheme: str) -> bool:
    """Whether Backspace removes all of a grapheme, as of an emoji; else its last mark."""
    return _WHOLE.search(grapheme.translate(_KINDS)) is not None


def word_after(line: str, at: int) -> int:
    """Where Control+ArrowRight goes from a place of a line."""
    for end in segment_bounds(line):
        if at < end < len(line):
            before, after = line[end - 1], line[end]
            if _is_alphanumeric(before) if _is_sign(after) else is_visible(before):
                return end
    return len(line)


def word_before(line: str, at: int) -> int:
    """Where Control+ArrowLeft goes from a place of a line."""
    signs = None
    for start in reversed(segment_bounds(line)):
        if start >= at:
            continue
        if _is_sign(line[start]):
            if start and _is_alphanumeric(line[start - 1]):
                return start
            signs = start
        elif signs is not None:
            return signs
        elif is_visible(line[start]):
            return start
    return 0


def _is_sign(c: str) -> bool:
    """Whether Chromium counts a character as punctuation: all beyond 16 bits are."""
    return c > "\uffff" or unicodedata.category(c)[0] in "PS"


def _is_alphanumeric(c: str) -> bool:
    return c <= "\uffff" and (c.isalpha() or unicodedata.category(c) == "Nd")


def is_visible(c: str) -> bool:
    """Whether a character is neither a space nor a control."""
    return c not in " \xa0" and (c > "\uffff" or unicodedata.category(c)[0] != "C")


# Lines.

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
    if _is_wide(before) or _is_wide(after):
        return not (after in _NEVER_FIRST or unicodedata.category(after) in _NEVER_FIRST_KINDS) and (
            unicodedata.category(before) not in ("Ps", "Pi")
        )
    return (before in rules["after"] and after.isalnum()) or (after in rules["before"] and before.isalnum())


_NEVER_FIRST = frozenset("、。，．：；？！・ー゛゜ヽヾゝゞ々〜ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ,.:;?!%")
_NEVER_FIRST_KINDS = ("Pe", "Pf", "Mn", "Mc", "Me", "Cf", "Sk")


def _is_wide(c: str) -> bool:
    """Whether lines break on both sides of a character, as in Chinese, Japanese and Korean."""
    return unicodedata.east_asian_width(c) in "WF"


@lru_cache(maxsize=1)
def _rules() -> dict[str, Any]:
    return dict(json.loads((Path(__file__).parent / "line_breaks.json").read_text(encoding="utf-8")))
