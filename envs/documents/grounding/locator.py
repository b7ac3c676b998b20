"""The locator of documents: finds elements by words, as FieldFinder finds fields by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

import gymnasium as gym

from ...core.env import PaperworkEnv
from ...core.locators import Box, Detection
from ...core.painting import Image
from ...core.spaces import Observation
from ..scene.document import Document
from .expressions import reference
from .grounders import rank_elements

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
        return [Detection(cast(Box, tuple(factor * edge for edge in box)), score) for box, score in self.ranked(target)]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The boxes of many expressions; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    def ranked(self, name: str) -> list[tuple[Box, float]]:
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
