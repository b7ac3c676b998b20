"""Kinds of edits that requests ask for, and drafts of such edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ...core.files import Data
from ..scene.document import Document, Page
from ..scene.elements import BBox, Element

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
class EditScene:
    """The page on which an edit takes place.

    Attributes:
        document: what is edited.
        page: the page, counted from 0.
        texts: the contents of new texts.
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
class EditDraft:
    """An edit that a request could ask for.

    Attributes:
        slots: the values that a request mentions, without target, anchor and place.
        targets: what is edited.
        operations: the calls that do it.
        anchor: another element that the request mentions.
        place: where something goes, of ``Phrasings.places``.
        region: where the middle of what is new or moved must be: left, top, width, height; ``None``: exactly where it
            is.
        ranges: where a request names no amount: the share of the value before, from and to, by a target's field.
        edit: its kind, one of ``EDITS``; the caller fills it in.
    """

    slots: Slots
    targets: tuple[Element, ...]
    operations: tuple[Operation, ...]
    anchor: Element | None = None
    place: str | None = None
    region: BBox | None = None
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    edit: str = ""

    @property
    def component(self) -> str:
        """The type of the edited or new elements."""
        return self.targets[0].type if self.targets else str(self.operations[0].arguments["object_type"])


Make = Callable[[EditScene, Numbers, tuple[Element, ...]], EditDraft | None]
"""The draft of an edit of some elements; ``None`` if it cannot be made of them."""


@dataclass(frozen=True, slots=True)
class EditKind:
    """A kind of edit that requests ask for.

    Attributes:
        slots: the names of values that a request mentions.
        types: of the elements that can be edited so; none: it adds something new.
        make: makes its draft in a scene, for some elements.
        side_effects: the fields of its targets that may change besides.
        of_several: whether it can be made of all elements of a kind; else the first of them counts.
        new_within: where the middles of new elements may be, by the element that they come from.
    """

    slots: tuple[str, ...]
    types: Sequence[str]
    make: Make
    side_effects: tuple[str, ...] = ()
    of_several: bool = False
    new_within: Callable[[Element], BBox] | None = None


def of_one(make: Callable[[EditScene, Numbers, Element], EditDraft | None]) -> Make:
    """A maker of drafts that edit one element."""
    return lambda scene, rng, targets: make(scene, rng, targets[0])


def pick(rng: Numbers, items: Sequence[Item]) -> Item:
    """A random item."""
    return items[int(rng.integers(len(items)))]


def operation(name: str, **arguments: Any) -> Operation:
    """A call of an operation."""
    return Operation(name=name, arguments=arguments)


_UNCOUNTED = ("music", "mail", "snow", "wine", "grass", "fish", "cheese", "bread")


def with_article(noun: str) -> str:
    """A noun with its article: ``a cup``, ``an arrow``; ``music`` as it is."""
    if noun in _UNCOUNTED:
        return noun
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
