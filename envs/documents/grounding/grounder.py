"""Grounders: which element of a document words mean, by what it says, by a picture of its page, or by an oracle."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple, cast

import numpy as np

from ...core.boxes import iou
from ...core.locators import Locator
from ..painting.view import painted
from ..scene.document import Document
from ..scene.elements import Element
from ..scoring.looks import ink_rect
from .placing import page_named

ORACLES = ("oracle", "noisy")
"""The grounders that know what the words of a request mean."""
GROUNDERS = ("texts", "document", *ORACLES)
"""The grounders of environments, by name."""
_LOCATORS = {"document": ("fieldfinder_model.locators", "DocumentLocator")}
"""Modules and classes of locators, which are imported when they are used: they know documents, not the reverse."""
_MAX_WRONG = 5
"""The noisy grounder errs by one of so many others."""


class Match(NamedTuple):
    """An element, and how well it fits what was located, from 0 to 1."""

    element: Element
    score: float


@dataclass(frozen=True)
class Grounder:
    """Finds elements by words: an id, the whole text of an element, or what a locator finds on the picture of a page.

    Attributes:
        locator: sees pictures of pages alone; ``None``: only ids and texts are found.
        known: ids of elements by the words that mean them, of an oracle.
        accuracy: the share of known words at which the oracle does not err.
    """

    locator: Locator | None = None
    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    accuracy: float = 1.0

    def find(self, document: Document, words: str, seen: Document | None = None, page: int = 0) -> list[Element]:
        """The elements that words may mean, the likeliest first.

        Args:
            document: holds the elements.
            words: an id, a text as it is written, or a description.
            seen: what the locator sees; ``None``: the document.
            page: that the locator sees, from 0, unless the words name another one.
        """
        found = named(document, words)
        if found or self.locator is None:
            ranked = found
        else:
            seen = seen or document
            matches = located(seen, page_named(words, len(seen.pages), page), words, self.locator)
            ranked = [one for match in matches if (one := document.find(match.element.id)) is not None]
        return self._corrected(document, words, ranked) if words in self.known else ranked

    def _corrected(self, document: Document, words: str, ranked: list[Element]) -> list[Element]:
        """The right elements first, or second where the oracle errs, and then the others."""
        ids = self.known[words]
        right = [one for one in document.elements() if one.id in ids]
        known = {one.id: one for one in (*ranked, *document.elements())}
        others = [one for one in known.values() if one.id not in ids]
        rng = np.random.default_rng(zlib.crc32(f"{document.name}\n{words}".encode()))
        if not right or not others or rng.random() < self.accuracy:
            return [*right, *others]
        return [others.pop(int(rng.integers(min(len(others), _MAX_WRONG)))), *right, *others]


def make_grounder(name: str | Locator | None, known: Mapping[str, tuple[str, ...]], accuracy: float) -> Grounder | None:
    """A grounder for a request; ``None`` for none.

    Args:
        name: one of ``GROUNDERS``, or a locator of your own. ``"texts"`` finds ids and whole texts, ``"document"`` what
            ``DocumentLocator`` finds on the picture; ``"oracle"`` knows what the words of the request mean, and
            ``"noisy"`` knows it, too, but errs.
        known: ids of elements by the words of the request that mean them.
        accuracy: the share of words that the noisy one knows, from 0 to 1.
    """
    if not isinstance(name, str):
        return None if name is None else Grounder(name)
    if name in ORACLES:
        return Grounder(known=known, accuracy=accuracy if name == "noisy" else 1.0)
    return Grounder(_locator(name) if name in _LOCATORS else None)


@lru_cache(maxsize=len(_LOCATORS))
def _locator(name: str) -> Locator:
    module, attribute = _LOCATORS[name]
    return cast(Locator, getattr(import_module(f"....{module}", __package__), attribute)())


def named(document: Document, words: str) -> list[Element]:
    """The element with an id, or the elements whose whole text words are.

    >>> from ..shipped import shipped_document
    >>> [one.text for one in named(shipped_document("concert_poster"), "harbour lights")]
    ['Harbour Lights']
    """
    element = document.find(words.strip())
    text = _plain(words)
    return [element] if element else [one for one in document.elements() if text and _plain(one.text) == text]


def _plain(text: str) -> str:
    return " ".join(text.lower().split()).strip("\"'“”‘’")


def located(document: Document, page: int, words: str, locator: Locator) -> list[Match]:
    """The elements of a page that fit what a locator finds on its picture, the best first.

    Args:
        document: with the page.
        page: from 0.
        words: a description of one element.
        locator: sees the picture.
    """
    elements = document.pages[page].elements
    boxes = [ink_rect(document, one) for one in elements]
    scores: dict[int, float] = {}
    for box, score in locator.locate(painted(document, page), words):
        # A member of a group as large as the group is rather meant.
        overlaps = [(iou(box, other), elements[i].type != "group", i) for i, other in enumerate(boxes)]
        overlap, _, best = max(overlaps, default=(0.0, False, 0))
        if overlap > 0:
            scores[best] = max(scores.get(best, 0.0), score * overlap)
    return [Match(elements[i], scores[i]) for i in sorted(scores, key=lambda i: -scores[i])]
