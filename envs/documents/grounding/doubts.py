"""Doubts: what words say of an element that the element does not bear out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from ..operations.values import colour_name
from ..requests.traits import kind_of
from ..scene.document import Document
from ..scene.elements import Element
from .expressions import ORDINALS, Reference, reference
from .lexicon import AFTER_NOUNS, ANYTHING, COLOUR_WORDS, HEADS, LINKS, PLACES, RELATIONS, STYLES

_ALIKE = 80
"""How alike two words are at least, of 100, to be taken for one."""
_SPOKEN = "comes?|coming|counts?|counted|counting|hit|reading|reads|says?|lot|absolute|when|opens|starts|begins|slides?"
"""Words that people put around what they mean."""
_LOOKS = ("dark|light|colou?r", *HEADS, ANYTHING, *COLOUR_WORDS, *STYLES.values())
_GENERAL = re.compile(
    "|".join((*_LOOKS, *PLACES.values(), *RELATIONS.values(), *ORDINALS, *LINKS, *AFTER_NOUNS, _SPOKEN))
)
"""Words that tell of what kind something is, how it looks or where it is; the ranking has seen to them."""
_HEADINGS = frozenset(("title", "headline", "heading", "header"))
_ROLES = _HEADINGS | {"subtitle", "subheading", "caption", "label", "footer"}
"""Words for texts that say what a text is for: one without that role is not meant."""


def doubts(document: Document, element: Element, words: str) -> list[str]:
    """What words say that is not so of the element that they are taken to mean; nothing, if all is."""
    told = reference(words)
    if fuzz.token_set_ratio(" ".join(told.words), element.name.lower()) == 100:
        # It is called so, whatever else the words might mean.
        return []
    return [*_unborne(told, [element]), *_unlike(document, told, element)]


def unborne(elements: Sequence[Element], words: str) -> list[str]:
    """The words for some elements that are in none's name or text, nor about their kind, looks or place."""
    return list(_unborne(reference(words), elements))


def _unborne(told: Reference, elements: Sequence[Element]) -> Iterator[str]:
    said = " ".join(f"{e.name} {e.id} {e.text} {e.asset or ''} {e.type}".lower() for e in elements)
    held = re.findall(r"[^\W_]+", said)
    for word in told.words if told.quoted is None else ():
        if len(word) > 2 and not _is_general(word) and not _is_held(word, held):
            yield word


def _unlike(document: Document, told: Reference, element: Element) -> Iterator[str]:
    """What is told of colour, kind and place that is not so."""
    style = element.style
    shown = {"shape": style.fill, "line": style.stroke}.get(element.type, style.colour)
    if told.colour is not None and (shown is None or element.type == "image" or colour_name(shown) != told.colour):
        yield told.colour
    kinds = told.kinds | told.loosely
    if kinds and kind_of(element) not in kinds and element.type not in kinds:
        yield f"it is a {element.type}"
    page = document.places[element.id][0]
    if told.page is not None and told.page != page:
        yield f"page {told.page + 1}"
    there = [e for e in document.elements_of_page(page) if not told.kinds or kind_of(e) in told.kinds]
    if told.ordinal > len(there):
        yield f"there are {len(there)}"


def _is_general(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return word not in _ROLES and any(_GENERAL.fullmatch(form) for form in forms)


def _is_held(word: str, held: Sequence[str]) -> bool:
    if word in _HEADINGS:
        return bool(_HEADINGS & set(held))
    is_part = word not in _ROLES and any(len(other) > 3 and other in word for other in held)
    return is_part or any(fuzz.ratio(word, other) >= _ALIKE for other in held)
