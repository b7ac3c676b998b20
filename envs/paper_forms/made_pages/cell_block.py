"""Draw rows of cells: each has a label and room for an answer, or options to tick.

Lists, grids, captions, long answers, questionnaires and groups of options are all such rows; their ``BlockLayout``
distinguishes them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PIL import Image

from ...core.boxes import Box
from . import vocabulary
from .cell_plan import Cell, indent, plan_cells, row_height
from .field_drawing import SEVERAL_LINES, Look, Room, draw_option, option_width, put_answer
from .field_labels import Owner, parts_of
from .page_canvas import Area, Canvas, Part
from .page_decorations import paragraph
from .page_settings import BlockLayout, settings
from .style import wrap
from .vocabulary import Choice, FieldLabel, Kind

# -- Details for certain values: money signs, area codes, units, combs -------------------------------------------------


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


# -- Rows of cells -----------------------------------------------------------------------------------------------------


def cells(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw rows of cells with headings, once for each person if there are several."""
    random, em = canvas.random, canvas.style.em
    y = paragraph(layout, canvas, area) if layout.intro else area.top
    heads = _heads(canvas, layout)
    aisle = random.choice([0.0, 0.0, 0.6, 1.2]) * em if layout.beside else 0.0
    width = (area.width - aisle) / (len(heads) if layout.beside else 1)
    look, plan = plan_cells(canvas, layout, width)
    turned = look.dense and not layout.beside and random.chance(0.3)
    bottoms = [y]
    for i, head in enumerate(heads):
        x = area.left + i * (width + aisle) if layout.beside else area.left
        first = i == 0 if layout.head == "who" else None
        bottoms.append(_group(canvas, look, plan, Area(x, y, x + width), head, first, turned))
        y = y if layout.beside else bottoms[-1] + random.uniform(0, 0.4) * em
    return max(bottoms) + random.uniform(0.3, 0.9) * em


def _heads(canvas: Canvas, layout: BlockLayout) -> Sequence[str]:
    words = vocabulary.words(canvas.style.language)
    if layout.head == "who":
        return canvas.random.choice([who for who in words.who if len(who) == 2 or not layout.beside])
    return (canvas.random.choice(words.heads) if layout.head and canvas.random.chance(0.85) else "",)


# -- Groups ------------------------------------------------------------------------------------------------------------


def _group(
    canvas: Canvas, look: Look, plan: Sequence[Sequence[Cell]], area: Area, text: str, first: bool | None, turned: bool
) -> float:
    """Draw a plan with its heading; ``first`` is ``None`` if that names no person."""
    if not text:
        return _rows(canvas, look, plan, area, None)
    text = text.upper() if look.head_caps else text
    head = _vertical_head(canvas, look, plan, area, text) if turned else None
    if head is not None:
        area = area._replace(left=head[1][2] + 3)
    else:
        head, top = _head(canvas, look, area, text)
        area = area._replace(top=top)
    if head is None:
        return area.top
    before, canvas.sections = canvas.sections, []
    end = _rows(canvas, look, plan, area, Owner(*head, first is not False, first is not None))
    canvas.sections = before
    return end


def _head(canvas: Canvas, look: Look, area: Area, text: str) -> tuple[Part | None, float]:
    """Print a heading above cells: plain, shaded or inverted; return it and its end."""
    type_, black = look.head, look.ground == "black"
    end = area.top + 1.45 * type_.size
    if not wrap(text, type_, area.width - type_.size, 1, may_cut=False):
        return None, area.top
    if look.ground != "plain":
        shade = 0 if black else canvas.random.between(190, 235)
        canvas.frame((area.left, area.top, area.right + canvas.style.thickness, end), shade=shade)
    x = (area.left + area.right) / 2 if look.head_centred else area.left + look.pad * (look.ground != "plain")
    align = "centre" if look.head_centred else "left"
    return (text, canvas.text(x, end - 0.35 * type_.size, text, type_, align=align, ink=255 * black)), end


def _vertical_head(canvas: Canvas, look: Look, plan: Sequence[Sequence[Cell]], area: Area, text: str) -> Part | None:
    """Print a vertical heading at the left edge; ``None`` if the rows are too low."""
    picture = look.head.picture(text).transpose(Image.Transpose.ROTATE_90)
    width, height = picture.size
    high = sum(row_height(look, row) for row in plan)
    if height > high:
        return None
    x, y = round(area.left), round(area.top + (high - height) / 2)
    canvas.paste(picture, x, y)
    return text, (float(x), float(y), float(x + width), float(y + height))


