"""Notices and panels: label cells at the left with answers at their right, groups of options in frames."""

from __future__ import annotations

from collections.abc import Sequence

from . import blocks_dense_cells as cells
from . import vocabulary
from .blocks_dense_look import Look, Owner, inner, inset, labels, look, parts, put, shown
from .canvas import Part, Sheet
from .vocabulary import Genre, Label
from .writing import wrapped

_GENRES: tuple[Genre, ...] = ("notice", "notice", "legal", "report", "loan")
"""Whose labels stand in the left column."""


def notice(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Label cells at the left, numbered or shaded or reversed, and one or two columns of answers at their right."""
    dice, style = sheet.dice, sheet.style
    look_ = look(sheet)
    heads = _compared(sheet)
    split = left + (right - left) * dice.between(0.25, 0.5)
    ends = [split + (right - split) * (i + 1) / max(len(heads), 1) for i in range(max(len(heads), 1))]
    asked = _notice_labels(sheet)
    owners: list[Owner | None] = [None] * len(ends)
    y = top
    if heads:
        y, owners = _answer_heads(sheet, look_, heads, [split, *ends], top)
    shade = dice.weighted({255: 67, 225: 27, 0: 6})
    numbered = dice.chance(0.35)
    for i, label in enumerate(asked):
        text = f"{i + 1}. " * numbered + shown(sheet, label, colon=dice.chance(0.3))
        y = _notice_row(sheet, look_, Label(text, label.kind), (left, y, split), ends, owners, shade)
    return y + 0.5 * style.em


def _compared(sheet: Sheet) -> tuple[str, ...]:
    """The heads of two columns of answers, or none."""
    dice, language = sheet.dice, sheet.style.language
    if not dice.chance(0.45):
        return ()
    if language == "en" and dice.chance(0.6):
        return dice.pick([("Present", "Previous"), ("Current", "Proposed"), ("Before", "Now")])
    return dice.pick([who for who in vocabulary.who(language) if len(who) == 2])


def _notice_labels(sheet: Sheet) -> list[Label]:
    dice = sheet.dice
    if sheet.style.language == "en" and dice.chance(0.6):
        return list(dice.pick(vocabulary.sets(dice.pick(_GENRES))))
    return labels(sheet, dice.count(3, 9))


def _answer_heads(
    sheet: Sheet, look_: Look, heads: Sequence[str], edges: Sequence[float], top: float
) -> tuple[float, list[Owner | None]]:
    owners: list[Owner | None] = []
    end = top + 1.5 * look_.type.line
    for i, (text, a, b) in enumerate(zip(heads, edges, edges[1:], strict=False)):
        sheet.frame((round(a), round(top), round(b) + 1, round(end) + 1))
        text = text.upper() if sheet.style.caps else text
        box = sheet.text((a + b) / 2, end - 0.45 * look_.type.size, text, look_.type.bold(), align="centre")
        owners.append(Owner(text, box, i == 0))
    return end, owners


def _notice_row(
    sheet: Sheet,
    look_: Look,
    label: Label,
    place: tuple[float, float, float],
    ends: Sequence[float],
    owners: Sequence[Owner | None],
    shade: int,
) -> float:
    left, top, split = place
    type_ = look_.type if shade else look_.type.bold()
    lines = wrapped(label.text, type_, split - left - 2 * look_.pad - 2, 4, may_cut=False) or [label.text[:12]]
    height = max(len(lines) * type_.line + 0.6 * type_.size, look_.height * (1.6 if label.kind == "long" else 0.9))
    sheet.frame(
        (round(left), round(top), round(split) + 1, round(top + height) + 1), shade=None if shade == 255 else shade
    )
    y = top + type_.line if sheet.dice.chance(0.5) else top + (height - len(lines) * type_.line) / 2 + type_.capital
    box = sheet.lines(left + look_.pad + 1, y, lines, type_, ink=255 * (shade == 0))
    start = split
    for end, owner in zip(ends, owners, strict=True):
        cell = (start, top, end, top + height)
        sheet.frame((round(start), round(top), round(end) + 1, round(top + height) + 1))
        named = parts(sheet, label.text, box, owner)
        put(sheet, look_, label.kind, named, inset(inner(cell, sheet), look_.pad), inner(cell, sheet), "cell")
        start = end
    return top + height


def panel(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Groups of options in frames side by side, each under its question."""
    dice, style = sheet.dice, sheet.style
    look_ = look(sheet)
    type_ = look_.type
    count = dice.count(1, 3)
    width = (right - left) / count
    groups = [cells.choice(sheet) for _ in range(count)]
    step = type_.line * dice.between(1.15, 1.5)
    height = (1 + max(-(-len(group.options) // 2) for group in groups)) * step + 0.8 * type_.size
    for i, group in enumerate(groups):
        x = left + i * width
        sheet.frame((round(x), round(top), round(x + width) + 1, round(top + height)), shade=look_.shade)
        asked = _question(sheet, look_, group.question, (x, top, x + width))
        if asked is None:
            continue
        widest = max(type_.width(text.upper()) for text in group.options) + 3.2 * type_.size
        columns = 2 if 2 * widest < width - 2 * look_.pad else 1
        for j, text in enumerate(group.options):
            at = (x + look_.pad + (j % columns) * width / columns, top + step * (1 + j // columns) + type_.line)
            if at[1] < top + height - 2 and widest < width - 2 * look_.pad:
                cells.option(sheet, look_, text, at, None, [asked])
    return top + height + 0.5 * style.em


def _question(sheet: Sheet, look_: Look, text: str, place: tuple[float, float, float]) -> Part | None:
    """Prints a question in bold in the upper left corner of a frame; ``None`` if it does not fit."""
    left, top, right = place
    type_ = look_.type.bold()
    if not wrapped(text, type_, right - left - 2 * look_.pad, 1, may_cut=False):
        return None
    return text, sheet.text(left + look_.pad, top + type_.line, text, type_)


BLOCKS = {notice: 14.0, panel: 6.0}
"""These blocks, and how often each is met."""
