"""Names told in other words: how much of what two names say is the same, in whatever order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from rapidfuzz import fuzz

from .query import order_words, plain

_EMPTY = frozenset("a an and any are at by for from if in is it of on or the this to with your you do does".split())
_VAGUE = frozenset("full type status kind information".split())
"""Words that say nothing alone, and words that say little."""
_LIGHT = 0.4
"""What empty words are worth where names are compared, and vague ones where each word is looked for."""
_LIGHT_ALONE = 0.12
"""What an empty word is worth where each word is looked for."""
_MISSPELT, _RELATED = 0.93, 0.7
"""What a word is worth that is said otherwise."""
_SPELT_ALIKE = 82
"""From how like two words are taken for one, of 100."""


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, str]:
    """What each name of a group of names for the same thing is called here, the longest names first."""
    named = {name: f"#{i}" for i, group in enumerate(order_words().alike) for name in group}
    return dict(sorted(named.items(), key=lambda pair: -len(pair[0])))


@lru_cache(maxsize=8192)
def tokens_of(text: str) -> tuple[str, ...]:
    """The words of a text, with names for the same thing made one.

    Args:
        text: any.
    """
    said = f" {plain(text)} "
    if said == " no ":
        # The choice, not the number.
        return ("no",)
    for name, token in _groups().items():
        if f" {name} " in said:
            said = said.replace(f" {name} ", f" {token} ")
    return tuple(said.split())


def split_joined(text: str) -> str:
    """A text with the words parted that are joined in names of fields: ``FirstName`` and ``Reference2``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z]{3})", " ", text)


def weight_of(token: str) -> float:
    """How much a word says, from 0 to 1."""
    return _LIGHT_ALONE if token in _EMPTY else _LIGHT if token in _VAGUE else 1.0


@lru_cache(maxsize=65536)
def likeness(token: str, word: str) -> float:
    """How well a word, as ``tokens_of`` gives it, is said by another: 1: by itself; 0: not at all."""
    if token == word or {token, word} == _no():
        return 1.0
    if _same(token, word):
        return _MISSPELT
    return _RELATED if any(token in group and word in group for group in _families()) else 0.0


@lru_cache(maxsize=1)
def _no() -> set[str]:
    """The choice and the number, which are written alike."""
    return {"no", tokens_of("account no")[-1]}


@lru_cache(maxsize=1)
def _families() -> tuple[frozenset[str], ...]:
    """Groups of words that go together, as ``tokens_of`` gives them."""
    return tuple(
        frozenset(token for name in group for token in tokens_of(name) if len(tokens_of(name)) == 1)
        for group in order_words().related
    )


def agreement(one: str, other: str) -> float:
    """How much two names say the same, from 0 to 100: twice what they share in all that they say (Dice).

    Args:
        one: a name.
        other: another one, as it is printed: a number before it is none of its words.
    """
    left, right = tokens_of(one), list(tokens_of(other))
    if len(right) > 1 and right[0].isdecimal():
        del right[0]
    total = _weight(left) + _weight(tuple(right))
    shared = 0.0
    for token in left:
        twin = next((word for word in right if _same(token, word)), None)
        if twin is not None:
            right.remove(twin)
            shared += _LIGHT if token in _EMPTY else 1.0
    return 200 * shared / total if total else 0.0


def _weight(tokens: tuple[str, ...]) -> float:
    return sum(_LIGHT if token in _EMPTY else 1.0 for token in tokens)


@lru_cache(maxsize=65536)
def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    if one.startswith("#") or other.startswith("#") or min(len(one), len(other)) < 4:
        return False
    return fuzz.ratio(one, other) >= _SPELT_ALIKE
