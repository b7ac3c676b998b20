"""Grounders: find the elements that words mean, and the places of new ones."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

import gymnasium as gym
import numpy as np

from ...core.env import PaperworkEnv
from ...core.locators import Box as EdgeBox
from ...core.locators import Detection
from ...core.painting import Image
from ...core.spaces import Observation
from ..scene.document import Document
from ..scene.elements import Box, Element
from .expressions import reference
from .places import infer_place
from .ranking import Proposal, learned_weights, rank

Rank = Callable[[Document, str], list[Proposal]]
"""The elements of a document that words may mean, the likeliest first."""
GROUNDERS = ("ranker", "oracle", "noisy")
"""What an environment can be made with."""


def rank_elements(document: Document, words: str) -> list[Proposal]:
    """The elements that words may mean, the likeliest first, by the weights learned on the train split."""
    return rank(document, words, learned_weights())


class Mention(Protocol):
    """Words of a request that mean elements."""

    @property
    def words(self) -> str:
        """Such as ``the second icon from the left``."""
        ...

    @property
    def ids(self) -> tuple[str, ...]:
        """Of the elements that they mean."""
        ...


class Request(Protocol):
    """What names the elements that its words mean."""

    @property
    def mentions(self) -> Sequence[Mention]:
        """What its words mean."""
        ...


@dataclass(frozen=True, slots=True)
class Grounder:
    """Finds what words mean.

    Attributes:
        rank: the elements that words may mean, with scores.
        is_told: whether it has been told what the words of the request mean.
    """

    rank: Rank = rank_elements
    is_told: bool = False

    def find(self, document: Document, words: str) -> list[Element]:
        """The elements that words may mean, the likeliest first."""
        return [proposal.element for proposal in self.rank(document, words)]

    def infer(self, document: Document, words: str, page: int) -> Box | None:
        """Where something new should stand that words describe: left, top, width, height; ``None``: they do not tell.

        Args:
            document: what is edited.
            words: such as ``below the headline``.
            page: where there is no anchor, counted from 0.
        """
        return infer_place(document, words, self.rank, page)


def make_grounder(name: str, request: Request, accuracy: float) -> Grounder:
    """A grounder for a request.

    Args:
        name: one of ``GROUNDERS``; ``"oracle"`` knows what the words of the request mean, ``"noisy"`` too, but errs.
        request: what is asked for.
        accuracy: how often the noisy one is right, from 0 to 1.

    Raises:
        ValueError: if there is no such grounder, or the accuracy is no share.
    """
    if name not in GROUNDERS:
        raise ValueError(f"no grounder {name!r}; there are {', '.join(GROUNDERS)}")
    if not 0 <= accuracy <= 1:
        raise ValueError(f"the grounder's accuracy must lie in [0, 1]; it is {accuracy}")
    if name == "ranker":
        return Grounder()
    meant = {mention.words: mention.ids for mention in request.mentions}
    return Grounder(_Told(meant, accuracy if name == "noisy" else 1.0), is_told=True)


@dataclass(frozen=True, slots=True)
class _Told:
    """The learned ranking, with what is known to be right in front; or, where it errs, something else before it."""

    meant: Mapping[str, tuple[str, ...]]
    accuracy: float

    def __call__(self, document: Document, words: str) -> list[Proposal]:
        proposals = rank_elements(document, words)
        right = [p for p in proposals if p.element.id in self.meant.get(words, ())]
        others = [p for p in proposals if p.element.id not in self.meant.get(words, ())]
        rng = np.random.default_rng(zlib.crc32(f"{document.name}\n{words}".encode()))
        if not right or rng.random() < self.accuracy or not others:
            return right + others
        wrong = others.pop(int(rng.integers(min(len(others), 5))))
        return [wrong, *right, *others]


_MOST = 100
"""How many boxes are proposed, at most (COCO)."""


class ShowsDocument(Protocol):
    """The state of an environment that shows a page of a document."""

    document: Document
    page: int


class DocumentLocator:
    """Finds the elements of the page that is shown by referring expressions (Agent-DocEdit).

    Args:
        env: an environment whose state has a ``document`` and the ``page`` that is shown.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        self._env = cast(PaperworkEnv, env.unwrapped)

    def locate(self, page: Image, target: str) -> list[Detection]:
        """Boxes of up to a hundred elements, in pixels of ``page``, the likeliest first; see ``Locator``.

        Args:
            page: the page as it is observed.
            target: such as ``"the second icon from the left"``.
        """
        factor = page.shape[1] / self._env.state.background.shape[1]
        return [
            Detection(cast(EdgeBox, tuple(factor * edge for edge in box)), score) for box, score in self.ranked(target)
        ]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The boxes of many expressions; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    def ranked(self, name: str) -> list[tuple[EdgeBox, float]]:
        """Boxes in pixels of the whole page, each with the probability that it is meant, the likeliest first.

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
            for (left, top, width, height), score in on_page[:_MOST]
        ]
