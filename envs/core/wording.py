"""Compare texts by letters, digits and signs; spaces at punctuation do not count.

OCR and people space punctuation in their own ways: ``12 /10 /98``, ``(614) 466- 5087``, ``85.14 %``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# Marks that only separate words. All others count: signs, percent signs, slashes, currencies.
_SOFT = frozenset(".,;:!?\"'()[]_")
_SHORT_WORDS = {"and": "&", "saint": "st", "mount": "mt", "fort": "ft"}
_LONG_WORD = re.compile(rf"\b(?:{'|'.join(_SHORT_WORDS)})\b")
# Brackets around a number make it negative.
_NUMBER_IN_BRACKETS = re.compile(r"\(\s*([-$€£¥]*[\d.,\s]*\d[.,\s]*)\)")
_GAPS = re.compile(r"[\W_]+")
_LEFT_OUT = re.compile(r"\s*[.']+\s*")


@dataclass(frozen=True, slots=True)
class Wording:
    """A text in two parts.

    Attributes:
        letters: its letters and digits, one after the other.
        gaps: the characters between them, by the number of letters before; only gaps that are not empty.
    """

    letters: str
    gaps: dict[int, str]


@lru_cache(maxsize=8192)
def wording(folded: str) -> Wording:
    """The wording of a folded text, with words that have a usual short form in it."""
    text = _LONG_WORD.sub(lambda word: _SHORT_WORDS[word[0]], folded)
    text = _NUMBER_IN_BRACKETS.sub(r"⟨\1⟩", text)
    letters, gaps, n, end = [], {}, 0, 0
    for gap in _GAPS.finditer(text):
        letters.append(text[end : gap.start()])
        n += gap.start() - end
        end = gap.end()
        gaps[n] = gap[0]
    letters.append(text[end:])
    return Wording("".join(letters), gaps)


def same_wording(left: str, right: str) -> bool:
    """Whether two folded texts agree but for the spacing of their punctuation."""
    if left == right:
        return True
    one, other = wording(left), wording(right)
    if one.letters != other.letters:
        return False
    if not one.letters:
        return "".join(left.split()) == "".join(right.split())
    return all(
        _same_gap(one.gaps.get(i, ""), other.gaps.get(i, ""), one.letters[i - 1 : i], one.letters[i : i + 1])
        for i in one.gaps.keys() | other.gaps.keys()
    )


def _same_gap(one: str, other: str, before: str, after: str) -> bool:
    """Whether gaps mean the same between two characters, which are empty at the ends."""
    if one == other:
        return True
    if before.isalpha() and after.isalpha() and {one.strip(), other.strip()} == {"-", ""}:
        # A space may replace the hyphen of a compound; a hyphen at a digit is a sign.
        return one != "" != other
    marks, other_marks = _without_spaces(one), _without_spaces(other)
    if marks == other_marks and (marks or not (before and after)):
        return True
    if _signs(marks) != _signs(other_marks):
        return False
    if before.isdigit() and after.isdigit():
        return _same_between_digits(one, other)
    if after.isdigit() and _has_point(one, before) != _has_point(other, before):
        return False
    return not (before.isalpha() and after.isalpha()) or _same_between_letters(one, other)


def _same_between_digits(one: str, other: str) -> bool:
    """Whether both have a space and the same points and colons."""
    spaced = any(map(str.isspace, one)) and any(map(str.isspace, other))
    return spaced and not {".", ":"} & (set(one) ^ set(other))


def _same_between_letters(one: str, other: str) -> bool:
    """Whether both are gaps, or the only one is points or apostrophes, as in ``U.S.``."""
    if one and other:
        return True
    return _LEFT_OUT.fullmatch(one + other) is not None


def _has_point(gap: str, before: str) -> bool:
    """Whether a gap before a digit ends with a decimal point: ``.5``, not ``No. 5``."""
    bare = gap.rstrip()
    return bare.endswith(".") and (not before or bare[-2:-1].isspace())


def _without_spaces(gap: str) -> str:
    return "".join(gap.split())


def _signs(marks: str) -> list[str]:
    return [mark for mark in marks.replace("!=", "≠") if mark not in _SOFT]
