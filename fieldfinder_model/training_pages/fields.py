"""Fields of a block: the look that they share, and where their answers and ticks go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...envs.core.locators import Box
from ..reading.boxes import around
from .canvas import Canvas, Part
from .labels import Owner, parts_of
from .settings import Layout, settings
from .style import Written
from .text import Type
from .vocabulary import Kind

SEVERAL_LINES: frozenset[Kind] = frozenset({"address", "long", "words", "subject", "company", "name", "product"})
"""Kinds of values that may take several lines."""

_PLAIN_OPTIONS = frozenset(("yes", "no", "sí", "oui", "non", "ja", "nein", "sì", "sim", "não", "other"))


class Look(NamedTuple):
    """What the fields of one block have in common; lengths in pixels.

    Attributes:
        type: of the labels.
        dense: whether it is of small cells that fill the page.
        ruling, placing: see ``Layout``.
        height: of a row.
        shade: of the cells' ground; ``None``: white.
        pad: between a rule and what stands in the cell.
        centred: the share of answers that stand in the middle of their room.
        ticks: the shape of places for ticks.
        ticks_first: whether they stand before their options.
        head: of the heads above and beside the cells.
        ground: of these heads: ``"plain"``, ``"shaded"`` or ``"black"``.
        head_caps: whether they are in capitals.
        head_centred: whether they stand in the middle.
    """

    type: Type
    dense: bool
    ruling: str
    placing: str
    height: float
    shade: int | None
    pad: float
    centred: float
    ticks: str
    ticks_first: bool
    head: Type
    ground: str
    head_caps: bool
    head_centred: bool


def look_of(canvas: Canvas, layout: Layout) -> Look:
    """A look for a block of a layout."""
    random, style = canvas.random, canvas.style
    type_ = _type(canvas, layout)
    ruling, placing = random.weighted(layout.ruling), random.weighted(layout.placing)
    if placing in ("under", "over") and ruling not in ("strips", "none"):
        ruling = "strips"
    head = type_.scaled(random.uniform(1.05, 1.5))
    ticks = random.weighted(settings().ticks)
    return Look(
        type=type_,
        dense=layout.size == "dense",
        ruling=ruling,
        placing=placing,
        height=_height(canvas, layout, type_, placing),
        shade=random.between(215, 244) if layout.size == "dense" and random.chance(0.1) else None,
        pad=random.uniform(0.15, 0.45) * type_.size + style.thickness,
        centred=random.choice([0.0, 0.0, 0.1, 0.6]),
        ticks=ticks,
        ticks_first=random.chance(0.7) or ticks in ("parentheses", "brackets"),
        head=head.bold() if random.chance(0.75) else head,
        ground=random.weighted({"plain": 50, "shaded": 34, "black": 16}),
        head_caps=style.caps or random.chance(0.3),
        head_centred=random.chance(0.25),
    )


def _type(canvas: Canvas, layout: Layout) -> Type:
    style = canvas.style
    if layout.size == "dense":
        small = style.small.scaled(canvas.random.uniform(0.72, 0.95))
        return small._replace(size=max(small.size, 9))
    return style.label if layout.size == "label" else min(style.small, style.label.scaled(0.85), key=lambda t: t.size)


def _height(canvas: Canvas, layout: Layout, type_: Type, placing: str) -> float:
    """The height of a row of cells."""
    random, style = canvas.random, canvas.style
    if layout.size != "dense" and placing == "beside":
        return style.label.line * max(style.spacing, 1.15)
    if placing == "over":
        return type_.line * 1.1 + style.em * random.uniform(1.6, 3.5)
    if layout.size != "dense" and placing == "under":
        return style.em * random.uniform(2.0, 3.2) + type_.line * 1.2
    answer = random.uniform(0.95, 1.7) * max(style.typed.line * 0.9, type_.line)
    return round(max(1.45 * type_.line, answer * 1.15) if placing == "beside" else type_.line * 1.05 + answer)


# -- Answers -----------------------------------------------------------------------------------------------------------


class Room(NamedTuple):
    """Where an answer may be written.

    Attributes:
        box: the answer lies in it.
        reach: how far its field may go.
        kind: of layout; see ``Example.kind``.
        baseline: that its first line stands on; ``None``: anywhere in the box.
        lines: how many there may be.
        step: from one line to the next; ``None``: as its type asks for.
    """

    box: Box
    reach: Box
    kind: str
    baseline: float | None = None
    lines: int = 1
    step: float | None = None


def put(canvas: Canvas, look: Look, kind: Kind, parts: Sequence[Part], room: Room, align: str = "") -> Box | None:
    """Asks for an answer in a room; returns its box, or ``None`` where none fits or ``parts`` is empty.

    Args:
        canvas: the page.
        look: of the block.
        kind: of value.
        parts: of the target.
        room: for the answer.
        align: ``"left"``, ``"centre"``, ``"right"``; empty: as the block has it.
    """
    random, box = canvas.random, room.box
    wide, high = box[2] - box[0], box[3] - box[1]
    if not parts or wide < 2:
        return None
    answer = canvas.answer(kind, wide, room.lines, room.step)
    if answer is not None and room.baseline is None:
        answer = fitted(answer, high)
    if answer is None or answer.width > wide:
        return None
    align = align or ("centre" if random.chance(look.centred) else "left")
    slack = wide - answer.width
    start = random.choice([0.0, 0.1, 0.4, 0.8, 1.6]) * look.type.size
    if align == "left" and room.kind not in ("cell", "table") and random.chance(0.2):
        start = random.uniform(0.0, 0.4) * slack
    shift = {"left": min(slack, start), "centre": slack * random.uniform(0.4, 0.6), "right": slack}[align]
    y = room.baseline
    if y is None:
        low, most = (0.02, 0.3) if room.kind == "below" else (0.3, 0.95)
        y = box[1] + (high - answer.height) * random.uniform(low, most) + answer.rise
    return canvas.ask(parts, answer, box[0] + shift + answer.pad, y, room.reach, room.kind, room.baseline is not None)


def fitted(answer: Written, room: float) -> Written | None:
    """An answer no higher than ``room``, written smaller if need be; ``None`` if that would be too small."""
    if answer.height <= room:
        return answer
    share = (room - 1) / answer.height
    if share < 0.6:
        return None
    small = replace(answer, type=answer.type.scaled(share * 0.97), step=answer.step * share, pad=answer.pad * share)
    return small if small.height <= room else None


# -- Ticks -------------------------------------------------------------------------------------------------------------


def option_width(look: Look, text: str) -> float:
    """How wide an option with its place for a tick is."""
    return look.type.width(text) + 3.1 * look.type.size


def option(
    canvas: Canvas, look: Look, text: str, at: tuple[float, float], owner: Owner | None, asked: Sequence[Part] = ()
) -> Box:
    """Prints an option with its place for a tick and asks for the tick; returns the box of both.

    Args:
        canvas: the page.
        look: of the block.
        text: of the option.
        at: its left edge and baseline.
        owner: whom it is about.
        asked: the question, or nothing.
    """
    random, type_ = canvas.random, look.type
    text = text.upper() if canvas.style.caps else text
    size, gap = random.uniform(0.65, 0.95) * type_.size, random.uniform(0.25, 0.7) * type_.size
    after = type_.width(")") if look.ticks in ("parentheses", "brackets") else canvas.style.thickness
    if look.ticks_first:
        blank = canvas.tick_box(at[0], at[1], look.ticks, size)
        box = canvas.text(blank[2] + after + gap, at[1], text, type_)
    else:
        box = canvas.text(at[0], at[1], text, type_)
        blank = canvas.tick_box(box[2] + gap, at[1], look.ticks, size)
    x, y = (blank[0] + blank[2]) / 2, (blank[1] + blank[3]) / 2
    if random.chance(canvas.style.filled * 0.5):
        typed = canvas.style.typed
        canvas.text(x, y + typed.capital / 2, random.choice(["X", "x", "X"]), typed, align="centre")
        return around((box, blank))
    half, tall = random.uniform(0.35, 0.55) * type_.size, random.uniform(0.38, 0.6) * type_.size
    tells_itself = (not look.dense and random.chance(0.5)) or (look.dense and random.chance(0.35))
    between = () if tells_itself and text.lower() not in _PLAIN_OPTIONS else asked
    canvas.example(
        parts_of(canvas, text, box, owner, *between), (x - half, y - tall, x + half, y + tall), blank, "tick"
    )
    return around((box, blank))
