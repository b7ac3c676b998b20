"""The looks of the cells of tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from .elements import CellFormat, Element, Style

Grid = tuple[tuple[CellFormat, ...], ...]
FORMAT_FIELDS = tuple(CellFormat.model_fields)
"""The fields of style that single cells may have of their own."""
_PLAIN = CellFormat()


def formats_of(table: Element) -> Grid:
    """The format of each cell of a table, row by row."""
    return table.formats or tuple((_PLAIN,) * len(row) for row in table.cells)


def packed(formats: Iterable[Iterable[CellFormat]]) -> Grid:
    """Formats as an element has them: none if no cell differs from others."""
    grid = tuple(map(tuple, formats))
    return grid if any(one != _PLAIN for row in grid for one in row) else ()


def row_style(table: Element, row: int) -> Style:
    """The style of the cells of a row, counted from 0, that have no format of their own; ``fill``: behind them."""
    style = table.style
    if row == 0:
        return style.model_copy(update={"bold": True, "colour": style.head or style.colour})
    return style.model_copy(update={"fill": style.bands[(row - 1) % len(style.bands)] if style.bands else None})


def cell_style(table: Element, row: int, column: int) -> Style:
    """The style of a cell, row and column counted from 0."""
    style = row_style(table, row)
    return styled(style, table.formats[row][column]) if table.formats else style


def styled(style: Style, own: CellFormat) -> Style:
    """A style with a format of its own."""
    update = {name: None if value == "none" else value for name, value in own.__dict__.items() if value is not None}
    return style.model_copy(update=update) if update else style


def with_value(table: Element, row: int, column: int, field: str, value: Any) -> CellFormat:
    """The format of a cell whose style has another value of a field; what the rest of its row has is not its own."""
    own = formats_of(table)[row][column]
    usual = getattr(row_style(table, row), field)
    stored = None if value == usual else "none" if value is None else value
    return CellFormat.model_validate(own.model_dump() | {field: stored})


def cells_in(table: Element, row: int | None, column: int | None) -> list[tuple[int, int]]:
    """The cells in a row and a column, counted from 1, as pairs counted from 0; ``None``: in all."""
    sides = ((row, len(table.cells)), (column, len(table.cells[0])))
    rows, columns = (range(n) if at is None else range(n)[at - 1 : at] for at, n in sides)
    return list(product(rows, columns))


def cleared(table: Element, field: str) -> Grid:
    """The formats of a table after its style has got a value of a field, which is that of a fill for the first row."""
    last = 1 if field == "fill" else len(table.cells)
    rows = [[one.model_copy(update={field: None}) for one in row] for row in table.formats[:last]]
    return packed([*rows, *table.formats[last:]])


class FormatChange(NamedTuple):
    """What differs in the style of cells: the row and the column, counted from 1, and ``None``: all of them."""

    field: str
    row: int | None
    column: int | None
    before: Any
    after: Any


def format_changes(old: Element, new: Element) -> Iterator[FormatChange]:
    """How the cells that two versions of a table share look otherwise.

    What its style explains is left out, where all cells are as it says. All cells, whole rows and whole columns that
    get one value are one change.
    """
    if not (old.formats or new.formats):
        return
    mixed = {field: getattr(old.style, field) for field in FORMAT_FIELDS if _is_mixed(new, field)}
    style = new.style.model_copy(update=mixed)
    old = new.model_copy(update={"formats": blended_formats(old, new, new, ()), "style": style})
    cells = cells_in(new, None, None)
    styles = {cell: (cell_style(old, *cell), cell_style(new, *cell)) for cell in cells}
    parts: list[tuple[int | None, int | None]] = [(None, None), *((row + 1, None) for row in range(len(new.cells)))]
    parts += [(None, column + 1) for column in range(len(new.cells[0]))]
    parts += [(row + 1, column + 1) for row, column in cells]
    for field in FORMAT_FIELDS:
        values = {cell: (getattr(one, field), getattr(other, field)) for cell, (one, other) in styles.items()}
        left = {cell: after for cell, (before, after) in values.items() if before != after}
        for part in parts:
            inside = cells_in(new, *part)
            if inside[0] in left and all(left.get(cell, _PLAIN) == left[inside[0]] for cell in inside):
                yield FormatChange(field, *part, *values[inside[0]])
                left = {cell: value for cell, value in left.items() if cell not in inside}


def _is_mixed(table: Element, field: str) -> bool:
    """Whether some cells have a value of their own for a field, and others none or another one."""
    rows = table.formats[:1] if field == "fill" else table.formats
    return len({getattr(own, field) for row in rows for own in row}) > 1


def blended_formats(base: Element, other: Element, cells: Element, allowed: Iterable[tuple[str, str]]) -> Grid:
    """The formats of one version of a table with some fields of another one.

    Args:
        base: the table, whose formats stay with its rows and columns.
        other: the other version; what only it has is as it has it.
        cells: the table that gets the formats.
        allowed: fields, each with the part of which it is taken over: row and column, such as ``"2:*"``.
    """
    free = {(field, cell) for field, part in allowed for at in _parts(part) for cell in cells_in(other, *at)}
    rows = _sources(base.cells, cells.cells)
    columns = _sources([*zip(*base.cells, strict=True)], [*zip(*cells.cells, strict=True)])
    own, new = formats_of(base), formats_of(other)
    shape = range(len(other.cells)), range(len(other.cells[0]))

    def form(row: int, column: int) -> CellFormat:
        i, k = rows[row], columns[column]
        is_other = row in shape[0] and column in shape[1]
        kept = own[i][k] if i is not None and k is not None else new[row][column] if is_other else _PLAIN
        taken = [field for field in FORMAT_FIELDS if (field, (row, column)) in free]
        look = cell_style(other, row, column) if taken else None
        values = {field: getattr(look, field) for field in taken}
        return kept.model_copy(update={field: "none" if value is None else value for field, value in values.items()})

    return packed([form(row, column) for column in range(len(columns))] for row in range(len(rows)))


def _parts(words: str) -> Iterator[tuple[int | None, int | None]]:
    """Row and column of a part such as ``"2:*"``; nothing of other words."""
    if found := re.fullmatch(r"([0-9]+|\*):([0-9]+|\*)", words):
        row, column = (None if at == "*" else int(at) for at in found.groups())
        yield row, column


def _sources(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]]) -> list[int | None]:
    """For each row or column, the one of the other version that it was; those of as many are in the same order."""
    if len(old) == len(new):
        return list(range(len(new)))
    left = dict(enumerate(old))
    found = []
    for texts in new:
        at = next((i for i, known in left.items() if known == texts), None)
        left.pop(-1 if at is None else at, None)
        found.append(at)
    return found
