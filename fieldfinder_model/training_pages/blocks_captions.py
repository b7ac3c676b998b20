"""Blocks whose labels stand under or over the line that they name: signatures, captions, small heads."""

from __future__ import annotations

from itertools import pairwise

from .asking import Line, beneath, habit, start
from .canvas import Block, Sheet
from .labels import Named, named, printed
from .vocabulary import Kind

_SIGNED: frozenset[Kind] = frozenset({"name", "signature", "date", "position", "company", "department"})


def signatures(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Lines to sign on with captions under them, side by side or under each other."""
    dice, style = sheet.dice, sheet.style
    type_ = style.small if dice.chance(0.6) else style.label
    centred, how, y = dice.chance(0.3), habit(sheet), top
    columns = dice.count(1, 3)
    for _ in range(dice.weighted({1: 60, 2: 28, 3: 12})):
        y += style.em * dice.between(2.2, 3.4)
        width = (right - left) / columns
        for i in range(columns):
            x = left + i * width
            end = x + width * (dice.between(0.6, 0.93) if columns > 1 else dice.between(0.35, 0.7))
            name = named(sheet, _SIGNED if dice.chance(0.8) else None, end - x, type_, colon=dice.chance(0.15))
            if name is not None:
                _captioned(sheet, name, x, y, end, centred, how)
        y += type_.line * 1.3
    return y


def captions(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A line with captions under it, one for each of its parts, often after a label of the whole."""
    dice, style = sheet.dice, sheet.style
    small, y = style.small, top
    for _ in range(dice.count(1, 3)):
        y += style.label.line * max(style.spacing, 1.3)
        x = left
        if dice.chance(0.6):
            whole = named(sheet, room=0.35 * (right - left))
            x = printed(sheet, whole, left, y)[2] + dice.between(0.4, 2) * style.em if whole else left
        count = dice.count(1, 4)
        cuts = [x + (right - x) * i / count for i in range(count + 1)]
        apart, centred, how = dice.chance(0.4), dice.chance(0.35), habit(sheet)
        parenthesised = dice.chance(0.5)
        for a, b in pairwise(cuts):
            end = b - (style.em if apart and b < right else 0)
            name = named(sheet, room=end - a - style.em, type_=small, colon=False)
            if name is None:
                sheet.rule(a, y + 0.16 * style.em, end)
                continue
            if parenthesised:
                name = name._replace(shown=f"({name.shown})")
            _captioned(sheet, name, a, y, end, centred, how)
        y += small.line * 1.2
    return y


def _captioned(sheet: Sheet, name: Named, x: float, y: float, end: float, centred: bool, how: str) -> None:
    """A line on the baseline ``y`` with its label under it."""
    dice, style = sheet.dice, sheet.style
    type_ = style.small
    rule = sheet.rule(x, y + 0.16 * style.em, end, "solid" if dice.chance(0.8) else None)
    at = (x + end) / 2 if centred else x + dice.pick([0.0, 0.0, 0.5]) * style.em
    baseline = rule[3] + type_.capital + dice.between(0.15, 0.45) * style.em
    label = printed(sheet, name, at, baseline, type_=type_, align="centre" if centred else "left")
    answer = sheet.answer(name.kind, end - x)
    if answer is not None:
        ink = start(sheet, how, Line(x, y, end, True), answer.width)
        reach = (x, y - 1.5 * style.em, end, rule[1])
        sheet.ask([name.part(label)], answer, ink, y, reach, "above")


def over_lines(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Labels over the line or the white space that they name, one or several in a row."""
    dice, style = sheet.dice, sheet.style
    count = dice.weighted({1: 35, 2: 35, 3: 20, 4: 10})
    ruled, y = dice.chance(0.5), top
    for _ in range(dice.count(1, 3)):
        y += style.label.line
        width = (right - left) / count
        ends = [y]
        for i in range(count):
            x = left + i * width
            end = x + width - style.em
            name = named(sheet, room=end - x)
            if name is not None:
                ends.append(_over(sheet, name, x, y, end, ruled))
        y = max(ends) + dice.between(0.3, 1.2) * style.em
    return y


def _over(sheet: Sheet, name: Named, x: float, y: float, end: float, ruled: bool) -> float:
    style = sheet.style
    label = printed(sheet, name, x, y)
    if not ruled:
        return beneath(sheet, name, [name.part(label)], label, end, style.em * sheet.dice.between(1.6, 4.5), "below")
    base = y + style.label.line * sheet.dice.between(1.2, 1.8)
    rule = sheet.rule(x, base + 0.16 * style.em, end)
    answer = sheet.answer(name.kind, end - x)
    if answer is not None:
        ink = start(sheet, "start", Line(x, base, end, True), answer.width)
        sheet.ask([name.part(label)], answer, ink, base, (x, label[3] + 1, end, rule[1]), "below")
    return rule[3]


BLOCKS: dict[Block, float] = {signatures: 6, captions: 3, over_lines: 9}
"""These blocks, and how often each is met."""
