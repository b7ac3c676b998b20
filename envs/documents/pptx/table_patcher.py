"""Patch tables: their rows and columns, the texts of their cells, and their looks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy

from ..scene.cells import cell_style, formats_of, styled
from ..scene.elements import Element, Style
from .deck import SlideShape
from .tables import cell_text
from .text_patcher import opcodes, patch_look, patch_paragraphs, patch_words
from .text_reader import Look, look_of, sources_of
from .theme_colours import fill_of
from .xml import Node, drop, empty_body, ensured, find, number, set_fill, set_rules, tag, truth

Source = tuple[int, bool]
"""The row or column before an edit that one after it is made of, and whether it is a copy of it."""


def patch_table(found: SlideShape, before: Element, after: Element) -> Iterator[str]:
    """Patch a table in a frame with the changes of its element, except its place.

    Yields:
        What could not be written, a sentence each.
    """
    table = find(found.shape, "a:graphic/a:graphicData/a:tbl")
    columns, rows = _columns_and_rows(table, before, after)
    _arrange_columns(found, table, columns, before, after)
    _arrange_rows(found, table, rows, before, after)
    for i, row in enumerate(table.findall(tag("a:tr"))):
        for k, cell in enumerate(row.findall(tag("a:tc"))):
            _patch_cell(cell, found, (before, rows[i][0], columns[k][0]), (after, i, k))
    if before.opacity != after.opacity:
        yield f"{after.name or after.id}, a table, cannot be transparent in a PowerPoint file"


def _columns_and_rows(table: Node, before: Element, after: Element) -> tuple[list[Source], list[Source]]:
    """What the columns and the rows of a table are made of after an edit."""
    old, new = before.cells, after.cells
    # Where both come or go, columns are known by their heads, and rows by what they have in columns that stay.
    known = 1 if len(old) != len(new) else len(old)
    columns = _sources([*zip(*old[:known], strict=True)], [*zip(*new[:known], strict=True)], range(len(old[0])))
    kept = [(i, k) for k, (i, is_copy) in enumerate(columns) if not is_copy]
    texts = [[row[i] for i, _ in kept] for row in old], [[row[k] for _, k in kept] for row in new]
    models = [i for i, row in enumerate(table.findall(tag("a:tr"))) if i and not _is_merged(row)]
    return columns, _sources(*texts, models or range(min(1, len(old) - 1), len(old)))


def _is_merged(row: Node) -> bool:
    return any(cell.get(name) for cell in row.findall(tag("a:tc")) for name in ("gridSpan", "hMerge", "vMerge"))


def _sources(old: Sequence[Sequence[str]], new: Sequence[Sequence[str]], models: Sequence[int]) -> list[Source]:
    """What rows or columns with these texts are made of; new ones are copies of the nearest model before them."""
    if len(old) == len(new):
        return [(i, False) for i in range(len(new))]
    found: list[Source] = []
    for _, i, j, k, end in opcodes([" ".join(texts) for texts in old], [" ".join(texts) for texts in new]):
        model = max((at for at in models if at < j), default=models[0])
        found += [(i + at, False) if i + at < j else (model, True) for at in range(end - k)]
    return found


def _arrange_columns(found: SlideShape, table: Node, columns: list[Source], before: Element, after: Element) -> None:
    nodes = find(table, "a:tblGrid").findall(tag("a:gridCol"))
    total = sum(number(node, "w") for node in nodes) * after.bbox[2] / before.bbox[2]
    if len(before.cells[0]) != len(after.cells[0]):
        nodes = _arranged(nodes, columns)
        for row in table.findall(tag("a:tr")):
            _mend_spans(_arranged(row.findall(tag("a:tc")), columns), "hMerge", "gridSpan")
    elif before.columns == after.columns:
        return
    _resize(found, nodes, ("w", "cx"), total, after.columns, after.bbox[2] - before.bbox[2])


def _arrange_rows(found: SlideShape, table: Node, rows: list[Source], before: Element, after: Element) -> None:
    nodes = table.findall(tag("a:tr"))
    if len(before.cells) != len(after.cells):
        nodes = _arranged(nodes, rows)
        for column in zip(*(node.findall(tag("a:tc")) for node in nodes), strict=True):
            _mend_spans(column, "vMerge", "rowSpan")
    elif before.rows == after.rows:
        return
    _resize(found, nodes, ("h", "cy"), after.bbox[3] * found.slide.emu, after.rows, after.bbox[3] - before.bbox[3])


def _arranged(nodes: list[Node], sources: list[Source]) -> list[Node]:
    """Put the nodes of rows, columns or cells in another order, with copies of some and without others."""
    parent, at = nodes[0].getparent(), nodes[0].getparent().index(nodes[0])
    made_of = [_copied(nodes[i]) if is_copy else nodes[i] for i, is_copy in sources]
    for node in nodes:
        parent.remove(node)
    parent[at:at] = made_of
    return made_of


def _copied(node: Node) -> Node:
    again = deepcopy(node)
    for one in again.iter():
        drop(one, "a:extLst")
    return again


def _mend_spans(cells: Sequence[Node], merged: str, span: str) -> None:
    """Let the first of merged cells span as many as follow it."""
    first, length = cells[0], 0
    for cell in cells:
        if cell is not cells[0] and truth(cell.get(merged)):
            length += 1
        else:
            first, length = cell, 1
            first.attrib.pop(merged, None)
            first.attrib.pop(span, None)
        if length > 1:
            first.set(span, str(length))


def _resize(
    found: SlideShape, nodes: list[Node], keys: tuple[str, str], total: float, shares: Sequence[float], more: int
) -> None:
    """Size rows or columns by shares, and their frame with them.

    Args:
        found: the frame.
        nodes: of the rows or columns.
        keys: the attributes of their sizes and of that of the frame.
        total: the sum of their sizes, in EMU.
        shares: their relative sizes after it; none: all are alike.
        more: how much the table grows, in pixels.
    """
    extent = find(found.shape, "p:xfrm/a:ext")
    extent.set(keys[1], str(round(number(extent, keys[1]) + more * found.slide.emu)))
    shares = shares or (1.0,) * len(nodes)
    for node, portion in zip(nodes, shares, strict=True):
        node.set(keys[0], str(max(1, round(total * portion / sum(shares)))))


CellOf = tuple[Element, int, int]
"""A table, and the row and the column of a cell in it, counted from 0."""


def _patch_cell(cell: Node, found: SlideShape, before: CellOf, after: CellOf) -> None:
    """Patch the text and the look of a cell where they differ."""
    table, row, column = after
    old, new, fields = _looks(before, after)
    if cell_text(cell) != table.cells[row][column]:
        body = _body(cell)
        patch_words(body, sources_of(found, body), table.cells[row][column])
    looks = zip(Look._fields, look_of(old), look_of(new), strict=True)
    if changes := tuple((name, now) for name, then, now in looks if then != now or name in fields):
        body = _body(cell)
        patch_look(body, sources_of(found, body), changes)
    if (old.align, old.line_height) != (new.align, new.line_height):
        patch_paragraphs(_body(cell), old, new)
    _patch_fill(cell, found, before, after)
    if _rules(before[0]) != _rules(table):
        set_rules(cell, table, found.slide.emu)


def _looks(before: CellOf, after: CellOf) -> tuple[Style, Style, set[str]]:
    """The style of a cell before and after an edit, and the fields that are written even if they are the same."""
    (old, i, k), (new, row, column) = before, after
    if new.cells[row][column].strip() and not old.cells[i][k].strip():
        # Nothing was known of the look of words where there were none.
        style = cell_style(new, row, column)
        other = style.model_copy(update={"align": "right" if style.align == "left" else "left"})
        return other, style, set(Look._fields)
    # What the style of the table gives to its first row is nothing that a cell has of its own.
    look = cell_style if i == row == 0 else _own_style
    was, own = formats_of(old)[i][k], formats_of(new)[row][column]
    fields = {name for name, value in own.__dict__.items() if value is not None and value != getattr(was, name)}
    return look(old, i, k), look(new, row, column), fields


def _own_style(table: Element, row: int, column: int) -> Style:
    return styled(table.style, formats_of(table)[row][column])


def _rules(table: Element) -> tuple[object, int]:
    return table.style.stroke, table.style.stroke_width


def _patch_fill(cell: Node, found: SlideShape, before: CellOf, after: CellOf) -> None:
    """Patch the fill of a cell; one of the style of the table, such as that of every second row, needs none."""
    (old, i, k), (new, row, column) = before, after
    fills = cell_style(old, i, k).fill, cell_style(new, row, column).fill
    own = formats_of(old)[i][k].fill, formats_of(new)[row][column].fill
    is_moved = i != row and fill_of(find(cell, "a:tcPr"), found.slide.theme) is not None
    if own[0] != own[1] or ((is_moved or i == row == 0) and fills[0] != fills[1]):
        set_fill(ensured(cell, "a:tcPr", 1), fills[1])


def _body(cell: Node) -> Node:
    body = find(cell, "a:txBody")
    if body is None:
        body = empty_body("a:txBody")
        cell.insert(0, body)
    return body
