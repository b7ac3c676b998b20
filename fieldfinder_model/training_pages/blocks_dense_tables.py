"""Tables of dense forms: debts, assets, vehicles in ruled rows that are empty, numbered or named."""

from __future__ import annotations

from collections.abc import Sequence

from ...envs.core.locators import Box
from . import vocabulary
from .blocks_dense_look import Look, inner, inset, labels, look, put, shown
from .canvas import Part, Sheet
from .vocabulary import Column, Kind, Label, TableWords
from .writing import wrapped

_CELL_KINDS: dict[Kind, Kind] = {"long": "words", "address": "street"}
"""What is written in a cell where its column asks for more than a cell holds."""


def ledger(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A ruled table of debts, assets, vehicles: heads of columns, empty rows that are numbered or have names."""
    dice = sheet.dice
    look_ = look(sheet)
    words = _table(sheet)
    rows = words.rows[: dice.count(2, 8)] or tuple(_numbers(sheet, dice.count(2, 6)))
    named = bool(words.rows) or dice.chance(0.55)
    edges = _edges(sheet, left, right, words.columns, (dice.between(1.2, 2.2) if words.rows else 0.3) if named else 0.0)
    heads, y = _column_heads(sheet, look_, words.columns, edges, top)
    if heads is None:
        return top
    pitch = look_.type.line * dice.between(1.3, 2.3)
    for i, row in enumerate(rows):
        sheet.rule(left, y, right, "solid")
        head = _row_head(sheet, look_, row, (left, y, edges[0], y + pitch)) if named else None
        for column, part, a, b in zip(words.columns, heads, edges, edges[1:], strict=False):
            asked = _cell_parts(sheet, part, head, i)
            box = inner((a, y, b, y + pitch), sheet)
            if asked:
                put(sheet, look_, _CELL_KINDS.get(column.kind, column.kind), asked, inset(box, look_.pad), box, "table")
        y += pitch
    _table_rules(sheet, (left, top, right, y), edges)
    return y + 0.5 * sheet.style.em


def _table(sheet: Sheet) -> TableWords:
    if sheet.style.language == "en":
        return sheet.dice.pick([words for words in vocabulary.tables() if len(words.columns) > 2])
    return TableWords(tuple(Column(*label, "") for label in labels(sheet, sheet.dice.count(3, 6))), (), "")


def _numbers(sheet: Sheet, count: int) -> list[str]:
    form = sheet.dice.pick(["{}", "{}.", "({})", "{})"])
    return [form.format(i + 1) for i in range(count)]


def _edges(sheet: Sheet, left: float, right: float, columns: Sequence[Column], first: float) -> list[float]:
    weights = [first, *(sheet.dice.between(0.7, 1.4) for _ in columns)]
    edges, x = [], left
    for weight in weights:
        x += (right - left) * weight / sum(weights)
        edges.append(x)
    return edges


def _column_heads(
    sheet: Sheet, look_: Look, columns: Sequence[Column], edges: Sequence[float], top: float
) -> tuple[list[Part] | None, float]:
    type_, dice = look_.type, sheet.dice
    texts = [shown(sheet, Label(column.text, column.kind), colon=False) for column in columns]
    lines = [
        wrapped(text, type_, b - a - 2 * look_.pad, 2, may_cut=False)
        for text, a, b in zip(texts, edges, edges[1:], strict=False)
    ]
    if not all(lines):
        return None, top
    centred = dice.chance(0.5)
    height = max(len(one) for one in lines) * type_.line
    heads: list[Part] = []
    for text, one, a, b in zip(texts, lines, edges, edges[1:], strict=False):
        x = (a + b) / 2 if centred else a + look_.pad
        y = top + 0.25 * type_.size + type_.capital + (height - len(one) * type_.line) / 2
        heads.append((text, sheet.lines(x, y, one, type_, align="centre" if centred else "left")))
    return heads, top + height + 0.5 * type_.size


def _row_head(sheet: Sheet, look_: Look, text: str, box: Box) -> Part | None:
    lines = wrapped(text, look_.type, box[2] - box[0] - look_.pad, 1, may_cut=False)
    if not lines:
        return None
    return text, sheet.text(box[0] + look_.pad, (box[1] + box[3] + look_.type.capital) / 2, lines[0], look_.type)


def _cell_parts(sheet: Sheet, column: Part, row: Part | None, place: int) -> list[Part]:
    """The parts of the target of a cell; empty where the cell is not asked for."""
    if row is None:
        return [column] if place == 0 else []
    if place == 0 and sheet.dice.chance(0.3):
        return [column]
    if not sheet.dice.chance(0.6):
        return []
    number = row[0].strip("().")
    said = row[0] if not number.isdigit() else sheet.dice.pick([number, f"Row {number}", f"No. {number}"])
    return [column, (said, row[1])]


def _table_rules(sheet: Sheet, box: Box, edges: Sequence[float]) -> None:
    sheet.frame((round(box[0]), round(box[1]), round(box[2]) + 1, round(box[3]) + 1))
    for x in edges[:-1]:
        if x > box[0] + 1:
            sheet.upright(round(x), box[1], box[3])


BLOCKS = {ledger: 14.0}
"""These blocks, and how often each is met."""
