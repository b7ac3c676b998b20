"""ADD_PAGE, DELETE_PAGE, MOVE_PAGE, COPY_PAGE and MODIFY_PAGE: edit the pages of a document."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple

from ...core.tools import ToolError
from ..painting.pictures import is_picture
from ..scene.document import MAX_ELEMENTS, MAX_NOTES, MAX_PAGES, Document, Layout, Page, fresh_copies
from .operation import EditOperation, OperationTool
from .values import colour_of, index_of


def add_page(document: Document, to: Any, layout: Any = None) -> tuple[Document, tuple[str, ...]]:
    """Add a page, which gets the number ``to``.

    Args:
        document: what is edited.
        to: its number, counted from 1.
        layout: the name of a layout of the document; ``None``: the first with a title and content; ``""``, and where
            there is none: an empty page with the background of its neighbour.

    Returns:
        The document, and the ids of the page's elements.

    Raises:
        ToolError: if there is no such layout, or the document cannot have a page of that number.
    """
    at = _index(document, to, more=1)
    known = {one.name.lower(): one for one in document.layouts}
    name = next(map(_name, filter(_has_content, document.layouts)), "") if layout is None else str(layout).strip()
    if name and name.lower() not in known:
        raise ToolError(f"There is no layout {layout!r}; there are {', '.join(known) or 'none'}.")
    neighbour = document.pages[max(at - 1, 0)]
    empty = Page(width=neighbour.width, height=neighbour.height, background=neighbour.background)
    model = known[name.lower()].page if name else empty
    return _inserted(document, at, model, known[name.lower()].name if name else "")


def _name(layout: Layout) -> str:
    return layout.name


def _has_content(layout: Layout) -> bool:
    """Whether a layout has a title and one place for content."""
    names = sorted(one.name for one in layout.page.elements)
    return len(names) == 2 and names[1] == "title" and names[0] in ("list", "text")


def delete_page(document: Document, number: Any) -> Document:
    """Delete a page, and all that is on it.

    Raises:
        ToolError: if there is no such page, or no other one.
    """
    at = _index(document, number)
    if len(document.pages) == 1:
        raise ToolError("The only page of a document cannot be deleted.")
    pages = _with_ids(document)
    return document.with_pages((*pages[:at], *pages[at + 1 :]))


def move_page(document: Document, number: Any, to: Any) -> Document:
    """Move a page, which gets the number ``to``.

    Raises:
        ToolError: if there is no page of one of the numbers.
    """
    at, target = _index(document, number), _index(document, to)
    pages = list(_with_ids(document))
    pages.insert(target, pages.pop(at))
    return document.with_pages(tuple(pages))


def copy_page(document: Document, number: Any, to: Any = None) -> tuple[Document, tuple[str, ...]]:
    """Put a copy of a page, with all that is on it, behind it, or where its number is ``to``.

    Returns:
        The document, and the ids of the copy's elements, in the order of those of the page.

    Raises:
        ToolError: if there is no such page, or the document cannot have a page of the number ``to``.
    """
    at = _index(document, number)
    page = _with_ids(document)[at]
    target = at + 1 if to is None else _index(document, to, more=1)
    return _inserted(document, target, page, page.origin or page.id)


def modify_page(document: Document, number: Any, modification: Any, type_of_modification: Any) -> Document:
    """Change the background or the notes of a page.

    Args:
        document: what is edited.
        number: of the page, counted from 1.
        modification: the new value.
        type_of_modification: one of ``PAGE_MODIFICATIONS``.

    Raises:
        ToolError: if there is no such page or modification, or the value does not fit.
    """
    at, kind = _index(document, number), str(type_of_modification).strip().lower().replace(" ", "_")
    if kind not in PAGE_MODIFICATIONS:
        raise ToolError(f"A page has no {type_of_modification!r}; it has {', '.join(PAGE_MODIFICATIONS)}.")
    try:
        fields = PAGE_MODIFICATIONS[kind].change(modification)
    except ValueError as error:
        raise ToolError(f"Page {at + 1}: {error}.") from None
    changed = document.pages[at].model_copy(update=fields)
    return document.with_pages((*document.pages[:at], changed, *document.pages[at + 1 :]))


class PageModification(NamedTuple):
    """A type of modification: its values, in words, and the new fields of a page for one."""

    values: str
    change: Callable[[Any], dict[str, Any]]


def _background(value: Any) -> dict[str, Any]:
    picture = value.strip() if isinstance(value, str) and is_picture(value.strip()) else None
    # The colour of the page shows only where no picture fills it.
    return {"backdrop": picture} if picture else {"background": colour_of(value), "backdrop": None}


def _notes(value: Any) -> dict[str, Any]:
    if len(str(value)) > MAX_NOTES:
        raise ValueError(f"notes of {len(str(value)):,} characters are too long; {MAX_NOTES:,} are the most")
    return {"notes": str(value)}


PAGE_MODIFICATIONS = {
    "background": PageModification("a colour, or a picture", _background),
    "notes": PageModification("the speaker's notes, as a text", _notes),
}
_TYPES_USAGE = "; ".join(f"{name} ({one.values})" for name, one in PAGE_MODIFICATIONS.items())


def _index(document: Document, number: Any, more: int = 0) -> int:
    """The index of a page by its number, or of one that would be added.

    Raises:
        ToolError: if there is none.
    """
    last = len(document.pages) + more
    if last > MAX_PAGES:
        raise ToolError(f"The document has {len(document.pages)} pages; more cannot be added.")
    return index_of(number, "page", last)


def _with_ids(document: Document) -> tuple[Page, ...]:
    """The pages of a document, each with its id, by which it is known when its number changes."""
    pairs = zip(document.pages, document.page_ids, strict=True)
    return tuple(page if page.id else page.model_copy(update={"id": name}) for page, name in pairs)


def _inserted(document: Document, at: int, model: Page, origin: str) -> tuple[Document, tuple[str, ...]]:
    """The document with a copy of a page at an index, and the ids of its elements."""
    if len(document.places) + len(model.elements) > MAX_ELEMENTS:
        raise ToolError(f"The document would hold more than {MAX_ELEMENTS:,} elements.")
    pages, elements = _with_ids(document), fresh_copies(document, model.elements)
    name = next(name for i in count(1) if (name := f"n{i}") not in document.page_ids)
    page = model.model_copy(update={"id": name, "origin": origin, "elements": elements})
    return document.with_pages((*pages[:at], page, *pages[at:])), tuple(element.id for element in elements)


# -- What makes one document of another --------------------------------------------------------------------------------


def _deleted(before: Document, after: Document) -> Iterator[dict[str, Any]]:
    yield from ({"number": i} for i, name in enumerate(before.page_ids, 1) if name not in after.page_ids)


def _added(before: Document, after: Document) -> Iterator[dict[str, Any]]:
    layouts = {layout.name for layout in before.layouts}
    for i, (name, page) in enumerate(zip(after.page_ids, after.pages, strict=True), 1):
        if name not in before.page_ids and page.origin not in before.page_ids:
            yield {"to": min(i, len(before.pages) + 1), "layout": page.origin if page.origin in layouts else ""}


def _copied(before: Document, after: Document) -> Iterator[dict[str, Any]]:
    for i, (name, page) in enumerate(zip(after.page_ids, after.pages, strict=True), 1):
        if name not in before.page_ids and page.origin in before.page_ids:
            yield {"number": before.page_ids.index(page.origin) + 1, "to": min(i, len(before.pages) + 1)}


def _moved(before: Document, after: Document) -> Iterator[dict[str, Any]]:
    """The move of a page to where it is in the other document, if the pages before it are there already."""
    pairs = enumerate(zip(before.page_ids, after.page_ids, strict=False), 1)
    for i, (name, other) in pairs:
        if name != other and other in before.page_ids:
            yield {"number": before.page_ids.index(other) + 1, "to": i}


def _modified(before: Document, after: Document) -> Iterator[dict[str, Any]]:
    numbers = {name: number for number, name in enumerate(before.page_ids, 1)}
    for name, page in zip(after.page_ids, after.pages, strict=True):
        old = before.pages[numbers[name] - 1] if name in numbers else page
        values: dict[str, Any] = {"notes": page.notes} if page.notes != old.notes else {}
        if page.background != old.background or (page.backdrop is None and old.backdrop is not None):
            values["background"] = list(page.background)
        elif page.backdrop != old.backdrop:
            values["background"] = page.backdrop
        for kind, value in values.items():
            yield {"number": numbers[name], "modification": value, "type_of_modification": kind}


ADD_PAGE = EditOperation(
    add_page,
    "Add a page, which gets the number `to` (from 1), of a layout of the deck (by default with title and content), "
    'or empty (""); returns its elements\' ids.',
    ("Add an empty slide at the beginning.", 'ADD_PAGE(1, "")'),
    (
        OperationTool(
            "add_page",
            "Add a page, which gets a number: empty, or of a layout of the deck.",
            ("to", "layout"),
        ),
    ),
    of="page",
    between_pages=_added,
)
DELETE_PAGE = EditOperation(
    delete_page,
    "Delete the page of a number (from 1).",
    ("Take the second slide out.", "DELETE_PAGE(2)"),
    (OperationTool("delete_page", "Delete a page and all that is on it.", ("number",)),),
    of="page",
    between_pages=_deleted,
)
MOVE_PAGE = EditOperation(
    move_page,
    "Move a page, which gets the number `to`.",
    ("Put the last slide of four first.", "MOVE_PAGE(4, 1)"),
    (OperationTool("move_page", "Move a page, which gets another number.", ("number", "to")),),
    of="page",
    between_pages=_moved,
)
COPY_PAGE = EditOperation(
    copy_page,
    "Put a copy of a page behind it, or where its number is `to`; returns the ids of its elements, in order.",
    ("Duplicate the first slide.", "COPY_PAGE(1)"),
    (OperationTool("copy_page", "Copy a page; the copy gets another number.", ("number", "to")),),
    of="page",
    between_pages=_copied,
)
MODIFY_PAGE = EditOperation(
    modify_page,
    f"Change a page: the new value, and what it is of: {_TYPES_USAGE}.",
    ("Make the background of slide 2 dark blue.", 'MODIFY_PAGE(2, "dark blue", "background")'),
    (
        OperationTool(
            "modify_page",
            "Change a page: the new value, and what it is of.",
            ("number", "modification", "type_of_modification"),
            {"type_of_modification": f"One of: {_TYPES_USAGE}."},
        ),
    ),
    of="page",
    between_pages=_modified,
)
