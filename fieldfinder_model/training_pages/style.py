"""The style of a page: its faces, sizes, rules and habits, and the answers that are imagined in it."""

from __future__ import annotations

from dataclasses import dataclass

from ...envs.core.locators import Box
from ...envs.core.randomness import Random
from .answers import answer as made_up
from .settings import settings
from .text import BOLD, Type, wrapped
from .vocabulary import Kind, Language


@dataclass(frozen=True)
class Style:
    """The look of a page; sizes in pixels.

    Attributes:
        scale: pixels in a point (1/72 inch).
        label: of the names of fields.
        small: of captions under lines and of fine print.
        body: of running text.
        head: of section heads.
        title: of the title.
        typed: of answers that are typed.
        hand: of answers that are written by hand.
        by_hand: share of answers that are written by hand.
        caps: whether labels are in capitals.
        colon: what stands after a label: ``":"``, ``""``, ``" :"``...
        underlined: whether labels are underlined.
        rule: how lines to write on are drawn, of ``settings().rules``.
        thickness: of rules.
        spacing: from one line of the form to the next, in line heights of the label.
        drift: how far answers stand below (or above, if negative) the baseline of their label, in ems.
        filled: share of fields in which an answer stands already; these are no targets.
        ancestors: share of targets that name what stands above them.
        language: of the labels, as the vocabulary names it.
    """

    scale: float
    label: Type
    small: Type
    body: Type
    head: Type
    title: Type
    typed: Type
    hand: Type
    by_hand: float
    caps: bool
    colon: str
    underlined: bool
    rule: str
    thickness: int
    spacing: float
    drift: float
    filled: float
    ancestors: float
    language: Language

    @property
    def em(self) -> float:
        """The size of labels: the unit of gaps."""
        return float(self.label.size)


def drawn(random: Random, width: int, language: Language = "en") -> Style:
    """The style of one page that is ``width`` pixels wide (of 8.5 inches)."""
    scale, chosen = width / 612, settings()
    families = chosen.families
    typewritten = random.chance(0.4)
    family = random.weighted(families["typewriter"] if typewritten else families["print"])
    points = random.uniform(10, 13) if typewritten else random.lognormal(10.8, 0.17, 7.5, 14)
    label = Type(family, round(points * scale), BOLD if not typewritten and random.chance(0.25) else 400)
    other = family if random.chance(0.7) else random.weighted(families["print"])
    typed_family = (
        family if random.chance(0.3) else random.weighted(families["typewriter"] | {"Arimo": 20, "PT Serif": 8})
    )
    typed_points = (
        random.uniform(9, 12.5)
        if typed_family in families["typewriter"]
        else points * random.lognormal(1, 0.1, 0.8, 1.3)
    )
    return Style(
        scale=scale,
        label=label,
        small=Type(family, max(round(points * scale * random.uniform(0.65, 0.95)), 9)),
        body=Type(family, max(round(points * scale * random.uniform(0.75, 1.05)), 9)),
        head=Type(other, round(points * scale * random.uniform(0.95, 1.3)), BOLD if random.chance(0.6) else 400),
        title=Type(other, round(points * scale * random.uniform(1.1, 2.1)), BOLD if random.chance(0.7) else 400),
        typed=Type(typed_family, round(typed_points * scale)),
        hand=Type(random.weighted(families["handwriting"]), round(label.size * random.uniform(1.1, 1.65))),
        by_hand=random.choice([0.03, 0.03, 0.03, 0.3, 0.9]),
        caps=random.chance(0.4),
        colon=random.weighted(chosen.colons),
        underlined=random.chance(0.06),
        rule=random.weighted(chosen.rules),
        thickness=1 if width < 900 else random.choice([1, 2, 2]),
        spacing=random.lognormal(1.45, 0.22, 1.0, 2.6),
        drift=float(random.rng.normal(-0.05, 0.1)),
        filled=random.choice([0.0, 0.0, 0.0, 0.0, 0.35, 0.6]),
        ancestors=random.choice([0.1, 0.4, 0.8]),
        language=language,
    )


# -- Answers ---------------------------------------------------------------------------------------------------------

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
    random: Random, style: Style, kind: Kind, room: float, lines: int = 1, step: float | None = None
) -> Written | None:
    """An answer of a kind of value in a room, or ``None`` if nothing fits.

    Args:
        random: decides on its text and hand.
        style: of the page.
        kind: of value, as ``answers.answer`` names it.
        room: how wide it may be, in pixels.
        lines: how many lines it may take.
        step: from one baseline to the next in pixels; ``None``: as its type asks for.
    """
    type_ = hand(random, style, kind)
    pad = random.uniform(0.0, 1.7) * style.scale
    leading = step if step is not None else type_.line * random.uniform(1.0, 1.25)
    for attempt in range(_TRIES):
        may_cut = kind in _LONG or attempt > _TRIES - 3
        fitting = _lines(random, kind, type_, room - 2 * pad, lines, may_cut)
        if fitting:
            return Written(tuple(fitting), type_, leading, pad)
    return None


def _lines(random: Random, kind: Kind, type_: Type, room: float, most: int, may_cut: bool) -> list[str]:
    """The lines of an answer; empty if it does not fit."""
    if most > 1 and kind in _LISTED:
        listed = (wrapped(made_up(random.rng, kind), type_, room, 1, may_cut) for _ in range(most))
        return [line for lines in listed for line in lines]
    text = made_up(random.rng, kind)
    if kind in _LONG and random.chance(0.35):
        text = f"{text}{random.choice([', ', ' - ', ' and ', '; '])}{made_up(random.rng, kind)}"
    if most > 1 and kind == "address" and random.chance(0.6):
        parts = (wrapped(part, type_, room, 1, may_cut) for part in text.split(", ", most - 1))
        return [line for lines in parts for line in lines]
    return wrapped(text, type_, room, most, may_cut)


def hand(random: Random, style: Style, kind: Kind) -> Type:
    """The face that an answer is written in."""
    if kind == "signature" and random.chance(0.8):
        family = random.weighted(settings().families["signatures"])
        return Type(family, round(style.hand.size * random.uniform(1.0, _TALL["signature"])))
    if random.chance(style.by_hand):
        return style.hand.scaled(_TALL.get(kind, 1.0) * random.uniform(0.85, 1.15))
    return style.typed
