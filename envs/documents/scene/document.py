"""Documents: immutable pages of elements, copies with changes, differences between two."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import count, groupby
from pathlib import Path
from typing import Annotated, Any

import pydantic
from pydantic import model_validator

from ...core.asset_cache import by_identity
from ...core.files import Data, load
from ...core.texts import truncate
from ...core.tools import ToolError
from .elements import MAX_COORDINATE, BBox, Colour, Element

MAX_PAGES = 500
"""The maximum number of pages that edits may give a document."""
MAX_NOTES = 20_000
"""The maximum length of the notes of a page, in characters."""


class Page(Data):
    """A page.

    Attributes:
        id: unique in its document, to know it again when pages are moved; ``""``: by its number.
        origin: of a page that an edit has made, the id of the page that it is a copy of, or the name of its layout.
        background: its colour.
        backdrop: the picture that fills it, by name; ``None``: none.
        inherited: what it has from a master, painted above the backdrop; no edit reaches it.
        elements: in the order in which they are painted, the lowest first.
        notes: for the speaker.
    """

    id: str = ""
    origin: str = ""
    width: Annotated[int, pydantic.Field(ge=100, le=2048)]
    height: Annotated[int, pydantic.Field(ge=100, le=2048)]
    background: Colour = (255, 255, 255)
    backdrop: str | None = None
    inherited: tuple[Element, ...] = ()
    elements: tuple[Element, ...] = ()
    notes: Annotated[str, pydantic.Field(max_length=MAX_NOTES)] = ""

    @property
    def headline(self) -> str:
        """The words of its headline: of the largest text in its upper half, or anywhere if there is none."""
        found = headline_of(self.elements, self.height)
        return "" if found is None else truncate(" ".join(found.text.split()), 80)


def headline_of(elements: Iterable[Element], height: int) -> Element | None:
    """The element with the largest text in the upper half of a page of a height, or anywhere, the topmost."""
    texts = [one for one in elements if one.runs and one.text.strip()]
    upper = [one for one in texts if one.centre[1] < height / 2]
    return max(upper or texts, key=lambda one: (one.style.size, -one.bbox[1]), default=None)


class Layout(Data):
    """What new pages may be made from: a name such as ``"Title and Content"``, and a page with empty elements."""

    name: str
    page: Page


class Document(Data):
    """A document.

    Attributes:
        name: in snake_case.
        title: for people.
        kind: what it is, such as ``"poster"``.
        pages: all of one size.
        layouts: what new pages may be made from, of a PowerPoint file.

    >>> from ..shipped import shipped_document
    >>> document = shipped_document("concert_poster")
    >>> next(element.text for element in document.elements() if element.name == "headline")
    'Harbour Lights'
    """

    name: Annotated[str, pydantic.Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
    title: Annotated[str, pydantic.Field(min_length=1, max_length=80)]
    kind: Annotated[str, pydantic.Field(min_length=1, max_length=30)]
    pages: Annotated[tuple[Page, ...], pydantic.Field(min_length=1)]
    layouts: tuple[Layout, ...] = ()

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

    def pictures(self) -> list[str]:
        """The names of all pictures that are shown, each once."""
        assets = [one.asset for page in self.pages for one in (*page.inherited, *page.elements)]
        names = (*(page.backdrop for page in self.pages), *assets)
        return list(dict.fromkeys(name for name in names if name is not None))

    @cached_property
    def places(self) -> dict[str, tuple[int, int]]:
        """The page and z-order of each element, both counted from 0."""
        return {e.id: (i, k) for i, page in enumerate(self.pages) for k, e in enumerate(page.elements)}

    @cached_property
    def page_ids(self) -> tuple[str, ...]:
        """The id of each page; of one without, ``p`` and its number."""
        return tuple(page.id or f"p{number}" for number, page in enumerate(self.pages, 1))

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
        return self.with_pages((*self.pages[:page], changed, *self.pages[page + 1 :]))

    def with_pages(self, pages: tuple[Page, ...]) -> Document:
        """The document with other pages; it is not validated again."""
        return self.model_construct(name=self.name, title=self.title, kind=self.kind, pages=pages, layouts=self.layouts)

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


def numbers_of(document: Document) -> dict[str, str]:
    """Neutral ids by the ids of a document: ``e1``, ``e2`` … in the order of ``elements``, which give nothing away."""
    return {name: f"e{number}" for number, name in enumerate(document.places, 1)}


def renamed(document: Document, ids: Mapping[str, str]) -> Document:
    """The document with other ids, by the ids before; those that are not named stay."""

    def other(element: Element) -> Element:
        parent = element.parent and ids.get(element.parent, element.parent)
        return element.model_copy(update={"id": ids.get(element.id, element.id), "parent": parent})

    return _each(document, other)


def without_names(document: Document) -> Document:
    """The document without the names of its elements."""
    return _each(document, lambda element: element.model_copy(update={"name": ""}))


def _each(document: Document, change: Callable[[Element], Element]) -> Document:
    for number, page in enumerate(document.pages):
        document = document.with_elements(number, tuple(map(change, page.elements)))
    return document


MAX_ON_PAGE, MAX_ELEMENTS = 600, 10_000
"""The maximum number of elements that edits may give a page, and a document by copies of pages."""


def changed(document: Document, element_id: str, **fields: Any) -> Document:
    """The document with other fields of an element, which are validated.

    Raises:
        ValueError: if a value does not fit.
    """
    return mapped(document, {element_id}, lambda element: Element.model_validate(element.__dict__ | fields))


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


def fresh_id(document: Document, taken: Collection[str] = ()) -> str:
    """An unused id for a new element: ``n1``, ``n2`` …, which no element had from the beginning."""
    return next(name for i in count(1) if (name := f"n{i}") not in document.places and name not in taken)


def fresh_copies(document: Document, elements: Iterable[Element]) -> tuple[Element, ...]:
    """Elements with unused ids, in the copies of their groups where these are among them."""
    elements = tuple(elements)
    unused = (name for i in count(1) if (name := f"n{i}") not in document.places)
    names = {one.id: name for one, name in zip(elements, unused, strict=False)}
    return tuple(
        one.model_copy(update={"id": names[one.id], "parent": names.get(one.parent or "", one.parent)})
        for one in elements
    )


# -- Differences, element by element and field by field ----------------------------------------------------------------


Key = tuple[str, str]
"""The id of an element, and a field; ``"added"`` and ``"removed"`` mean the whole element."""
Changes = dict[Key, Any]
"""The value of each field after the edit."""

ADDED, REMOVED, ORDER = "added", "removed", "order"
_SALIENT: dict[str, tuple[str, ...]] = {
    "text": ("text", "position", "style.colour", "style.size"),
    "list": ("text", "position", "style.colour", "style.size"),
    "shape": ("shape", "position", "style.fill", "text"),
    "image": ("asset", "position", "size"),
    "line": ("position", "size", "style.stroke"),
    "table": ("cells", "position", "size"),
    "chart": ("chart", "position", "size"),
    "group": ("position", "size"),
}
"""The fields by which a new element is judged, by its type."""


def fields_of(element: Element) -> dict[str, Any]:
    """The name, visible properties and group of an element, by field."""
    left, top, width, height = element.bbox
    formats = [(run.bold, run.italic, run.underline, run.strike, run.colour, run.size) for run in element.runs]
    # Where one run ends and the next begins is not seen if they look alike.
    formats = [one for one, _ in groupby(formats)]
    return {
        "type": element.type,
        "name": element.name,
        "position": (left, top),
        "size": (width, height),
        "angle": element.angle,
        "opacity": element.opacity,
        "parent": element.parent,
        "text": "".join(run.text for run in element.runs),
        # A text in one piece says no more of its runs than its style does.
        "runs": tuple(formats) if len(formats) > 1 or any(any(v is not None for v in one) for one in formats) else (),
        "asset": element.asset,
        "crop": element.crop,
        "shape": element.shape,
        "path": element.path,
        "rises": element.rises,
        "cells": element.cells,
        "levels": element.levels,
        "columns": element.columns,
        "rows": element.rows,
        "chart": element.chart,
        **{f"style.{name}": value for name, value in element.style.__dict__.items()},
        "formats": element.formats,
    }


@by_identity
def _changed_fields(old: Element, new: Element) -> dict[str, Any]:
    """The fields in which an element differs from another one, with its values."""
    was, now = fields_of(old), fields_of(new)
    return {field: value for field, value in now.items() if value != was[field]}


Edited = tuple[list[Element], list[Element]]


def edited_elements(before: Document, after: Document) -> Edited:
    """The elements of either document that are not in the other one; what is the same object is not compared."""
    kept = set(map(id, before.pages)) & set(map(id, after.pages))
    both = [{e.id: e for page in one.pages if id(page) not in kept for e in page.elements} for one in (before, after)]
    old, new = ([e for e in one.values() if other.get(e.id) is not e] for one, other in (both, both[::-1]))
    return old, new


def edit_key(before: Document, after: Document) -> Hashable:
    """Equal for edits of a document that give equal ones; as long as ``after`` is held."""
    found: list[Hashable] = [len(after.pages)]
    for number, page in enumerate(after.pages):
        old = before.pages[number] if number < len(before.pages) else page
        if page is not old and all(getattr(page, name) is getattr(old, name) for name in _frame_fields()):
            known = set(map(id, old.elements))
            found.append((number, *(e.id if id(e) in known else e for e in page.elements)))
        elif page is not old or number >= len(before.pages):
            found.append((number, id(page)))
    return tuple(found)


@lru_cache(maxsize=1)
def _frame_fields() -> tuple[str, ...]:
    return tuple(name for name in Page.model_fields if name != "elements")


def changes(before: Document, after: Document, names: Mapping[str, str] | None = None) -> Changes:
    """The changes that an edit has made.

    Pages are known by their ids: those of ``before`` are ``page 1`` and so on, those that are new ``new page 1`` and so
    on. Elements of pages that are added or removed are, too.

    Args:
        before: the document that was edited.
        after: the document after the edit.
        names: other ids for elements of ``after``.
    """
    names = names or {}
    found: Changes = {}
    # Elements stay on their pages: a page that is the same object has not changed.
    pages = [(name, old, new) for name, old, new in page_pairs(before, after) if old is not new]
    later = {names.get(e.id, e.id): e for _, _, page in pages if page is not None for e in page.elements}
    earlier = {e.id: e for _, page, _ in pages if page is not None for e in page.elements}
    for name, element in earlier.items():
        if name not in later:
            found[name, REMOVED] = True
        elif later[name] is not element:
            found |= {(name, field): value for field, value in _changed_fields(element, later[name]).items()}
    for name, element in later.items():
        if name not in earlier:
            fields = fields_of(element)
            found[name, ADDED] = element.type
            found |= {(name, field): fields[field] for field in _SALIENT[element.type]}
    for page_name, old_page, new_page in pages:
        found |= {(page_name, field): value for field, value in _page_changes(old_page, new_page)}
        if old_page is not None and new_page is not None:
            places = {element.id: i for i, element in enumerate(old_page.elements)}
            # A replacement comes last.
            moving = _reordered(places, [e.id for e in new_page.elements if e.id not in names])
            found |= {(name, ORDER): i for name, i in moving}
    numbers = {name: i for i, name in enumerate(before.page_ids)}
    return found | {(f"page {numbers[name] + 1}", ORDER): i for name, i in _reordered(numbers, after.page_ids)}


def page_pairs(before: Document, after: Document) -> Iterator[tuple[str, Page | None, Page | None]]:
    """The name of each page in ``changes``, and the page before and after the edit."""
    later = dict(zip(after.page_ids, after.pages, strict=True))
    for number, (name, page) in enumerate(zip(before.page_ids, before.pages, strict=True), 1):
        yield f"page {number}", page, later.pop(name, None)
    yield from ((f"new page {number}", None, page) for number, page in enumerate(later.values(), 1))


_IDENTITY = ("id", "origin", "width", "height", "elements")
"""The fields of pages that are not compared as such."""


def _page_changes(old: Page | None, new: Page | None) -> Iterator[tuple[str, Any]]:
    if old is None or new is None:
        yield (ADDED, "page") if old is None else (REMOVED, True)
        return
    yield from ((name, getattr(new, name)) for name in _page_fields() if getattr(new, name) != getattr(old, name))


@lru_cache(maxsize=1)
def _page_fields() -> tuple[str, ...]:
    return tuple(name for name in Page.model_fields if name not in _IDENTITY)


def _reordered(places: Mapping[str, int], after: Iterable[str]) -> Iterator[tuple[str, int]]:
    """The fewest of some ids that explain a change of their order, with their new indices."""
    ids = [name for name in after if name in places]
    numbers = [places[name] for name in ids]
    if numbers != sorted(numbers):
        kept = _longest_increasing(numbers)
        yield from ((name, i) for i, name in enumerate(ids) if i not in kept)


def _longest_increasing(numbers: list[int]) -> set[int]:
    """The indices of a longest increasing subsequence."""
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for i, number in enumerate(numbers):
        at = bisect_left(ends, number)
        before.append(holders[at - 1] if at else -1)
        ends[at : at + 1], holders[at : at + 1] = [number], [i]
    found = set()
    i = holders[-1] if holders else -1
    while i >= 0:
        found.add(i)
        i = before[i]
    return found
