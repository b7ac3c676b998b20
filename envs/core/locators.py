"""Locators: what finds the place of a field on the picture of a page (FormGym, section FieldFinder)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from .painting import Image

Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels of a page; (0, 0) is its upper left corner."""


class Detection(NamedTuple):
    """A place where a field may be.

    Attributes:
        box: in pixels of the page that was searched.
        score: from 0 to 1, how sure the locator is that the field is there; scores of one target sum to 1 at most.
    """

    box: Box
    score: float


class Locator(Protocol):
    """Finds the places of fields by what they are called.

    A target is what a field is called on the page. Names that stand above it (the row and the column of a table, a
    section, whom it is about) may follow, parted by ``" | "``, in either order: ``"Phone | Second reference"``.
    """

    def locate(self, page: Image, target: str) -> Sequence[Detection]:
        """Places on ``page``, uint8 (height, width, 3), the likeliest first; empty if nothing is found."""
        ...

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The places of many targets, in their order: the page is read once, and targets may share out its places."""
        ...
