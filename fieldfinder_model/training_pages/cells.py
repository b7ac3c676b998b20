"""Cells in rows: labels with their blanks, ruled or not, for one or for several that are asked the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from PIL import Image

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Canvas, Part
from .fields import Look, Room, look_of, option, option_width, put
from .labels import Owner, labels_for, parts_of, shown
from .settings import Layout, settings
from .text import wrapped
from .vocabulary import Choice, Kind, Label

Content = Label | Choice
"""What a cell asks: a value, or one of several options."""

_SEVERAL_LINES: frozenset[Kind] = frozenset({"long", "address", "words", "company"})
_USUAL_WIDTH = 12.0


class Placed(NamedTuple):
    """A cell of a plan: its edges as shares of the width, and what it asks."""

    start: float
    end: float
    content: Content


Plan = tuple[tuple[Placed, ...], ...]
"""Rows of cells."""


def cells(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Rows of cells; a head above or beside them, and the same again for each of several, as the layout has it."""
    random, style = canvas.random, canvas.style
    look, y = look_of(canvas, layout), top
    if layout.text:
        y = _sentences(canvas, look, left, top, right)
    heads = _heads(canvas, layout)
    aisle = random.choice([0.0, 0.0, 0.6, 1.2]) * style.em if layout.beside else 0.0
    width = (right - left - aisle) / (len(heads) if layout.beside else 1)
    plan = _planned(canvas, look, layout, width)
    turned = look.dense and not layout.beside and random.chance(0.3)
    bottoms = [y]
    for i, head in enumerate(heads):
        x = left + i * (width + aisle) if layout.beside else left
        first = i == 0 if layout.head == "who" else None
        bottom = _group(canvas, look, plan, (x, y, x + width), head, first, turned)
        bottoms.append(bottom)
        y = y if layout.beside else bottom + random.uniform(0, 0.4) * style.em
    return max(bottoms) + random.uniform(0.3, 0.9) * style.em


def _heads(canvas: Canvas, layout: Layout) -> Sequence[str]:
    random, language = canvas.random, canvas.style.language
    if layout.head == "who":
        return random.choice([who for who in vocabulary.who(language) if len(who) == 2 or not layout.beside])
    return (random.choice(vocabulary.heads(language)) if layout.head and random.chance(0.85) else "",)


def _sentences(canvas: Canvas, look: Look, left: float, top: float, right: float) -> float:
    text = " ".join(
        canvas.random.choice(vocabulary.sentences(canvas.style.language)) for _ in range(canvas.random.between(1, 5))
    )
    lines = wrapped(text, look.type, right - left, 10)
    canvas.lines(left, top + look.type.line, lines, look.type)
    return top + (len(lines) + 0.3) * look.type.line


# -- Plans -------------------------------------------------------------------------------------------------------------


def _planned(canvas: Canvas, look: Look, layout: Layout, width: float) -> Plan:
    """The labels of a layout, and some questions, in rows that fill ``width`` pixels."""
    random = canvas.random
    contents: list[Content] = list(labels_for(canvas, layout))
    if layout.columns:
        count = random.weighted(layout.columns)
        rows = [contents[i : i + count] for i in range(0, len(contents), count)]
        return tuple(_even(canvas, row, count) for row in rows)
    for place in range(len(contents) - 1, 0, -1):
        if random.chance(0.1):
            contents.insert(place, choice(canvas))
    packed: list[list[tuple[float, Content]]] = [[]]
    full = width * random.uniform(0.7, 1.0)
    for content in contents:
        wide = min(_asked_width(canvas, look, content), width)
        if packed[-1] and sum(other for other, _ in packed[-1]) + wide > full:
            packed.append([])
        packed[-1].append((wide, content))
    return tuple(_spread(row) for row in packed if row)


def _even(canvas: Canvas, row: Sequence[Content], count: int) -> tuple[Placed, ...]:
    """Cells that are about as wide; what is over stays white."""
    inner = [(i + canvas.random.uniform(-0.2, 0.2)) / count for i in range(1, count)]
    edges = [0.0, *inner, 1.0]
    return tuple(Placed(a, b, content) for content, (a, b) in zip(row, pairwise(edges), strict=False))


def _spread(row: Sequence[tuple[float, Content]]) -> tuple[Placed, ...]:
    """Cells as wide as what they ask for, stretched to fill the row."""
    whole = sum(wide for wide, _ in row)
    placed, start = [], 0.0
    for wide, content in row:
        placed.append(Placed(start, start + wide / whole, content))
        start += wide / whole
    return tuple(placed)


