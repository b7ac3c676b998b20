"""Compare long texts word by word, with a few spelling mistakes allowed."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from .extras import needed

if TYPE_CHECKING:
    from spellchecker import SpellChecker

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
