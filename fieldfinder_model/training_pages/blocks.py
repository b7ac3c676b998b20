"""Blocks by name: lists of labels with answers at their right, long answers, sentences with blanks, options to tick."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ...envs.core.locators import Box
from ..reading.boxes import around
from . import vocabulary
from .canvas import Block, Canvas, Part
from .cells import cells, choice
from .fields import SEVERAL_LINES, Look, Room, look_of, option, option_width, put
from .furniture import head, paragraph, separator
from .labels import Owner, labels_for, parts_of, shown, unused
from .settings import Layout, settings
from .tables import table
from .text import wrapped
from .vocabulary import Blank, Kind, Label

# -- Lists: labels under each other, their answers at their right ------------------------------------------------------


class _Columns(NamedTuple):
    """Where a list has its labels and answers.

    Attributes:
        left: of the labels.
        ends: of the columns of answers, the first one's beginning before.
        owners: what the fields of each column belong to.
        align: of labels.
    """

    left: float
    ends: tuple[float, ...]
    owners: Sequence[Owner | None]
    align: str


def listing(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Labels under each other; their answers start at one tab stop, or stand in cells or at a right edge."""
    random = canvas.random
    labels = labels_for(canvas, layout)
    look = look_of(canvas, layout)
    if len(labels) < 4 or random.weighted(layout.columns or {1: 1}) == 1:
        return _list(canvas, layout, look, labels, (left, top, right))
    middle, half = left + (right - left) * random.uniform(0.45, 0.55), (len(labels) + 1) // 2
    ends = (
        _list(canvas, layout, look, labels[:half], (left, top, middle - canvas.style.em)),
        _list(canvas, layout, look, labels[half:], (middle, top, right)),
    )
    return max(ends)


def _list(
    canvas: Canvas, layout: Layout, look: Look, labels: Sequence[Label], place: tuple[float, float, float]
) -> float:
    random, em = canvas.random, canvas.style.em
    left, top, right = place
    grid, narrow = look.ruling == "grid", "right" in layout.placing
    most = (right - left) * (random.uniform(0.25, 0.5) if grid else random.uniform(0.3, 0.6))
    numbered = look.dense and grid and random.chance(0.35)
    colon = random.chance(0.4 if grid or narrow else 0.9)
    texts = [f"{i + 1}. " * numbered + shown(canvas, label, colon) for i, label in enumerate(labels)]
    lines = [wrapped(text, look.type, most - 2 * look.pad, 3, may_cut=False) for text in texts]
    rows = [row for row in zip(labels, texts, lines, strict=True) if row[2]]
    if not rows:
        return top
    widest = max(look.type.width(line) for _, _, part in rows for line in part)
    start, end = left + widest + random.weighted({0.6: 38, 1.3: 36, 3.0: 20, 6.0: 6}) * em, right
    if grid:
        start = left + most
    elif narrow:
        room = random.uniform(3.5, 8) * em
        end = min(max(start + room, left + random.uniform(8, 24) * em), right)
        start = end - room
    elif look.ruling == "strips" and random.chance(0.5):
        end = start + (right - start) * random.uniform(0.35, 0.9)
    if end - start < 3 * em:
        return top
    y, columns = _columns(canvas, layout, look, (left, top, start, end))
    for label, text, part in rows:
        y = (
            _grid_row(canvas, look, label, text, part, y, columns)
            if grid
            else _line_row(canvas, look, label, text, part, y, columns, narrow)
        )
    return y + 0.6 * em


