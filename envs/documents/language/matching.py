"""Match elements with a query: every word must match one of their properties."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from ..operations.values import colour_name
from .candidates import Candidate
from .element_descriptions import Description, Unresolved
from .lexicon import COLOUR_WORDS, GENERAL, LEXICON, ROLES
from .referring_expressions import QUOTE, Reference, stem
from .selection import has_style, says, without_wide

_MIN_SIMILARITY = 88
"""The minimum similarity, of 100, of words that differ only in their endings."""
_PART = re.compile(rf"\b(?:{LEXICON.part_nouns})$")
_CONTENT_VERB = re.compile(LEXICON.content_verbs)


def matching(query: Reference, description: Description, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The elements that match a query without its relation, ordinal or superlative.

    Raises:
        Unresolved: if a word matches none, or the query is for a part of an element.
    """
    part = (
        _PART.search(QUOTE.sub(" ", description.words).lower().strip(" ,")) if not query.kinds or query.quoted else None
    )
    words = required_words(query)
    if not (words or query.kinds or query.quoted or query.colour or query.styles):
        raise Unresolved(f"{description.words!r} does not say what is meant")
    found = [
        candidate for candidate in candidates if candidate.element.opacity > 0 and (candidate.kind != "group" or words)
    ]
    if query.quoted is not None:
        found = _quoted(query, found, part is not None)
    if query.colour is not None:
        colour = query.colour
        found = (
            [s for s in found if s.colour == colour]
            or [s for s in found if _has_colour(s, colour)]
            or [s for s in found if " " not in colour and _has_colour(s, f"dark {colour}", f"light {colour}")]
        )
    found = [candidate for candidate in found if all(has_style(candidate, style) for style in query.styles)]
    if words:
        is_many = description.is_many
        matching = [s for s in found if all(matches_word(s, word, is_many) for word in words)]
        if not matching and found:
            unknown = [word for word in words if not any(matches_word(s, word, is_many) for s in found)]
            raise Unresolved(f"nothing there is {' '.join(unknown or words)!r}")
        found = _closest(matching, words) if not is_many else matching
    found = _of_kind(query, words, found)
    if part is not None and query.quoted is None and not any(s.name_words for s in found if part[0] in s.name):
        raise Unresolved(f"{description.words!r} is a part of something, which cannot be edited by itself")
    return without_wide(found) if len(found) > 1 else found


def required_words(query: Reference) -> list[str]:
    """The words for name or text: all but those about kind, looks, order or place."""
    required = [word for word in query.words if not _is_general(word) or _is_idle(word, query)]
    return required if query.quoted is None else [word for word in required if not _CONTENT_VERB.fullmatch(word)]


def _is_idle(word: str, query: Reference) -> bool:
    """Whether a word about colour is no part of the query's colour."""
    name = COLOUR_WORDS.get(word, word)
    if word in ("dark", "light") or word in COLOUR_WORDS:
        return query.colour is None or (word not in query.colour.split() and name != query.colour)
    return False


def _is_general(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return word in LEXICON.first_halves or (not ROLES & set(forms) and any(GENERAL.fullmatch(form) for form in forms))


def _of_kind(query: Reference, words: Sequence[str], candidates: Sequence[Candidate]) -> list[Candidate]:
    if not query.kinds or {word.rstrip("s") for word in words} & ROLES:
        return list(candidates)
    return [s for s in candidates if s.kind in query.kinds] or [s for s in candidates if s.kind in query.near_kinds]


def _quoted(query: Reference, candidates: Sequence[Candidate], is_part: bool) -> list[Candidate]:
    """The elements that match the quotation of a query; a list item is not the list."""
    quoted = str(query.quoted)
    exact = [
        candidate for candidate in candidates if says(candidate, quoted, query.quote_way) or candidate.name == quoted
    ]
    if exact or query.quote_way != "says":
        return exact
    holding = [candidate for candidate in candidates if quoted in candidate.text]
    in_parts = any(candidate.kind in ("list", "table") for candidate in holding)
    if is_part or (in_parts and not query.kinds & {"list", "table"}):
        raise Unresolved(f"{quoted!r} is a part of something, not the whole of it")
    return holding


def _has_colour(candidate: Candidate, *colours: str) -> bool:
    return candidate.ink is not None and candidate.kind != "picture" and colour_name(candidate.ink) in colours


def matches_word(candidate: Candidate, word: str, by_name: bool) -> bool:
    """Whether a word is in the name or, for one element, also in the text."""
    named = [
        *candidate.name_words,
        candidate.element.id.lower(),
        *re.findall(r"\w+", str(candidate.element.asset or "").lower()),
    ]
    if word in LEXICON.headings or word.rstrip("s") in LEXICON.headings:
        return bool(LEXICON.headings & {one.rstrip("s") for one in named})
    if word in ROLES or word.rstrip("s") in ROLES or by_name:
        return _is_among(word, named)
    return _is_among(word, (*named, *candidate.text_words))


def _is_among(word: str, others: Iterable[str]) -> bool:
    own = stem(word)
    return any(
        own == stem(other) or (len(word) > 4 and other[:1] == word[:1] and fuzz.ratio(word, other) >= _MIN_SIMILARITY)
        for other in others
        if other[-1:].isalnum()
    )


def _closest(candidates: list[Candidate], words: Sequence[str]) -> list[Candidate]:
    """The elements that the words match best; an exact name comes first."""
    stems = sorted({stem(word) for word in words})

    def is_whole(held: Iterable[str]) -> bool:
        return sorted({stem(word) for word in held if not _is_general(word)}) == stems

    named = [candidate for candidate in candidates if all(matches_word(candidate, word, True) for word in words)]
    whole = [candidate for candidate in named if is_whole(candidate.pageless_name)]
    return whole or named or [candidate for candidate in candidates if is_whole(candidate.text_words)] or candidates
