"""Asking: a label's answer beside it or under it, on a rule or in white space."""

from __future__ import annotations

from typing import NamedTuple

from ...envs.core.locators import Box
from .canvas import Part, Sheet
from .labels import Named
from .vocabulary import Kind

SEVERAL_LINES: frozenset[Kind] = frozenset({"address", "long", "words", "subject", "company", "name", "product"})
"""Kinds of values that may take several lines."""


class Line(NamedTuple):
    """Where an answer may be written: from ``x`` to ``end`` on the baseline ``y``, with a rule drawn if ``ruled``."""

    x: float
    y: float
    end: float
    ruled: bool


def habit(sheet: Sheet) -> str:
    """Where answers start on their lines: a habit of a block."""
    return sheet.dice.weighted({"start": 66, "anywhere": 20, "centre": 14})


def start(sheet: Sheet, how: str, line: Line, width: float) -> float:
    """Where the ink of an answer of ``width`` starts on ``line``."""
    slack = max(line.end - line.x - width, 0.0)
    em = sheet.style.em
    if how == "centre" and slack < 16 * em:
        return line.x + slack * sheet.dice.between(0.4, 0.6)
    if how != "start":
        return line.x + min(sheet.dice.between(0.0, 0.4) * slack, 7 * em)
    return line.x + min(slack, sheet.dice.pick([0.0, 0.1, 0.3, 0.6, 1.2]) * em)


def on_line(sheet: Sheet, name: Named, parts: list[Part], line: Line, how: str = "start", kind: str = "") -> None:
    """Asks for an answer in one line; draws the rule if the line has one."""
    style = sheet.style
    if line.ruled:
        sheet.rule(line.x, line.y + style.em * 0.16, line.end)
    answer = sheet.answer(name.kind, line.end - line.x)
    if answer is None:
        return
    x = start(sheet, how, line, answer.width)
    reach = (line.x, line.y - 1.35 * style.em, line.end, line.y + (0.16 if line.ruled else 0.6) * style.em)
    sheet.ask(parts, answer, x, line.y, reach, kind or ("line" if line.ruled else "space"))


def in_lines(sheet: Sheet, name: Named, parts: list[Part], first: Line, left: float, count: int, step: float) -> None:
    """Asks for an answer that may take several lines.

    Args:
        sheet: the page.
        name: the label.
        parts: the label and the names that belong to it, with their boxes.
        first: the first line, which may start beside the label.
        left: where the lines under it start.
        count: how many lines there are.
        step: from one to the next, in pixels.
    """
    style, dice = sheet.style, sheet.dice
    for i in range(count if first.ruled else 0):
        sheet.rule(first.x if i == 0 else left, first.y + i * step + style.em * 0.16, first.end)
    # What is typed under the label starts where it started beside it, unless the lines go further left.
    x = (left if dice.chance(0.3) else first.x) + dice.pick([0.0, 0.2, 0.8]) * style.em
    skipped = 1 if x < first.x - 1 or (count > 1 and dice.chance(0.1)) else 0
    lines = max(dice.count(1, max(count - skipped, 1)) for _ in range(2))
    room = (first.end - x) * dice.pick([1.0, 1.0, 1.0, 0.75])
    answer = sheet.answer(name.kind, room, lines, step if first.ruled or dice.chance(0.6) else None)
    if answer is None:
        return
    bottom = first.y + (count - 1) * step + style.em * (0.16 if first.ruled else 0.4)
    reach = (min(left, first.x), first.y - 1.2 * style.em, first.end, bottom)
    sheet.ask(parts, answer, x, first.y + skipped * step, reach, "lines" if count > 1 else "line", "rules")


def beneath(sheet: Sheet, name: Named, parts: list[Part], label: Box, end: float, room: float, kind: str) -> float:
    """Asks for an answer in the white space under its label; returns the bottom of that space.

    Args:
        sheet: the page.
        name: the label.
        parts: the label and the names that belong to it, with their boxes.
        label: the label's box.
        end: the right edge of the space.
        room: its height in pixels.
        kind: of layout.
    """
    style, dice = sheet.style, sheet.dice
    gap = dice.between(0.15, 0.9) * style.em
    step = style.typed.line * dice.between(1.0, 1.2)
    most = max(int((room - gap) / step), 1)
    many = most > 1 and name.kind in SEVERAL_LINES
    answer = sheet.answer(name.kind, end - label[0], max(dice.count(1, most), dice.count(1, most)) if many else 1, step)
    if answer is None:
        return label[3] + room
    how = dice.weighted({"left": 45, "indented": 38, "centre": 17})
    x = label[0] + dice.between(-0.2, 0.4) * style.em
    if how == "indented":
        x += min(dice.between(0.5, 7) * style.em, max(end - x - answer.width, 0))
    elif how == "centre" and not many:
        x = max((label[0] + label[2] - answer.width) / 2, label[0] - 3 * style.em, sheet.left - style.em)
    y = label[3] + gap + answer.rise
    bottom = max(label[3] + room, y + answer.height - answer.rise + 1)
    sheet.ask(parts, answer, x, y, (min(label[0], x), label[3] + 1, end, bottom), kind)
    return bottom
