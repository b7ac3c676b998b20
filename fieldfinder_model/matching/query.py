"""What is asked for: the parts of a target, which of several like ones is meant, and other words for the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from ...assets import ROOT
from ...envs.core.files import load

WORDS = ROOT / "fieldfinder" / "words.json"
_SEPARATOR = "|"
_MOST_PARTS = 5


class OrderWords(BaseModel):
    """Words that count, and groups of names for the same thing; lower case, parted by single blanks."""

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
        """Which one each word means, counted from 0."""
        ranks = (self.first, self.second, self.third, self.fourth, self.fifth)
        return {word: rank for rank, words in enumerate(ranks) for word in words}


@lru_cache(maxsize=1)
def order_words() -> OrderWords:
    """The words that ship."""
    return load(OrderWords, WORDS)


@dataclass(frozen=True)
class Query:
    """A target, taken apart.

    Attributes:
        parts: the label, then what stands above it; at least one.
        rank: which of several labels alike is meant, counted from 0 in reading order; ``None``: it does not say.
    """

    parts: tuple[str, ...]
    rank: int | None


def query_of(target: str) -> Query:
    """Take a target apart.

    Args:
        target: such as ``"Phone | Second reference"``.
    """
    parts = tuple(part for text in target.split(_SEPARATOR) if (part := " ".join(text.split())))[:_MOST_PARTS]
    return _query(*parts) if parts else Query(("",), None)


def _query(*parts: str) -> Query:
    return Query(parts[:_MOST_PARTS], _rank(parts))


def _rank(parts: tuple[str, ...]) -> int | None:
    """The order that a part of a target tells: the later the part, the rather it does."""
    for i, part in reversed(list(enumerate(parts))):
        said = f" {plain(part)} "
        ranks = [rank for word, rank in order_words().ordinals.items() if _counts(word, i) and f" {word} " in said]
        if ranks:
            return max(ranks)
    return None


def _counts(word: str, part: int) -> bool:
    """Whether a word says an order: a single figure or letter does not within a label itself."""
    return part > 0 or len(word) > 3


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """Lower case letters and figures as they look, parted by single blanks."""
    return " ".join(re.findall(r"[^\W_]+", seen_as(text).lower()))


def seen_as(text: str) -> str:
    """A text as a reader of Latin letters sees it: no accents, no wide forms, Greek and Cyrillic letters by their look.

    Readers take ``ΟΔΟΣ`` for ``OΔOΣ`` and ``Кому`` for ``Komy``.
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
    """The letters, figures and signs of a text that tell labels apart, without blanks."""
    return re.sub(r"[^\w#$%&]|_", "", seen_as(text).lower()) or text.strip().lower()


@lru_cache(maxsize=4096)
def variants(part: str) -> tuple[str, ...]:
    """Other ways to say a part of a target: without who it is about, and with other words for the same."""
    words = plain(part)
    bare = _without_order(words)
    found = dict.fromkeys([bare, *(other for base in (words, bare) for other in _renamed(base))])
    return tuple(text for text in found if text and text != words)


def _without_order(words: str) -> str:
    for word in sorted(order_words().ordinals, key=len, reverse=True):
        # A first name is no name that comes first.
        if len(word) > 3 and word != "first" and f" {word} " in f" {words} " and words != word:
            words = f" {words} ".replace(f" {word} ", " ").strip()
    return words


def _renamed(words: str) -> Iterator[str]:
    if words == "no":
        # The choice, not the number.
        return
    for group in order_words().alike:
        said = next((name for name in sorted(group, key=len, reverse=True) if f" {name} " in f" {words} "), None)
        if said is not None:
            yield from (f" {words} ".replace(f" {said} ", f" {name} ").strip() for name in group if name != said)
