"""Names told in other words: how much of what two names say is the same, in whatever order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rapidfuzz import fuzz

from .query import order_words, plain

_EMPTY = frozenset("a an and any are at by for from if in is it of on or the this to with your you do does".split())
"""Words that say little."""
_LIGHT = 0.4
"""What they are worth against others."""
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
        same = next((word for word in right if _same(token, word)), None)
        if same is not None:
            right.remove(same)
            shared += _LIGHT if token in _EMPTY else 1.0
    return 200 * shared / total if total else 0.0


def _weight(tokens: tuple[str, ...]) -> float:
    return sum(_LIGHT if token in _EMPTY else 1.0 for token in tokens)


def _same(one: str, other: str) -> bool:
    if one == other:
        return True
    if one.startswith("#") or other.startswith("#") or min(len(one), len(other)) < 4:
        return False
    return fuzz.ratio(one, other) >= _SPELT_ALIKE
