"""Grids of dense forms: rows of cells, once, twice side by side, or several times under each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw

from ...envs.core.locators import Box
from . import blocks_dense_cells as cells
from . import vocabulary
from .blocks_dense_cells import Content
from .blocks_dense_look import Look, Owner, labels, look
from .canvas import Part, Sheet
from .vocabulary import Choice, Kind
from .writing import wrapped

_WIDTHS: dict[Kind, float] = {
    "state": 4, "zip": 6, "initials": 4, "small_number": 5, "percent": 5, "yes_no": 5, "time": 6, "colour": 7,
    "date": 9, "phone": 11, "fax": 11, "tax_id": 11, "money": 10, "number": 8, "code": 12, "duration": 10,
    "first_name": 12, "last_name": 15, "name": 20, "signature": 20, "company": 20, "street": 24, "address": 34,
    "email": 17, "long": 40, "city": 14, "words": 14, "vin": 18, "vehicle": 12, "position": 15,
    "subject": 22, "relation": 10,
}  # fmt: skip
"""How wide a cell is by what it asks for, in ems of its label."""

_SEVERAL = 12.0


class Placed(NamedTuple):
    """A cell of a plan: its edges as shares of the width, and what it asks."""

    start: float
    end: float
    content: Content


Plan = tuple[tuple[Placed, ...], ...]
"""Rows of cells."""


# -- Blocks --------------------------------------------------------------------------------------------------------


def grid(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Rows of cells under a head, or beside one that is turned."""
    look_ = look(sheet)
    plan = planned(sheet, look_, right - left, sheet.dice.count(3, 22))
    text = sheet.dice.pick(vocabulary.heads(sheet.style.language))
    if sheet.dice.chance(0.15):
        return draw(sheet, look_, plan, (left, top, right)) + _gap(sheet)
    with_head = _turned if sheet.dice.chance(0.2) else _under_band
    return with_head(sheet, look_, plan, (left, top, right), text, None) + _gap(sheet)


