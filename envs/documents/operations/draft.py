"""Drafts of edits that requests could ask for, and the kinds of such edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ...core.files import Data
from ..scene.document import Document, Page
from ..scene.elements import Box, Element

Item = TypeVar("Item")
Numbers = np.random.Generator
Slots = dict[str, str]


class Operation(Data):
    """A call of an operation.

    Attributes:
        name: of the operation.
        arguments: by the names of the published signature.
    """

    name: str
    arguments: dict[str, Any]


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
    def current_page(self) -> Page:
        """The page itself."""
        return self.document.pages[self.page]

    @property
    def elements(self) -> tuple[Element, ...]:
        """The elements of the page."""
        return self.current_page.elements


@dataclass(frozen=True, slots=True)
class Draft:
    """An edit that could be asked for.

    Attributes:
        edit: its kind, one of ``EDITS``.
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


def operation(name: str, **arguments: Any) -> Operation:
    """A call of an operation."""
    return Operation(name=name, arguments=arguments)


@dataclass(frozen=True, slots=True)
class EditKind:
    """A kind of edit that requests ask for.

    Attributes:
        slots: what a request says of it.
        types: of the elements that it is made of; none: it puts in something new.
        make: its draft in a scene, of some elements; ``None`` if it cannot be made of them.
        side_effects: the fields of its targets that may change besides.
        of_several: whether it can be made of all elements of a kind; else the first of them counts.
    """

    slots: tuple[str, ...]
    types: Sequence[str]
    make: Callable[[Scene, Numbers, tuple[Element, ...]], Draft | None]
    side_effects: tuple[str, ...] = ()
    of_several: bool = False


def of_one(
    slots: tuple[str, ...],
    types: Sequence[str],
    make: Callable[[Scene, Numbers, Element], Draft | None],
    side_effects: tuple[str, ...] = (),
) -> EditKind:
    """A kind of edit that is made of one element."""
    return EditKind(slots, types, lambda scene, rng, targets: make(scene, rng, targets[0]), side_effects)


_UNCOUNTED = ("music", "mail", "snow", "wine", "grass", "fish", "cheese", "bread")


def with_article(noun: str) -> str:
    """``a cup``, ``an arrow``; ``music`` as it is."""
    if noun in _UNCOUNTED:
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
