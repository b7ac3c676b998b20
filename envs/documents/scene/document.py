"""Documents: immutable pages of elements, copies with changes; also the shipped ones."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import model_validator

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from ...core.tools import ToolError
from .elements import MAX_COORDINATE, BBox, Colour, Element


class Page(Data):
    """A page.

    Attributes:
        elements: in the order in which they are painted, the lowest first.
    """

    width: Annotated[int, pydantic.Field(ge=100, le=2048)]
    height: Annotated[int, pydantic.Field(ge=100, le=2048)]
    background: Colour = (255, 255, 255)
    elements: tuple[Element, ...] = ()


class Document(Data):
    """A document.

    Attributes:
        name: in snake_case.
        title: for people.
        kind: what it is, such as ``"poster"``.
        pages: all of one size.

    >>> document = shipped_document("concert_poster")
    >>> document.find("headline").text
    'Harbour Lights'
    """

    name: Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
    title: Annotated[str, pydantic.Field(min_length=1, max_length=80)]
    kind: Annotated[str, pydantic.Field(min_length=1, max_length=30)]
    pages: Annotated[tuple[Page, ...], pydantic.Field(min_length=1, max_length=30)]

    @model_validator(mode="after")
    def _consistent(self) -> Document:
        for problem in self.problems():
            raise ValueError(problem)
        return self

    def problems(self) -> Iterator[str]:
        """The contradictions in a document, such as ids that are used twice."""
        uses = Counter(element.id for element in self.elements())
        if twice := sorted(name for name, count in uses.items() if count > 1):
            yield f"the id {twice[0]!r} is used twice"
        if len({(page.width, page.height) for page in self.pages}) > 1:
            yield "its pages are not all of one size"
        for page in self.pages:
            parents = {element.id: element.parent for element in page.elements}
            groups = {element.id for element in page.elements if element.type == "group"}
            for element in page.elements:
                if element.parent is not None and element.parent not in groups:
                    yield f"the parent {element.parent!r} of {element.id!r} is no group on its page"
                elif _is_circular(element.id, parents):
                    yield f"{element.id!r} is inside itself"

    def elements(self) -> Iterator[Element]:
        """All elements, page by page in the order in which they are painted."""
        for page in self.pages:
            yield from page.elements

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """The page and z-order of each element, both counted from 0."""
        return {e.id: (i, k) for i, page in enumerate(self.pages) for k, e in enumerate(page.elements)}

    def find(self, element_id: str) -> Element | None:
        """The element with an id, if any."""
        place = self.places.get(element_id)
        return None if place is None else self.pages[place[0]].elements[place[1]]

    def children(self, group: str) -> tuple[Element, ...]:
        """The elements of a group, and of groups in it, in order."""
        inside = {group}
        found = []
        for element in self.elements_of_page(self.places[group][0]):
            chain = element.parent
            while chain is not None and chain not in inside:
                parent = self.find(chain)
                chain = parent.parent if parent else None
            if chain is not None:
                found.append(element)
        return tuple(found)

    def elements_of_page(self, page: int) -> tuple[Element, ...]:
        """The elements of a page, counted from 0."""
        return self.pages[page].elements

    def with_elements(self, page: int, elements: tuple[Element, ...]) -> Document:
        """The document with other elements on a page; it is not validated again."""
        changed = self.pages[page].model_copy(update={"elements": elements})
        pages = (*self.pages[:page], changed, *self.pages[page + 1 :])
        return self.model_construct(name=self.name, title=self.title, kind=self.kind, pages=pages)

    def dump(self) -> dict[str, Any]:
        """The document as a JSON object without default values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the content; equal documents have equal ones."""
        return hashlib.sha256(json.dumps(self.dump(), sort_keys=True).encode()).hexdigest()


def load_document(path: Path) -> Document:
    """The document in a JSON file.

    Raises:
        ValueError: if it is missing or against the schema.
    """
    return load(Document, path)


def _is_circular(element: str, parents: dict[str, str | None]) -> bool:
    seen = {element}
    parent = parents.get(element)
    while parent is not None and parent not in seen:
        seen.add(parent)
        parent = parents.get(parent)
    return parent is not None


DOCUMENTS = ROOT / "documents"
"""The folder of the shipped documents, a file each."""


@cached
def shipped_document(name: str) -> Document:
    """A shipped document.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in shipped_documents():
        raise ValueError(f"no document {name!r}; there are {', '.join(shipped_documents())}")
    return load_document(DOCUMENTS / f"{name}.json")


