"""Interface of locators, which find fields in page images (FormGym, FieldFinder)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .boxes import Box as Box
from .painting import Image


class Detection(NamedTuple):
    """A place where a field may be.

    Attributes:
        box: in pixels of the page that was searched.
        score: from 0 to 1, how sure the locator is that the field is there; scores of one target sum to 1 at most.
    """

    box: Box
    score: float


class Locator(Protocol):
    """Finds fields on a page by their labels.

    A target is the label of a field on the page. The labels above it (the row and the column of a table, a section, a
    person) may follow, separated by ``" | "``, in any order: ``"Phone | Second reference"``.
    """

    def locate(self, page: Image, target: str) -> Sequence[Detection]:
        """Detections on ``page``, uint8 (height, width, 3), the likeliest first."""
        ...

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The detections of many targets at once, which may compete for places."""
        ...