def _asked_width(canvas: Canvas, look: Look, content: Content) -> float:
    type_, random = look.type, canvas.random
    text = content.question if isinstance(content, Choice) else content.text
    words = type_.width(text.upper() if canvas.style.caps else text) * 1.08 + 3 * look.pad
    if isinstance(content, Choice):
        options = 1.1 * sum(option_width(look, one) for one in content.options)
        return options + words if look.placing == "beside" else max(options, words)
    answer = settings().cell_widths.get(content.kind, _USUAL_WIDTH) * type_.size * random.uniform(0.7, 1.3)
    if look.placing == "beside":
        return words + 0.8 * answer
    return max(answer, words * (1.0 if random.chance(0.8) else 0.62))


def choice(canvas: Canvas) -> Choice:
    """A question with few enough options for a cell."""
    few = [group for group in vocabulary.choices(canvas.style.language) if group.question and len(group.options) <= 6]
    return canvas.random.choice(few)


# -- Groups ------------------------------------------------------------------------------------------------------------


def _group(
    canvas: Canvas,
    look: Look,
    plan: Plan,
    place: tuple[float, float, float],
    text: str,
    first: bool | None,
    turned: bool,
) -> float:
    """Draws a plan from ``place`` (left, top, right) with its head; ``first`` is ``None`` if that is no person."""
    left, top, right = place
    if not text:
        return _rows(canvas, look, plan, place, None)
    text = text.upper() if look.head_caps else text
    head = _turned(canvas, look, plan, (left, top), text) if turned else None
    if head is not None:
        left = head[1][2] + 3
    else:
        head, top = _band(canvas, look, place, text)
    if head is None:
        return top
    before, canvas.sections = canvas.sections, []
    end = _rows(canvas, look, plan, (left, top, right), Owner(*head, first is not False, first is not None))
    canvas.sections = before
    return end


def _band(canvas: Canvas, look: Look, place: tuple[float, float, float], text: str) -> tuple[Part | None, float]:
    """Prints a head above a grid: plain, shaded, or white on black; returns it and where it ends."""
    left, top, right = place
    type_, black = look.head, look.ground == "black"
    end = top + 1.45 * type_.size
    if not wrapped(text, type_, right - left - type_.size, 1, may_cut=False):
        return None, top
    if look.ground != "plain":
        shade = 0 if black else canvas.random.between(190, 235)
        canvas.frame((round(left), round(top), round(right) + canvas.style.thickness, round(end)), shade=shade)
    x = (left + right) / 2 if look.head_centred else left + (0.0 if look.ground == "plain" else look.pad)
    align = "centre" if look.head_centred else "left"
    return (text, canvas.text(x, end - 0.35 * type_.size, text, type_, align=align, ink=255 * black)), end


def _turned(canvas: Canvas, look: Look, plan: Plan, at: tuple[float, float], text: str) -> Part | None:
    """Prints a head along the left edge, from the bottom up; ``None`` if the plan is not high enough."""
    left, top = at
    picture = look.head.picture(text).transpose(Image.Transpose.ROTATE_90)
    wide, high = picture.size
    bottom = top + look.height * len(plan)
    if high > bottom - top:
        return None
    x, y = round(left), round((top + bottom - high) / 2)
    canvas.paste(picture, x, y)
    return text, (float(x), float(y), float(x + wide), float(y + high))


def _rows(canvas: Canvas, look: Look, plan: Plan, place: tuple[float, float, float], owner: Owner | None) -> float:
    left, y, right = place
    for row in plan:
        tall = any(isinstance(one.content, Label) and one.content.kind == "long" for one in row)
        end = y + look.height * (2 if tall and look.placing == "corner" else 1)
        boxes = [(left + one.start * (right - left), y, left + one.end * (right - left), end) for one in row]
        if look.ruling in ("strips", "none"):
            gap = canvas.random.uniform(0.5, 1.0) * look.type.size
            boxes = [(a, b, c - gap * (c < right - 1), d) for a, b, c, d in boxes]
        else:
            for box in boxes:
                _ruled(canvas, look, box)
        for one, box in zip(row, boxes, strict=True):
            _cell(canvas, look, box, one.content, owner)
        y = end
    return y + canvas.style.thickness


def _ruled(canvas: Canvas, look: Look, box: Box) -> None:
    thick = canvas.style.thickness
    outer = (round(box[0]), round(box[1]), round(box[2]) + thick, round(box[3]) + thick)
    if look.ruling == "grid":
        canvas.frame(outer, shade=look.shade)
        return
    canvas.rule(outer[0], outer[1], outer[2], "solid")
    canvas.rule(outer[0], outer[3] - thick, outer[2], "solid")
    if look.ruling == "marks" and box[0] > canvas.left + 2:
        canvas.upright(outer[0], outer[1], outer[1] + 0.5 * (outer[3] - outer[1]))


# -- One cell ----------------------------------------------------------------------------------------------------------


class _Cell(NamedTuple):
    """A cell whose label is printed: whom it is about, its label, and the room for the answer."""

    owner: Owner | None
    text: str
    label: Box
    room: Room


