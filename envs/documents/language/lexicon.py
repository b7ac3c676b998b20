"""Load the words for kinds, colours, styles and places: ``lexicon.json``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from pydantic import model_validator

from ...core.files import Data, load
from ..operations.traits import ORDINALS
from ..operations.values import COLOURS

Way = Literal["says", "name", "begins", "ends", "holds"]
Kinds = frozenset[str]
"""Of ``traits.KINDS``, and ``group``."""
Words = Annotated[frozenset[str], pydantic.BeforeValidator(lambda text: frozenset(text.split()))]
"""Words in one string, separated by blanks."""
Patterns = Annotated[tuple[str, ...], pydantic.BeforeValidator(lambda text: tuple(text.split()))]
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NTH = rf"(?:{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))"
"""The pattern of ordinals."""


class Noun(Data):
    """Nouns as patterns, the kinds that they mean, and ``near`` kinds as a fallback."""

    words: str
    kinds: Words
    near: Words


class Lexicon(Data):
    """Words and patterns of lower-case English; ``<name>`` is a part in ``shared``.

    Attributes:
        shared: parts of patterns, by name.
        nouns: for elements of certain kinds.
        generic_nouns: for elements of any kind.
        text_nouns: for anything with text.
        part_nouns: for parts of elements.
        all_determiners: before nouns for all elements that match.
        colour_synonyms: other words for colours of ``values.COLOURS``.
        colour_depths: other words for their first halves.
        styles: of ``traits.STYLES``.
        places: superlatives, by what they choose.
        relations: of an element to another.
        by_name: the words before a name, as in "under the name headline".
        after_nouns: words that begin a clause after a noun.
        links: words between a noun and a relation.
        no_anchors: words after "in" and "on" that are no element.
        stopwords: words that do not distinguish elements.
        exceptions: words before exceptions, such as "except".
        amounts: of a change, not of its target.
        content_verbs: verbs and prepositions that introduce a quotation.
        first_halves: of words such as "semi-transparent".
        spoken: fillers, which have no meaning of their own.
        headings: nouns for headings.
        roles: nouns for other texts of a certain role; a text without that role does not match them.
        equivalents: words that are read as others.
        skipped: words that do not change the meaning of a clause.
        not_in_labels: words that are not part of the label of a value.
        mention_kinds, mention_determiners, mention_choices, mention_tails: the words of expressions for elements.
        sides: of an element, in descriptions of places.
        page_parts: words for parts of a page.
        not_in_texts: words that do not occur in a text without quotation marks: they may be no part of it.
        clause_verbs: verbs with which another clause begins.
        property_words: words for properties, which are no text by themselves.
        line_nouns: for lines of texts and lists.
        value_types: the patterns of values in texts, by type.
        quote_ways: how a quotation relates to a text or name; otherwise it is all of the text.
        unchanged: descriptions of everything else, which no other edit changes.
        value_words: words for directions, sides, axes and parts of a page.
    """

    shared: dict[str, str]
    nouns: tuple[Noun, ...]
    generic_nouns: str
    text_nouns: str
    part_nouns: str
    all_determiners: str
    colour_synonyms: dict[str, str]
    colour_depths: dict[str, str]
    styles: dict[str, str]
    places: dict[str, str]
    relations: dict[str, str]
    by_name: str
    after_nouns: Patterns
    links: Patterns
    no_anchors: Patterns
    stopwords: Words
    exceptions: str
    amounts: str
    content_verbs: str
    first_halves: Words
    spoken: str
    headings: Words
    roles: Words
    equivalents: dict[str, str]
    skipped: Words
    not_in_labels: Words
    mention_kinds: str
    mention_determiners: str
    mention_choices: str
    mention_tails: str
    sides: dict[str, str]
    page_parts: str
    not_in_texts: str
    clause_verbs: str
    property_words: str
    line_nouns: str
    value_types: dict[str, str]
    quote_ways: dict[Way, str]
    unchanged: str
    value_words: dict[str, str]

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, data: Any) -> Any:
        shared = data["shared"]

        def expand(value: Any) -> Any:
            if isinstance(value, str):
                return re.sub(r"<(\w+)>", lambda found: shared[found[1]], value)
            if isinstance(value, dict):
                return {name: expand(one) for name, one in value.items()}
            return [expand(one) for one in value]

        return expand(data)


LEXICON = load(Lexicon, Path(__file__).with_name("lexicon.json"))
ROLES = LEXICON.headings | LEXICON.roles
"""Nouns for texts of a certain role."""
COLOUR_WORDS: dict[str, str] = {
    **{word: word for word in COLOURS},
    **{
        f"{synonym}{name.removeprefix(depth)}": name
        for synonym, depth in LEXICON.colour_depths.items()
        for name in COLOURS
        if name.startswith(depth) and (depth or " " not in name)
    },
    **LEXICON.colour_synonyms,
}
"""The words for colours, with the names of colours that they mean."""
COLOUR = re.compile(
    r"\b(" + "|".join(sorted(COLOUR_WORDS, key=len, reverse=True)).replace(" ", "[ -]") + r")(?:ish)?\b"
)
GENERAL = re.compile(
    "|".join(
        (
            "dark|light|colou?r",
            LEXICON.generic_nouns,
            *(noun.words for noun in LEXICON.nouns),
            *COLOUR_WORDS,
            *LEXICON.styles.values(),
            *LEXICON.places.values(),
            *LEXICON.relations.values(),
            *ORDINALS,
            *LEXICON.links,
            *LEXICON.after_nouns,
            LEXICON.spoken,
        )
    )
)
"""Words that need not be in a name or a text."""