def _rows(canvas: Canvas, look: Look, plan: Sequence[Sequence[Cell]], area: Area, owner: Owner | None) -> float:
    y, stretch = area.top, area.width / max((row[-1].end for row in plan if row), default=1.0)
    for row in plan:
        end = y + row_height(look, row)
        for cell in row:
            box = (area.left + cell.start * min(stretch, 1), y, area.left + cell.end * min(stretch, 1), end)
            if look.framed:
                _rule_cell(canvas, look, box)
            elif box[2] < area.right - 1:
                box = (*box[:2], box[2] - canvas.random.uniform(0.5, 1.0) * look.type.size, end)
            if cell.lines:
                _draw_cell(canvas, look, cell, box, owner)
        y = end
    return y + canvas.style.thickness


def _rule_cell(canvas: Canvas, look: Look, box: Box) -> None:
    thick = canvas.style.thickness
    left, top, right, bottom = round(box[0]), round(box[1]), round(box[2]) + thick, round(box[3]) + thick
    if look.ruling == "grid":
        if look.tab:
            canvas.frame((left, top, left + look.tab, bottom), shade=0 if look.black_labels else look.shade)
        canvas.frame((left + look.tab, top, right, bottom), shade=None if look.tab else look.shade)
        return
    canvas.rule(left, top, right, "solid")
    canvas.rule(left, bottom - thick, right, "solid")
    if look.ruling == "marks" and box[0] > canvas.left + 2:
        canvas.upright(left, top, top + 0.5 * (bottom - top))


# -- One cell ----------------------------------------------------------------------------------------------------------


def _draw_cell(canvas: Canvas, look: Look, cell: Cell, box: Box, owner: Owner | None) -> None:
    """Print the label of a cell, and make its answer or each of its options a target."""
    label = _draw_label(canvas, look, cell, box)
    room = _room(canvas, look, cell, box, label)
    part = (" ".join(cell.label), label)
    if isinstance(cell.content, Choice):
        _draw_options(canvas, look, cell, cell.content, room, part, owner)
        return
    if room.box[2] - room.box[0] < 1.6 * look.type.size:
        return
    if not look.framed:
        room = _rule_room(canvas, look, cell, room, label)
    kind = cell.content.kind
    if not (look.dense and draw_details(canvas, look, part, owner, room, kind)):
        align = canvas.random.choice(["right", "right", "right", "left"]) if look.narrow else ""
        put_answer(canvas, look, kind, parts_of(canvas, part, owner), room, align)


def _draw_label(canvas: Canvas, look: Look, cell: Cell, box: Box) -> Box:
    """Print the label of a cell and return its box; without a label, that of a dot."""
    type_, lines = look.type, len(cell.label)
    x, align = box[0] + look.inset, "left"
    y = {
        "corner": box[1] + canvas.style.thickness + 0.25 * type_.size + type_.capital,
        "over": box[1] + type_.line,
        "under": box[3] - 0.3 * type_.size - (lines - 1) * type_.line,
    }.get(look.placing, box[1] + (look.option_pitch if isinstance(cell.content, Choice) else look.pitch))
    if look.framed and look.placing in ("beside", "tab"):
        y = (box[1] + box[3] - lines * type_.line) / 2 + type_.line - 0.2 * type_.size
    if not lines:
        return x, y - type_.capital, x + 1, y
    if cell.number:
        canvas.text(x, y, cell.number, type_)
        x += indent(look, cell.number)
    elif look.placing == "under" and look.centred > 0.5:
        x, align = (box[0] + box[2]) / 2, "centre"
    elif look.placing == "tab" and look.flush:
        x, align = box[0] + look.tab - 0.5 * type_.size, "right"
    ink = 255 if look.black_labels else 0
    return canvas.lines(x, y, cell.label, type_, align=align, ink=ink, underlined=canvas.style.underlined)


