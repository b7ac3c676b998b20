"""Writing: the answers that are imagined on a page, and how much room they take."""

from __future__ import annotations

from dataclasses import dataclass

from ...envs.core.locators import Box
from . import faces
from .answers import answer as made_up
from .faces import Type
from .rng_utils import Dice
from .style import Style
from .vocabulary import Kind

_TRIES = 6

_LONG = frozenset({"long", "words", "subject", "address"})
"""Kinds of values that are cut to fit; of others a shorter one is looked for first."""

_LISTED = frozenset({"name", "company", "product", "brand", "vehicle", "code", "date", "phone", "number", "money"})
"""Kinds of values of which several lines hold several, one a line."""

_TALL = {"signature": 1.7, "initials": 1.3}
"""How much larger than the page's hand some things are written."""


@dataclass(frozen=True)
class Written:
    """An answer as it would be written.

    Attributes:
        lines: its text.
        type: its face and size.
        step: from one baseline to the next, in pixels.
        pad: pixels that its box is wider than its ink on every side.
    """

    lines: tuple[str, ...]
    type: Type
    step: float
    pad: float

    @property
    def width(self) -> float:
        """The width of its box, in pixels."""
        return max(self.type.width(line) for line in self.lines) + 2 * self.pad

    @property
    def rise(self) -> float:
        """How far its box reaches above the first baseline, in pixels."""
        return max(self.type.capital, -min(self.type.ink(line)[1] for line in self.lines[:1])) + self.pad

    @property
    def drop(self) -> float:
        """How far its box reaches below the last baseline, in pixels."""
        return max(self.type.ink(self.lines[-1])[3], 0.0) + self.pad

    @property
    def height(self) -> float:
        """The height of its box, in pixels."""
        return self.rise + self.step * (len(self.lines) - 1) + self.drop

    def box(self, x: float, y: float) -> Box:
        """The envelope of the answer if its ink starts at ``x`` and its first baseline is ``y``."""
        left = x - self.pad
        return left, y - self.rise, left + self.width, y - self.rise + self.height


def written(
    dice: Dice, style: Style, kind: Kind, room: float, lines: int = 1, step: float | None = None
) -> Written | None:
    """An answer of a kind of value in a room, or ``None`` if nothing fits.

    Args:
        dice: decides on its text and hand.
        style: of the page.
        kind: of value, as ``answers.answer`` names it.
        room: how wide it may be, in pixels.
        lines: how many lines it may take.
        step: from one baseline to the next in pixels; ``None``: as its type asks for.
    """
    type_ = hand(dice, style, kind)
    pad = dice.between(0.0, 1.7) * style.scale
    leading = step if step is not None else type_.line * dice.between(1.0, 1.25)
    for attempt in range(_TRIES):
        may_cut = kind in _LONG or attempt > _TRIES - 3
        fitting = _lines(dice, kind, type_, room - 2 * pad, lines, may_cut)
        if fitting:
            return Written(tuple(fitting), type_, leading, pad)
    return None


def _lines(dice: Dice, kind: Kind, type_: Type, room: float, most: int, may_cut: bool) -> list[str]:
    """The lines of an answer; empty if it does not fit."""
    if most > 1 and kind in _LISTED:
        listed = (wrapped(made_up(dice.rng, kind), type_, room, 1, may_cut) for _ in range(most))
        return [line for lines in listed for line in lines]
    text = made_up(dice.rng, kind)
    if kind in _LONG and dice.chance(0.35):
        text = f"{text}{dice.pick([', ', ' - ', ' and ', '; '])}{made_up(dice.rng, kind)}"
    if most > 1 and kind == "address" and dice.chance(0.6):
        parts = (wrapped(part, type_, room, 1, may_cut) for part in text.split(", ", most - 1))
        return [line for lines in parts for line in lines]
    return wrapped(text, type_, room, most, may_cut)


def hand(dice: Dice, style: Style, kind: Kind) -> Type:
    """The face that an answer is written in."""
    if kind == "signature" and dice.chance(0.8):
        family = dice.weighted(faces.SIGNATURES)
        return Type(family, round(style.hand.size * dice.between(1.0, _TALL["signature"])))
    if dice.chance(style.by_hand):
        return style.hand.scaled(_TALL.get(kind, 1.0) * dice.between(0.85, 1.15))
    return style.typed


def wrapped(text: str, type_: Type, room: float, most: int, may_cut: bool = True) -> list[str]:
    """``text`` in lines no wider than ``room``; empty if it needs more than ``most`` and may not be cut."""
    lines: list[list[str]] = []
    space, used = type_.width(" "), 0.0
    for word in text.split():
        width = type_.width(word)
        if lines and used + space + width <= room:
            lines[-1].append(word)
            used += space + width
        elif width > room or len(lines) == most:
            return [" ".join(line) for line in lines] if may_cut else []
        else:
            lines.append([word])
            used = width
    return [" ".join(line) for line in lines]
