"""What is asked for: the parts of a target, which of several like ones is meant, and other words for the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from ...assets import ROOT
from ...envs.core.files import load

WORDS = ROOT / "fieldfinder" / "words.json"
_SEPARATOR = "|"
_MOST_PARTS = 5
_LONGEST_LEAD, _LONGEST_CHOICE = 8, 5


class OrderWords(BaseModel):
    """Words that count, and groups of names for the same thing; lower case, parted by single blanks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    first: tuple[str, ...]
    second: tuple[str, ...]
    third: tuple[str, ...]
    fourth: tuple[str, ...]
    fifth: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...]

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


def taken_apart(query: Query) -> Iterator[Query]:
    """A target whose label is a description, with the words that are its label on a form first; it may be none.

    ``"Reference 2: phone"`` is ``"phone | Reference 2"``, and ``"Applicant: home address, city"`` is also
    ``"city | home address | Applicant"``.

    Args:
        query: the target.
    """
    lead, colon, rest = (text.strip() for text in query.parts[0].partition(": "))
    if not colon or not rest or len(lead.split()) > _LONGEST_LEAD:
        lead, rest = "", query.parts[0]
    owners = tuple(filter(None, (lead, *query.parts[1:])))
    if lead:
        yield _query(rest, *owners)
    head, comma, tail = (text.strip() for text in rest.rpartition(", "))
    if comma and head and tail:
        yield _query(tail, head, *owners)
        yield _query(head, tail, *owners)


def choice_of(query: Query) -> Query | None:
    """A target taken for one of several choices: ``"housing rented"`` is ``"rented | housing"``; ``None``: it is none.

    Args:
        query: the target.
    """
    lead, _, rest = query.parts[0].rpartition(": ")
    words = rest.split()
    if not 1 < len(words) <= _LONGEST_CHOICE:
        return None
    return _query(words[-1], " ".join(words[:-1]), *filter(None, (lead, *query.parts[1:])))


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


def plain(text: str) -> str:
    """Lower case letters and figures, parted by single blanks."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def letters(text: str) -> str:
    """The letters, figures and signs of a text that tell labels apart, without blanks."""
    return re.sub(r"[^\w#$%&]|_", "", text.lower()) or text.strip().lower()


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
