"""Style: what one page has in common: its faces, sizes, rules and habits."""

from __future__ import annotations

from dataclasses import dataclass

from . import faces
from .faces import Type
from .rng_utils import Dice
from .vocabulary import Language

RULES: dict[str, float] = {"solid": 80, "dotted": 8, "dashed": 5, "double": 2, "broken": 5}
"""How lines to write on are drawn, and how often."""


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
        rule: how lines to write on are drawn, of ``RULES``.
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


def drawn(dice: Dice, width: int, language: Language = "en") -> Style:
    """The style of one page that is ``width`` pixels wide (of 8.5 inches)."""
    scale = width / 612
    typewritten = dice.chance(0.4)
    family = dice.weighted(faces.TYPEWRITER if typewritten else faces.PRINT)
    points = dice.between(10, 13) if typewritten else dice.spread(10.8, 0.17, 7.5, 14)
    label = Type(family, round(points * scale), faces.BOLD if not typewritten and dice.chance(0.25) else 400)
    other = family if dice.chance(0.7) else dice.weighted(faces.PRINT)
    typed_family = family if dice.chance(0.3) else dice.weighted(faces.TYPEWRITER | {"Arimo": 20, "PT Serif": 8})
    typed_points = dice.between(9, 12.5) if typed_family in faces.TYPEWRITER else points * dice.spread(1, 0.1, 0.8, 1.3)
    return Style(
        scale=scale,
        label=label,
        small=Type(family, max(round(points * scale * dice.between(0.65, 0.95)), 9)),
        body=Type(family, max(round(points * scale * dice.between(0.75, 1.05)), 9)),
        head=Type(other, round(points * scale * dice.between(0.95, 1.3)), faces.BOLD if dice.chance(0.6) else 400),
        title=Type(other, round(points * scale * dice.between(1.1, 2.1)), faces.BOLD if dice.chance(0.7) else 400),
        typed=Type(typed_family, round(typed_points * scale)),
        hand=Type(dice.weighted(faces.HANDWRITING), round(label.size * dice.between(1.1, 1.65))),
        by_hand=dice.pick([0.03, 0.03, 0.03, 0.3, 0.9]),
        caps=dice.chance(0.4),
        colon=dice.weighted({":": 68, "": 25, " :": 3, ".": 2, "...": 1, "-": 1}),
        underlined=dice.chance(0.06),
        rule=dice.weighted(RULES),
        thickness=1 if width < 900 else dice.pick([1, 2, 2]),
        spacing=dice.spread(1.45, 0.22, 1.0, 2.6),
        drift=float(dice.rng.normal(-0.05, 0.1)),
        filled=dice.pick([0.0, 0.0, 0.0, 0.0, 0.35, 0.6]),
        ancestors=dice.pick([0.1, 0.4, 0.8]),
        language=language,
    )
