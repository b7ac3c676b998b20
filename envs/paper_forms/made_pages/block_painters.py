"""The blocks of ``pages.json`` and their painters, that of running text included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ...core.boxes import Box, union
from . import vocabulary
from .cell_block import cells
from .page_canvas import Area, Block, Canvas
from .page_decorations import paragraph, section_head, separator
from .page_settings import Layout, settings
from .table_block import table
from .vocabulary import Blank


def prose(canvas: Canvas, layout: Layout, area: Area) -> float:
    """Draw sentences with blanks as running text."""
    random, style = canvas.random, canvas.style
    type_ = style.body if random.chance(0.5) else style.label
    step = type_.line * max(style.spacing * 0.85, 1.2)
    x, y = area.left + random.choice([0.0, 0.0, 2.0]) * style.em, area.top + step
    for part in random.choice(vocabulary.prose()):
        if isinstance(part, Blank):
            x, y = _blank(canvas, part, (x, y), area, step)
            continue
        for word in part.split():
            if x + type_.width(word) > area.right:
                x, y = area.left, y + step
            canvas.text(x, y, word, type_)
            x += type_.width(f"{word} ")
    return y + step * 0.6


def _blank(canvas: Canvas, blank: Blank, at: tuple[float, float], area: Area, step: float) -> tuple[float, float]:
    """Draw a blank, named by the words before it, and return where the text goes on."""
    random, em, (x, y) = canvas.random, canvas.style.em, at
    short = blank.kind in ("small_number", "date", "state", "percent")
    width = random.uniform(4, 8) * em if short else random.uniform(7, 18) * em
    if x + width > area.right:
        x, y = area.left, y + step
    end = min(x + width, area.right)
    before = _words_before(canvas, blank)
    canvas.rule(x, y + 0.14 * em, end)
    answer = canvas.answer(blank.kind, end - x)
    if answer is not None and before is not None:
        start = x + random.uniform(0, 0.5) * max(end - x - answer.width, 0)
        reach = (x, y - min(step, 1.3 * em), end, y + 0.14 * em)
        canvas.ask([(blank.ask, before)], answer, start, y, reach, "prose")
    return end + 0.35 * em, y


def _words_before(canvas: Canvas, blank: Blank) -> Box | None:
    """The box of the words before a blank that name it, as far as on its line."""
    words = [word.box for word in canvas.words[-len(blank.ask.split()) :]]
    return union(box for box in words if abs(box[3] - words[-1][3]) < 6) if words else None


PAINTERS: Mapping[str, Callable[[Canvas, Layout, Area], float]] = {
    "cells": cells,
    "table": table,
    "prose": prose,
    "head": section_head,
    "paragraph": paragraph,
    "separator": separator,
}
"""The function that draws each kind of block; see ``Layout.draw``."""


def block(name: str) -> Block:
    """The block of a name; see ``Settings.layouts``."""
    layout = settings().layouts[name]
    return partial(_draw_block, layout)


def _draw_block(layout: Layout, canvas: Canvas, area: Area) -> float:
    return PAINTERS[layout.draw](canvas, layout, area)
