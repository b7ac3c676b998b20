"""Draft: an edit that could be asked for, before it is put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ..scene.document import Document, Page
from ..scene.elements import Box, Element
from .request import Action, Operation

Item = TypeVar("Item")
Numbers = np.random.Generator
Slots = dict[str, str]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where an edit takes place.

    Attributes:
        document: what is edited.
        page: the page, counted from 0.
        texts: what new texts may say.
    """

    document: Document
    page: int
    texts: Sequence[str]

    @property
    def shown(self) -> Page:
        """The page itself."""
        return self.document.pages[self.page]

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements of the page."""
        return self.shown.elements


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit that could be asked for.

    Attributes:
        edit: one of ``phrasings.EDITS``.
        slots: what is told of it, but for target, anchor and place.
        targets: what is edited.
        operations: the calls that do it.
        component: the type of what it is about.
        anchor: what else is spoken of.
        place: where something new goes, of ``Phrasings.places``.
        region: where the middle of something new must be: left, top, width, height; ``None``: exactly where it is.
    """

    edit: str
    slots: Slots
    targets: tuple[Element, ...]
    operations: tuple[Operation, ...]
    component: str
    anchor: Element | None = None
    place: str | None = None
    region: Box | None = field(default=None)


def pick(rng: Numbers, items: Sequence[Item]) -> Item:
    """One of several, at random."""
    return items[int(rng.integers(len(items)))]


def operation(name: Action, **arguments: Any) -> Operation:
    """A call of an operation."""
    return Operation(name=name, arguments=arguments)
