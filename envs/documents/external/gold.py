"""Find operations that turn one document into another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...core.tools import ToolError
from ..operations.draft import Operation
from ..operations.operation import Made
from ..operations.table import OPERATIONS
from ..scene.document import Document, Page, renamed
from ..scene.elements import Element
from .published import is_empty

_MAX_OF_PAGES = 200
"""The maximum number of operations on pages."""


class GoldEdit:
    """Operations that turn a document into others, one after the other.

    Args:
        document: the first document.
        names: see below; ids that are the same may be left out.

    Attributes:
        document: what the operations have made so far.
        operations: the operations so far.
        names: by ids of expected documents, the ids of what stands for their elements.
    """

    def __init__(self, document: Document, names: Mapping[str, str] | None = None) -> None:
        self.document, self.operations = document, list[Operation]()
        self.names = dict(names or {})

    def edit_to(self, expected: Document) -> None:
        """Make the document what is expected, as far as operations can; the ids of what they make may differ."""
        self._expected = renamed(expected, self.names)
        for _ in range(_MAX_OF_PAGES):
            call = next(self._of_pages(), None)
            if call is None:
                break
            n_pages = len(self.document.pages)
            made = self._apply(*call)
            if len(self.document.pages) > n_pages:
                self._adopt_page(made)
        for number, page in enumerate(self._expected.pages):
            for element in page.elements:
                self._edit_element(number, element)
        for element in list(self.document.elements()):
            if element.id not in self._expected.places:
                self._between(element, None)

    def _of_pages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Operations that make the pages more alike."""
        for name, operation in OPERATIONS.items():
            for arguments in operation.between_pages(self.document, self._expected):
                yield name, arguments

    def _apply(self, name: str, arguments: dict[str, Any]) -> Made:
        """Carry out an operation, if that is possible."""
        try:
            self.document, made = OPERATIONS[name].edit(self.document, **arguments)
        except ToolError:
            return None
        self.operations.append(Operation(name=name, arguments=arguments))
        return made

    def _adopt_page(self, made: Made) -> None:
        """Take a new page for the first expected one that is new, and its elements for those like them."""
        known = set(self.document.page_ids)
        at = next(i for i, name in enumerate(self._expected.page_ids) if name not in known)
        number = next(i for i, name in enumerate(self.document.page_ids) if name not in self._expected.page_ids)
        page = self._expected.pages[at].model_copy(update={"id": self.document.page_ids[number]})
        pages = (*self._expected.pages[:at], page, *self._expected.pages[at + 1 :])
        self._expected = self._expected.with_pages(pages)
        for name in made if isinstance(made, tuple) else ():
            element = self.document.find(name)
            assert element is not None
            if (like := _like(element, page, self.document)) is not None:
                self._rename(like.id, name)

    def _edit_element(self, number: int, element: Element) -> None:
        name = self.names.get(element.id, element.id)
        if name not in self.document.places:
            if is_empty(element):
                return
            before = set(self.document.places)
            self._between(None, element, page=number + 1)
            new = [one for one in self.document.places if one not in before]
            if not new:
                return
            self._rename(name, new[0])
            name = new[0]
        old, new_element = self.document.find(name), self._expected.find(name)
        if old != new_element:
            self._between(old, new_element)

    def _between(self, old: Element | None, new: Element | None, **more: Any) -> None:
        for name, operation in OPERATIONS.items():
            for arguments in operation.between(old, new):
                placed = more if operation.takes_page else {}
                self._apply(name, {**arguments, **placed})

    def _rename(self, expected: str, made: str) -> None:
        """Take an element that was made for an expected one."""
        first = next((name for name, own in self.names.items() if own == expected), expected)
        self.names[first] = made
        self._expected = renamed(self._expected, {expected: made})


def _like(element: Element, page: Page, document: Document) -> Element | None:
    """The element of a page that is most like one that was made, and is not there yet."""
    left = [one for one in page.elements if one.id not in document.places]
    same = [one for one in left if one.bbox == element.bbox or (element.name and one.name == element.name)]
    return next(iter(same or left), None)
