"""Targets as parts and words: ordinals, synonyms, and the similarity of two names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from ...assets import ROOT
from ...envs.core.files import load

WORDS = ROOT / "fieldfinder" / "words.json"
_SEPARATOR = "|"
_MAX_PARTS = 5


class OrderWords(BaseModel):
    """Ordinals, and groups of names for the same thing; lower case, single spaces."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: tuple[str, ...]
    second: tuple[str, ...]
    third: tuple[str, ...]
    fourth: tuple[str, ...]
    fifth: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...]
    related: tuple[tuple[str, ...], ...]

    @property
    def ordinals(self) -> Mapping[str, int]:
        """The rank of each ordinal, from 0."""
        ranks = (self.first, self.second, self.third, self.fourth, self.fifth)
        return {word: rank for rank, words in enumerate(ranks) for word in words}


@lru_cache(maxsize=1)
def order_words() -> OrderWords:
    """The shipped ordinals and groups of names."""
    return load(OrderWords, WORDS)


@dataclass(frozen=True)
class Query:
    """A target, split into parts.

    Attributes:
        parts: the label, then the headings above it; at least one.
        rank: the index of the label among similar ones, from 0 in reading order; ``None`` without an ordinal.
    """

    parts: tuple[str, ...]
    rank: int | None


def query_of(target: str) -> Query:
    """Split a target into parts, and find its ordinal.

    Args:
        target: such as ``"Phone | Second reference"``.
    """
    parts = tuple(part for text in target.split(_SEPARATOR) if (part := " ".join(text.split())))[:_MAX_PARTS]
    return Query(parts or ("",), _rank(parts))


def _rank(parts: tuple[str, ...]) -> int | None:
    """The rank by the ordinal in the last part of a target that has one."""
    for i, part in reversed(list(enumerate(parts))):
        printed = f" {plain(part)} "
        ranks = [
            rank for word, rank in order_words().ordinals.items() if _is_ordinal(word, i) and f" {word} " in printed
        ]
        if ranks:
            return max(ranks)
    return None


def _is_ordinal(word: str, part: int) -> bool:
    """Whether a word is an ordinal: short ones are not in the label itself."""
    return part > 0 or len(word) > 3


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """The words of a text in lower case Latin letters and digits, with single spaces."""
    return " ".join(re.findall(r"[^\W_]+", latin_look(text).lower()))


def latin_look(text: str) -> str:
    """A text in the Latin letters that it looks like.

    It has no accents and no wide forms. OCR reads ``ΟΔΟΣ`` as ``OΔOΣ`` and ``Кому`` as ``Komy``.
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in apart if not unicodedata.combining(sign)).translate(_LOOKS)


_LOOKS = str.maketrans(
    "ΑΒΕΖΗΘΙΚΜΝΟΡΤΥΧαεηικνορτυχωАВЕКМНОРСТУХаекорсухтмв",
    "ABEZHOIKMNOPTYXaenikvoptuxwABEKMHOPCTYXaekopcyxTMB",
)


def letters(text: str) -> str:
    """The letters, digits and signs of a text that distinguish labels, without spaces."""
    return re.sub(r"[^\w#$%&]|_", "", latin_look(text).lower()) or text.strip().lower()


@lru_cache(maxsize=4096)
def variants(part: str) -> tuple[str, ...]:
    """Variants of a part of a target: without ordinals, and with synonyms."""
    words = plain(part)
    bare = _without_order(words)
    found = dict.fromkeys([bare, *(other for base in (words, bare) for other in _renamed(base))])
    return tuple(text for text in found if text and text != words)


def _without_order(words: str) -> str:
    # The first of "first name" is no ordinal.
    ordinals = (word for word in order_words().ordinals if len(word) > 3 and word != "first")
    return without(words, ordinals, may_be_empty=False)


def without(text: str, names: Iterable[str], *, may_be_empty: bool = True) -> str:
    """A text without some names; the longest are removed first.

    Args:
        text: plain words.
        names: plain words too.
        may_be_empty: whether to remove a name that is the whole text.
    """
    for name in sorted(names, key=len, reverse=True):
        if may_be_empty or text != name:
            text = f" {text} ".replace(f" {name} ", " ").strip()
    return text


def _renamed(words: str) -> Iterator[str]:
    if words == "no":
        # The choice, not the number.
        return
    for group in order_words().alike:
        printed = next((name for name in sorted(group, key=len, reverse=True) if f" {name} " in f" {words} "), None)
        if printed is not None:
            yield from (f" {words} ".replace(f" {printed} ", f" {name} ").strip() for name in group if name != printed)


_EMPTY = frozenset("a an and any are at by for from if in is it of on or the this to with your you do does".split())
_VAGUE = frozenset("full type status kind information".split())
"""Words without a meaning of their own, and words with little."""
_LIGHT = 0.4
"""The weight of stop words when names are compared, and of vague words when single words are searched."""
_LIGHT_ALONE = 0.12
"""The weight of an empty word where each word is searched for."""
_MISSPELT, _RELATED = 0.93, 0.7
"""The similarity of a misspelt and of a related word."""
_SPELT_ALIKE = 82
"""The minimum similarity in spelling of two words that count as the same, of 100."""


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, str]:
    """The token of each name that has synonyms, the longest names first."""
    named = {name: f"#{i}" for i, group in enumerate(order_words().alike) for name in group}
    return dict(sorted(named.items(), key=lambda pair: -len(pair[0])))


@lru_cache(maxsize=8192)
def tokens_of(text: str) -> tuple[str, ...]:
    """The words of a text, with one token for all synonyms.

    Args:
        text: any.
    """
    printed = f" {plain(text)} "
    if printed == " no ":
        # The choice, not the number.
        return ("no",)
    for name, token in _groups().items():
        if f" {name} " in printed:
            printed = printed.replace(f" {name} ", f" {token} ")
    return tuple(printed.split())


def split_joined(text: str) -> str:
    """A text with joined words split, such as ``FirstName`` and ``Reference2``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z]{3})", " ", text)


def weight_of(token: str) -> float:
    """The weight of a word, from 0 to 1."""
    return _LIGHT_ALONE if token in _EMPTY else _LIGHT if token in _VAGUE else 1.0


@lru_cache(maxsize=65536)
def similarity(token: str, word: str) -> float:
    """How well a token matches another, from 0 to 1."""
    if token == word or {token, word} == _no():
        return 1.0
    if _same(token, word):
        return _MISSPELT
    return _RELATED if any(token in group and word in group for group in _related_groups()) else 0.0


@lru_cache(maxsize=1)
def _no() -> set[str]:
    """The tokens of "no", the choice and the abbreviation of number."""
    return {"no", tokens_of("account no")[-1]}


@lru_cache(maxsize=1)
def _related_groups() -> tuple[frozenset[str], ...]:
    """Groups of related words, as tokens."""
    return tuple(
        frozenset(token for name in group for token in tokens_of(name) if len(tokens_of(name)) == 1)
        for group in order_words().related
    )


def agreement(one: str, other: str) -> float:
    """The Dice coefficient of the words of two names, from 0 to 100.

    Args:
        one: a name.
        other: another one, as printed: a leading number is ignored.
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
