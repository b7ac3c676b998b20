"""The properties of elements that descriptions are compared with."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from ..operations.traits import colour_word, is_wide, kind_of, styles_of
from ..scene.document import Document
from ..scene.elements import Colour, Element
from .referring_expressions import bare, paged, words_of


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """An element that a description may mean.

    Attributes:
        element: itself.
        page: its page, counted from 0.
        kind: of ``traits.KINDS``, or ``group``.
        name: in lower case.
        name_words: without articles.
        pageless_name: those of them that are not of a page number.
        text: in lower case, in one line.
        text_words: the words of the text.
        text_sequence: the same in their order, without articles.
        colour: the name of its colour, if that is plain.
        ink: its colour; ``None``: none.
        styles: of ``traits.STYLES``.
        is_wide: whether it fills most of its page.
        is_visible: whether it is visible by itself.
    """

    element: Element
    page: int
    kind: str
    name: str
    name_words: tuple[str, ...]
    pageless_name: tuple[str, ...]
    text: str
    text_words: frozenset[str]
    text_sequence: tuple[str, ...]
    colour: str | None
    ink: Colour | None
    styles: frozenset[str]
    is_wide: bool
    is_visible: bool


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """A document in the form that descriptions are compared with.

    Attributes:
        candidates: all its elements, page by page.
        weights: of each word of names and texts: the rarer, the higher (inverse document frequency).
        pages: how many pages it has.
    """

    candidates: tuple[Candidate, ...]
    weights: dict[str, float]
    pages: int

    def page(self, number: int | None) -> int | None:
        """A page of a ``Reference``, counted from 0 in any case."""
        return self.pages + number if number is not None and number < 0 else number

    def on_page(self, page: int | None) -> list[Candidate]:
        """The elements on a page, counted from 0; ``None``: on any."""
        return [candidate for candidate in self.candidates if page is None or candidate.page == page]


class _Identity:
    """An object compared by identity, because comparing documents is slow."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.value is other.value


def view_of(document: Document) -> View:
    """The view of a document; the last ones are cached."""
    return _view(_Identity(document))


@lru_cache(maxsize=16)
def _view(identity: _Identity) -> View:
    document = identity.value
    assert isinstance(document, Document)
    candidates = tuple(
        _candidate(_Identity(element), number, is_wide(element, page))
        for number, page in enumerate(document.pages)
        for element in page.elements
    )
    counts = Counter(word for candidate in candidates for word in {*candidate.name_words, *candidate.text_words})
    weights = {word: math.log(1 + len(candidates) / count) for word, count in counts.items()}
    return View(candidates, weights, len(document.pages))


@lru_cache(maxsize=1024)
def _candidate(identity: _Identity, page: int, wide: bool) -> Candidate:
    element = identity.value
    assert isinstance(element, Element)
    style = element.style
    inks = {"shape": style.fill, "line": style.stroke, "table": style.fill, "text": style.colour, "list": style.colour}
    text = " ".join(element.text.split()).lower()
    name = " ".join(element.name.split()).lower()
    return Candidate(
        element=element,
        page=page,
        kind=kind_of(element) or "group",
        name=name,
        name_words=bare(words_of(name)) or words_of(name),
        pageless_name=bare(words_of(paged(name)[0])),
        text=text,
        text_words=frozenset(words_of(text)),
        text_sequence=bare(words_of(text)),
        colour=colour_word(element),
        ink=inks.get(element.type),
        styles=frozenset(styles_of(element)),
        is_wide=wide,
        is_visible=element.type != "group" and element.opacity > 0,
    )
