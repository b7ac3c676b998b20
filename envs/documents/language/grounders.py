"""Find elements and places for new ones by descriptions: learned, oracle or noisy."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

import gymnasium as gym
import numpy as np

from ...core.env import PaperworkEnv
from ...core.locators import Box as EdgeBox
from ...core.locators import Detection
from ...core.painting import Image
from ...core.spaces import Observation
from ..requests.request import Request
from ..scene.document import Document
from ..scene.elements import Box, Element
from .candidates import Candidate, View, view_of
from .lexicon import LEXICON
from .positions import infer_place
from .ranking import Proposal, learned_weights, likeliest_anchor, rank, vector
from .referring_expressions import Reference, mask_quotations, reference, stem
from .selection import fitting, related, without_wide

Rank = Callable[[Document, str], list[Proposal]]
"""The elements of a document that words may mean, the likeliest first."""
_EXCEPT = re.compile(rf"{LEXICON.exceptions}(?= (?:the|that|those|this|an?|all)\b)", re.I)
GROUNDERS = ("ranker", "oracle", "noisy")
"""The grounders of environments, by name."""


def rank_elements(document: Document, words: str) -> list[Proposal]:
    """The elements that a description may mean, ranked by the learned weights."""
    return rank(document, words, learned_weights())


def resolve_plural(document: Document, words: str, page: int | None = None) -> list[Element]:
    """The elements that a plural description means, or the likeliest of a singular.

    Args:
        document: that holds the elements.
        words: such as ``"all bold texts"`` or ``"the headline"``.
        page: on which they are, counted from 0; ``None``: on any, or the one in the description.

    Returns:
        In the order in which they are painted; none if nothing matches.
    """
    exception = _EXCEPT.search(mask_quotations(words))
    if exception is not None:
        without = {element.id for element in resolve_plural(document, words[exception.end() :], page)}
        found = resolve_plural(document, words[: exception.start()], page)
        return [element for element in found if element.id not in without]
    query, view = reference(words), view_of(document)
    # An element may have a name in the plural: "the opening hours".
    is_name = any(candidate.name == query.text.removeprefix("the ") for candidate in view.candidates)
    if is_name or not query.is_plural:
        return [proposal.element for proposal in rank(document, words, learned_weights(), page)[:1]]
    candidates = view.on_page(page if query.page is None else view.page(query.page))
    return [candidate.element for candidate in _all(document, view, query, candidates)]


def _all(document: Document, view: View, query: Reference, candidates: Sequence[Candidate]) -> list[Candidate]:
    found = fitting(replace(query, quote_way="holds") if query.quote_way == "says" else query, candidates)
    found = [candidate for candidate in without_wide(found) if _is_in_halves(document, candidate, query.places)]
    anchor = likeliest_anchor(view, query, candidates, vector(learned_weights())) if candidates else None
    if query.relation is not None and anchor is not None:
        near = [candidate for _, candidate in related(found, anchor.element, anchor.page, query.relation)]
        # Where nothing is in the anchor, "in" most likely has another meaning.
        found = near or (found if query.relation == "inside" else [])
    if query.kinds:
        return found
    # Without a kind, those whose names have the words, in the singular or the plural; all if none has.
    words = {stem(word) for word in query.words} - {stem(query.colour or "")}
    return [candidate for candidate in found if words & {stem(word) for word in candidate.name_words}] or found


def _is_in_halves(document: Document, candidate: Candidate, places: Sequence[str]) -> bool:
    """Whether an element's middle is in the halves of the page that are named."""
    page = document.pages[candidate.page]
    across, down = candidate.element.centre[0] / page.width, candidate.element.centre[1] / page.height
    halves = {"left": across < 0.5, "right": across > 0.5, "top": down < 0.5, "bottom": down > 0.5}
    return all(halves.get(place, True) for place in places)