def _columns(
    canvas: Canvas, layout: Layout, look: Look, place: tuple[float, float, float, float]
) -> tuple[float, _Columns]:
    """One column of answers, or two under heads; returns where the rows start too."""
    left, top, start, end = place
    random = canvas.random
    align = "right" if look.ruling != "grid" and random.chance(0.14) else "left"
    if not layout.head or not random.chance(0.45):
        return top, _Columns(left, (start, end), (None,), align)
    heads = random.choice([who for who in vocabulary.who(canvas.style.language) if len(who) == 2])
    if canvas.style.language == "en" and random.chance(0.6):
        heads = random.choice([("Present", "Previous"), ("Current", "Proposed"), ("Before", "Now")])
    ends, bottom = (start, (start + end) / 2, end), top + 1.5 * look.type.line
    owners = []
    for i, (text, a, b) in enumerate(zip(heads, ends, ends[1:], strict=False)):
        canvas.frame((round(a), round(top), round(b) + 1, round(bottom) + 1))
        text = text.upper() if canvas.style.caps else text
        box = canvas.text((a + b) / 2, bottom - 0.45 * look.type.size, text, look.type.bold(), align="centre")
        owners.append(Owner(text, box, i == 0))
    return bottom, _Columns(left, ends, owners, align)


def _grid_row(
    canvas: Canvas, look: Look, label: Label, text: str, lines: Sequence[str], top: float, columns: _Columns
) -> float:
    """A label in a ruled cell, plain, shaded or white on black, and the cells for its answers."""
    random, type_ = canvas.random, look.type
    left, start = columns.left, columns.ends[0]
    tall = 1.6 if label.kind == "long" else 0.9
    answer = look.height if look.dense else canvas.style.label.line * 1.7
    bottom = top + max(len(lines) * type_.line + 0.6 * type_.size, answer * tall)
    black = look.dense and look.ground == "black" and look.head_centred
    shade = 0 if black else look.shade
    canvas.frame((round(left), round(top), round(start) + 1, round(bottom) + 1), shade=shade)
    middle = (top + bottom - len(lines) * type_.line) / 2 + type_.capital
    y = top + type_.line if look.head_caps else middle
    box = canvas.lines(left + look.pad + 1, y, lines, type_, ink=255 * black)
    thick = canvas.style.thickness
    for a, b, owner in zip(columns.ends, columns.ends[1:], columns.owners, strict=False):
        canvas.frame((round(a), round(top), round(b) + 1, round(bottom) + 1))
        reach = (a + thick, top + thick, b - 1, bottom - 1)
        room = Room((a + look.pad + thick, reach[1], b - look.pad, reach[3]), reach, "cell")
        if label.kind in SEVERAL_LINES:
            room = room._replace(lines=random.between(1, max(int((bottom - top) / canvas.style.typed.line), 1)))
        put(canvas, look, label.kind, parts_of(canvas, text, box, owner), room)
    return bottom


def _line_row(
    canvas: Canvas,
    look: Look,
    label: Label,
    text: str,
    lines: Sequence[str],
    top: float,
    columns: _Columns,
    narrow: bool,
) -> float:
    """A label and its answer on its line, or on several."""
    random, style, em = canvas.random, canvas.style, canvas.style.em
    start, end = columns.ends
    ruled = look.ruling == "strips"
    step = max(look.type.line * style.spacing, style.typed.line) if not look.dense else look.type.line * 1.7
    y = top + step
    x = start - 0.5 * em if columns.align == "right" else columns.left
    box = canvas.lines(x, y, lines, look.type, align=columns.align)
    last = y + (len(lines) - 1) * look.type.line
    if look.ruling == "dots":
        line_end = columns.left + look.type.width(lines[-1])
        if start - line_end > 2 * em and columns.align == "left":
            canvas.rule(line_end + 0.4 * em, last - 1, start - 0.3 * em, "dotted")
    count = random.between(2, 4) if label.kind in SEVERAL_LINES and random.chance(0.3) and not narrow else 1
    if count > 1:
        pitch = step if ruled else style.typed.line * 1.1
        _several_lines(canvas, look, label.kind, [(text, box)], (start, y, end), count, pitch, ruled)
        return max(y + (count - 1) * pitch, last)
    bottom = last + (0.16 if ruled else 0.5) * em
    if ruled:
        canvas.rule(start, bottom, end)
    reach = (start, last - 1.35 * em, end, bottom)
    align = random.choice(["right", "right", "right", "left"]) if narrow else ""
    put(canvas, look, label.kind, [(text, box)], Room(reach, reach, "line" if ruled else "space", last), align)
    return last


