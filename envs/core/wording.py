"""Compare texts: by letters, digits and signs, or word by word with a few spelling mistakes allowed.

Spaces at punctuation do not count, because OCR and people space it in their own ways: ``12 /10 /98``, ``85.14 %``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from .extras import needed

if TYPE_CHECKING:
    from spellchecker import SpellChecker

# Marks that only separate words. All others count: signs, percent signs, slashes, currencies.
_SOFT = frozenset(".,;:!?\"'()[]_")
_SHORT_WORDS = {"and": "&", "saint": "st", "mount": "mt", "fort": "ft"}
_LONG_WORD = re.compile(rf"\b(?:{'|'.join(_SHORT_WORDS)})\b")
# Brackets around a number make it negative.
_NUMBER_IN_BRACKETS = re.compile(r"\(\s*([-$€£¥]*[\d.,\s]*\d[.,\s]*)\)")
_GAPS = re.compile(r"[\W_]+")
_LEFT_OUT = re.compile(r"\s*[.']+\s*")


@dataclass(frozen=True, slots=True)
class LettersAndGaps:
    """A text in two parts.

    Attributes:
        letters: its letters and digits, one after the other.
        gaps: the characters between them, by the number of letters before; only gaps that are not empty.
    """

    letters: str
    gaps: dict[int, str]


@lru_cache(maxsize=8192)
def wording(folded: str) -> LettersAndGaps:
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
    return LettersAndGaps("".join(letters), gaps)


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


# -- Long texts --------------------------------------------------------------------------------------------------------

_WORDS_A_SLIP = 20
"""One word in this many may have a slip; a shorter text may have none."""
_MIN_SLIP = 5
"""Shorter words must be right: ``not`` and ``now``, ``can`` and ``can't``."""
_NUMBER = r"(?:(?<!\w)[-+$€£¥]\s?){0,3}(?:(?<!\w)\.)?\d[^\W_]*(?:[.,:/-]\d[^\W_]*)*(?:\s?%)?"
# A dash separates words if both its sides are alike, unlike the dashes in ``A-`` and ``-v``.
_DASH = r"(?:(?<=\s)|^)-+(?=\s)|(?<=[\w'\").,;:!?%])-+(?=['\"(]*[^\W\d_])|(?<=[^\W\d_])-+(?=\d)"
_TOKEN = re.compile(
    r"(?P<address>(?<![\w.+-])[\w.+-]+@\w[\w.-]*\w|(?<!\w)\w+://\S*[\w/])"
    rf"|(?P<number>{_NUMBER})|(?P<word>[^\W\d_][^\W_]*(?:'[^\W_]+)*)"
    rf"|(?P<dash>{_DASH})|(?P<sign>!=|[^\w\s.,;:!?\"'()„«»‹›‚]|_)"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ONE_WORD = re.compile(r"\b(?:can not|e mail|web site|health care)\b")
_NUMERAL = re.compile(
    "three|third|four|fif|six|seven|eigh|nine|ten|elev|twel|twen|thirt|hundred|thousand|million|billion|half|dozen"
)


class Token(NamedTuple):
    """A word, number, address or sign; ``is_joined``: a hyphen precedes it."""

    text: str
    is_joined: bool = False


@lru_cache(maxsize=4096)
def tokens_of(folded: str) -> tuple[Token, ...]:
    """The words, numbers and signs of a folded text, without apostrophes and dashes."""
    plain = _ONE_WORD.sub(lambda words: words[0].replace(" ", ""), _THOUSANDS.sub("", folded))
    tokens, end_of_dash = [], -1
    for found in _TOKEN.finditer(plain):
        if found.lastgroup == "dash":
            end_of_dash = found.end() if found[0] == "-" else -1
            continue
        text = re.sub(r"[\s']", "", found[0])
        tokens.append(Token(f"0{text}" if text.startswith(".") else text, found.start() == end_of_dash))
    return tuple(tokens)


def same_description(entered: str, gold: str, proper: frozenset[str]) -> bool:
    """Whether two folded texts agree in words and signs, but for typos and hyphens.

    Full stops, commas, quotes, round brackets and dashes between words do not matter, and the two words on the sides of
    a hyphen may be one. A slip is one letter that is missing, too many or wrong, or two that changed places, in a word
    of five letters or more. It is not the first letter, and the result is no other English word. Numbers, in digits or
    in words, and proper words must be right.

    Args:
        entered: the text entered, folded.
        gold: the answer, folded.
        proper: the folded words that must be right to the letter: names, and all others that begin with a capital.
    """
    tokens, expected = tokens_of(entered), tokens_of(gold)
    if tokens == expected:
        return bool(expected) or entered == gold
    wrong = [(word, right) for word, right in _aligned(tokens, expected) if word != right]
    return len(wrong) <= len(expected) // _WORDS_A_SLIP and all(
        right not in proper and _is_slip(word, right) for word, right in wrong
    )


def _aligned(left: tuple[Token, ...], right: tuple[Token, ...]) -> list[tuple[str, str]]:
    """The tokens of both texts in pairs; joined words are one where the other is."""
    pairs, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        one, i = _joined(left, i, right[j].text)
        other, j = _joined(right, j, one)
        pairs.append((one, other))
    return pairs + [(a.text, b.text) for a, b in zip_longest(left[i:], right[j:], fillvalue=Token(""))]


def _joined(tokens: tuple[Token, ...], start: int, whole: str) -> tuple[str, int]:
    """The token at ``start`` or the joined ones equal to ``whole``; the next index."""
    text, end = tokens[start].text, start + 1
    while len(text) < len(whole) and whole.startswith(text) and end < len(tokens) and tokens[end].is_joined:
        text, end = text + tokens[end].text, end + 1
    return (text, end) if text == whole else (tokens[start].text, start + 1)


def _is_slip(word: str, right: str) -> bool:
    from rapidfuzz.distance import OSA

    if len(right) < _MIN_SLIP or word[:1] != right[0] or not right.isalpha() or _NUMERAL.match(right):
        return False
    if _NUMERAL.match(word) or OSA.distance(word, right, score_cutoff=1) > 1:
        return False
    return word not in _english()


@lru_cache(maxsize=1)
def _english() -> SpellChecker:
    checker: SpellChecker = needed("spellchecker", "formfactory").SpellChecker(language="en")
    return checker