@dataclass(frozen=True, slots=True)
class Grounder:
    """Finds elements by descriptions.

    Attributes:
        rank: the elements that a description may mean, with scores.
        knows_request: whether it knows the elements that the request mentions.
    """

    rank: Rank = rank_elements
    knows_request: bool = False

    def find(self, document: Document, words: str) -> list[Element]:
        """The elements that words may mean, the likeliest first."""
        return [proposal.element for proposal in self.rank(document, words)]

    def infer(self, document: Document, words: str, page: int) -> Box | None:
        """The box for a new element that words describe; ``None`` if they do not.

        Args:
            document: what is edited.
            words: such as ``below the headline``.
            page: where there is no anchor, counted from 0.
        """
        return infer_place(document, words, self.rank, page)


def make_grounder(name: str, request: Request, accuracy: float) -> Grounder:
    """A grounder for a request.

    Args:
        name: one of ``GROUNDERS``; ``"oracle"`` knows the mentioned elements, ``"noisy"`` too, but errs.
        request: with its mentions.
        accuracy: the share of mentions that the noisy one finds, from 0 to 1.

    Raises:
        ValueError: if there is no such grounder, or the accuracy is no share.
    """
    if name not in GROUNDERS:
        raise ValueError(f"no grounder {name!r}; there are {', '.join(GROUNDERS)}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the grounder's accuracy must lie in [0, 1]; it is {accuracy}")
    if name == "ranker":
        return Grounder()
    mentions = {mention.words: mention.ids for mention in request.mentions}
    return Grounder(_OracleRanking(mentions, accuracy if name == "noisy" else 1.0), knows_request=True)


@dataclass(frozen=True, slots=True)
class _OracleRanking:
    """The learned ranking with the right elements first, except where it errs."""

    mentions: Mapping[str, tuple[str, ...]]
    accuracy: float

    def __call__(self, document: Document, words: str) -> list[Proposal]:
        proposals = rank_elements(document, words)
        ids = self.mentions.get(words, ())
        right = [proposal for proposal in proposals if proposal.element.id in ids]
        others = [proposal for proposal in proposals if proposal.element.id not in ids]
        rng = np.random.default_rng(zlib.crc32(f"{document.name}\n{words}".encode()))
        if not right or rng.random() < self.accuracy or not others:
            return right + others
        wrong = others.pop(int(rng.integers(min(len(others), 5))))
        return [wrong, *right, *others]


_MAX_BOXES = 100
"""The maximum number of proposals (COCO)."""


class ShowsDocument(Protocol):
    """The state of an environment that renders a page of a document."""

    document: Document
    page: int


class DocumentLocator:
    """Finds the elements of the visible page by referring expressions (Agent-DocEdit).

    Args:
        env: an environment whose state has a ``document`` and the number of the visible ``page``.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        self._env = cast(PaperworkEnv, env.unwrapped)

    def locate(self, page: Image, target: str) -> list[Detection]:
        """The likeliest boxes of elements, at most 100, in pixels; see ``Locator``.

        Args:
            page: the page as it is observed.
            target: such as ``"the second icon from the left"``.
        """
        factor = page.shape[1] / self._env.state.background.shape[1]
        return [
            Detection(cast(EdgeBox, tuple(factor * edge for edge in box)), score) for box, score in self.ranked(target)
        ]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The boxes of several expressions; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    def ranked(self, name: str) -> list[tuple[EdgeBox, float]]:
        """The boxes of elements with their probabilities, the likeliest first.

        Args:
            name: such as ``"the second icon from the left"``.
        """
        state = cast(ShowsDocument, self._env.state)
        on_page = [
            (proposal.element.bbox, proposal.score)
            for proposal in rank_elements(state.document, name)
            if state.document.places[proposal.element.id][0] == state.page
        ]
        total = sum(score for _, score in on_page) if reference(name).page is None else 1.0
        return [
            ((float(left), float(top), float(left + width), float(top + height)), score / (total or 1.0))
            for (left, top, width, height), score in on_page[:_MAX_BOXES]
        ]
