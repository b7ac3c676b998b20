"""Blocks of labels with their answers to the right: heads of memos and fax covers, pairs in rows, figures."""

from __future__ import annotations

from itertools import pairwise

from . import vocabulary
from .asking import SEVERAL_LINES, Line, habit, in_lines, on_line
from .canvas import Block, Sheet
from .labels import Named, dressed, lines_of, named, printed
from .vocabulary import Kind

_FIGURES: frozenset[Kind] = frozenset({"money", "number", "small_number", "percent", "measure", "date", "code"})


def aligned(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Labels under each other; their answers start at one tab stop."""
    names = _several(sheet, sheet.dice.count(2, 8), 0.5 * (right - left))
    return _at_tab(sheet, names, left, top, right)


def memo_head(sheet: Sheet, left: float, top: float, right: float) -> float:
    """To, from, subject, date: labels that belong together, their answers at one tab stop."""
    return _at_tab(sheet, _set(sheet, sheet.dice.pick(["memo", "fax", "memo", "report"])), left, top, right)


def fax_cover(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The sender at the left, the receiver at the right, or all under each other."""
    names = _set(sheet, "fax")
    if len(names) < 4 or sheet.dice.chance(0.4):
        return _at_tab(sheet, names, left, top, right)
    middle = left + (right - left) * sheet.dice.between(0.45, 0.55)
    half = (len(names) + 1) // 2
    ends = (
        _at_tab(sheet, names[:half], left, top, middle - sheet.style.em),
        _at_tab(sheet, names[half:], middle, top, right),
    )
    return max(ends)


def _set(sheet: Sheet, genre: vocabulary.Genre) -> list[Named]:
    labels = sheet.dice.pick(vocabulary.sets(genre))
    if sheet.style.language != "en" or sheet.dice.chance(0.25):
        return _several(sheet, min(len(labels), 6), sheet.width * 0.3)
    new = [label for label in labels if label.text.lower() not in sheet.used]
    sheet.used.update(label.text.lower() for label in new)
    return [dressed(sheet, label) for label in new]


def _several(sheet: Sheet, count: int, room: float) -> list[Named]:
    found = (named(sheet, room=room) for _ in range(count))
    return [name for name in found if name is not None]


def _at_tab(sheet: Sheet, names: list[Named], left: float, top: float, right: float) -> float:
    style, dice = sheet.style, sheet.dice
    em = style.em
    most = min(dice.spread(10, 0.35, 4, 22) * em, 0.62 * (right - left))
    wraps, last = dice.chance(0.45), dice.chance(0.5)
    names = [n for n in names if (wraps and lines_of(n, style.label, most) > 1) or style.label.width(n.shown) < most]
    if not names:
        return top
    widest = min(max(style.label.width(name.shown) for name in names), most)
    ruled, to_the_right = dice.chance(0.35), dice.chance(0.14)
    tab = left + widest + dice.weighted({0.5: 38, 1.3: 36, 3.0: 20, 6.0: 6}) * em * dice.between(0.7, 1.4)
    end = right if not ruled or dice.chance(0.5) else tab + (right - tab) * dice.between(0.35, 0.9)
    if end - tab < 5 * em:
        return top
    step, how, y = style.label.line * style.spacing, habit(sheet) if ruled else "start", top
    for name in names:
        y += step
        x = tab - dice.between(0.4, 0.7) * em if to_the_right else left
        box = printed(sheet, name, x, y, most, align="right" if to_the_right else "left")
        hangs = (lines_of(name, style.label, most) - 1) * style.label.line
        y += hangs if last else 0
        count = dice.count(2, 4) if name.kind in SEVERAL_LINES and dice.chance(0.3) else 1
        line = Line(tab, y, end, ruled)
        if count == 1:
            on_line(sheet, name, [name.part(box)], line, how)
        else:
            pitch = step if ruled else style.typed.line * 1.1
            in_lines(sheet, name, [name.part(box)], line, tab, count, pitch)
            y += (count - 1) * pitch
        y += 0 if last else max(hangs - (count - 1) * step, 0)
    return y + step * 0.4


def pairs(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Rows of one to four labels, each with a line or white space after it."""
    dice, style = sheet.dice, sheet.style
    ruled, how = dice.chance(0.6), habit(sheet)
    step, y = style.label.line * max(style.spacing, 1.15), top
    cuts = _cuts(sheet)
    for _ in range(dice.count(1, 6)):
        y += step
        if dice.chance(0.4):
            cuts = _cuts(sheet)
        for a, b in pairwise(cuts):
            x, end = left + (right - left) * a, left + (right - left) * b
            _pair(sheet, x, y, end - (0.8 * style.em if b < 1 else 0), ruled, how)
    return y + step * 0.4


def _cuts(sheet: Sheet) -> list[float]:
    dice = sheet.dice
    count = dice.weighted({1: 40, 2: 38, 3: 16, 4: 6})
    inner = sorted((i + dice.between(-0.3, 0.3)) / count for i in range(1, count))
    return [0.0, *inner, 1.0]


def _pair(sheet: Sheet, x: float, y: float, end: float, ruled: bool, how: str) -> None:
    dice, em = sheet.dice, sheet.style.em
    name = named(sheet, room=0.7 * (end - x))
    if name is None:
        return
    box = sheet.text(x, y, name.shown, sheet.style.label, underlined=sheet.style.underlined)
    first = box[2] + (dice.between(0.05, 0.5) if ruled else dice.between(0.4, 1.2)) * em
    if ruled and dice.chance(0.3):
        end = first + (end - first) * dice.between(0.4, 1.0)
    if end - first > 1.6 * em:
        on_line(sheet, name, [name.part(box)], Line(first, y, end, ruled), how)


def figures(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Labels under each other with figures that end at one right edge, led to by dots or not."""
    dice, style = sheet.dice, sheet.style
    em, step = style.em, style.label.line * min(style.spacing, 1.6)
    room = dice.between(3.5, 7) * em
    edge = min(left + dice.between(8, 20) * em + room, right) if dice.chance(0.88) else right
    look = dice.weighted({"none": 40, "rule": 35, "dots": 25})
    other: Kind = "money" if dice.chance(0.5) else "number"
    kinds = {dice.pick(sorted(_FIGURES)), other}
    y = top
    for _ in range(dice.count(2, 8)):
        y += step
        name = named(sheet, kinds, edge - room - left - em, colon=dice.chance(0.5))
        answer = name and sheet.answer(name.kind, room)
        if name is None or answer is None:
            continue
        box = printed(sheet, name, left, y)
        if look == "dots":
            sheet.rule(box[2] + 0.4 * em, y - 1, edge - room - 0.3 * em, "dotted")
        elif look == "rule":
            sheet.rule(edge - room, y + 0.16 * em, edge)
        x = edge - answer.width - dice.between(0.0, 0.3) * em
        reach = (edge - room, y - 1.35 * em, edge, y + 0.16 * em)
        sheet.ask([name.part(box)], answer, x, y, reach, "line" if look == "rule" else "space")
    return y + step * 0.4


BLOCKS: dict[Block, float] = {aligned: 22, memo_head: 12, fax_cover: 5, pairs: 30, figures: 6}
"""These blocks, and how often each is met."""
