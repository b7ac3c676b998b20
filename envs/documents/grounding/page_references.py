"""Paging: the ordinals and numbers of English, and the page that words tell."""

from __future__ import annotations

import re

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NTH = rf"(?:{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))"
"""The pattern of ordinals."""
_PAGE = r"(?:page|slide|sheet)"
_ON = r"\b(?:(?:on|of|from|in|at) )?(?:the )?"
_OF_DOCUMENT = r"(?:,? (?:of|in) (?:the|this) (?:document|file|deck))?"
_NUMBER = re.compile(rf"{_ON}{_PAGE} (?:number(?:ed)? |no\.? ?|# ?)?(\d+|{'|'.join(NUMBERS)})\b{_OF_DOCUMENT}")
_NTH = re.compile(rf"{_ON}({NTH}|last|final) {_PAGE}\b{_OF_DOCUMENT}")
_HERE = re.compile(rf"\b(?:on|of|in|from|at) (?:the|this)(?: whole| entire| current| same)? (?:{_PAGE}|document)\b")


def paged(text: str) -> tuple[str, int | None]:
    """A text in lower case without the page that it tells, and the page: counted from 0, or from -1 at the end."""
    page = None
    for pattern in (_NUMBER, _NTH):
        found = pattern.search(text)
        if found is not None:
            page = number_of(found[1]) if page is None else page
            text = pattern.sub(" ", text)
    text = " ".join(_HERE.sub(" ", text).split()).strip(" ,")
    return text, page if page is None or page < 0 else max(page - 1, 0)


def number_of(word: str) -> int:
    """The number that a word tells, such as ``third``, ``3rd``, ``three`` or ``3``; -1: the last."""
    for words in (ORDINALS, NUMBERS):
        if word in words:
            return words.index(word) + 1
    digits = re.match(r"\d{1,6}", word)
    return int(digits[0]) if digits else -1
