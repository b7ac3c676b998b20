"""Blocks of ruled boxes: captions in the corners of wide cells, and ledgers of a label cell and an answer cell."""

from __future__ import annotations

from itertools import pairwise

from .asking import SEVERAL_LINES, Line, start
from .canvas import Block, Sheet
from .labels import Named, named, printed


def sheet_of_cells(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Rows of one to three cells, each with a small caption in its upper left corner and its answer under it."""
    dice, style = sheet.dice, sheet.style
    y = top
    for _ in range(dice.count(2, 6)):
        tall = dice.chance(0.25)
        height = style.small.line * 1.2 + style.typed.line * (dice.count(2, 6) if tall else dice.between(1.1, 1.8))
        count = 1 if tall else dice.weighted({1: 35, 2: 40, 3: 25})
        inner = sorted((i + dice.between(-0.3, 0.3)) / count for i in range(1, count))
        edges = [left + (right - left) * share for share in (0.0, *inner, 1.0)]
        for a, b in pairwise(edges):
            sheet.frame((a, y, b + style.thickness, y + height + style.thickness))
            _cell(sheet, (a, y, b, y + height), tall)
        y += height
    return y + 0.6 * style.em


def _cell(sheet: Sheet, cell: tuple[float, float, float, float], tall: bool) -> None:
    dice, style = sheet.dice, sheet.style
    left, top, right, bottom = cell
    small = style.small if style.small.size < style.label.size else style.label.scaled(0.8)
    name = named(sheet, SEVERAL_LINES if tall else None, right - left - style.em, small, colon=dice.chance(0.3))
    if name is None:
        return
    edge = style.thickness + 1
    label = printed(sheet, name, left + 0.35 * style.em, top + edge + small.line * 0.95, type_=small)
    lines = max(int((bottom - label[3]) / (style.typed.line * 1.15)), 1)
    inset = dice.pick([0.4, 0.8, 1.5, 3.0]) * style.em
    answer = sheet.answer(name.kind, right - left - inset - edge, lines, style.typed.line * 1.1)
    if answer is None or answer.height > bottom - label[3]:
        return
    slack = max(bottom - label[3] - answer.height - 2 * edge, 0)
    y = label[3] + edge + answer.rise + slack * dice.between(0.0, 0.9 if lines == 1 else 0.4)
    reach = (left + edge, label[3] + 1, right - edge, bottom - edge)
    sheet.ask([name.part(label)], answer, left + inset, y, reach, "cell")


def ledger(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Ruled rows with a label in their left cell and the answer in the right one; some rows hold two such pairs."""
    dice, style = sheet.dice, sheet.style
    em, count = style.em, dice.count(2, 8)
    height = style.label.line * dice.between(1.2, 1.9)
    middle = left + (right - left) * dice.between(0.22, 0.5)
    how, y = dice.weighted({"start": 65, "centre": 35}), top
    for _ in range(count):
        name = named(sheet, room=middle - left - 0.8 * em)
        cuts = [left, middle, right]
        if dice.chance(0.2):
            cuts = [left, middle, (middle + right) / 2, (middle + 3 * right) / 4, right]
        for a, b in pairwise(cuts):
            sheet.frame((a, y, b + style.thickness, y + height + style.thickness))
        for a, b, c in zip(cuts[::2], cuts[1::2], cuts[2::2], strict=False):
            if a > left:
                name = named(sheet, room=b - a - 0.8 * em)
            if name is not None:
                _pair(sheet, name, (a, b, c), (y, y + height), how)
        y += height
    return y + 0.6 * em


def _pair(sheet: Sheet, name: Named, edges: tuple[float, float, float], rows: tuple[float, float], how: str) -> None:
    """A label in one cell and its answer in the next."""
    style = sheet.style
    left, middle, right = edges
    y = (rows[0] + rows[1]) / 2 + style.label.capital / 2
    label = printed(sheet, name, left + 0.35 * style.em, y)
    edge = style.thickness + 1
    answer = sheet.answer(name.kind, right - middle - 0.6 * style.em)
    if answer is not None:
        x = start(sheet, how, Line(middle + 0.4 * style.em, y, right, False), answer.width)
        reach = (middle + edge, rows[0] + edge, right - edge, rows[1] - edge)
        sheet.ask([name.part(label)], answer, x, y, reach, "cell")


BLOCKS: dict[Block, float] = {sheet_of_cells: 5, ledger: 6}
"""These blocks, and how often each is met."""
