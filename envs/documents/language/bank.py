"""The phrasings of requests that the parser reads, none of them of the test split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

import pydantic

from ....assets import ROOT
from ...core.files import Data, load
from ..requests.phrasings import phrasings
from .lexicon import COLOUR_WORDS, LEXICON
from .patterns import Pattern, first_words, needed_words, pattern_of, template_of, words_in

FILE = ROOT / "document_requests" / "phrasings_plain.json"
_TABLES = {"directions": "directions", "sides": "sides", "turns": "turns", "axes": "axes"}
Patterns = Annotated[tuple[str, ...], pydantic.Field(min_length=1)]


class EverydayPhrasings(Data):
    """The phrasings of everyday English, in the notation of ``patterns``.

    Attributes:
        shared: parts of patterns, by name.
        edits: patterns of clauses, by the kind of edit.
        joins: patterns of requests of two clauses, ``{first}`` and ``{second}``.
        keeps: patterns of a request, ``{first}``, and of ``{others}`` that it leaves alone.
        opening, closing: words of courtesy before and after a request.
        words: phrases for names, by the kind of name.
    """

    shared: dict[str, str]
    edits: dict[str, Patterns]
    joins: Patterns
    keeps: Patterns
    opening: Patterns
    closing: Patterns
    words: dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A pattern of a clause.

    Attributes:
        kind: of edit.
        pattern: its words and slots.
        first: the words with which it may begin; ``None``: any.
        needed: the words that every match holds.
    """

    kind: str
    pattern: Pattern
    first: frozenset[str] | None
    needed: frozenset[str]


@lru_cache(maxsize=1)
def everyday() -> EverydayPhrasings:
    """The phrasings of everyday English.

    Raises:
        ValueError: if the file is against the schema.
    """
    return load(EverydayPhrasings, FILE)


@lru_cache(maxsize=1)
def edit_patterns() -> tuple[Phrasing, ...]:
    """The patterns of all clauses."""
    found = [(kind, pattern_of(text, everyday().shared)) for kind, texts in everyday().edits.items() for text in texts]
    bank = phrasings("train")
    for kinds in (bank.imperative, bank.sentence):
        found += [(kind, template_of(text)) for kind, texts in kinds.items() for text in texts]
    return tuple(
        Phrasing(kind, pattern, first_words(pattern), needed_words(pattern)) for kind, pattern in dict.fromkeys(found)
    )


@lru_cache(maxsize=1)
def join_patterns() -> tuple[Pattern, ...]:
    """The patterns of requests with two clauses."""
    return (
        *map(template_of, phrasings("train").joins),
        *(pattern_of(text, everyday().shared) for text in everyday().joins),
    )


@lru_cache(maxsize=4)
def other_patterns(place: str) -> tuple[Pattern, ...]:
    """Patterns of ``EverydayPhrasings``: ``"opening"``, ``"closing"`` or ``"keeps"``."""
    texts: Iterable[str] = getattr(everyday(), place)
    return tuple(pattern_of(text, everyday().shared) for text in texts)


@lru_cache(maxsize=1)
def common_words() -> frozenset[str]:
    """The words whose misspellings are corrected: clauses begin with most of them."""
    return frozenset(word for one in edit_patterns() for word in one.first or ()) | {"the", "please", "page", "and"}


@lru_cache(maxsize=1)
def all_words() -> frozenset[str]:
    """The words that are never taken for misspelt: of patterns and of the lexicon."""
    patterns = [one.pattern for one in edit_patterns()] + [*join_patterns()]
    patterns += [pattern for place in ("opening", "closing", "keeps") for pattern in other_patterns(place)]
    nouns = (noun.words for noun in LEXICON.nouns)
    places = (*LEXICON.places.values(), *LEXICON.relations.values())
    lexicon = " ".join((*COLOUR_WORDS, *nouns, *places, *LEXICON.links, *LEXICON.stopwords))
    return frozenset().union(*map(words_in, patterns), re.findall(r"[a-z]+", lexicon))


@lru_cache(maxsize=16)
def words_for(table: str) -> Mapping[str, str]:
    """The names of a table by their phrases, in lower case."""
    found = {phrase: name for name, phrases in everyday().words[table].items() for phrase in phrases.split("|")}
    if table in _TABLES:
        known: Mapping[str, tuple[str, ...]] = getattr(phrasings("train"), table)
        found |= {phrase.replace("-", " "): name for name, phrases in known.items() for phrase in phrases}
    return found