def _cell(canvas: Canvas, look: Look, box: Box, content: Content, owner: Owner | None) -> None:
    """Prints what a cell asks and asks for it; a cell that is too narrow for its label stays empty."""
    if isinstance(content, Choice):
        made = _cornered(canvas, look, box, content.question, owner)
        if made is not None:
            _ticks(canvas, look, box, made, content)
        return
    text = shown(canvas, content, colon=canvas.random.chance({"beside": 0.8, "over": 0.8}.get(look.placing, 0.3)))
    made = _PLACINGS[look.placing](canvas, look, box, text, owner)
    if made is None:
        return
    for share, draw in _SPECIAL.get(content.kind, ()) if look.dense else ():
        if canvas.random.chance(share) and draw(canvas, look, made, content.kind):
            return
    room = made.room
    if content.kind in _SEVERAL_LINES and room.baseline is None:
        most = int((room.box[3] - room.box[1]) / (1.1 * canvas.style.typed.line))
        room = room._replace(lines=canvas.random.between(1, max(most, 1)))
    put(canvas, look, content.kind, parts_of(canvas, made.text, made.label, owner), room)


def _cornered(canvas: Canvas, look: Look, box: Box, text: str, owner: Owner | None) -> _Cell | None:
    """The label in the upper left corner, the answer under it."""
    type_, pad, thick = look.type, look.pad, canvas.style.thickness
    text = text.upper() if canvas.style.caps else text
    lines = wrapped(text, type_, box[2] - box[0] - 2 * pad, 2, may_cut=False)
    if not lines or len(lines) * type_.line > 0.62 * (box[3] - box[1]):
        return None
    top = box[1] + thick + 0.12 * type_.size
    label = canvas.lines(box[0] + pad, top + type_.capital, lines, type_)
    reach = (box[0] + thick, label[3] + 1, box[2] - 1, box[3] - 1)
    return _Cell(owner, text, label, Room((reach[0] + pad, reach[1], reach[2] - pad, reach[3]), reach, "cell"))


def _beside(canvas: Canvas, look: Look, box: Box, text: str, owner: Owner | None) -> _Cell | None:
    """The label before the answer, on its line."""
    type_, em, thick = look.type, canvas.style.em, canvas.style.thickness
    free = look.ruling in ("strips", "none")
    start = box[0] if free else box[0] + look.pad
    if type_.width(text) > 0.75 * (box[2] - start):
        return None
    y = box[3] - 0.3 * type_.size if free else (box[1] + box[3] + type_.capital) / 2
    label = canvas.text(start, y, text, type_, underlined=canvas.style.underlined and not look.dense)
    x = label[2] + canvas.random.uniform(0.1, 0.9) * type_.size
    if not free:
        reach = (label[2] + 1, box[1] + thick, box[2] - 1, box[3] - 1)
        return _Cell(owner, text, label, Room((x, reach[1], reach[2] - look.pad, reach[3]), reach, "cell"))
    ruled, end = look.ruling == "strips", box[2]
    if ruled and canvas.random.chance(0.25):
        end = x + (end - x) * canvas.random.uniform(0.5, 1.0)
    if end - x < 1.6 * type_.size:
        return None
    bottom = y + (0.16 if ruled else 0.5) * em
    if ruled:
        canvas.rule(x, bottom, end, "solid" if look.dense else None)
    reach = (x, box[1] + 1 if look.dense else y - 1.35 * em, end, bottom)
    return _Cell(owner, text, label, Room(reach, reach, "line" if ruled else "space", None if look.dense else y))


def _under(canvas: Canvas, look: Look, box: Box, text: str, owner: Owner | None) -> _Cell | None:
    """The label under the line that the answer is written on."""
    type_, random = look.type, canvas.random
    text = f"({text})" if not look.dense and random.chance(0.15) else text
    if type_.width(text) > box[2] - box[0]:
        return None
    centred = random.chance(0.25)
    label = canvas.text(
        (box[0] + box[2]) / 2 if centred else box[0],
        box[3] - 0.3 * type_.size,
        text,
        type_,
        align="centre" if centred else "left",
    )
    y = label[1] - random.uniform(0.15, 0.4) * type_.size - canvas.style.thickness
    canvas.rule(box[0], y, box[2], "solid" if look.dense or random.chance(0.8) else None)
    reach = (box[0], box[1], box[2], y)
    return _Cell(owner, text, label, Room(reach, reach, "above", None if look.dense else y - 0.14 * canvas.style.em))


def _over(canvas: Canvas, look: Look, box: Box, text: str, owner: Owner | None) -> _Cell | None:
    """The label over the line or the white space for the answer."""
    if look.type.width(text) > box[2] - box[0]:
        return None
    label = canvas.text(box[0], box[1] + look.type.line, text, look.type, underlined=canvas.style.underlined)
    reach = (box[0], label[3] + 1, box[2], box[3] - 2)
    if look.ruling == "strips":
        canvas.rule(box[0], reach[3], box[2])
    return _Cell(owner, text, label, Room(reach, reach, "below"))


