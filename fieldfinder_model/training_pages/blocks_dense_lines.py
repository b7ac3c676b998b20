"""Lines of dense forms: sums with leaders, consents to be signed, places for initials."""

from __future__ import annotations

from . import vocabulary
from .blocks_dense_look import Look, Owner, look, parts, put, shown
from .canvas import Sheet
from .vocabulary import Label
from .writing import wrapped


def sums(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Amounts at the right end of lines, after leaders and a sign of money."""
    dice, style = sheet.dice, sheet.style
    look_ = look(sheet)
    type_ = look_.type
    pool = [Label(text, "money") for text in vocabulary.labels_of("money", style.language)]
    asked = list({label.text: label for label in (dice.pick(pool) for _ in range(dice.count(2, 8)))}.values())
    width = dice.between(7, 14) * type_.size
    leaders, ruled, sign = (
        dice.chance(0.6),
        dice.chance(0.8),
        dice.pick(["$", ""] if style.language == "en" else ["€", ""]),
    )
    step = max(type_.line * dice.between(1.2, 1.9), style.typed.line * 0.95)
    y = top
    for label in asked:
        y += step
        text = shown(sheet, label, colon=not leaders)
        if type_.width(text) > right - left - width - 2 * type_.size:
            continue
        box = sheet.text(left, y, text, type_)
        if leaders:
            _leaders(sheet, look_, box[2] + 3, right - width - 1.5 * type_.size, y)
        if sign:
            sheet.text(right - width - 3, y, sign, type_, align="right")
        if ruled:
            sheet.rule(right - width, y + 2, right, "solid")
        room = (right - width, y - step + 3, right, y + 2)
        put(
            sheet,
            look_,
            "money",
            [(text, box)],
            room,
            room,
            "line",
            align=dice.pick(["left", "left", "right", "centre"]),
        )
    return y + 0.6 * style.em


def _leaders(sheet: Sheet, look_: Look, start: float, end: float, y: float) -> None:
    count = int((end - start) / look_.type.width(" ."))
    if count > 1:
        sheet.rule(start, y - 1, start + count * look_.type.width(" ."), "dotted", 1)


def consent(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Small print, then lines to sign on for one or two, with the date beside, their names under the lines."""
    dice, style = sheet.dice, sheet.style
    look_ = look(sheet)
    type_ = look_.type
    text = " ".join(dice.pick(vocabulary.sentences(style.language)) for _ in range(dice.count(1, 5)))
    inset = dice.pick([0.0, type_.size])
    lines = wrapped(text, type_, right - left - 2 * inset, 10)
    if not lines:
        return top
    y = top + inset + type_.line
    sheet.lines(left + inset, y, lines, type_)
    y += (len(lines) - 1) * type_.line
    signers = _signers(sheet)
    aisle = 1.5 * type_.size
    width = (right - left - 2 * inset + aisle) / len(signers)
    y += dice.between(1.6, 2.6) * style.typed.line
    for i, (signature, date) in enumerate(signers):
        start = left + inset + i * width
        _signature(sheet, look_, (start, y, start + width - aisle), signature, date)
    end = y + 1.6 * type_.line
    if inset:
        sheet.frame((round(left), round(top), round(right), round(end)))
    return end + 0.5 * style.em


def _signers(sheet: Sheet) -> list[tuple[str, str]]:
    language = sheet.style.language
    date = sheet.dice.pick(vocabulary.labels_of("date", language)[:2])
    if language == "en" and sheet.dice.chance(0.6):
        form = sheet.dice.pick(["{} Signature", "{}'s Signature", "Signature of {}", "{}"])
        return [(form.format(who), date) for who in sheet.dice.pick(vocabulary.signers())]
    return [(sheet.dice.pick(vocabulary.labels_of("signature", language)), date)]


def _signature(sheet: Sheet, look_: Look, place: tuple[float, float, float], signature: str, date: str) -> None:
    dice, type_ = sheet.dice, look_.type
    start, y, end = place
    under = dice.chance(0.7)
    middle = start + (end - start) * dice.between(0.6, 0.75)
    room = 1.4 * max(sheet.style.typed.line, type_.line)
    signed = (start, y - room, middle - type_.size, y)
    if type_.width(signature) > signed[2] - signed[0]:
        return
    sheet.rule(signed[0], y, signed[2], "solid")
    box = sheet.text(start + 2, y + type_.line, signature, type_)
    put(sheet, look_, "signature", parts(sheet, signature, box, None), signed, signed, "above")
    if under:
        dated = (middle, y - room, end, y)
        label = sheet.text(middle + 2, y + type_.line, date, type_)
    else:
        label = sheet.text(middle, y, date, type_)
        dated = (label[2] + 4, y - room, end, y)
    sheet.rule(dated[0], y, dated[2], "solid")
    owner = Owner(signature, box, False)
    put(sheet, look_, "date", parts(sheet, date, label, owner), dated, dated, "above" if under else "line")


def initialled(sheet: Sheet, left: float, top: float, right: float) -> float:
    """A sentence, then a short line for the initials of each, their names before the lines or under them."""
    dice, style = sheet.dice, sheet.style
    look_ = look(sheet)
    type_ = look_.type
    y = top + 1.6 * max(type_.line, 0.8 * style.typed.line)
    lines = wrapped(dice.pick(vocabulary.sentences(style.language)), type_, 0.45 * (right - left), 1)
    if not lines or style.language != "en":
        return top
    x = sheet.text(left, y, lines[0], type_)[2] + 2 * type_.size
    under = dice.chance(0.3)
    for who in dice.pick(vocabulary.signers()):
        text = dice.pick([who, f"{who} initials", f"{who} initial"])
        wide = max(dice.between(5, 9) * type_.size, type_.width(text) * under)
        before = 0.0 if under else type_.width(text) + 4
        if x + before + wide > right:
            break
        box = sheet.text(x, y + under * type_.line, text, type_)
        room = (x + before, y - 1.5 * type_.line, x + before + wide, y + 1)
        sheet.rule(room[0], y + 1, room[2], "solid")
        said = text if text != who or dice.chance(0.5) else f"{who} initials"
        put(sheet, look_, "initials", parts(sheet, said, box, None), room, room, "above" if under else "line")
        x = room[2] + 1.5 * type_.size
    return y + (1.5 + under) * type_.line


BLOCKS = {sums: 7.0, consent: 8.0, initialled: 4.0}
"""These blocks, and how often each is met."""
