"""INSERT, REMOVE and SHIFT: the rows and columns of tables, and the items of lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...core.tools import ToolError
from ..painting.texts import text_height
from ..scene.cells import formats_of, packed
from ..scene.document import Document, changed, element_of, possible_box
from ..scene.elements import Element, Run, split_runs
from .operation import EditOperation, OperationTool
from .values import index_of

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """What some elements have several of, in order.

    Attributes:
        types: of the elements.
        of: all of them in an element.
        made: a new one from its content and its neighbour.
        fields: the fields of an element with others.
        first: the index of the first that new ones are made like.
    """

    types: tuple[str, ...]
    of: Callable[[Element], list[Any]]
    made: Callable[[Any, Any], Any]
    fields: Callable[[Element, list[Any]], Fields]
    first: int = 0


def insert(document: Document, object_id: Any, part: Any, at: Any, content: Any = "") -> Document:
    """Insert a row or a column into a table, or an item into a list; it gets the number ``at``.

    Args:
        document: what is edited.
        object_id: of the table, or of the list, text or shape.
        part: ``"row"``, ``"column"`` or ``"item"`` (a line of a text).
        at: its number, counted from 1; one more than there are: at the end.
        content: the text of an item, or those of the cells: a list, or with tabs between them.

    Raises:
        ToolError: if there is no such element, it has no such parts, or the content does not fit.
    """
    element, kind = _element(document, object_id, part)
    parts = kind.of(element)
    index = index_of(at, part, len(parts) + 1)
    made = kind.made(content, parts[max(index - 1, min(kind.first, len(parts) - 1))])
    return _changed(document, element, kind, [*parts[:index], made, *parts[index:]])


def remove(document: Document, object_id: Any, part: Any, at: Any) -> Document:
    """Remove a row or a column of a table, or an item of a list, by its number.

    Raises:
        ToolError: if there is no such element or part, or no other one.
    """
    element, kind = _element(document, object_id, part)
    parts = kind.of(element)
    del parts[index_of(at, part, len(parts))]
    if not parts:
        raise ToolError(f"The only {part} of {element.id} cannot be removed; DELETE removes the whole {element.type}.")
    return _changed(document, element, kind, parts)


def shift(document: Document, object_id: Any, part: Any, at: Any, to: Any) -> Document:
    """Move a row or a column of a table, or an item of a list, which gets the number ``to``.

    Raises:
        ToolError: if there is no such element or part.
    """
    element, kind = _element(document, object_id, part)
    parts = kind.of(element)
    parts.insert(index_of(to, part, len(parts)), parts.pop(index_of(at, part, len(parts))))
    return _changed(document, element, kind, parts)


def _element(document: Document, object_id: Any, part: Any) -> tuple[Element, Part]:
    element, kind = element_of(document, object_id), PARTS.get(str(part).strip().lower())
    if kind is None or element.type not in kind.types:
        had = " or ".join(f"{name}s" for name, one in PARTS.items() if element.type in one.types)
        raise ToolError(f"{element.id}, of type {element.type}, has no {part!r}; it has {had or 'no parts'}.")
    return element, kind


def _changed(document: Document, element: Element, kind: Part, parts: list[Any]) -> Document:
    try:
        return changed(document, element.id, **kind.fields(element, parts))
    except ValueError as error:
        raise ToolError(f"{element.id} cannot be so: {str(error).splitlines()[0]}.") from None


def _rows(table: Element) -> list[Any]:
    """The relative height of each row, its cells and their formats."""
    return list(zip(table.rows or (1.0,) * len(table.cells), table.cells, formats_of(table), strict=True))


def _columns(table: Element) -> list[Any]:
    """The relative width of each column, its cells and their formats."""
    cells, formats = (list(zip(*grid, strict=True)) for grid in (table.cells, formats_of(table)))
    return list(zip(table.columns or (1.0,) * len(cells), cells, formats, strict=True))


def _with_rows(element: Element, rows: list[Any]) -> Fields:
    """The fields of a table with other rows, each as high as they were."""
    heights, cells, formats = zip(*rows, strict=True)
    height = element.bbox[3] * sum(heights) / (sum(element.rows) or len(element.cells))
    is_even = len(set(heights)) == 1
    return {
        "cells": cells,
        "rows": () if is_even else heights,
        "formats": packed(formats),
        "bbox": possible_box(*element.bbox[:3], round(height)),
    }


def _with_columns(element: Element, columns: list[Any]) -> Fields:
    """The fields of a table with other columns, as wide as it was."""
    widths, cells, formats = zip(*columns, strict=True)
    return {
        "cells": list(zip(*cells, strict=True)),
        "columns": widths if len(set(widths)) > 1 else (),
        "formats": packed(zip(*formats, strict=True)),
    }


def _cells(content: Any, neighbour: Any) -> tuple[float, list[str], Any]:
    """A new row or column: as its neighbour, with other texts, of which those that are not given are empty."""
    size, cells, formats = neighbour
    given = content.split("\t") if isinstance(content, str) else content
    if not isinstance(given, Sequence) or len(given) > len(cells):
        raise ToolError(
            f"{content!r} does not fit into {len(cells)} cells: it is a list of texts, or has tabs between them."
        )
    return size, [*map(str, given), *[""] * (len(cells) - len(given))], formats


Item = tuple[int, list[Run]]
"""How deep an item of a list is, and its text."""


def _items(element: Element) -> list[Item]:
    return [(element.level_of(number), runs) for number, runs in enumerate(split_runs(element.runs, "\n"))]


def _with_items(element: Element, items: list[Item]) -> Fields:
    """The fields of a text with other lines; a text or a list is at least as high as they are."""
    levels = tuple(level for level, _ in items)
    runs = items[0][1]
    for _, item in items[1:]:
        last = next(iter(runs[-1:] or item), Run(text=""))
        runs = [*runs, last.model_copy(update={"text": "\n"}), *item]
    fields: Fields = {"runs": tuple(runs), "levels": levels if any(levels) else ()}
    edited = element.model_copy(update=fields)
    height = max(element.bbox[3], 1 if element.type == "shape" else text_height(edited))
    return fields | {"bbox": possible_box(*element.bbox[:3], height)}


def _item(content: Any, neighbour: Item) -> Item:
    """A new item, as deep as its neighbour and in the style of its first words."""
    level, runs = neighbour
    model = runs[0] if runs else Run(text="")
    return level, [model.model_copy(update={"text": str(content)})]


PARTS = {
    "row": Part(("table",), _rows, _cells, _with_rows, first=1),
    "column": Part(("table",), _columns, _cells, _with_columns),
    "item": Part(("list", "text", "shape"), _items, _item, _with_items),
}
"""The parts of elements by their names."""
INSERT = EditOperation(
    insert,
    'Insert a "row" or "column" of a table (texts of its cells) or an "item" of a list, which gets the number `at`.',
    (
        'Add "Sunday, 9 to 12" as the third line of the opening hours.',
        'INSERT("e11", "item", 3, "Sunday, 9 to 12")',
    ),
    (
        OperationTool(
            "insert",
            "Insert a row or a column into a table, or an item into a list.",
            ("object_id", "part", "at", "content"),
        ),
    ),
    typesets="content",
)
REMOVE = EditOperation(
    remove,
    'Remove the "row", "column" or "item" of a number.',
    (
        "Take the second row out of the price list.",
        'REMOVE("e9", "row", 2)',
    ),
    (
        OperationTool(
            "remove", "Remove a row or a column of a table, or an item of a list.", ("object_id", "part", "at")
        ),
    ),
    typesets="object_id",
)
SHIFT = EditOperation(
    shift,
    'Move the "row", "column" or "item" of a number, which gets the number `to`.',
    (
        "Put the last of the three points first.",
        'SHIFT("e11", "item", 3, 1)',
    ),
    (
        OperationTool(
            "shift", "Move a row or a column of a table, or an item of a list.", ("object_id", "part", "at", "to")
        ),
    ),
    typesets="object_id",
)
