"""Cells of dense forms: a label with its blank, a question with ticks, a comb, years and months."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ...envs.core.locators import Box
from ..reading.boxes import around
from . import vocabulary
from .blocks_dense_look import Look, Owner, inner, parts, put, shown
from .canvas import Part, Sheet
from .vocabulary import Choice, Kind, Label
from .writing import wrapped

Content = Label | Choice
"""What a cell asks: a value, or one of several options."""


class Cell(NamedTuple):
    """A cell that is being drawn.

    Attributes:
        box: the outer edges of its rules.
        owner: whom it is about.
        text: its label as printed.
        label: the box of the label.
        lower: what is left of the cell for the answer.
        field: the same up to the rules.
    """

    box: Box
    owner: Owner | None
    text: str
    label: Box
    lower: Box
    field: Box


def cell(sheet: Sheet, look: Look, box: Box, content: Content, owner: Owner | None) -> None:
    """Prints what a cell asks and asks for it; a cell that is too narrow for its label stays empty."""
    made = None
    if look.placing == "under" and isinstance(content, Label):
        made = _on_strip(sheet, look, box, content, owner)
    made = made or _labelled(sheet, look, box, content, owner)
    if made is None:
        return
    if look.ruling == "strips" and not isinstance(content, Choice):
        sheet.rule(made.lower[0] - look.pad, made.field[3], box[2], "solid")
    if isinstance(content, Choice):
        _ticks(sheet, look, made, content)
        return
    for share, draw in _SPECIAL.get(content.kind, ()):
        if sheet.dice.chance(share):
            draw(sheet, look, made, content.kind)
            return
    _plain(sheet, look, made, content.kind)


def _on_strip(sheet: Sheet, look: Look, box: Box, content: Label, owner: Owner | None) -> Cell | None:
    """A cell whose label stands under the rule that its answer is written on; ``None`` if that is too narrow."""
    type_ = look.type
    asked = shown(sheet, content, colon=sheet.dice.chance(0.1))
    if type_.width(asked) > box[2] - box[0]:
        return None
    centred = sheet.dice.chance(0.15)
    x = (box[0] + box[2]) / 2 if centred else box[0]
    label = sheet.text(x, box[3] - 0.3 * type_.size, asked, type_, align="centre" if centred else "left")
    rule = label[1] - sheet.dice.between(0.1, 0.3) * type_.size - sheet.style.thickness
    lower = (box[0] + look.pad, box[1], box[2], rule)
    return Cell(box, owner, asked, label, lower, (box[0], *lower[1:]))


def _labelled(sheet: Sheet, look: Look, box: Box, content: Content, owner: Owner | None) -> Cell | None:
    type_, pad = look.type, look.pad
    asked = content.question if isinstance(content, Choice) else shown(sheet, content, colon=sheet.dice.chance(0.4))
    if isinstance(content, Choice) and sheet.style.caps:
        asked = asked.upper()
    roomy = box[3] - box[1] > 2.2 * type_.line
    corner = roomy if isinstance(content, Choice) else look.placing == "corner"
    lines = wrapped(asked, type_, box[2] - box[0] - 2 * pad, 2 if corner else 1, may_cut=False)
    high = 0.9 * (box[3] - box[1]) - type_.line
    if asked and (not lines or (len(lines) - 1) * type_.line > 0.45 * high):
        return None
    top = box[1] + sheet.style.thickness + 0.12 * type_.size
    y = top + type_.capital if corner else (box[1] + box[3] + type_.capital) / 2
    label = sheet.lines(box[0] + pad, y, lines, type_) if lines else (box[0], top, box[0] + 1, top)
    edges = inner(box, sheet)
    if corner:
        lower, field = (edges[0] + pad, label[3] + 1, edges[2] - pad, edges[3]), (edges[0], label[3] + 1, *edges[2:])
    else:
        lower = (label[2] + 0.5 * type_.size, edges[1], edges[2] - pad, edges[3])
        field = (label[2] + 1, *edges[1:])
    return Cell(box, owner, asked, label, lower, field)


# -- Values --------------------------------------------------------------------------------------------------------


def _plain(sheet: Sheet, look: Look, made: Cell, kind: Kind) -> None:
    named = parts(sheet, made.text, made.label, made.owner)
    put(sheet, look, kind, named, made.lower, made.field)


def _dollars(sheet: Sheet, look: Look, made: Cell, kind: Kind) -> None:
    """A sign of money stands where the answer starts; now and then what it is paid by stands after it."""
    left, top, right, bottom = made.lower
    y = bottom - 0.25 * (bottom - top)
    english = sheet.style.language == "en"
    sign = sheet.text(left, y, "$" if english else "€", look.type)
    if english and sheet.dice.chance(0.3):
        unit = sheet.dice.pick(["per month", "/mo.", "per year", "monthly"])
        if look.type.width(unit) < 0.4 * (right - left):
            right = sheet.text(right, y, unit, look.type, align="right")[0] - 2
    named = parts(sheet, made.text, made.label, made.owner)
    room = (sign[2] + 0.2 * look.type.size, top, right, bottom)
    put(
        sheet,
        look,
        kind,
        named,
        room,
        (sign[2] + 1, made.lower[1], right, bottom),
        align=sheet.dice.pick(["", "right"]),
    )


def _area_code(sheet: Sheet, look: Look, made: Cell, kind: Kind) -> None:
    """Parentheses for an area code stand where the answer is written over them."""
    left, _, _, bottom = made.lower
    sheet.text(left, bottom - 0.3 * look.type.size, "(", look.type)
    sheet.text(left + 2.6 * look.type.size, bottom - 0.3 * look.type.size, ")", look.type)
    _plain(sheet, look, made, kind)


def _years_months(sheet: Sheet, look: Look, made: Cell, kind: Kind) -> None:
    """Two answers, each before or after its unit."""
    dice, type_ = sheet.dice, look.type
    units = dice.pick(_UNITS)
    left, top, right, bottom = made.lower
    half = (right - left) / 2
    y = bottom - 0.3 * type_.size
    if sheet.style.language != "en" or half < type_.width(units[0]) + 1.6 * type_.size:
        _plain(sheet, look, made, kind)
        return
    for i, unit in enumerate(units):
        start, end = left + i * half, left + (i + 1) * half - 2
        box = sheet.text(
            start if look.units_first else end, y, unit, type_, align="left" if look.units_first else "right"
        )
        room = (box[2] + 3, top, end, bottom) if look.units_first else (start, top, box[0] - 3, bottom)
        if dice.chance(0.25):
            sheet.rule(room[0], y + 1, room[2], "solid")
        named = parts(sheet, unit, box, made.owner, (made.text, made.label))
        put(sheet, look, "small_number", named, room, room)


def _comb(sheet: Sheet, look: Look, made: Cell, kind: Kind) -> None:
    """One box, or one short mark, for each letter."""
    dice = sheet.dice
    left, top, right, bottom = made.lower
    pitch = min(max(1.15 * look.type.size, 9.0), bottom - top + 2)
    count = min(int((right - left) / pitch), _LETTERS.get(kind, 20))
    if count < 3 or bottom - top < 0.8 * pitch:
        _plain(sheet, look, made, kind)
        return
    boxed = dice.chance(0.6)
    base, roof = bottom - 2, max(bottom - 1.25 * pitch, top)
    for i in range(count + 1):
        x = left + i * pitch
        sheet.upright(x, roof if boxed else base - 0.35 * pitch, base, 1)
    sheet.rule(left, base - 1, left + count * pitch, "solid", 1)
    if boxed:
        sheet.rule(left, roof, left + count * pitch, "solid", 1)
    used = dice.count(max(count // 2, 2), count)
    high = dice.between(0.6, 0.85) * (base - roof)
    middle = (roof + base) / 2
    answer = (left + 0.2 * pitch, middle - high / 2, left + (used - 0.2) * pitch, middle + high / 2)
    named = parts(sheet, made.text, made.label, made.owner)
    if named:
        sheet.example(named, answer, (left, roof, left + count * pitch, base), "comb", "rules")


_UNITS = (("Years", "Months"), ("Yrs.", "Mos."), ("Yrs", "Mos"), ("Yr.", "Mo."), ("YRS.", "MOS."))

_LETTERS: dict[Kind, int] = {"date": 8, "tax_id": 9, "zip": 5, "phone": 10, "state": 2, "vin": 17, "initials": 1}
"""How many boxes a comb has at most."""

_Draw = Callable[[Sheet, Look, Cell, Kind], None]

_SPECIAL: dict[Kind, tuple[tuple[float, _Draw], ...]] = {
    "money": ((0.45, _dollars),),
    "phone": ((0.2, _area_code),),
    "fax": ((0.2, _area_code),),
    "duration": ((0.75, _years_months),),
    "date": ((0.07, _comb),),
    "tax_id": ((0.12, _comb),),
    "zip": ((0.1, _comb),),
    "vin": ((0.2, _comb),),
    "code": ((0.05, _comb),),
    "last_name": ((0.06, _comb),),
}
"""Other ways to ask for a value than by an empty cell, and how often each is taken."""


# -- Ticks ---------------------------------------------------------------------------------------------------------


def _ticks(sheet: Sheet, look: Look, made: Cell, choice: Choice) -> None:
    """Options in a row under their question or, if that is too narrow, after it, in two lines."""
    left, top, right, bottom = made.lower
    ways = _wide(look, choice.options)
    if sum(ways) <= right - left:
        _row_of_ticks(sheet, look, made, choice.options, (left, top, right, bottom))
        return
    half = -(-len(choice.options) // 2)
    if bottom - made.box[1] < 2.3 * look.type.line:
        return
    above, below = choice.options[:half], choice.options[half:]
    start = made.label[2] + look.type.size
    middle = (made.box[1] + made.box[3]) / 2
    if max(sum(ways[:half]), sum(ways[half:])) <= right - start:
        _row_of_ticks(sheet, look, made, above, (start, made.box[1], right, middle))
        _row_of_ticks(sheet, look, made, below, (start, middle, right, made.box[3]))


def _wide(look: Look, options: Sequence[str]) -> list[float]:
    return [look.type.width(text) + 3.1 * look.type.size for text in options]


def _row_of_ticks(sheet: Sheet, look: Look, made: Cell, options: Sequence[str], room: Box) -> None:
    type_, dice = look.type, sheet.dice
    y = room[3] - max((room[3] - room[1] - type_.capital) * 0.35, 2.0)
    slack = room[2] - room[0] - sum(_wide(look, options))
    gap = slack / len(options) * dice.pick([0.0, 0.5, 1.0])
    x = room[0] + gap * dice.between(0.0, 0.5)
    for text, width in zip(options, _wide(look, options), strict=True):
        option(sheet, look, text, (x, y), made.owner, [(made.text, made.label)] if made.text else [])
        x += width + gap


def option(
    sheet: Sheet, look: Look, text: str, at: tuple[float, float], owner: Owner | None, asked: Sequence[Part] = ()
) -> Box:
    """Prints an option with its place for a tick and asks for the tick; returns the box of both.

    Args:
        sheet: the page.
        look: of the block.
        text: of the option.
        at: its left edge and baseline.
        owner: whom it is about.
        asked: the question, or nothing.
    """
    dice, type_ = sheet.dice, look.type
    said = text.upper() if sheet.style.caps else text
    size = dice.between(0.75, 0.95) * type_.size
    gap = dice.between(0.3, 0.6) * type_.size
    after = type_.width(")") if look.ticks in ("parentheses", "brackets") else sheet.style.thickness
    if look.ticks_first:
        blank = sheet.tick_box(at[0], at[1], look.ticks, size)
        box = sheet.text(blank[2] + after + gap, at[1], said, type_)
    else:
        box = sheet.text(at[0], at[1], said, type_)
        blank = sheet.tick_box(box[2] + gap, at[1], look.ticks, size)
    half, tall = dice.between(0.38, 0.55) * type_.size, dice.between(0.38, 0.55) * type_.size
    x, y = (blank[0] + blank[2]) / 2, (blank[1] + blank[3]) / 2
    plain = said.lower() in ("yes", "no", "sí", "oui", "non", "ja", "nein", "sì", "sim", "não", "other")
    between = asked if dice.chance(0.97 if plain else 0.6) else ()
    named = parts(sheet, said, box, owner, *between)
    if named:
        sheet.example(named, (x - half, y - tall, x + half, y + tall), blank, "tick")
    return around((box, blank))


def choice(sheet: Sheet) -> Choice:
    """A question with few enough options for a cell."""
    few = [group for group in vocabulary.choices(sheet.style.language) if group.question and len(group.options) <= 6]
    return sheet.dice.pick(few)
