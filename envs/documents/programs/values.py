"""Values of edit programs: functions, streams, ordered sets, document records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableSet
from functools import cached_property, partial
from typing import Any

from ..scene.document import Document
from ..scene.elements import Element


class Function:
    """A function as a value: of Python, or a lambda.

    Args:
        name: for people.
        call: what it does.
    """

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        self.name, self._call = name, call

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Call the function."""
        return self._call(*arguments, **named)

    def __repr__(self) -> str:
        return f"<function {self.name}>"


class Stream(Iterator[Any]):
    """An iterator over items that exist already, as generators return.

    Attributes:
        left: the remaining items, the last one first.
    """

    def __init__(self, items: Iterable[Any]) -> None:
        self.left = list(items)
        self.left.reverse()

    def __next__(self) -> Any:
        if not self.left:
            raise StopIteration
        return self.left.pop()

    def __len__(self) -> int:
        return len(self.left)

    def __repr__(self) -> str:
        return "<iterator>"


class OrderedSet(MutableSet[Any]):
    """A set with the order of insertion, the same on every machine."""

    def __init__(self, items: Iterable[Any] = ()) -> None:
        self._items = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"

    def add(self, value: Any) -> None:
        """Add an item."""
        self._items[value] = None

    def discard(self, value: Any) -> None:
        """Remove an item if it is there."""
        self._items.pop(value, None)

    def clear(self) -> None:
        """Remove all items."""
        self._items.clear()

    def update(self, *others: Iterable[Any]) -> None:
        """Add the items of others."""
        for other in others:
            self._items.update(dict.fromkeys(other))


class Record:
    """Something with fields that a program may read: document, page or element.

    Args:
        kind: document, page, element or style.
        name: which one of its kind.
        read: its fields by name.
    """

    def __init__(self, kind: str, name: str, read: Callable[[], Mapping[str, Any]]) -> None:
        self.kind, self.name, self._read = kind, name, read

    @cached_property
    def fields(self) -> Mapping[str, Any]:
        """The fields by name, cached at first access."""
        return self._read()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and (self.kind, self.name) == (other.kind, other.name)

    def __hash__(self) -> int:
        return hash((self.kind, self.name))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


def attributes(document: Document, element: Element) -> dict[str, Any]:
    """The attributes of an element that programs may read: fields, style and place."""
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
    """A record of a document that always shows its current state.

    Args:
        current: the document as it is now.
    """
    return _Current("document", current().name, lambda: _document_fields(current()))


class _Current(Record):
    """A record whose fields are never cached."""

    @property
    def fields(self) -> Any:
        """The current fields by name."""
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
