"""The document as programs read it: objects with attributes, which are also dicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..operations.table import OPERATIONS
from ..scene.document import Document
from ..scene.elements import Element

RECORD = "Record"
"""The class of the document, its pages, its elements and their styles in the sandbox."""
CHANGES = "_changes"
"""The function of the host that tells what is new in the document."""
_RECORDS = """
class Record:
    def __init__(self, kind, name, fields):
        self._kind = kind
        self._name = name
        self._fields = fields
        for key in fields:
            setattr(self, key, fields[key])

    def __getitem__(self, key):
        return self._fields[key]

    def __contains__(self, key):
        return key in self._fields

    def __eq__(self, other):
        return isinstance(other, Record) and (self._kind, self._name) == (other._kind, other._name)

    def __hash__(self):
        return hash((self._kind, self._name))

    def __repr__(self):
        return f"<{self._kind} {self._name}>"

    def get(self, key, default=None):
        return self._fields.get(key, default)

    def keys(self):
        return list(self._fields)

    def values(self):
        return list(self._fields.values())

    def items(self):
        return list(self._fields.items())


def _put(record, key, value):
    record._fields[key] = value
    setattr(record, key, value)


def _refresh():
    new = _changes()
    for fields in new["elements"]:
        fields["style"] = Record("style", fields["id"], fields["style"])
        _elements[fields["id"]] = Record("element", fields["id"], fields)
    pages = []
    for number, fields in enumerate(new["pages"], 1):
        fields["elements"] = [_elements[name] for name in fields["elements"]]
        for order, element in enumerate(fields["elements"]):
            _put(element, "page", number)
            _put(element, "order", order)
        pages.append(Record("page", str(number), fields))
    _put(document, "pages", pages)
    _put(document, "elements", [element for page in pages for element in page.elements])


def _named(value):
    if isinstance(value, Record):
        return value._name
    return [_named(item) for item in value] if isinstance(value, list) else value


def _wrapped(function, edits):
    def call(*arguments, **named):
        arguments = [_named(value) for value in arguments]
        result = function(*arguments, **{key: _named(named[key]) for key in named})
        if edits:
            _refresh()
        return result

    return call


_elements = {}
document = Record("document", _about["name"], _about)
_refresh()
"""


def prelude(names: Iterable[str]) -> str:
    """Python that defines ``document`` and keeps it current when functions of some names edit it."""
    return _RECORDS + "".join(f"{name} = _wrapped({name}, {name in OPERATIONS})\n" for name in names)


class DocumentReader:
    """Tells a sandbox what is in a document, and later what is new in it."""

    def __init__(self) -> None:
        self._known: dict[str, Element] = {}

    def changes(self, document: Document) -> dict[str, Any]:
        """The elements that are new or other ones than at the last call, and all pages."""
        elements = {element.id: element for element in document.elements()}
        new = [
            attributes(document, element) | {"style": element.style.model_dump()}
            for name, element in elements.items()
            if self._known.get(name) is not element
        ]
        self._known = elements
        pages = [
            {
                "number": number,
                "width": page.width,
                "height": page.height,
                "background": page.background,
                "backdrop": page.backdrop,
                "notes": page.notes,
                "elements": [element.id for element in page.elements],
            }
            for number, page in enumerate(document.pages, 1)
        ]
        return {"elements": new, "pages": pages}


def attributes(document: Document, element: Element) -> dict[str, Any]:
    """The attributes of an element that programs may read: fields, style and place."""
    page, order = document.places[element.id]
    return {
        **element.style.model_dump(),
        **element.model_dump(exclude={"style", "runs", "path"}),
        "text": element.text,
        "page": page + 1,
        "order": order,
        "position": element.bbox[:2],
        "width": element.bbox[2],
        "height": element.bbox[3],
        "color": element.style.colour,
    }
