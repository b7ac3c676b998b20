"""Fonts at a size, and the style of a training page: its fonts, rules and habits, drawn once per page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import fontpkg
from PIL import Image, ImageDraw, ImageFont

from ...core.boxes import Box
from ...core.randomness import Sampler
from ...core.text_sprites import font
from .page_settings import settings
from .vocabulary import Kind, Language

BOLD = 700


class Type(NamedTuple):
    """A font at a size.

    Attributes:
        family: a font family installed by a ``fontpkg`` package.
        size: of the em square, in pixels.
        weight: 400, or 700 where the family has it.
    """

    family: str
    size: int
    weight: int = 400

    @property
    def font(self) -> ImageFont.FreeTypeFont:
        """The loaded font.

        Raises:
            ValueError: if it is not installed.
        """
        try:
            return font(self.family, self.size, self.weight)
        except fontpkg.FamilyNotInstalled as error:
            raise ValueError(f'drawn pages need the font "{self.family}": pip install "formgym[train]"') from error

    @property
    def line(self) -> int:
        """The distance between baselines in running text, in pixels."""
        return max(round(self.size * 1.17), 1)

    @property
    def capital(self) -> float:
        """The height of a capital letter, in pixels."""
        return self.size * 0.72

    def width(self, text: str) -> float:
        """The advance of ``text`` in pixels."""
        return _length(self, text)

    def ink(self, text: str) -> Box:
        """The box of the ink of ``text``, relative to its start on the baseline."""
        return _ink(self, text)

    def picture(self, text: str, ink: int = 0, pad: int = 2) -> Image.Image:
        """``text`` on white with a margin of ``pad`` pixels, to be rotated and pasted."""
        _, top, right, bottom = self.ink(text)
        size = (round(max(right, self.width(text))) + 2 * pad, round(bottom - top) + 2 * pad)
        picture = Image.new("L", size, 255)
        ImageDraw.Draw(picture).text((pad, pad - top), text, fill=ink, font=self.font, anchor="ls")
        return picture

    def bold(self) -> Type:
        """The same type in bold."""
        return self._replace(weight=BOLD)

    def scaled(self, share: float) -> Type:
        """The same type, ``share`` times as large, but at least 6 pixels."""
        return self._replace(size=max(round(self.size * share), 6))


@lru_cache(maxsize=16384)
def _length(type_: Type, text: str) -> float:
    return float(type_.font.getlength(text))


@lru_cache(maxsize=16384)
def _ink(type_: Type, text: str) -> Box:
    left, top, right, bottom = type_.font.getbbox(text, anchor="ls")
    return float(left), float(top), float(right), float(bottom)


def wrap(text: str, type_: Type, width: float, max_lines: int, may_cut: bool = True) -> list[str]:
    """``text`` in at most ``max_lines`` lines no wider than ``width``.

    If it does not fit, it is cut, or empty if it may not be cut.
    """
    lines: list[list[str]] = []
    space, used = type_.width(" "), 0.0
    for word in text.split():
        advance = type_.width(word)
        if lines and used + space + advance <= width:
            lines[-1].append(word)
            used += space + advance
        elif advance > width or len(lines) == max_lines:
            return [" ".join(line) for line in lines] if may_cut else []
        else:
            lines.append([word])
            used = advance
    return [" ".join(line) for line in lines]


_TALL = {"signature": 1.7, "initials": 1.3}
"""The size of some values relative to the page's handwriting."""


@dataclass(frozen=True)
class Style:
    """The look of a page: its types, and the habits of its labels, rules and answers; sizes are in pixels.

    Attributes:
        scale: pixels per point (1/72 inch).
        small: of captions under lines and of fine print.
        body: of running text.
        typed, hand: of answers that are typed, and written by hand.
        by_hand: share of answers that are written by hand.
        colon: the text after a label: ``":"``, ``""``, ``" :"``...
        rule: how lines to write on are drawn, of ``settings().rules``.
        spacing: from one line of the form to the next, in line heights of the label.
        drift: the distance of answers below (or above, if negative) the baseline of their label, in ems.
        filled: share of fields that already have an answer; these are no targets.
        ancestors: share of targets that include the headings above them.
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

    def printed(self, text: str) -> str:
        """A text in the style of the page's labels: in capitals or unchanged."""
        return text.upper() if self.caps else text


def draw_style(random: Sampler, width: int, language: Language = "en") -> Style:
    """A random style for a page that is ``width`` pixels (8.5 inches) wide."""
    scale, families = width / 612, settings().families
    typewritten = random.chance(0.4)
    family = random.weighted(families["typewriter" if typewritten else "print"])
    points = random.uniform(10, 13) if typewritten else random.lognormal(10.8, 0.17, 7.5, 14)
    other = family if random.chance(0.7) else random.weighted(families["print"])
    typed = family if random.chance(0.3) else random.weighted(families["typewriter"] | {"Arimo": 20, "PT Serif": 8})
    monospaced = typed in families["typewriter"]
    typed_points = random.uniform(9, 12.5) if monospaced else points * random.lognormal(1, 0.1, 0.8, 1.3)

    def type_(family: str, low: float, high: float, bold: float = 0.0) -> Type:
        size = max(round(points * scale * random.uniform(low, high)), 9)
        return Type(family, size, BOLD if random.chance(bold) else 400)

    label = type_(family, 1, 1, 0.0 if typewritten else 0.25)
    return Style(
        scale=scale,
        label=label,
        small=type_(family, 0.65, 0.95),
        body=type_(family, 0.75, 1.05),
        head=type_(other, 0.95, 1.3, bold=0.6),
        title=type_(other, 1.1, 2.1, bold=0.7),
        typed=Type(typed, round(typed_points * scale)),
        hand=Type(random.weighted(families["handwriting"]), round(label.size * random.uniform(1.1, 1.65))),
        by_hand=random.choice([0.03, 0.03, 0.03, 0.3, 0.9]),
        caps=random.chance(0.4),
        colon=random.weighted(settings().colons),
        underlined=random.chance(0.06),
        rule=random.weighted(settings().rules),
        thickness=1 if width < 900 else random.choice([1, 2, 2]),
        spacing=random.lognormal(1.45, 0.22, 1.0, 2.6),
        drift=float(random.rng.normal(-0.05, 0.1)),
        filled=random.choice([0.0, 0.0, 0.0, 0.0, 0.35, 0.6]),
        ancestors=random.choice([0.1, 0.4, 0.8]),
        language=language,
    )


def answer_type(random: Sampler, style: Style, kind: Kind) -> Type:
    """A random type for an answer: typed, handwritten, or a signature."""
    if kind == "signature" and random.chance(0.8):
        family = random.weighted(settings().families["signatures"])
        return Type(family, round(style.hand.size * random.uniform(1.0, _TALL["signature"])))
    if random.chance(style.by_hand):
        return style.hand.scaled(_TALL.get(kind, 1.0) * random.uniform(0.85, 1.15))
    return style.typed
