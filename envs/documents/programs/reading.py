"""The document as programs read it: objects with attributes, which are also dicts.

Only what a program names is there, which saves most of the time. A program that asks for more by names that it has put
together ends, and begins again with all that there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from ..operations.table import OPERATIONS
from ..scene.document import Document, Page
from ..scene.elements import Element, Style

RECORD = "Record"
"""The class of the document, its pages, its elements and their styles in the sandbox."""
CHANGES = "_changes"
"""The function of the host that tells what is new in the document."""
OPENING = 'document = Record("document", _about["name"], _about)\n_refresh()'
"""Python that makes the document of a program, when the prelude has run."""
_LEFT_OUT = {"style", "runs", "path"}
_DERIVED: dict[str, Callable[[Element], Any]] = {
    "text": lambda element: element.text,
    "position": lambda element: element.bbox[:2],
    "width": lambda element: element.bbox[2],
    "height": lambda element: element.bbox[3],
    "color": lambda element: element.style.colour,
}
_NAMES = (
    *Style.model_fields,
    *(one for one in Element.model_fields if one not in _LEFT_OUT),
    *_DERIVED,
    "style",
    "page",
    "order",
)
_BY_OTHER_MEANS = {"getattr", "hasattr", "attrgetter", "format", "format_map"}
"""What reads attributes whose names a program may put together."""
_RECORDS = """
class Record:
    def __init__(self, kind, name, fields, names=()):
        self._kind = kind
        self._name = name
        self._fields = fields
        self._names = names
        for key in fields:
            setattr(self, key, fields[key])

    def __getitem__(self, key):
        if key not in self._fields and key in self._names:
            # No program can catch this.
            [0] * 10**12
        return self._fields[key]

    def __contains__(self, key):
        return key in (self._names or self._fields)

    def __eq__(self, other):
        return isinstance(other, Record) and (self._kind, self._name) == (other._kind, other._name)

    def __hash__(self):
        return hash((self._kind, self._name))

    def __repr__(self):
        return f"<{self._kind} {self._name}>"

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        return list(self._names or self._fields)

    def values(self):
        return [self[key] for key in self.keys()]

    def items(self):
        return [(key, self[key]) for key in self.keys()]


def _put(record, key, value):
    record._fields[key] = value
    setattr(record, key, value)


def _refresh():
    new = _changes()
    for fields in new["elements"]:
        name = fields["id"]
        if "style" in fields:
            fields["style"] = Record("style", name, fields["style"], _style_names)
        _elements[name] = Record("element", name, fields, _element_names)
    for name, number, order in new["places"]:
        _put(_elements[name], "page", number)
        _put(_elements[name], "order", order)
    pages = []
    for fields in new["pages"]:
        if type(fields) is int:
            pages.append(document.pages[fields])
        else:
            fields["elements"] = [_elements[name] for name in fields["elements"]]
            pages.append(Record("page", str(fields["number"]), fields))
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
"""


def prelude(names: Iterable[str]) -> str:
    """Python that keeps the document of ``OPENING`` current when functions of some names edit it."""
    known = f"_style_names, _element_names = {tuple(Style.model_fields)}, {_NAMES}\n"
    return _RECORDS + known + "".join(f"{name} = _wrapped({name}, {name in OPERATIONS})\n" for name in names)


class DocumentReader:
    """Tells a sandbox what is in a document, and later what is new in it.

    Args:
        code: the program that reads it; ``None``: it gets all attributes, not only those that it names.
    """

    def __init__(self, code: str | None) -> None:
        words = set(re.findall(r"\w+", code or ""))
        self._names = None if code is None or words & _BY_OTHER_MEANS else words | {"id"}
        self._has_places = self._names is None or bool(words & {"page", "order"})
        self._known: dict[str, Element] = {}
        self._last: Document | None = None

    def changes(self, document: Document) -> dict[str, Any]:
        """What is new since the last call: elements, places of others, and pages; of the same ones only the number."""
        last, self._last = self._last, document
        new, placed = [], []
        pages: list[int | dict[str, Any]] = []
        for i, page in enumerate(document.pages):
            if last and i < len(last.pages) and last.pages[i] is page:
                pages.append(i)
                continue
            pages.append(_page(i + 1, page))
            for order, element in enumerate(page.elements):
                if self._known.get(element.id) is not element:
                    new.append(attributes(document, element, self._names))
                    self._known[element.id] = element
                elif self._has_places and last and last.places.get(element.id) != (i, order):
                    placed.append((element.id, i + 1, order))
        return {"elements": new, "places": placed, "pages": pages}


def _page(number: int, page: Page) -> dict[str, Any]:
    return {
        "number": number,
        "width": page.width,
        "height": page.height,
        "background": page.background,
        "backdrop": page.backdrop,
        "notes": page.notes,
        "elements": [element.id for element in page.elements],
    }


def attributes(document: Document, element: Element, names: set[str] | None = None) -> dict[str, Any]:
    """The attributes of an element that programs may read: fields, style and place; all, or those of some names."""
    page, order = document.places[element.id]
    style = element.style.model_dump(include=names)
    found = {
        **style,
        **element.model_dump(include=names, exclude=_LEFT_OUT),
        **{name: read(element) for name, read in _DERIVED.items() if names is None or name in names},
        "style": style,
        "page": page + 1,
        "order": order,
    }
    return found if names is None else {name: value for name, value in found.items() if name in names}