def _room(canvas: Canvas, look: Look, cell: Cell, box: Box, label: Box) -> Room:
    """The room for a cell's answer; a baseline is that of the label or the rule."""
    random, em, thick = canvas.random, canvas.style.em, canvas.style.thickness
    if look.placing in ("beside", "tab"):
        last = label[0] + look.type.width(cell.label[-1]) if cell.label else label[0]
        left = box[0] + look.tab if look.tab else last + random.uniform(0.3, 0.9) * look.type.size
        right = min(box[2], left + look.narrow) if look.narrow else box[2]
        baseline = label[3] - max(look.type.ink(cell.label[-1])[3], 0) if cell.label else label[3]
        inner = (left, box[1], right, box[3])
    elif look.placing == "under":
        inner = (box[0], box[1], box[2], label[1] - random.uniform(0.15, 0.4) * look.type.size - thick)
        baseline = inner[3] - 0.16 * em
    else:
        inner = (box[0], label[3] + 1, box[2], box[3])
        baseline = label[3] + look.pitch - 0.3 * em
    if not look.framed:
        return Room(inner, inner, "", baseline)
    reach = (inner[0] + thick, max(inner[1], box[1] + thick), inner[2] - 1, inner[3] - 1)
    lines = 1
    if isinstance(cell.content, FieldLabel) and cell.content.kind in SEVERAL_LINES:
        lines = random.between(1, max(int((reach[3] - reach[1]) / (1.1 * canvas.style.typed.line)), 1))
    return Room((reach[0] + look.pad, reach[1], reach[2] - look.pad, reach[3]), reach, "cell", None, lines)


def _rule_room(canvas: Canvas, look: Look, cell: Cell, room: Room, label: Box) -> Room:
    """Draw the lines for an answer, if it has any, and return its room."""
    random, em = canvas.random, canvas.style.em
    left, _, right, _ = room.box
    y = room.baseline or 0.0
    ruled = look.ruling == "strips" or (cell.lines > 1 and random.chance(0.3))
    if look.ruling == "dots" and left - label[2] > 2 * em:
        canvas.rule(label[2] + 0.4 * em, y - 1, left - 0.3 * em, "dotted")
    if look.placing == "over" and not ruled:
        lines = random.between(1, cell.lines)
        left += random.choice([0.0, 0.0, 0.5, 2.0, 5.0]) * em * (cell.lines > 1)
        return Room((left, room.box[1], right, room.box[3] - 2), room.reach, "below", None, lines)
    if ruled and look.placing != "under" and random.chance(0.2):
        right = left + (right - left) * random.uniform(0.5, 1.0)
    bottom = y + (cell.lines - 1) * look.pitch + (0.16 if ruled else 0.4) * em
    for i in range(cell.lines if ruled else 0):
        canvas.rule(left, y + i * look.pitch + 0.16 * em, right, "solid" if look.dense else None)
    top = max(y - 1.35 * em, label[3] + 1) if look.placing == "over" else y - 1.35 * em
    # Where rows are dense, an answer must not touch the print above it.
    reach = (left, max(top, room.box[1] + 1) if look.dense else top, right, bottom)
    if cell.lines > 1:
        step = look.pitch if ruled or random.chance(0.6) else None
        return Room(reach, reach, "lines", y, random.between(1, cell.lines), step)
    kind = {"under": "above", "over": "below"}.get(look.placing, "line" if ruled else "space")
    return Room(reach, reach, kind, None if look.dense else y)


def _draw_options(
    canvas: Canvas, look: Look, cell: Cell, choice: Choice, room: Room, label: Part, owner: Owner | None
) -> None:
    """Print options in rows, in line with their question or under it."""
    left, top, right, _ = room.box
    in_line = look.placing in ("beside", "tab") and not look.framed
    y = room.baseline if in_line and room.baseline else top + look.type.line
    widths = [option_width(look, text) for text in choice.options]
    slack = right - left - (sum(widths) if cell.abreast == len(widths) else cell.abreast * max(widths))
    gap = max(slack, 0.0) / cell.abreast * canvas.random.choice([0.0, 0.3, 0.6])
    question = [label] if cell.label else []
    x = left
    for i, text in enumerate(choice.options):
        row, column = divmod(i, cell.abreast)
        x = x if column else left
        draw_option(canvas, look, text, (x, y + row * look.option_pitch), owner, question)
        x += (widths[i] if cell.abreast == len(widths) else max(widths)) + gap
