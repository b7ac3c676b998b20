"""Blocks with long answers: comments, questionnaires, blanks in prose."""

from __future__ import annotations

from ...envs.core.locators import Box
from ..reading.boxes import around
from . import vocabulary
from .asking import Line, beneath, in_lines, on_line
from .canvas import Block, Sheet
from .labels import Named, named, printed
from .vocabulary import Blank, Kind
from .writing import wrapped

_LONG: frozenset[Kind] = frozenset({"long", "subject", "address"})


def comments(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A label with several lines after it and under it, ruled or not."""
    dice, style = sheet.dice, sheet.style
    y = top
    for _ in range(dice.count(1, 2)):
        name = named(sheet, _LONG, 0.5 * (right - left))
        if name is None:
            return y
        y += style.label.line * style.spacing
        box = printed(sheet, name, left, y)
        ruled, count = dice.chance(0.45), dice.count(2, 8)
        pitch = style.label.line * (max(style.spacing, 1.2) if ruled else dice.between(1.0, 1.4))
        beside = dice.chance(0.6)
        first = Line(box[2] + dice.between(0.3, 1.5) * style.em, y, right, ruled) if beside else None
        hanging = first.x if first and dice.chance(0.5) else left
        if first is None:
            first = Line(left, y + pitch, right, ruled)
        in_lines(sheet, name, [name.part(box)], first, hanging, count, pitch)
        y = first.y + (count - 1) * pitch + style.em * dice.between(0.3, 1.0)
    return y


def under_label(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A label with white space or a frame under it."""
    dice, style = sheet.dice, sheet.style
    name = named(sheet, _LONG if dice.chance(0.75) else None, right - left - 2 * style.em)
    if name is None:
        return top
    framed, room = dice.chance(0.4), style.em * dice.between(2.5, 12)
    inside = left + (0.4 * style.em if framed else 0)
    box = printed(sheet, name, inside, top + style.label.line)
    end = beneath(sheet, name, [name.part(box)], box, right - 0.4 * style.em, room, "below")
    if framed:
        sheet.frame((left, top, right, end + 0.3 * style.em))
    return end + 0.6 * style.em


def questionnaire(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Numbered questions with answers after them, under them or at the right margin."""
    dice, style = sheet.dice, sheet.style
    marks = dice.pick(["{}.", "{}.", "{})", "Q{}.", "Q.{}", "{}", ""])
    first = dice.pick([1, 1, 1, dice.count(2, 30)])
    where = dice.weighted({"after": 40, "beneath": 45, "margin": 15})
    indent = style.label.width("00. ") + dice.between(0, 1) * style.em if marks else 0.0
    y = top
    for number in range(first, first + dice.count(2, 6)):
        name = _question(sheet)
        if name is None:
            continue
        y += style.label.line * max(style.spacing, 1.15)
        mark = marks.format(number)
        if mark:
            sheet.text(left, y, mark, style.label)
        y = _question_block(sheet, name, left + indent, y, right, where)
    return y + 0.4 * style.em


def _question(sheet: Sheet) -> Named | None:
    if sheet.style.language != "en":
        return named(sheet)
    return named(sheet, words=vocabulary.questions(), colon=False)


def _question_block(sheet: Sheet, name: Named, x: float, y: float, right: float, where: str) -> float:
    dice, style = sheet.dice, sheet.style
    em, step = style.em, style.label.line
    margin = dice.between(5, 9) * em if where == "margin" else 0.0
    lines = wrapped(name.shown, style.label, right - x - margin - em, 3, may_cut=False)
    if not lines:
        return y
    box = sheet.lines(x, y, lines, style.label)
    last = x + style.label.width(lines[-1])
    y += (len(lines) - 1) * step
    ruled = dice.chance(0.5)
    if where == "margin":
        on_line(sheet, name, [name.part(box)], Line(right - margin, y, right, ruled))
    elif where == "after" and right - last > 7 * em:
        on_line(sheet, name, [name.part(box)], Line(last + dice.between(0.4, 1.2) * em, y, right, ruled))
    elif ruled:
        count = dice.count(1, 3)
        pitch = step * max(style.spacing, 1.2)
        in_lines(sheet, name, [name.part(box)], Line(x, y + pitch, right, True), x, count, pitch)
        y += count * pitch
    else:
        y = beneath(sheet, name, [name.part(box)], box, right, em * dice.between(1.6, 5), "below")
    return y


def prose(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Sentences with blanks, set as running text."""
    dice, style = sheet.dice, sheet.style
    type_ = style.body if dice.chance(0.5) else style.label
    step = type_.line * max(style.spacing * 0.85, 1.2)
    x, y = left + dice.pick([0.0, 0.0, 2.0]) * style.em, top + step
    for part in dice.pick(vocabulary.prose()):
        if isinstance(part, Blank):
            x, y = _blank(sheet, part, x, y, (left, right, step))
            continue
        for word in part.split():
            if x + type_.width(word) > right:
                x, y = left, y + step
            sheet.text(x, y, word, type_)
            x += type_.width(f"{word} ")
    return y + step * 0.6


def _blank(sheet: Sheet, blank: Blank, x: float, y: float, frame: tuple[float, float, float]) -> tuple[float, float]:
    """A blank in running text that is asked for by what stands before it; returns where the text goes on."""
    dice, em = sheet.dice, sheet.style.em
    left, right, step = frame
    width = (
        dice.between(4, 8) * em
        if blank.kind in ("small_number", "date", "state", "percent")
        else dice.between(7, 18) * em
    )
    if x + width > right:
        x, y = left, y + step
    end = min(x + width, right)
    before = _asked_by(sheet, blank)
    sheet.rule(x, y + 0.14 * em, end)
    answer = sheet.answer(blank.kind, end - x)
    if answer is not None and before is not None:
        at = x + dice.between(0, 0.5) * max(end - x - answer.width, 0)
        reach = (x, y - min(step, 1.3 * em), end, y + 0.14 * em)
        sheet.ask([(blank.ask, before)], answer, at, y, reach, "prose")
    return end + 0.35 * em, y


def _asked_by(sheet: Sheet, blank: Blank) -> Box | None:
    """The box of the last words before a blank on their line, as many as it is asked by."""
    last = sheet.words[-1:]
    words = [word.box for word in sheet.words[-len(blank.ask.split()) :] if abs(word.box[3] - last[0].box[3]) < 6]
    return around(words) if words else None


BLOCKS: dict[Block, float] = {comments: 16, under_label: 10, questionnaire: 10, prose: 6}
"""These blocks, and how often each is met."""
