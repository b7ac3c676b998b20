"""Sights: what is seen of an element, made ready for comparison with words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from ..operations.traits import colour_word, is_wide, kind_of, styles_of
from ..scene.document import Document
from ..scene.elements import Colour, Element
from .expressions import bare, paged, words_of


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What is seen of an element.

    Attributes:
        element: itself.
        page: on which it is, counted from 0.
        kind: of ``traits.KINDS``, or ``group``.
        name: what it is called, in lower case.
        named: the words of its name, without articles.
        unpaged: those of them that do not tell the page.
        text: what it says, in lower case, in one line.
        texted: the words of its text.
        spelt: the same in their order, without articles.
        colour: the name of its colour, if that is plain.
        ink: the colour that it shows; ``None``: none.
        styles: of ``traits.STYLES``.
        is_wide: whether it fills most of its page.
        is_seen: whether it can be seen by itself.
    """

    element: Element
    page: int
    kind: str
    name: str
    named: tuple[str, ...]
    unpaged: tuple[str, ...]
    text: str
    texted: frozenset[str]
    spelt: tuple[str, ...]
    colour: str | None
    ink: Colour | None
    styles: frozenset[str]
    is_wide: bool
    is_seen: bool


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What is seen of a document.

    Attributes:
        sights: of all its elements, page by page.
        weights: how much each word of names and texts tells: the rarer, the more.
        pages: how many pages it has.
    """

    sights: tuple[Sight, ...]
    weights: dict[str, float]
    pages: int

    def page(self, told: int | None) -> int | None:
        """A page as ``Reference.page`` tells it, counted from 0 in any case."""
        return self.pages + told if told is not None and told < 0 else told


class _Same:
    """Something by which it is, not by what it holds: comparing documents takes longer than looking at them."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.thing is other.thing


def view_of(document: Document) -> View:
    """What is seen of a document; the last ones that were asked for are kept."""
    return _view(_Same(document))


@lru_cache(maxsize=16)
def _view(same: _Same) -> View:
    document = same.thing
    assert isinstance(document, Document)
    sights = tuple(
        _sight(_Same(element), number, is_wide(element, page))
        for number, page in enumerate(document.pages)
        for element in page.elements
    )
    counts = Counter(word for sight in sights for word in {*sight.named, *sight.texted})
    weights = {word: math.log(1 + len(sights) / count) for word, count in counts.items()}
    return View(sights, weights, len(document.pages))


@lru_cache(maxsize=1024)
def _sight(same: _Same, page: int, wide: bool) -> Sight:
    element = same.thing
    assert isinstance(element, Element)
    style = element.style
    inks = {"shape": style.fill, "line": style.stroke, "table": style.fill, "text": style.colour, "list": style.colour}
    text = " ".join(element.text.split()).lower()
    name = " ".join(element.name.split()).lower()
    return Sight(
        element=element,
        page=page,
        kind=kind_of(element) or "group",
        name=name,
        named=bare(words_of(name)) or words_of(name),
        unpaged=bare(words_of(paged(name)[0])),
        text=text,
        texted=frozenset(words_of(text)),
        spelt=bare(words_of(text)),
        colour=colour_word(element),
        ink=inks.get(element.type),
        styles=frozenset(styles_of(element)),
        is_wide=wide,
        is_seen=element.type != "group" and element.opacity > 0,
    )