def stacked(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The same cells for each of two or three, under each other."""
    dice = sheet.dice
    look_ = look(sheet)
    heads = dice.pick(vocabulary.who(sheet.style.language))
    plan = planned(sheet, look_, right - left, dice.count(3, 12 if len(heads) > 2 else 18))
    high = look_.height * len(plan)
    turned = all(look_.head.width(text.upper()) < high for text in heads) and dice.chance(0.4)
    with_head = _turned if turned else _under_band
    y = top
    for i, text in enumerate(heads):
        y = with_head(sheet, look_, plan, (left, y, right), text, i == 0) + dice.between(0, 0.5) * _gap(sheet)
    return y + _gap(sheet)


def twins(sheet: Sheet, left: float, top: float, right: float) -> float:
    """The same cells for two, side by side, each under its head."""
    dice = sheet.dice
    look_ = look(sheet)
    heads = dice.pick([heads for heads in vocabulary.who(sheet.style.language) if len(heads) == 2])
    aisle = dice.pick([0.0, 0.0, 0.6, 1.2]) * sheet.style.em
    half = (right - left - aisle) / 2
    plan = planned(sheet, look_, half, dice.count(4, 14))
    bottoms = []
    for i, text in enumerate(heads):
        start = left + i * (half + aisle)
        bottoms.append(_under_band(sheet, look_, plan, (start, top, start + half), text, i == 0))
    return max(bottoms) + _gap(sheet)


def _gap(sheet: Sheet) -> float:
    return sheet.dice.between(0.3, 0.9) * sheet.style.em


# -- Plans ---------------------------------------------------------------------------------------------------------


def planned(sheet: Sheet, look_: Look, width: float, count: int) -> Plan:
    """Up to ``count`` labels, and some questions, in rows that fill ``width`` pixels."""
    dice = sheet.dice
    contents: list[Content] = list(labels(sheet, count))
    for place in range(len(contents) - 1, 0, -1):
        if dice.chance(0.1):
            contents.insert(place, cells.choice(sheet))
    rows: list[list[tuple[float, Content]]] = [[]]
    full = width * dice.between(0.7, 1.0)
    for content in contents:
        wide = min(_asked_width(sheet, look_, content), width)
        if rows[-1] and sum(other for other, _ in rows[-1]) + wide > full:
            rows.append([])
        rows[-1].append((wide, content))
    return tuple(_spread(row) for row in rows if row)


def _asked_width(sheet: Sheet, look_: Look, content: Content) -> float:
    type_, dice = look_.type, sheet.dice
    if isinstance(content, Choice):
        options = sum(type_.width(text) + 3.1 * type_.size for text in content.options)
        question = type_.width(content.question.upper() if sheet.style.caps else content.question) + type_.size
        if look_.placing == "beside":
            return options * 1.1 + question + 2 * look_.pad
        return max(options * 1.1, question) + 2 * look_.pad
    text = type_.width(content.text.upper() if sheet.style.caps else content.text) * 1.08
    answer = _WIDTHS.get(content.kind, _SEVERAL) * type_.size * dice.between(0.7, 1.3)
    if look_.placing == "beside":
        return text + answer * 0.8 + 3 * look_.pad
    return max(answer, text * (1.0 if dice.chance(0.8) else 0.62)) + 3 * look_.pad


def _spread(row: Sequence[tuple[float, Content]]) -> tuple[Placed, ...]:
    whole = sum(wide for wide, _ in row)
    placed, start = [], 0.0
    for wide, content in row:
        placed.append(Placed(start, start + wide / whole, content))
        start += wide / whole
    return tuple(placed)


# -- Drawing -------------------------------------------------------------------------------------------------------


def draw(sheet: Sheet, look_: Look, plan: Plan, place: tuple[float, float, float], owner: Owner | None = None) -> float:
    """Draws the rows of a plan from ``place`` (left, top, right); returns where they end."""
    left, top, right = place
    y = top
    for row in plan:
        tall = any(not isinstance(one.content, Choice) and one.content.kind == "long" for one in row)
        end = y + look_.height * (2 if tall else 1)
        boxes = [(left + one.start * (right - left), y, left + one.end * (right - left), end) for one in row]
        if look_.ruling == "strips":
            boxes = [(*box[:2], box[2] - 0.8 * look_.type.size, box[3]) for box in boxes]
        else:
            for box in boxes:
                _ruled(sheet, look_, box)
        for one, box in zip(row, boxes, strict=True):
            cells.cell(sheet, look_, box, one.content, owner)
        y = end
    return y + sheet.style.thickness


def _ruled(sheet: Sheet, look_: Look, box: Box) -> None:
    thick = sheet.style.thickness
    outer = (round(box[0]), round(box[1]), round(box[2]) + thick, round(box[3]) + thick)
    if look_.ruling == "grid":
        sheet.frame(outer, shade=look_.shade)
        return
    sheet.rule(outer[0], outer[1], outer[2], "solid")
    sheet.rule(outer[0], outer[3] - thick, outer[2], "solid")
    if look_.ruling == "marks" and box[0] > sheet.left + 2:
        sheet.upright(outer[0], outer[1], outer[1] + 0.5 * (outer[3] - outer[1]))


# -- Heads ---------------------------------------------------------------------------------------------------------

_WithHead = Callable[[Sheet, Look, Plan, tuple[float, float, float], str, bool | None], float]
"""Draws a plan with a head; ``first`` is ``None`` where the head is that of a section, not of a person."""


def _headed(
    sheet: Sheet, look_: Look, plan: Plan, place: tuple[float, float, float], head: Part, first: bool | None
) -> float:
    """Draws a plan whose fields belong to ``head``, and to no head further up."""
    before, sheet.sections = sheet.sections, []
    end = draw(sheet, look_, plan, place, Owner(*head, first is not False, first is not None))
    sheet.sections = before
    return end


def _under_band(
    sheet: Sheet, look_: Look, plan: Plan, place: tuple[float, float, float], text: str, first: bool | None
) -> float:
    left, top, right = place
    head, below = band(sheet, look_, (left, top, right), text)
    if head is None:
        return top
    return _headed(sheet, look_, plan, (left, below, right), head, first)


def band(sheet: Sheet, look_: Look, place: tuple[float, float, float], text: str) -> tuple[Part | None, float]:
    """Prints a head above a grid: plain, shaded, or white on black; returns it and where it ends."""
    left, top, right = place
    type_, black = look_.head, look_.ground == "black"
    end = top + 1.45 * type_.size
    text = text.upper() if look_.head_caps else text
    if not wrapped(text, type_, right - left - type_.size, 1, may_cut=False):
        return None, top
    if look_.ground != "plain":
        shade = 0 if black else sheet.dice.count(190, 235)
        sheet.frame((round(left), round(top), round(right) + sheet.style.thickness, round(end)), shade=shade)
    x = (left + right) / 2 if look_.head_centred else left + (0.0 if look_.ground == "plain" else look_.pad)
    align = "centre" if look_.head_centred else "left"
    return (text, sheet.text(x, end - 0.35 * type_.size, text, type_, align=align, ink=255 * black)), end


def _turned(
    sheet: Sheet, look_: Look, plan: Plan, place: tuple[float, float, float], text: str, first: bool | None
) -> float:
    """The head stands along the left edge, from the bottom up."""
    left, top, right = place
    type_ = look_.head
    text = text.upper() if look_.head_caps else text
    wide, high = round(type_.width(text)) + 2, round(1.3 * type_.size)
    bottom = top + sum(look_.height for _ in plan)
    if wide > bottom - top:
        return _under_band(sheet, look_, plan, place, text, first)
    picture = Image.new("L", (wide, high), 255)
    ImageDraw.Draw(picture).text((1, type_.size), text, fill=0, font=type_.font, anchor="ls")
    y = round((top + bottom - wide) / 2)
    sheet.paste(picture.transpose(Image.Transpose.ROTATE_90), round(left), y)
    box = (left, float(y), left + high, float(y + wide))
    return _headed(sheet, look_, plan, (left + high + 3, top, right), (text, box), first)


BLOCKS = {grid: 40.0, stacked: 16.0, twins: 12.0}
"""These blocks, and how often each is met."""
