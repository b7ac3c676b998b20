"""Blocks of options that are ticked: after a question, in a row, in a list, in columns."""

from __future__ import annotations

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Block, Part, Sheet
from .faces import Type

_SHAPES: dict[str, float] = {"square": 50, "circle": 8, "underscore": 26, "parentheses": 8, "brackets": 8}


class _Ticks:
    """How the options of one block are laid out."""

    def __init__(self, sheet: Sheet) -> None:
        dice, style = sheet.dice, sheet.style
        self.sheet = sheet
        self.type: Type = style.label if dice.chance(0.7) else style.body
        self.shape = dice.weighted(_SHAPES)
        self.size = self.type.size * dice.between(0.6, 0.95)
        self.left = dice.chance(0.6)
        self.gap = style.em * dice.between(0.2, 0.8)

    def width(self, text: str) -> float:
        """How wide an option with its tick is."""
        wide = 2 if self.shape == "underscore" else 1.4
        return self.type.width(text) + self.gap + wide * self.size + self.type.width("()")

    def option(self, text: str, x: float, y: float, question: Part | None) -> float:
        """Draws an option from ``x`` on the baseline ``y`` and asks for its tick; returns its right edge."""
        text = text.upper() if self.sheet.style.caps else text
        if self.left:
            blank = self.sheet.tick_box(x, y, self.shape, self.size)
            label = self.sheet.text(self._after(blank), y, text, self.type)
            end = label[2]
        else:
            label = self.sheet.text(x, y, text, self.type)
            blank = self.sheet.tick_box(label[2] + self.gap, y, self.shape, self.size)
            end = self._after(blank)
        self._ask(text, label, blank, question)
        return end

    def _after(self, blank: Box) -> float:
        """Where what follows a place for a tick may start."""
        extra = self.type.width(")") if self.shape in ("parentheses", "brackets") else self.sheet.style.thickness
        return blank[2] + extra + self.gap * 0.7

    def _ask(self, text: str, label: Box, blank: Box, question: Part | None) -> None:
        dice = self.sheet.dice
        middle, height = (blank[0] + blank[2]) / 2, self.type.size * dice.between(0.75, 1.25)
        width = height * dice.between(0.7, 1.2)
        centre = (blank[1] + blank[3]) / 2 + dice.between(-0.1, 0.1) * self.size
        box = (middle - width / 2, centre - height / 2, middle + width / 2, centre + height / 2)
        if dice.chance(self.sheet.style.filled * 0.5):
            type_ = self.sheet.style.typed
            self.sheet.text(middle, centre + type_.capital / 2, dice.pick(["X", "x", "X"]), type_, align="centre")
            return
        parts = [(text, label)]
        if question is not None and dice.chance(0.5):
            parts.append(question)
        self.sheet.example(parts, box, blank, "tick")


def row(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Questions, each with its options in a row after it or under it."""
    dice, style = sheet.dice, sheet.style
    ticks, y = _Ticks(sheet), top
    tab = left + (right - left) * dice.between(0.3, 0.6)
    for _ in range(dice.weighted({1: 55, 2: 30, 3: 15})):
        choice = dice.pick(vocabulary.choices(style.language))
        y += style.label.line * max(style.spacing, 1.15)
        question, x = _asked(sheet, choice.question, left, y)
        if dice.chance(0.5):
            x = max(x, tab)
        options = choice.options
        if x + ticks.width(options[0]) > right:
            x, y = left + 2 * style.em, y + style.label.line * 1.2
        between = style.em * dice.between(0.9, 3)
        for text in options:
            if x + ticks.width(text) > right:
                x, y = left + 2 * style.em, y + style.label.line * 1.25
            if x + ticks.width(text) <= right:
                x = ticks.option(text, x, y, question) + between
    return y + style.em * 0.6


def listed(sheet: Sheet, left: float, top: float, right: float) -> float:
    """Options under each other, in one to three columns."""
    dice, style = sheet.dice, sheet.style
    ticks = _Ticks(sheet)
    choice = dice.pick(vocabulary.choices(style.language))
    options = list(choice.options)
    if len(options) < 4 and style.language == "en":
        options += [text for text in {dice.pick(vocabulary.options_alone()) for _ in range(5)} if text not in options]
        options = dice.shuffled(sorted(options))
    y = top + style.label.line
    question, _ = _asked(sheet, choice.question, left, y)
    if choice.question:
        y += style.label.line * 1.25
    columns = dice.weighted({1: 50, 2: 35, 3: 15})
    width = (right - left) / columns
    options = [text for text in options if ticks.width(text) < width - style.em]
    step = style.label.line * dice.between(1.1, 1.7)
    rows = -(-len(options) // columns)
    for i, text in enumerate(options):
        x = left + (i // rows) * width
        ticks.option(text, x, y + (i % rows) * step, question)
    return y + max(rows - 1, 0) * step + style.em * 0.6


def _asked(sheet: Sheet, question: str, x: float, y: float) -> tuple[Part | None, float]:
    """Prints a question if there is one; returns it and where what follows may start."""
    if not question:
        return None, x
    shown = question.upper() if sheet.style.caps else question
    if question[-1].isalnum() and sheet.dice.chance(0.7):
        shown += ":"
    box = sheet.text(x, y, shown, sheet.style.label)
    return (shown, box), box[2] + sheet.style.em * sheet.dice.between(0.7, 2.5)


BLOCKS: dict[Block, float] = {row: 8, listed: 3}
"""These blocks, and how often each is met."""