@lru_cache(maxsize=1)
def shipped_documents() -> tuple[str, ...]:
    """The names of the shipped documents, in order."""
    return tuple(sorted(path.stem for path in DOCUMENTS.glob("*.json")))


MAX_ON_PAGE = 600
"""The maximum number of elements on a page."""


def changed(document: Document, element_id: str, **fields: Any) -> Document:
    """The document with other fields of an element, which are validated.

    Raises:
        ValueError: if a value does not fit.
    """
    return mapped(document, {element_id}, lambda element: Element.model_validate(element.model_dump() | fields))


def mapped(document: Document, ids: Collection[str], change: Callable[[Element], Element]) -> Document:
    """The document with some elements replaced by ``change`` of them."""
    for page in sorted({document.places[element_id][0] for element_id in ids}):
        elements = document.pages[page].elements
        document = document.with_elements(page, tuple(change(e) if e.id in ids else e for e in elements))
    return document


def without(document: Document, ids: Collection[str]) -> Document:
    """The document without some elements."""
    for page in sorted({document.places[element_id][0] for element_id in ids}):
        kept = tuple(element for element in document.pages[page].elements if element.id not in ids)
        document = document.with_elements(page, kept)
    return document


def inserted(document: Document, page: int, at: int, *elements: Element) -> Document:
    """The document with new elements, inserted at an index of a page.

    Raises:
        ToolError: if the page would have too many elements.
    """
    check_room(document, page, len(elements))
    before = document.pages[page].elements
    return document.with_elements(page, (*before[:at], *elements, *before[at:]))


def check_room(document: Document, page: int, more: int) -> None:
    """Check that a page has room for more elements.

    Raises:
        ToolError: if there are too many.
    """
    if len(document.pages[page].elements) + more > MAX_ON_PAGE:
        raise ToolError(f"Page {page + 1} would hold more than {MAX_ON_PAGE} elements.")


def reordered(document: Document, element_id: str, to: int) -> Document:
    """The document with an element at another index of its page, clamped to the range."""
    page, at = document.places[element_id]
    elements = list(document.pages[page].elements)
    elements.insert(max(0, min(to, len(elements) - 1)), elements.pop(at))
    return document.with_elements(page, tuple(elements))


def element_of(document: Document, element_id: Any) -> Element:
    """The element with an id.

    Raises:
        ToolError: if there is none.
    """
    found = document.find(element_id) if isinstance(element_id, str) else None
    if found is None:
        raise ToolError(f"There is no element {element_id!r}; there are {', '.join(document.places)}.")
    return found


def with_children(document: Document, element: Element) -> tuple[Element, ...]:
    """An element, and all that is in it if it is a group."""
    return (element, *document.children(element.id)) if element.type == "group" else (element,)


def moved(element: Element, right: int, down: int) -> Element:
    """The element at another position, within the limits of coordinates."""
    left, top, width, height = element.bbox
    return element.model_copy(update={"bbox": possible_box(left + right, top + down, width, height)})


def possible_box(left: int, top: int, width: int, height: int) -> BBox:
    """A box in pixels, clamped to the limits of position and size."""
    x, y = (max(-MAX_COORDINATE, min(coordinate, MAX_COORDINATE)) for coordinate in (left, top))
    return x, y, max(1, min(width, MAX_COORDINATE)), max(1, min(height, MAX_COORDINATE))


def fresh_id(document: Document, stem: str, taken: Collection[str] = ()) -> str:
    """An unused id, similar to ``stem``."""
    stem = re.sub(r"_copy\d*$|\d+$", "", re.sub(r"[^A-Za-z0-9_-]", "_", stem)).strip("_")[:30] or "element"
    stem = stem if stem[0].isalpha() else f"e_{stem}"
    number = 2
    while f"{stem}_{number}" in document.places or f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"
