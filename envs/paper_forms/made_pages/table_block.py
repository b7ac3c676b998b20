"""Draw tables, with column headings of one or two levels and row headings or none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise

from ...core.boxes import Box
from . import vocabulary
from .field_drawing import Look, Room, look_of, put_answer
from .field_labels import labels_for
from .page_canvas import ALIGNMENT, Area, Canvas, Part
from .page_settings import BlockLayout
from .style import wrap
from .vocabulary import Column, Kind

_CELL_KINDS: dict[Kind, Kind] = {"long": "words", "address": "city"}
"""Shorter kinds of values for cells whose column or row has a long kind."""


@dataclass(frozen=True)
class _Plan:
    """A table before it is drawn; lengths are in pixels.

    Attributes:
        edges: of the columns with cells.
        heads: the lines of each column's heading.
        rows: the lines of each row's heading; empty: none.
        kinds: of the values of each row; empty: those of the columns.
        heights: of the rows.
        align: of headings and cells in their columns.
        left: edge of the table.
    """

    look: Look
    edges: Sequence[float]
    columns: Sequence[Column]
    heads: Sequence[Sequence[str]]
    rows: Sequence[Sequence[str]]
    kinds: Sequence[Kind]
    heights: Sequence[float]
    align: str
    left: float


def table(layout: BlockLayout, canvas: Canvas, area: Area) -> float:
    """Draw a table with cells named by their columns and rows as targets."""
    plan = _plan(canvas, layout, area)
    if plan is None:
        return area.top
    heads, body = _draw_heads(canvas, plan, area.top)
    tops = list(accumulate(plan.heights, initial=body))
    if tops[-1] <= canvas.bottom:
        _draw_rules(canvas, plan, area.top, tops)
        _draw_rows(canvas, plan, heads, tops)
    return tops[-1] + 0.6 * canvas.style.em


def _plan(canvas: Canvas, layout: BlockLayout, area: Area) -> _Plan | None:
    """A table with as many columns as fit; ``None`` if there is no room for any."""
    random, style = canvas.random, canvas.style
    look = look_of(canvas, layout)
    if not look.dense:
        look = look._replace(type=random.choice([style.label, style.body, style.small]))
    named, texts, kinds = _words(canvas, layout)
    right = area.right
    if look.ruling != "grid" and not random.chance(0.6):
        right = area.left + area.width * random.uniform(0.6, 1)
    if style.caps and random.chance(0.5):
        texts = [row.upper() for row in texts]
    if look.numbers:
        texts = [f"{look.numbers.format(i + 1)} {text}".strip() for i, text in enumerate(texts or [""] * 9)]
    rows = [wrap(text, look.type, 0.45 * area.width, 3, may_cut=False) for text in texts]
    rows = [row for row in rows if row][: random.between(2, 12)] if texts else [[]] * random.between(1, 9)
    if not rows:
        return None
    widest = max((look.type.width(line) for row in rows for line in row), default=0.0)
    first = area.left + (widest + random.uniform(0.7, 3) * style.em if widest else 0)
    pitch = max(style.label.line * random.uniform(1.05, 1.9), 1.2 * look.type.line)
    heights = [max(pitch, (len(row) + 0.4) * look.type.line) for row in rows]
    align = random.weighted({"left": 35, "centre": 45, "right": 20})
    for count in range(min(random.between(2, 8), len(named)), 0, -1):
        columns = named[:count]
        shares = [random.uniform(0.7, 1.3) for _ in columns]
        edges = [*accumulate((share * (right - first) / sum(shares) for share in shares), initial=first)]
        heads = [
            wrap(style.printed(column.text), look.type, b - a - 0.5 * style.em, 3, may_cut=False)
            for column, (a, b) in zip(columns, pairwise(edges), strict=True)
        ]
        if all(heads):
            return _Plan(look, edges, columns, heads, rows, kinds, heights, align, area.left)
    return None


def _words(canvas: Canvas, layout: BlockLayout) -> tuple[Sequence[Column], Sequence[str], Sequence[Kind]]:
    """The columns of a table, its row headings, and of each row the kind of its values if columns have none."""
    random, language = canvas.random, canvas.style.language
    if layout.head == "who":
        labels = labels_for(canvas, layout)
        heads = random.choice([who for who in vocabulary.words(language).who if len(who) == 2])
        if language == "en" and random.chance(0.6):
            heads = random.choice([("Present", "Previous"), ("Current", "Proposed"), ("Before", "Now")])
        columns = [Column(head, "words") for head in heads]
        return columns, [label.text for label in labels], [label.kind for label in labels]
    if language == "en":
        words = random.choice(vocabulary.english().tables)
        return words.columns, words.rows, ()
    listed = [Column(text, kind) for kind, texts in vocabulary.words(language).labels.items() for text in texts]
    drawn = random.sample(listed, 12)
    rows = [column.text for column in drawn[6 : 6 + random.between(2, 6)]] if random.chance(0.5) else ()
    return drawn[: random.between(2, 6)], rows, ()


# -- Drawing -----------------------------------------------------------------------------------------------------------


def _draw_heads(canvas: Canvas, plan: _Plan, top: float) -> tuple[list[list[Part]], float]:
    """Draw the column headings; return them with their groups, and where cells start."""
    random, em = canvas.random, canvas.style.em
    type_, line = plan.look.type, plan.look.type.line
    y = top + line
    groups = _draw_groups(canvas, plan, y)
    if any(groups):
        y += line * random.uniform(1.1, 1.5)
    tallest = max(len(head) for head in plan.heads)
    underlined = plan.look.ruling == "none" and random.chance(0.6)
    align = "centre" if plan.align == "right" else plan.align
    parts: list[list[Part]] = []
    for head, group, (left, right) in zip(plan.heads, groups, pairwise(plan.edges), strict=True):
        x = left + 0.3 * em + (right - left - 0.6 * em) * ALIGNMENT[align]
        box = canvas.lines(x, y + (tallest - len(head)) * line, head, type_, align=align)
        if underlined:
            canvas.rule(box[0], box[3] + 2, box[2], "solid")
        parts.append([(" ".join(head), box), *group])
    below = random.uniform(0.35, 0.8) * em + (random.uniform(0.5, 3) * line if random.chance(0.12) else 0.0)
    return parts, y + (tallest - 1) * line + below


def _draw_groups(canvas: Canvas, plan: _Plan, y: float) -> list[list[Part]]:
    """Draw the headings that columns share."""
    groups: list[list[Part]] = [[] for _ in plan.columns]
    for name, members in groupby(range(len(plan.columns)), key=lambda i: plan.columns[i].group):
        columns = list(members)
        left, right = plan.edges[columns[0]], plan.edges[columns[-1] + 1]
        text = canvas.style.printed(name)
        if not text or plan.look.type.width(text) > right - left:
            continue
        box = canvas.text((left + right) / 2, y, text, plan.look.type, align="centre")
        if plan.look.ruling != "none" or canvas.random.chance(0.6):
            canvas.rule(left + 3, y + 0.25 * canvas.style.em, right - 3, "solid")
        for i in columns:
            groups[i].append((text, box))
    return groups


def _draw_rules(canvas: Canvas, plan: _Plan, top: float, tops: Sequence[float]) -> None:
    """Draw the rules; ``tops``: the top of each row, and where the last one ends."""
    left, right, ruling = plan.left, plan.edges[-1], plan.look.ruling
    style = "solid" if canvas.random.chance(0.85) else None
    levels: list[float] = []
    if ruling in ("grid", "columns"):
        for x in sorted({left, *plan.edges}):
            canvas.upright(x, top, tops[-1])
        levels.append(top)
    if ruling in ("grid", "rows"):
        levels += tops
    elif ruling in ("head", "columns"):
        levels += [tops[0], tops[-1]][: canvas.random.between(1, 2)]
    for y in levels:
        canvas.rule(left, y, right, style)
    if ruling == "cells":
        gap = 0.4 * canvas.style.em
        for y in tops[1:]:
            for a, b in pairwise(plan.edges):
                canvas.rule(a + gap, y - 1, b - gap, style)


def _draw_rows(canvas: Canvas, plan: _Plan, heads: Sequence[list[Part]], tops: Sequence[float]) -> None:
    """Draw the row headings, and make some of the cells targets."""
    type_ = plan.look.type
    for r, (lines, (top, bottom)) in enumerate(zip(plan.rows, pairwise(tops), strict=True)):
        row: Part | None = None
        if lines:
            y = (top + bottom - len(lines) * type_.line) / 2 + type_.line - 0.2 * type_.size
            row = " ".join(lines), canvas.lines(plan.left + 0.3 * canvas.style.em, y, lines, type_)
        for c, (head, (left, right)) in enumerate(zip(heads, pairwise(plan.edges), strict=True)):
            kind = plan.kinds[r] if plan.kinds else plan.columns[c].kind
            parts = _target_parts(canvas, (r, c), row, head)
            if parts or canvas.random.chance(canvas.style.filled):
                _ask_cell(canvas, plan, parts, kind, (left, top, right, bottom))


def _target_parts(canvas: Canvas, place: tuple[int, int], row: Part | None, head: list[Part]) -> list[Part]:
    """The parts of the target for a cell; empty if the cell is no target."""
    random, (r, c) = canvas.random, place
    if row is None:
        return head[: random.between(1, 2)] if r == 0 else []
    if c == 0 and random.chance(0.2):
        return [row]
    if r == 0 and random.chance(0.25):
        return head[: random.between(1, 2)]
    if random.chance(0.6):
        return [row, *head] if random.chance(0.7) else [head[0], row]
    return []


def _ask_cell(canvas: Canvas, plan: _Plan, parts: list[Part], kind: Kind, cell: Box) -> None:
    edge, inset = canvas.style.thickness + 1, 0.3 * canvas.style.em
    reach = (cell[0] + edge, cell[1] + edge, cell[2] - edge, cell[3] - edge)
    box = (reach[0] + inset, reach[1], reach[2] - inset, reach[3])
    room = Room(box, reach, "table")
    put_answer(canvas, plan.look, _CELL_KINDS.get(kind, kind), parts, room, plan.align)
