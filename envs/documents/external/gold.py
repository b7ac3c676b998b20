"""Find operations that turn one document into another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...core.tools import ToolError
from ..operations.draft import Operation
from ..operations.operation import Made
from ..operations.table import OPERATIONS
from ..scene.document import Document, renamed
from ..scene.elements import Element
from .published import is_empty


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
        for number, page in enumerate(self._expected.pages):
            for element in page.elements:
                self._edit_element(number, element)
        for element in list(self.document.elements()):
            if element.id not in self._expected.places:
                self._between(element, None)

    def _apply(self, name: str, arguments: dict[str, Any]) -> Made:
        """Carry out an operation, if that is possible."""
        try:
            self.document, made = OPERATIONS[name].edit(self.document, **arguments)
        except ToolError:
            return None
        self.operations.append(Operation(name=name, arguments=arguments))
        return made

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
