"""Ground words in documents: by rules, or for studies by an oracle that may err."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from ..requests.request import Request
from ..scene.document import Document
from ..scene.elements import BBox, Element
from .lookup import Match, rank_elements
from .placing import infer_place

GROUNDERS = ("lookup", "oracle", "noisy")
"""The grounders of environments, by name."""


@dataclass(frozen=True, slots=True)
class Grounder:
    """Finds elements, and places for new ones, by words.

    Attributes:
        rank: the elements that words may mean, the likeliest first.
        knows_request: whether it knows the elements that the request mentions.
    """

    rank: Callable[[Document, str], list[Match]] = rank_elements
    knows_request: bool = False

    def find(self, document: Document, words: str) -> list[Element]:
        """The elements that words may mean, the likeliest first."""
        return [match.element for match in self.rank(document, words)]

    def infer(self, document: Document, words: str, page: int) -> BBox | None:
        """The box for a new element that words describe; see ``infer_place``."""
        return infer_place(document, words, self.find, page)


def make_grounder(name: str, request: Request, accuracy: float) -> Grounder:
    """A grounder for a request.

    Args:
        name: one of ``GROUNDERS``; ``"oracle"`` knows the mentioned elements, ``"noisy"`` too, but errs.
        request: with its mentions.
        accuracy: the share of mentions that the noisy one finds, from 0 to 1.

    Raises:
        ValueError: if there is no such grounder, or the accuracy is not in [0, 1].
    """
    if name not in GROUNDERS:
        raise ValueError(f"no grounder {name!r}; there are {', '.join(GROUNDERS)}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the grounder's accuracy must lie in [0, 1]; it is {accuracy}")
    if name == "lookup":
        return Grounder()
    mentions = {mention.words: mention.ids for mention in request.mentions}
    return Grounder(_OracleRanking(mentions, accuracy if name == "noisy" else 1.0), knows_request=True)


@dataclass(frozen=True, slots=True)
class _OracleRanking:
    """The ranking by rules with the right elements first, except where it errs."""

    mentions: Mapping[str, tuple[str, ...]]
    accuracy: float

    def __call__(self, document: Document, words: str) -> list[Match]:
        matches = rank_elements(document, words)
        ids = self.mentions.get(words, ())
        right = [match for match in matches if match.element.id in ids]
        others = [match for match in matches if match.element.id not in ids]
        rng = np.random.default_rng(zlib.crc32(f"{document.name}\n{words}".encode()))
        if not right or rng.random() < self.accuracy or not others:
            return right + others
        wrong = others.pop(int(rng.integers(min(len(others), 5))))
        return [wrong, *right, *others]
