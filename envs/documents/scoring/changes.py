"""What differs between two documents, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...core.texts import truncate
from ..operations.values import COLOURS
from ..scene.cells import format_changes
from ..scene.document import Document, Page, fields_of
from ..scene.elements import Element
from .comparison import Comparison

_MAX_NAMED = 3
"""The most elements with the same change that are named."""
_NAMES = {colour: name for name, colour in COLOURS.items()}
PageOf = tuple[int | None, int | None]
"""The number of a page before and after an edit, from 0; ``None`` where it is not."""


def changes_in_words(before: Document, after: Document, ids: bool = False) -> Iterator[str]:
    """What differs between two documents, a line for each change and page; elements with their ids if these are known.

    A line is such as ``page 1, e7 text "Sale": moved 4 px left; size 12 → 14``.
    """
    edit = Comparison(before, after)
    kept = [old for old in edit.pages if old is not None]
    if kept != sorted(kept):
        order = ", ".join("new" if old is None else str(old + 1) for old in edit.pages)
        yield f"the pages are in another order, by their earlier numbers: {order}"
    for old, new in _changed(edit):
        if new is None:
            yield f"page {(old or 0) + 1} is gone"
            continue
        yield from (f"page {new + 1}{words}" for words in _page(old, before, after.pages[new], ids))


def changed_pages(before: Document, after: Document) -> Iterator[PageOf]:
    """The pages that are new, differ or are gone."""
    return _changed(Comparison(before, after))


def _changed(edit: Comparison) -> Iterator[PageOf]:
    old_pages, new_pages = edit.before.pages, edit.after.pages
    for new, old in enumerate(edit.pages):
        if old is None or (old_pages[old] is not new_pages[new] and old_pages[old] != new_pages[new]):
            yield old, new
    yield from ((old, None) for old in range(len(old_pages)) if old not in edit.pages)


def _page(old: int | None, before: Document, page: Page, ids: bool) -> Iterator[str]:
    if old is None:
        yield f" is new: {page.headline or 'without text'}"
        return
    earlier = before.pages[old]
    for field in ("background", "backdrop", "notes"):
        one, other = getattr(earlier, field), getattr(page, field)
        if one != other:
            yield f": {field} {_value(one)} → {_value(other)}"
    by_change: dict[str, list[str]] = {}
    for element, change in _of_elements(earlier.elements, page.elements):
        by_change.setdefault(change, []).append(f"{element.id} {_called(element)}" if ids else _called(element))
    for change, names in by_change.items():
        more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        yield f", {', '.join(names[:_MAX_NAMED])}{more}: {change}"


def _of_elements(before: Sequence[Element], after: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    old, new = {e.id: e for e in before}, {e.id: e for e in after}
    for element in before:
        if element.id not in new:
            yield element, "deleted"
    for element in after:
        if element.id not in old:
            yield element, "added"
        elif element is not old[element.id] and (change := "; ".join(_fields(old[element.id], element))):
            yield old[element.id], change
    orders = [[e.id for e in elements if e.id in old and e.id in new] for elements in (before, after)]
    for one, other in zip(*orders, strict=True):
        if one != other:
            yield new[other], "in front of or behind others than before"
            return


def _fields(old: Element, new: Element) -> Iterator[str]:
    """The changes of an element, a few words each."""
    one, other = fields_of(old), fields_of(new)
    for field in (name for name in one if one[name] != other[name] and name not in ("name", "parent", "path")):
        name = field.removeprefix("style.")
        if field == "position":
            yield "moved " + " and ".join(_moves(old, new))
        elif field == "size":
            yield "{} x {} → {} x {} px".format(*one[field], *other[field])
        elif field == "cells":
            yield from _cells(old, new)
        elif field == "formats":
            yield from _formats(old, new)
        elif field in ("runs", "chart", "asset", "crop", "rows", "columns", "bands"):
            yield f"other {'styles of parts' if field == 'runs' else 'picture' if field == 'asset' else name}"
        else:
            yield f"{name} {_value(one[field])} → {_value(other[field])}"


def _moves(old: Element, new: Element) -> Iterator[str]:
    for axis, (less, more) in enumerate((("left", "right"), ("up", "down"))):
        if distance := new.bbox[axis] - old.bbox[axis]:
            yield f"{abs(distance)} px {more if distance > 0 else less}"


def _cells(old: Element, new: Element) -> Iterator[str]:
    if len(old.cells) != len(new.cells) or len(old.cells[0]) != len(new.cells[0]):
        sizes = (f"{len(table.cells)} x {len(table.cells[0])}" for table in (old, new))
        yield f"rows x columns {' → '.join(sizes)}"
        return
    for i, (row, later) in enumerate(zip(old.cells, new.cells, strict=True), 1):
        for k, (one, other) in enumerate(zip(row, later, strict=True), 1):
            if one != other:
                yield f"row {i}, column {k} {_value(one)} → {_value(other)}"


def _formats(old: Element, new: Element) -> Iterator[str]:
    for change in format_changes(old, new):
        at = (f"{side} {number}" for side, number in (("row", change.row), ("column", change.column)) if number)
        yield f"{', '.join(at) or 'all cells'} {change.field} {_value(change.before)} → {_value(change.after)}"


def _called(element: Element) -> str:
    """What a person sees of an element: its text, or what it is."""
    if element.text:
        return f'{element.type} "{truncate(" ".join(element.text.split()), 40)}"'
    return f"{element.type} {element.shape}" if element.shape else element.type


def _value(value: object) -> str:
    if isinstance(value, tuple) and len(value) == 3 and all(isinstance(part, int) for part in value):
        return _NAMES.get(value, "#{:02x}{:02x}{:02x}".format(*value))
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "none"
    if isinstance(value, str):
        return f'"{truncate(value, 80)}"'
    return f"{value:g}" if isinstance(value, float) else str(value)
