"""Records: a document, its pages and its elements, as programs read them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..scene.document import Document
from ..scene.elements import Element
from .values import Record


def attributes(document: Document, element: Element) -> dict[str, Any]:
    """What a program may know of an element, by name: its own fields, those of its style, and where it is."""
    page, order = document.places[element.id]
    return {
        **element.style.model_dump(),
        **element.model_dump(exclude={"style", "runs"}),
        "text": element.text,
        "page": page,
        "order": order,
        "position": element.bbox[:2],
        "width": element.bbox[2],
        "height": element.bbox[3],
        "color": element.style.colour,
    }


def record_of_document(current: Callable[[], Document]) -> Record:
    """A document as a program reads it, each time as it then is.

    Args:
        current: the document as it is now.
    """
    return _Current("document", current().name, lambda: _document_fields(current()))


class _Current(Record):
    """A record that is read anew whenever it is looked at."""

    @property
    def fields(self) -> Any:
        """Its fields by name, as they are now."""
        return self._read()


def _document_fields(document: Document) -> dict[str, Any]:
    pages = [
        Record("page", str(number), partial(_page_fields, document, number))
        for number in range(1, len(document.pages) + 1)
    ]
    elements = [_element_record(document, element) for element in document.elements()]
    return {"name": document.name, "title": document.title, "kind": document.kind, "pages": pages, "elements": elements}


def _page_fields(document: Document, number: int) -> dict[str, Any]:
    page = document.pages[number - 1]
    elements = [_element_record(document, element) for element in page.elements]
    size = {"number": number, "width": page.width, "height": page.height, "background": page.background}
    return {**size, "elements": elements}


def _element_record(document: Document, element: Element) -> Record:
    def fields() -> dict[str, Any]:
        style = Record("style", element.id, element.style.model_dump)
        return {**attributes(document, element), "style": style}

    return Record("element", element.id, fields)
