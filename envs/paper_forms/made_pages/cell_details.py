"""Draw details of cells for certain values: money signs, area codes, units, combs."""

from __future__ import annotations

from collections.abc import Callable

from .field_drawing import Look, Room, put_answer
from .field_labels import Owner, parts_of
from .page_canvas import Canvas, Part
from .page_settings import settings
from .vocabulary import Kind

_UNITS = (("Years", "Months"), ("Yrs.", "Mos."), ("Yrs", "Mos"), ("Yr.", "Mo."), ("YRS.", "MOS."))


def draw_details(canvas: Canvas, look: Look, label: Part, owner: Owner | None, room: Room, kind: Kind) -> bool:
    """Draw a random detail of a cell, or none; return whether it made a target."""
    for name, share in settings().details.get(kind, {}).items():
        if canvas.random.chance(share):
            return DETAILS[name](canvas, look, label, owner, room, kind)
    return False


def _dollars(canvas: Canvas, look: Look, label: Part, owner: Owner | None, room: Room, kind: Kind) -> bool:
    """Draw a currency sign before the answer, and sometimes a unit of time after it."""
    left, top, right, bottom = room.box
    y = bottom - 0.25 * (bottom - top) if room.baseline is None else room.baseline
    english = canvas.style.language == "en"
    sign = canvas.text(left, y, "$" if english else "€", look.type)
    unit = canvas.random.choice(["per month", "/mo.", "per year", "monthly"])
    if english and canvas.random.chance(0.3) and look.type.width(unit) < 0.4 * (right - left):
        right = canvas.text(right, y, unit, look.type, align="right")[0] - 2
    reach = (sign[2] + 1, top, right, bottom)
    room = room._replace(box=(sign[2] + 0.2 * look.type.size, top, right, bottom), reach=reach)
    put_answer(canvas, look, kind, parts_of(canvas, label, owner), room, canvas.random.choice(["", "right"]))
    return True


def _area_code(canvas: Canvas, look: Look, label: Part, owner: Owner | None, room: Room, kind: Kind) -> bool:
    """Draw parentheses for an area code, which the answer is written over."""
    left, _, _, bottom = room.box
    for x, mark in ((left, "("), (left + 2.6 * look.type.size, ")")):
        canvas.text(x, bottom - 0.3 * look.type.size, mark, look.type)
    return False


def _years_months(canvas: Canvas, look: Look, label: Part, owner: Owner | None, room: Room, kind: Kind) -> bool:
    """Draw two units with an answer before or after each."""
    random, type_ = canvas.random, look.type
    units = random.choice(_UNITS)
    left, top, right, bottom = room.box
    half = (right - left) / 2
    if canvas.style.language != "en" or half < type_.width(units[0]) + 1.6 * type_.size:
        return False
    before, y = random.chance(0.5), bottom - 0.3 * type_.size
    for i, unit in enumerate(units):
        start, end = left + i * half, left + (i + 1) * half - 2
        box = canvas.text(start if before else end, y, unit, type_, align="left" if before else "right")
        inner = (box[2] + 3, top, end, bottom) if before else (start, top, box[0] - 3, bottom)
        if random.chance(0.25):
            canvas.rule(inner[0], y + 1, inner[2], "solid")
        parts = parts_of(canvas, (unit, box), owner, label)
        put_answer(canvas, look, "small_number", parts, Room(inner, inner, "cell"))
    return True


def _comb(canvas: Canvas, look: Look, label: Part, owner: Owner | None, room: Room, kind: Kind) -> bool:
    """Draw one box, or one short mark, for each letter."""
    random = canvas.random
    left, top, right, bottom = room.box
    pitch = min(max(1.15 * look.type.size, 9.0), bottom - top + 2)
    count = min(int((right - left) / pitch), settings().combs.get(kind, 20))
    if count < 3 or bottom - top < 0.8 * pitch:
        return False
    boxed = random.chance(0.6)
    base, roof, end = bottom - 2, max(bottom - 1.25 * pitch, top), left + count * pitch
    for i in range(count + 1):
        canvas.upright(left + i * pitch, roof if boxed else base - 0.35 * pitch, base, 1)
    for y in (base - 1, roof)[: 1 + boxed]:
        canvas.rule(left, y, end, "solid", 1)
    used = random.between(max(count // 2, 2), count)
    high, middle = random.uniform(0.6, 0.85) * (base - roof), (roof + base) / 2
    answer = (left + 0.2 * pitch, middle - high / 2, left + (used - 0.2) * pitch, middle + high / 2)
    canvas.example(parts_of(canvas, label, owner), answer, (left, roof, end, base), "comb")
    return True


DETAILS: dict[str, Callable[[Canvas, Look, Part, Owner | None, Room, Kind], bool]] = {
    "dollars": _dollars,
    "area_code": _area_code,
    "years_months": _years_months,
    "comb": _comb,
}
"""Details of cells; each returns whether it made a target. ``pages.json`` has their frequencies."""
