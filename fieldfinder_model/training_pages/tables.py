"""Blocks that are tables: ruled or not, with heads of one to three levels, with or without heads of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Canvas, Part
from .fields import fitted
from .settings import Layout
from .text import Type, wrapped
from .vocabulary import Column, Kind, TableWords

_LOOKS: dict[str, float] = {"grid": 38, "rows": 17, "columns": 8, "head": 14, "none": 20, "cells": 12}
"""What is ruled: everything, between rows, between columns, under the heads, nothing, each cell."""

_CELL_KINDS: dict[Kind, Kind] = {"long": "words", "address": "city"}
"""What is written in a cell where its column asks for more than a cell holds."""


@dataclass(frozen=True)
class _Plan:
    """A table before it is drawn; edges in pixels.

    Attributes:
        edges: of the columns; the first is the heads of the rows if there are any.
        heads: the lines of each column's head, the first column left out where it heads the rows.
        rows: what stands at the left of each row, ``""`` where nothing does.
        pitch: the height of a row.
        look: of ``_LOOKS``.
        align: how heads and cells stand in their columns.
        type: of the heads.
    """

    edges: tuple[float, ...]
    columns: tuple[Column, ...]
    heads: tuple[list[str], ...]
    rows: tuple[str, ...]
    pitch: float
    look: str
    align: str
    type: Type


def table(canvas: Canvas, layout: Layout, left: float, top: float, right: float) -> float:
    """A table whose columns, and rows if they have heads, are asked for."""
    plan = _planned(canvas, layout.size == "dense", left, right)
    if plan is None:
        return top
    heads, body = _draw_heads(canvas, plan, top)
    bottom = body + plan.pitch * len(plan.rows)
    if bottom > canvas.bottom:
        return bottom
    _draw_rules(canvas, plan, (top, body, bottom))
    _draw_rows(canvas, plan, heads, body)
    return bottom + 0.6 * canvas.style.em


def _planned(canvas: Canvas, dense: bool, left: float, right: float) -> _Plan | None:
    random, style = canvas.random, canvas.style
    words = _words(canvas)
    type_ = style.small.scaled(0.85) if dense else random.choice([style.label, style.body, style.small])
    look = "grid" if dense else random.weighted(_LOOKS)
    numbered = dense and not words.rows and random.chance(0.55)
    form = random.choice(["{}", "{}.", "({})", "{})"])
    named = tuple(form.format(i + 1) for i in range(9)) if numbered else words.rows
    right = right if look == "grid" or random.chance(0.6) else left + (right - left) * random.uniform(0.6, 1.0)
    shown = _rows(canvas, named, type_, 0.5 * (right - left)) if named else ("",) * random.between(1, 9)
    if not shown:
        return None
    first = left + (max(map(type_.width, shown)) + random.uniform(0.7, 3) * style.em if named else 0)
    pitch = style.label.line * random.uniform(1.05, 1.9)
    align = random.weighted({"left": 35, "centre": 45, "right": 20})
    for count in range(min(random.between(2, 8), len(words.columns)), 0, -1):
        columns = words.columns[:count]
        edges = _edges(canvas, first, right, count)
        heads = [_head(canvas, c.text, type_, b - a) for c, (a, b) in zip(columns, pairwise(edges), strict=True)]
        if all(heads):
            return _Plan((left,) * bool(named) + edges, columns, tuple(heads), shown, pitch, look, align, type_)
    return None


def _edges(canvas: Canvas, left: float, right: float, count: int) -> tuple[float, ...]:
    """The edges of columns that are about as wide."""
    widths = [canvas.random.uniform(0.7, 1.3) for _ in range(count)]
    return tuple(accumulate((width * (right - left) / sum(widths) for width in widths), initial=left))


def _words(canvas: Canvas) -> TableWords:
    if canvas.style.language == "en":
        return canvas.random.choice(vocabulary.tables())
    labels = canvas.random.shuffled(vocabulary.labels(canvas.style.language))
    columns = tuple(Column(label.text, label.kind, "") for label in labels[: canvas.random.between(2, 6)])
    rows = (
        tuple(label.text for label in labels[6 : 6 + canvas.random.between(2, 6)]) if canvas.random.chance(0.5) else ()
    )
    return TableWords(columns, rows, "")


def _head(canvas: Canvas, text: str, type_: Type, width: float) -> list[str]:
    shown = text.upper() if canvas.style.caps else text
    return wrapped(shown, type_, width - 0.5 * canvas.style.em, 3, may_cut=False)


def _rows(canvas: Canvas, texts: Sequence[str], type_: Type, room: float) -> tuple[str, ...]:
    caps = canvas.style.caps and canvas.random.chance(0.5)
    rows = [row.upper() if caps else row for row in texts]
    return tuple(row for row in rows if type_.width(row) < room - canvas.style.em)[: canvas.random.between(2, 12)]


# -- Drawing -------------------------------------------------------------------------------------------------------


def _draw_heads(canvas: Canvas, plan: _Plan, top: float) -> tuple[list[list[Part]], float]:
    """Draws the heads of columns; returns what each is asked by (itself, then its group) and where the cells start."""
    random, em = canvas.random, canvas.style.em
    type_, line = plan.type, plan.type.line
    y = top + line
    groups = _draw_groups(canvas, plan, y)
    if any(groups):
        y += line * random.uniform(1.1, 1.5)
    tallest = max(len(head) for head in plan.heads)
    underlined = plan.look == "none" and random.chance(0.6)
    parts: list[list[Part]] = []
    headed = len(plan.edges) - 1 - len(plan.columns)
    align = "centre" if plan.align == "right" else plan.align
    for i, head in enumerate(plan.heads):
        first = y + (tallest - len(head)) * line
        x = _at(plan.edges[i + headed], plan.edges[i + headed + 1], align, 0.3 * em)
        box = canvas.lines(x, first, head, type_, align=align)
        if underlined:
            canvas.rule(box[0], box[3] + 2, box[2], "solid")
        parts.append([(" ".join(head), box), *groups[i]])
    below = random.uniform(0.35, 0.8) * em
    if random.chance(0.12):
        below += random.uniform(0.5, 3) * line
    return parts, y + (tallest - 1) * line + below


def _draw_groups(canvas: Canvas, plan: _Plan, y: float) -> list[list[Part]]:
    """Draws the heads that columns share."""
    headed = len(plan.edges) - 1 - len(plan.columns)
    groups: list[list[Part]] = [[] for _ in plan.columns]
    for name, members in groupby(range(len(plan.columns)), key=lambda i: plan.columns[i].group):
        columns = list(members)
        a, b = plan.edges[columns[0] + headed], plan.edges[columns[-1] + headed + 1]
        shown = name.upper() if canvas.style.caps else name
        if not shown or plan.type.width(shown) > b - a:
            continue
        box = canvas.text((a + b) / 2, y, shown, plan.type, align="centre")
        if plan.look != "none" or canvas.random.chance(0.6):
            canvas.rule(a + 3, y + 0.25 * canvas.style.em, b - 3, "solid")
        for i in columns:
            groups[i].append((shown, box))
    return groups


def _draw_rules(canvas: Canvas, plan: _Plan, levels: tuple[float, float, float]) -> None:
    """Rules the table; ``levels``: its top, where the cells start, its bottom."""
    top, body, bottom = levels
    left, right = plan.edges[0], plan.edges[-1]
    look = "solid" if canvas.random.chance(0.85) else None
    if plan.look in ("grid", "columns"):
        for x in plan.edges:
            canvas.upright(x, top, bottom)
        canvas.rule(left, top, right, look)
    if plan.look in ("grid", "rows"):
        for i in range(len(plan.rows) + 1):
            canvas.rule(left, body + i * plan.pitch, right, look)
    elif plan.look == "cells":
        gap = 0.4 * canvas.style.em
        headed = len(plan.edges) - 1 - len(plan.columns)
        for i in range(1, len(plan.rows) + 1):
            for a, b in pairwise(plan.edges[headed:]):
                canvas.rule(a + gap, body + i * plan.pitch - 1, b - gap, look)
    elif plan.look in ("head", "columns"):
        canvas.rule(left, body, right, look)
        if canvas.random.chance(0.6):
            canvas.rule(left, bottom, right, look)


def _draw_rows(canvas: Canvas, plan: _Plan, heads: list[list[Part]], body: float) -> None:
    """Draws the heads of rows and asks for the first cells of columns and rows, and for some others."""
    random, em = canvas.random, canvas.style.em
    headed = len(plan.edges) - 1 - len(plan.columns)
    for r, shown in enumerate(plan.rows):
        y = body + (r + 0.5) * plan.pitch + 0.36 * plan.type.size
        row = (shown, canvas.text(plan.edges[0] + 0.3 * em, y, shown, plan.type)) if shown and headed else None
        for c, head in enumerate(heads):
            parts = _asked_by(canvas, r, c, row, head)
            cell = (
                plan.edges[c + headed],
                body + r * plan.pitch,
                plan.edges[c + headed + 1],
                body + (r + 1) * plan.pitch,
            )
            if parts:
                _ask_cell(canvas, plan, parts, plan.columns[c].kind, cell)
            elif random.chance(canvas.style.filled):
                _ask_cell(canvas, plan, [], plan.columns[c].kind, cell)


def _asked_by(canvas: Canvas, r: int, c: int, row: Part | None, head: list[Part]) -> list[Part]:
    """The parts of the target that names the cell in row ``r`` and column ``c``; empty: it is no target."""
    random = canvas.random
    if row is None:
        return head[: random.between(1, 2)] if r == 0 else []
    if c == 0 and random.chance(0.2):
        return [row]
    if r == 0 and random.chance(0.25):
        return head[: random.between(1, 2)]
    if random.chance(0.6):
        both = [row, *head]
        return both if random.chance(0.7) else [head[0], row]
    return []


def _ask_cell(canvas: Canvas, plan: _Plan, parts: list[Part], kind: Kind, cell: Box) -> None:
    random, em = canvas.random, canvas.style.em
    inset, edge = 0.3 * em, canvas.style.thickness + 1
    answer = canvas.answer(_CELL_KINDS.get(kind, kind), cell[2] - cell[0] - 2 * inset)
    answer = fitted(answer, cell[3] - cell[1] - 2 * edge) if answer else None
    if answer is None or answer.width > cell[2] - cell[0] - 2 * edge:
        return
    x = _at(cell[0], cell[2], plan.align, inset) - answer.width * {"left": 0, "centre": 0.5, "right": 1}[plan.align]
    x += random.uniform(-0.15, 0.3) * em if plan.align == "left" else 0
    y = (cell[1] + cell[3]) / 2 + answer.type.capital / 2
    reach = (cell[0] + edge, cell[1] + edge, cell[2] - edge, cell[3] - edge)
    x = max(min(x, reach[2] - answer.width + answer.pad), reach[0] + answer.pad)
    y = max(min(y, reach[3] - answer.height + answer.rise), reach[1] + answer.rise)
    if not parts:
        canvas.write(answer, x, y)
        return
    canvas.ask(parts, answer, x, y, reach, "table", drifts=False)


def _at(left: float, right: float, align: str, inset: float) -> float:
    """Where text stands in a column."""
    if align == "centre":
        return (left + right) / 2
    return left + inset if align == "left" else right - inset
