"""A canvas for a page: its pixels, and the boxes of words, rules and answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from ...core.boxes import Box, are_near, encloses, union
from ...core.randomness import Sampler
from ..examples import Word
from .fake_answers import Answer, draw_answer
from .style import Style, Type
from .vocabulary import Kind

ALIGNMENT = {"left": 0.0, "centre": 0.5, "right": 1.0}
"""The share of an aligned text that is left of its position."""

Part = tuple[str, Box]
"""A text on the page and its box."""


class Draft(NamedTuple):
    """An example before the page is finished; ``reach``: its field's maximum extent."""

    parts: tuple[Part, ...]
    box: Box
    reach: Box
    kind: str

    @property
    def target(self) -> str:
        """The name of the field: its label, then the headings above it."""
        return " | ".join(text for text, _ in self.parts)


class Area(NamedTuple):
    """The space for a block: from the top down, between a left and a right edge."""

    left: float
    top: float
    right: float

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.right - self.left


Block = Callable[["Canvas", Area], float]
"""A function that draws in an area and returns where the block ends."""


class Canvas:
    """A gray page being drawn.

    Attributes:
        random: every choice on the page comes from it.
        style: the page's look.
        width, height: in pixels.
        left, top, right, bottom: the margins.
        words: that are printed, with tight boxes.
        rules: the boxes of all rules, frames (as four rules) and blobs.
        drafts: the examples so far.
        sections: the headings above the next field, the outermost first.
        used: labels that are drawn already, in lower case.
    """

    def __init__(self, random: Sampler, style: Style, width: int, height: int) -> None:
        self.random, self.style, self.width, self.height = random, style, width, height
        self.left = width * random.uniform(0.05, 0.13)
        self.right = width - width * random.uniform(0.05, 0.13)
        self.top = height * random.uniform(0.03, 0.09)
        self.bottom = height * random.uniform(0.9, 0.97)
        self.picture = Image.new("L", (width, height), 255)
        self._pen = ImageDraw.Draw(self.picture)
        self.words: list[Word] = []
        self.rules: list[Box] = []
        self.drafts: list[Draft] = []
        self.sections: list[Part] = []
        self.used: set[str] = set()

    # -- Type ----------------------------------------------------------------------------------------------------

    def text(
        self, x: float, y: float, text: str, type_: Type, *, ink: int = 0, align: str = "left", underlined: bool = False
    ) -> Box:
        """Print a line of text and return the envelope of its words.

        Args:
            x: where it starts, is centred or ends, by ``align``.
            y: its baseline.
            text: words separated by spaces.
            type_: its face and size.
            ink: its shade, 0 = black.
            align: of ``ALIGNMENT``.
            underlined: whether a rule runs under it.
        """
        x = round(x - type_.width(text) * ALIGNMENT[align])
        y = round(y)
        self._pen.text((x, y), text, fill=ink, font=type_.font, anchor="ls")
        recorded, start = len(self.words), float(x)
        for word in text.split(" "):
            if word:
                left, top, right, bottom = type_.ink(word)
                box = (start + left, y + top, start + max(right, left + 1), y + max(bottom, top + 1))
                self.words.append(Word(word, box))
            start += type_.width(word) + type_.width(" ")
        if not self.words[recorded:]:
            return x, y - type_.capital, x + 1.0, float(y)
        box = union(word.box for word in self.words[recorded:])
        if underlined:
            self._pen.rectangle((box[0], y + 2, box[2], y + 1 + self.style.thickness), fill=ink)
        return box

    def lines(
        self,
        x: float,
        y: float,
        texts: Sequence[str],
        type_: Type,
        *,
        step: float = 0.0,
        align: str = "left",
        ink: int = 0,
        underlined: bool = False,
    ) -> Box:
        """Print lines of text, ``step`` pixels apart (0: by the type); see ``text``."""
        step = step or type_.line
        return union(
            self.text(x, y + i * step, text, type_, ink=ink, align=align, underlined=underlined)
            for i, text in enumerate(texts)
        )

    # -- Rules ---------------------------------------------------------------------------------------------------

    def rule(self, x1: float, y: float, x2: float, look: str | None = None, thickness: int | None = None) -> Box:
        """Draw a line to write on from ``x1`` to ``x2``, with its upper edge at ``y``.

        Its look is one of ``settings().rules``.
        """
        look, thick = look or self.style.rule, thickness or self.style.thickness
        if look in ("dotted", "dashed", "broken"):
            points = {"dotted": 3.0, "dashed": 7.0}.get(look) or self.random.uniform(6, 9)
            period = max(round(points * self.style.scale), 3)
            dash = thick if look == "dotted" else round(period * (0.6 if look == "dashed" else 0.9))
            for x in range(round(x1), round(x2 - dash), period):
                self._bar((x, y, x + dash, y + thick))
        else:
            self._bar((x1, y, x2, y + thick))
        if look == "double":
            self._bar((x1, y + thick + 2, x2, y + 2 * thick + 2))
            thick = 2 * thick + 2
        self.rules.append((x1, y, x2, y + thick))
        return self.rules[-1]

    def upright(self, x: float, y1: float, y2: float, thickness: int | None = None) -> Box:
        """Draw a vertical rule with its left edge at ``x``."""
        thick = thickness or self.style.thickness
        self._bar((x, y1, x + thick, y2))
        self.rules.append((x, y1, x + thick, y2))
        return self.rules[-1]

    def frame(self, box: Box, thickness: int | None = None, shade: int | None = None) -> None:
        """Draw a frame with the outer edge ``box``, filled with ``shade`` if there is one."""
        thick = thickness or self.style.thickness
        if shade is not None:
            self._bar(box, shade)
        self.rule(box[0], box[1], box[2], "solid", thick)
        self.rule(box[0], box[3] - thick, box[2], "solid", thick)
        self.upright(box[0], box[1], box[3], thick)
        self.upright(box[2] - thick, box[1], box[3], thick)

    def tick_box(self, x: float, y: float, shape: str, size: float) -> Box:
        """Draw a tick box of a shape of ``settings().ticks`` and a height, and return its blank space.

        ``x`` is its left edge, ``y`` the baseline of the words beside it.
        """
        top, thick = y - size, self.style.thickness
        if shape in ("square", "circle"):
            draw = self._pen.rectangle if shape == "square" else self._pen.ellipse
            outer = (x, top, x + size, y)
            draw(tuple(round(edge) for edge in outer), outline=0, width=thick)
            self.rules.append(outer)
            return x + thick, top + thick, x + size - thick, y - thick
        if shape == "underscore":
            self.rule(x, y + 1, x + 2 * size, "solid")
            return x, top, x + 2 * size, y
        marks = "[]" if shape == "brackets" else "()"
        type_ = self.style.label
        self.text(x, y, marks[0], type_)
        inner = x + type_.width(marks[0])
        self.text(inner + size, y, marks[1], type_)
        return inner, top, inner + size, y

    def paste(self, picture: Image.Image, x: int, y: int) -> None:
        """Paste a gray picture on the page: the darker pixel of the two stays."""
        region = (x, y, x + picture.width, y + picture.height)
        under = np.asarray(self.picture.crop(region))
        self.picture.paste(Image.fromarray(np.minimum(under, np.asarray(picture))), region)
        self.rules.append((float(x), float(y), float(region[2]), float(region[3])))

    def _bar(self, box: Box, ink: int = 0) -> None:
        left, top, right, bottom = (round(edge) for edge in box)
        self._pen.rectangle((left, top, max(right - 1, left), max(bottom - 1, top)), fill=ink)

    # -- Answers -------------------------------------------------------------------------------------------------

    def answer(self, kind: Kind, width: float, lines: int = 1, step: float | None = None) -> Answer | None:
        """A random answer; see ``draw_answer``."""
        return draw_answer(self.random, self.style, kind, width, lines, step)

    def ask(
        self, parts: Sequence[Part], answer: Answer, x: float, y: float, reach: Box, kind: str, drifts: bool = True
    ) -> None:
        """Make an answer at (``x``, first baseline ``y``) a target, or print it.

        Some answers of a partly filled page are printed. If it ``drifts``, it is a little off its baseline, like all
        answers of the page. Without ``parts`` it is no target, but may be printed.
        """
        if drifts:
            y += (self.style.drift + float(self.random.rng.normal(0, 0.06))) * self.style.em
        if self.random.chance(self.style.filled):
            self.lines(x, y, answer.lines, answer.type, step=answer.step, ink=self.random.choice([0, 0, 40]))
        elif parts:
            self.example(parts, answer.box(x, y), reach, kind)

    def example(self, parts: Sequence[Part], answer: Box, reach: Box, kind: str) -> None:
        """Record a target whose answer has the envelope ``answer``; see ``Draft``.

        Its ``parts`` are its label, then the headings above it that belong to it alone (of columns, rows), nearest
        first; the page's sections are added.
        """
        above = tuple(reversed(self.sections)) if self.random.chance(self.style.ancestors) else ()
        if len(above) > 1 and self.random.chance(0.5):
            above = above[:1]
        later = (*parts[1:], *above)
        if len(later) > 1 and self.random.chance(0.15):
            later = tuple(self.random.shuffled(later))
        self.drafts.append(Draft((*parts[:1], *later), answer, reach, kind))

    # -- Room ----------------------------------------------------------------------------------------------------

    def is_free(self, box: Box, margin: float = 2.0) -> bool:
        """Whether ``box`` is on the page, ``margin`` pixels from all print and answers."""
        occupied = chain((word.box for word in self.words), self.rules, (draft.box for draft in self.drafts))
        is_inside = encloses((0, 0, self.width, self.height), box)
        return is_inside and not any(are_near(box, other, margin) for other in occupied)

    def attempt(self, block: Block, area: Area) -> float | None:
        """Draw a block if it fits above the bottom margin; else undo it, return ``None``."""
        picture, sections = self.picture.copy(), list(self.sections)
        words, rules, drafts = len(self.words), len(self.rules), len(self.drafts)
        end = block(self, area)
        if area.top < end <= self.bottom and all(draft.box[3] <= self.bottom for draft in self.drafts[drafts:]):
            return end
        self.picture.paste(picture)
        del self.words[words:], self.rules[rules:], self.drafts[drafts:]
        self.sections = sections
        return None
