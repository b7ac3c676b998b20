"""Draw the fields of a block: their shared look, answers and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...core.boxes import Box
from .field_labels import Owner, parts_of
from .page_canvas import ALIGNMENT, Canvas, Part
from .page_settings import BlockLayout, settings
from .style import Type
from .vocabulary import Kind

SEVERAL_LINES: frozenset[Kind] = frozenset({"address", "long", "words", "subject", "company", "name", "product"})
"""Kinds of values that may take several lines."""

_PLAIN_OPTIONS = frozenset(("yes", "no", "sí", "oui", "non", "ja", "nein", "sì", "sim", "não", "other"))


class Look(NamedTuple):
    """The look that the fields of one block share; lengths are in pixels.

    Attributes:
        type, head: of the labels, and of the headings above and beside the cells.
        dense: whether the block has small cells that fill the page.
        ruling, placing: see ``BlockLayout``.
        pitch, option_pitch: the height of one line of an answer, and of options.
        shade: of the cells' ground; ``None``: white.
        pad: between a rule and the content of the cell.
        centred: the share of answers that are centred in their room.
        ticks: the shape of tick boxes.
        ticks_first: whether they are before their options.
        numbers: how labels are numbered: ``"{}."``; empty: they are not.
        ground: of the headings: ``"plain"``, ``"shaded"`` or ``"black"``.
        tab: where answers begin, from the left of their cell; 0: after their labels.
        narrow: the maximum width of their rooms; 0: as wide as their cells.
        flush: whether labels end where answers begin.
    """

    type: Type
    dense: bool
    ruling: str
    placing: str
    pitch: float
    option_pitch: float
    shade: int | None
    pad: float
    centred: float
    ticks: str
    ticks_first: bool
    numbers: str
    head: Type
    ground: str
    head_caps: bool
    head_centred: bool
    tab: float
    narrow: float
    flush: bool

    @property
    def framed(self) -> bool:
        """Whether rules separate the cells."""
        return self.ruling in ("grid", "rows", "marks")

    @property
    def black_labels(self) -> bool:
        """Whether labels are white on black, in separate cells."""
        return self.dense and self.ruling == "grid" and self.tab > 0 and self.ground == "black" and self.head_centred

    @property
    def inset(self) -> float:
        """The distance from the edge of a cell to its content."""
        return self.pad if self.framed else 0.0


def look_of(canvas: Canvas, layout: BlockLayout) -> Look:
    """A random look for a block of a layout."""
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
        pitch=_pitch(canvas, layout, type_, placing),
        option_pitch=type_.line * random.uniform(1.1, 1.7),
        shade=random.between(215, 244) if layout.size == "dense" and random.chance(0.1) else None,
        pad=random.uniform(0.15, 0.45) * type_.size + style.thickness,
        centred=random.choice([0.0, 0.0, 0.1, 0.6]),
        ticks=ticks,
        ticks_first=random.chance(0.7) or ticks in ("parentheses", "brackets"),
        numbers=random.choice(["{}.", "{}.", "{})", "({})", "Q{}.", "{}"]) if random.chance(layout.numbered) else "",
        head=head.bold() if random.chance(0.75) else head,
        ground=random.weighted({"plain": 50, "shaded": 34, "black": 16}),
        head_caps=style.caps or random.chance(0.3),
        head_centred=random.chance(0.25),
        tab=0.0,
        narrow=random.uniform(3.5, 8) * style.em if layout.narrow else 0.0,
        flush=ruling != "grid" and random.chance(0.14),
    )


def _type(canvas: Canvas, layout: BlockLayout) -> Type:
    style = canvas.style
    if layout.size == "dense":
        small = style.small.scaled(canvas.random.uniform(0.72, 0.95))
        return small._replace(size=max(small.size, 9))
    return style.label if layout.size == "label" else min(style.small, style.label.scaled(0.85), key=lambda t: t.size)


def _pitch(canvas: Canvas, layout: BlockLayout, type_: Type, placing: str) -> float:
    """The height of one line of an answer."""
    random, style = canvas.random, canvas.style
    if placing == "corner" or layout.size == "dense":
        return random.uniform(1.0, 1.8) * max(style.typed.line * 0.9, type_.line)
    line = max(style.label.line * max(style.spacing, 1.15), style.typed.line)
    return line * (random.uniform(1.0, 1.5) if placing == "over" else 1.0)


# -- Answers -----------------------------------------------------------------------------------------------------------


class Room(NamedTuple):
    """The room for an answer.

    Attributes:
        box: the answer lies in it.
        reach: the maximum extent of its field.
        kind: of layout; see ``Example.kind``.
        baseline: of its first line; ``None``: anywhere in the box.
        lines: the maximum number of lines.
        step: from one line to the next; ``None``: that of its type.
    """

    box: Box
    reach: Box
    kind: str
    baseline: float | None = None
    lines: int = 1
    step: float | None = None


def put_answer(canvas: Canvas, look: Look, kind: Kind, parts: Sequence[Part], room: Room, align: str = "") -> None:
    """Make an answer in a room a target, if one fits.

    Without ``parts`` it is no target; without ``align`` (of ``ALIGNMENT``) the look decides.
    """
    random, box = canvas.random, room.box
    width, height = box[2] - box[0], box[3] - box[1]
    answer = canvas.answer(kind, width, room.lines, room.step) if width >= 2 else None
    if answer is not None and room.baseline is None:
        answer = answer.fitted(height)
    if answer is None or answer.width > width:
        return
    align = align or ("centre" if random.chance(look.centred) else "left")
    slack = width - answer.width
    shift = slack * ALIGNMENT[align]
    if align == "left":
        start = random.choice([0.0, 0.1, 0.4, 0.8, 1.6]) * look.type.size
        loose = room.kind not in ("cell", "table") and random.chance(0.2)
        shift = random.uniform(0.0, 0.4) * slack if loose else min(slack, start)
    y = room.baseline
    if y is None:
        low, high = (0.02, 0.3) if room.kind == "below" else (0.3, 0.95)
        y = box[1] + (height - answer.height) * random.uniform(low, high) + answer.rise
    canvas.ask(parts, answer, box[0] + shift + answer.pad, y, room.reach, room.kind, room.baseline is not None)


# -- Ticks -------------------------------------------------------------------------------------------------------------


def option_width(look: Look, text: str) -> float:
    """The width of an option with its tick box; enough for capitals."""
    return look.type.width(text.upper()) + 3.1 * look.type.size


def draw_option(
    canvas: Canvas, look: Look, text: str, at: tuple[float, float], owner: Owner | None, question: Sequence[Part]
) -> None:
    """Print an option with its tick box, and make the tick a target.

    ``at`` is its left edge and baseline, ``owner`` the person it is about; ``question`` is empty if it answers none.
    """
    random, type_, text = canvas.random, look.type, canvas.style.printed(text)
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
        return
    half, tall = random.uniform(0.35, 0.55) * type_.size, random.uniform(0.38, 0.6) * type_.size
    is_clear_alone = text.lower() not in _PLAIN_OPTIONS and random.chance(0.35 if look.dense else 0.5)
    parts = parts_of(canvas, (text, box), owner, *(() if is_clear_alone else question))
    canvas.example(parts, (x - half, y - tall, x + half, y + tall), blank, "tick")
