"""Doubts: what words say of an element that the element does not bear out."""

from __future__ import annotations

import re

from rapidfuzz import fuzz

from ..scene.elements import Element
from .expressions import reference
from .lexicon import AFTER_NOUNS, ANYTHING, COLOUR_WORDS, HEADS, LINKS, STYLES

_ALIKE = 80
"""How alike two words are at least, of 100, to be taken for one."""
_GENERAL = re.compile(
    "|".join(("dark|light|colou?r", *HEADS, ANYTHING, *COLOUR_WORDS, *STYLES.values(), *LINKS, *AFTER_NOUNS))
)
"""Words that tell of what kind something is, or how it looks; the ranking has seen to them."""

_ROLES = ("subtitle", "subheading", "caption", "label", "footer", "header")
"""Words for texts that say what a text is for: one without that role is not meant."""


def unborne(element: Element, words: str) -> list[str]:
    """The words for an element that are neither in its name nor in its text, nor about its kind or looks."""
    told = reference(words)
    if told.quoted or told.ordinal or told.places or told.relation:
        # These choose among elements, whatever else is said.
        return []
    said = f"{element.name} {element.id} {element.text} {element.asset or ''} {element.type}".lower()
    held = re.findall(r"[^\W_]+", said)
    return [word for word in told.words if len(word) > 2 and not _is_general(word) and not _is_held(word, held)]


def _is_general(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return word not in _ROLES and any(_GENERAL.fullmatch(form) for form in forms)


def _is_held(word: str, held: list[str]) -> bool:
    is_part = word not in _ROLES and any(len(other) > 3 and other in word for other in held)
    return is_part or any(fuzz.ratio(word, other) >= _ALIKE for other in held)
