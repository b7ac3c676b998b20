"""Change, insert, remove or reorder elements of a document."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

from ...core.tools import ToolError
from .document import Document
from .elements import MAX_COORDINATE, BBox, Element

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


def with_children(document: Document, element: Element) -> tuple[Element, ...]:
    """An element, and all that is in it if it is a group."""
    return (element, *document.children(element.id)) if element.type == "group" else (element,)


def moved(element: Element, right: int, down: int) -> Element:
    """The element at another position, within the limits of coordinates."""
    left, top, width, height = element.bbox
    return element.model_copy(update={"bbox": possible_box(left + right, top + down, width, height)})


def possible_box(left: int, top: int, width: int, height: int) -> BBox:
    """A box in pixels, clamped to the limits of position and size."""
    return _near(left), _near(top), max(1, min(width, MAX_COORDINATE)), max(1, min(height, MAX_COORDINATE))


def fresh_id(document: Document, stem: str, taken: Collection[str] = ()) -> str:
    """An unused id, similar to ``stem``."""
    stem = re.sub(r"_copy\d*$|\d+$", "", re.sub(r"[^A-Za-z0-9_-]", "_", stem)).strip("_")[:30] or "element"
    stem = stem if stem[0].isalpha() else f"e_{stem}"
    number = 2
    while f"{stem}_{number}" in document.places or f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"


def _near(coordinate: int) -> int:
    return max(-MAX_COORDINATE, min(coordinate, MAX_COORDINATE))