_PLACINGS: dict[str, Callable[[Canvas, Look, Box, str, Owner | None], _Cell | None]] = {
    "corner": _cornered,
    "beside": _beside,
    "under": _under,
    "over": _over,
}


def _ticks(canvas: Canvas, look: Look, box: Box, made: _Cell, choice: Choice) -> None:
    """Options in a row under their question."""
    left, top, right, bottom = made.room.box
    slack = right - left - sum(option_width(look, text) for text in choice.options)
    if slack < 0:
        return
    y = bottom - max((bottom - top - look.type.capital) * 0.35, 2.0)
    gap = slack / len(choice.options) * canvas.random.choice([0.0, 0.5, 1.0])
    x = left + gap * canvas.random.uniform(0.0, 0.5)
    for text in choice.options:
        option(canvas, look, text, (x, y), made.owner, [(made.text, made.label)])
        x += option_width(look, text) + gap


# -- Other ways to ask for a value than by an empty cell ---------------------------------------------------------------


def _dollars(canvas: Canvas, look: Look, made: _Cell, kind: Kind) -> bool:
    """A sign of money where the answer starts; now and then what it is paid by after it."""
    left, top, right, bottom = made.room.box
    y = bottom - 0.25 * (bottom - top) if made.room.baseline is None else made.room.baseline
    english = canvas.style.language == "en"
    sign = canvas.text(left, y, "$" if english else "€", look.type)
    unit = canvas.random.choice(["per month", "/mo.", "per year", "monthly"])
    if english and canvas.random.chance(0.3) and look.type.width(unit) < 0.4 * (right - left):
        right = canvas.text(right, y, unit, look.type, align="right")[0] - 2
    room = made.room._replace(
        box=(sign[2] + 0.2 * look.type.size, top, right, bottom), reach=(sign[2] + 1, top, right, bottom)
    )
    align = canvas.random.choice(["", "right"])
    put(canvas, look, kind, parts_of(canvas, made.text, made.label, made.owner), room, align)
    return True


def _area_code(canvas: Canvas, look: Look, made: _Cell, kind: Kind) -> bool:
    """Parentheses for an area code, which the answer is written over."""
    left, _, _, bottom = made.room.box
    for x, mark in ((left, "("), (left + 2.6 * look.type.size, ")")):
        canvas.text(x, bottom - 0.3 * look.type.size, mark, look.type)
    return False


def _years_months(canvas: Canvas, look: Look, made: _Cell, kind: Kind) -> bool:
    """Two answers, each before or after its unit."""
    random, type_ = canvas.random, look.type
    units = random.choice(_UNITS)
    left, top, right, bottom = made.room.box
    half = (right - left) / 2
    if canvas.style.language != "en" or half < type_.width(units[0]) + 1.6 * type_.size:
        return False
    before, y = random.chance(0.5), bottom - 0.3 * type_.size
    for i, unit in enumerate(units):
        start, end = left + i * half, left + (i + 1) * half - 2
        box = canvas.text(start if before else end, y, unit, type_, align="left" if before else "right")
        room = (box[2] + 3, top, end, bottom) if before else (start, top, box[0] - 3, bottom)
        if random.chance(0.25):
            canvas.rule(room[0], y + 1, room[2], "solid")
        parts = parts_of(canvas, unit, box, made.owner, (made.text, made.label))
        put(canvas, look, "small_number", parts, Room(room, room, "cell"))
    return True


def _comb(canvas: Canvas, look: Look, made: _Cell, kind: Kind) -> bool:
    """One box, or one short mark, for each letter."""
    random = canvas.random
    left, top, right, bottom = made.room.box
    pitch = min(max(1.15 * look.type.size, 9.0), bottom - top + 2)
    count = min(int((right - left) / pitch), _LETTERS.get(kind, 20))
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
    parts = parts_of(canvas, made.text, made.label, made.owner)
    canvas.example(parts, answer, (left, roof, end, base), "comb")
    return True


_UNITS = (("Years", "Months"), ("Yrs.", "Mos."), ("Yrs", "Mos"), ("Yr.", "Mo."), ("YRS.", "MOS."))
_LETTERS: dict[Kind, int] = {"date": 8, "tax_id": 9, "zip": 5, "phone": 10, "state": 2, "vin": 17, "initials": 1}
"""How many boxes a comb has at most."""
_SPECIAL: dict[Kind, tuple[tuple[float, Callable[[Canvas, Look, _Cell, Kind], bool]], ...]] = {
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
"""How often each is taken; each returns whether it has asked for the value."""