def _several_lines(
    canvas: Canvas,
    look: Look,
    kind: Kind,
    parts: Sequence[Part],
    first: tuple[float, float, float],
    count: int,
    step: float,
    ruled: bool,
) -> None:
    """Asks for an answer in up to ``count`` lines; ``first``: the left end, the baseline and the right end."""
    random, em = canvas.random, canvas.style.em
    x, y, end = first
    for i in range(count if ruled else 0):
        canvas.rule(x, y + i * step + 0.16 * em, end)
    bottom = y + (count - 1) * step + (0.16 if ruled else 0.4) * em
    reach = (x, y - 1.2 * em, end, bottom)
    room = (x, reach[1], x + (end - x) * random.choice([1.0, 1.0, 1.0, 0.75]), bottom)
    kept = step if ruled or random.chance(0.6) else None
    put(canvas, look, kind, parts, Room(room, reach, "lines", y, random.between(1, count), kept), "left")


# -- Long answers and questions ----------------------------------------------------------------------------------------


def space(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Labels or numbered questions, each with lines or white space after it or under it."""
    random, style, em = canvas.random, canvas.style, canvas.style.em
    look = look_of(canvas, layout)
    asks = bool(layout.text) and style.language == "en"
    marks = random.choice(["{}.", "{}.", "{})", "Q{}.", "{}", ""]) if layout.text else ""
    indent = look.type.width(marks.format("00") + " ") if marks else 0.0
    first, y = random.choice([1, 1, 1, random.between(2, 30)]), top
    for number in range(first, first + random.between(*layout.fields)):
        label = unused(canvas, layout.kinds or None, vocabulary.questions() if asks else None)
        if label is None:
            continue
        text = shown(canvas, label, colon=not asks)
        margin = random.uniform(5, 9) * em if look.placing == "margin" else 0.0
        framed = 0.4 * em if look.placing == "framed" else 0.0
        lines = wrapped(text, look.type, right - left - indent - margin - 3 * em, 3, may_cut=False)
        if not lines:
            continue
        head = y
        y += look.type.line * max(style.spacing, 1.1)
        if marks:
            canvas.text(left, y, marks.format(number), look.type)
        box = canvas.lines(left + indent + framed, y, lines, look.type)
        y += (len(lines) - 1) * look.type.line
        x = left + indent + framed + look.type.width(lines[-1])
        y = _answer_space(canvas, look, label.kind, (text, box), (x, y, right), margin)
        if framed:
            canvas.frame((left, head + 0.3 * em, right, y + 0.3 * em))
        y += random.uniform(0.2, 0.9) * em
    return y


def _answer_space(
    canvas: Canvas, look: Look, kind: Kind, part: Part, end: tuple[float, float, float], margin: float
) -> float:
    """Asks for an answer after a label or under it; ``end``: where the label ends, its baseline, the right edge."""
    random, style, em = canvas.random, canvas.style, canvas.style.em
    x, y, right = end
    left = part[1][0]
    ruled, pitch = random.chance(0.5), style.label.line * max(style.spacing, 1.2)
    after = x + random.uniform(0.4, 1.3) * em
    if margin or (look.placing == "after" and right - after > 7 * em):
        start, bottom = right - margin if margin else after, y + (0.16 if ruled else 0.5) * em
        if ruled:
            canvas.rule(start, bottom, right)
        reach = (start, y - 1.35 * em, right, bottom)
        put(canvas, look, kind, [part], Room(reach, reach, "line" if ruled else "space", y))
        return y
    if look.placing == "lines" and right - after > 9 * em:
        count = random.between(2, 8)
        _several_lines(canvas, look, kind, [part], (after, y, right), count, pitch, ruled)
        return y + (count - 1) * pitch
    if look.placing in ("ruled", "lines"):
        count = random.between(1, 6)
        _several_lines(canvas, look, kind, [part], (left, y + pitch, right), count, pitch, True)
        return y + count * pitch
    high = random.uniform(1.8, 10 if kind in SEVERAL_LINES else 4) * em
    reach = (left - 0.2 * em, part[1][3] + 1, right - 0.4 * em, y + high)
    inset = random.choice([0.0, 0.0, 0.5, 2.0, 5.0]) * em
    lines = random.between(1, max(int(high / (1.2 * style.typed.line)), 1)) if kind in SEVERAL_LINES else 1
    put(canvas, look, kind, [part], Room((left + inset, *reach[1:]), reach, "below", None, lines), "left")
    return y + high


def prose(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Sentences with blanks, set as running text."""
    random, style = canvas.random, canvas.style
    type_ = style.body if random.chance(0.5) else style.label
    step = type_.line * max(style.spacing * 0.85, 1.2)
    x, y = left + random.choice([0.0, 0.0, 2.0]) * style.em, top + step
    for part in random.choice(vocabulary.prose()):
        if isinstance(part, Blank):
            x, y = _blank(canvas, part, x, y, (left, right, step))
            continue
        for word in part.split():
            if x + type_.width(word) > right:
                x, y = left, y + step
            canvas.text(x, y, word, type_)
            x += type_.width(f"{word} ")
    return y + step * 0.6


def _blank(canvas: Canvas, blank: Blank, x: float, y: float, frame: tuple[float, float, float]) -> tuple[float, float]:
    """A blank in running text that is asked for by what stands before it; returns where the text goes on."""
    random, em = canvas.random, canvas.style.em
    left, right, step = frame
    short = blank.kind in ("small_number", "date", "state", "percent")
    width = random.uniform(4, 8) * em if short else random.uniform(7, 18) * em
    if x + width > right:
        x, y = left, y + step
    end = min(x + width, right)
    before = _words_before(canvas, blank)
    canvas.rule(x, y + 0.14 * em, end)
    answer = canvas.answer(blank.kind, end - x)
    if answer is not None and before is not None:
        at = x + random.uniform(0, 0.5) * max(end - x - answer.width, 0)
        reach = (x, y - min(step, 1.3 * em), end, y + 0.14 * em)
        canvas.ask([(blank.ask, before)], answer, at, y, reach, "prose")
    return end + 0.35 * em, y


def _words_before(canvas: Canvas, blank: Blank) -> Box | None:
    """The box of the last words before a blank on their line, as many as it is asked by."""
    last = canvas.words[-1:]
    words = [word.box for word in canvas.words[-len(blank.ask.split()) :] if abs(word.box[3] - last[0].box[3]) < 6]
    return around(words) if words else None


# -- Options -----------------------------------------------------------------------------------------------------------


def options(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """Questions with options that are ticked: in a row, in a list of one to three columns, or framed side by side."""
    look = look_of(canvas, layout)
    if look.placing == "panel":
        return _panel(canvas, layout, look, left, top, right)
    y = top
    for _ in range(canvas.random.between(*layout.fields)):
        group = canvas.random.choice(vocabulary.choices(canvas.style.language))
        y += look.type.line * max(canvas.style.spacing, 1.15)
        question, x = _asked(canvas, look, group.question, left, y)
        if look.placing == "row":
            y = _option_row(canvas, look, group.options, question, (x, y), (left, right))
        else:
            y += look.type.line * 1.25 * bool(question)
            y = _option_list(canvas, look, _more(canvas, group.options), question, (left, y, right))
    return y + canvas.style.em * 0.6


def _asked(canvas: Canvas, look: Look, question: str, x: float, y: float) -> tuple[list[Part], float]:
    """Prints a question if there is one; returns it and where what follows may start."""
    if not question:
        return [], x
    text = question.upper() if canvas.style.caps else question
    if question[-1].isalnum() and canvas.random.chance(0.7):
        text += ":"
    box = canvas.text(x, y, text, look.type)
    return [(text, box)], box[2] + canvas.style.em * canvas.random.uniform(0.7, 2.5)


def _option_row(
    canvas: Canvas,
    look: Look,
    texts: Sequence[str],
    question: Sequence[Part],
    at: tuple[float, float],
    edges: tuple[float, float],
) -> float:
    """Options side by side, in as many lines as it takes; returns the last baseline."""
    (x, y), (left, right), em = at, edges, canvas.style.em
    between = em * canvas.random.uniform(0.5, 2.5)
    for text in texts:
        wide = option_width(look, text.upper() if canvas.style.caps else text)
        if x + wide > right:
            x, y = left + 2 * em, y + look.type.line * 1.25
        if x + wide <= right:
            x = option(canvas, look, text, (x, y), None, question)[2] + between
    return y


def _more(canvas: Canvas, texts: Sequence[str]) -> list[str]:
    """Options of a question, with some that stand alone on forms if they are few."""
    few = len(texts) < 4 and canvas.style.language == "en"
    alone = vocabulary.phrases().options_alone if few else ()
    return [*texts, *(text for text in canvas.random.shuffled(alone)[:4] if text not in texts)]


def _option_list(
    canvas: Canvas, look: Look, texts: Sequence[str], question: Sequence[Part], place: tuple[float, float, float]
) -> float:
    """Options under each other; returns the last baseline."""
    left, top, right = place
    columns = canvas.random.weighted({1: 50, 2: 35, 3: 15})
    width, step = (right - left) / columns, look.type.line * canvas.random.uniform(1.1, 1.7)
    fitting = [text for text in texts if option_width(look, text.upper()) < width]
    rows = -(-len(fitting) // columns)
    for i, text in enumerate(fitting):
        option(canvas, look, text, (left + (i // rows) * width, top + (i % rows) * step), None, question)
    return top + max(rows - 1, 0) * step


def _panel(canvas: Canvas, layout: Layout, look: Look, left: float, top: float, right: float) -> float:
    """Groups of options in frames side by side, each under its question."""
    count = canvas.random.between(*layout.fields)
    width, type_ = (right - left) / count, look.type
    groups = [choice(canvas) for _ in range(count)]
    step = type_.line * canvas.random.uniform(1.15, 1.5)
    height = (1 + max(len(group.options) for group in groups)) * step + 0.8 * type_.size
    for i, group in enumerate(groups):
        x = left + i * width
        canvas.frame((round(x), round(top), round(x + width) + 1, round(top + height)), shade=look.shade)
        room = width - 2 * look.pad
        if type_.bold().width(group.question) > room:
            continue
        box = canvas.text(x + look.pad, top + type_.line, group.question, type_.bold())
        for j, text in enumerate(group.options):
            if option_width(look, text.upper()) < room:
                at = (x + look.pad, top + (1 + j) * step + type_.line)
                option(canvas, look, text, at, None, [(group.question, box)])
    return top + height + 0.5 * canvas.style.em


# -- By name -----------------------------------------------------------------------------------------------------------

_Painter = Callable[[Canvas, Layout, float, float, float], float]

PAINTERS: Mapping[str, _Painter] = {
    "cells": cells,
    "listing": listing,
    "space": space,
    "prose": prose,
    "options": options,
    "table": table,
    "head": head,
    "paragraph": paragraph,
    "separator": separator,
}
"""What draws a block of a layout; see ``Layout.draw``."""


def block(name: str) -> Block:
    """The block of a name; see ``Settings.layouts``."""
    layout = settings().layouts[name]

    def draw(canvas: Canvas, left: float, top: float, right: float) -> float:
        return PAINTERS[layout.draw](canvas, layout, left, top, right)

    return draw
