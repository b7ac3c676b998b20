"""Blocks that are drawn: rules, rows of shapes, bars, logos, signatures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ..scene.elements import Shape, Style
from .fitting import plain, shape_part, style_of, text_part
from .parts import Look, Part, Setting, at, grouped

Rule = Literal["whole", "short", "double", "diamond", "thick"]
RULES: tuple[Rule, ...] = ("whole", "whole", "short", "double", "diamond", "thick")
"""Kinds of rules, the usual one twice."""


@dataclass(frozen=True, eq=False)
class Divider:
    """A rule, whole, short, double, or with a diamond in its middle."""

    way: Rule
    role: str = "accent"
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        thick = {"thick": 4, "short": 3}.get(self.way, 2 if self.way != "double" else 1)
        style = Style(stroke=look.fill(self.role), stroke_width=thick)
        wide = min(width, look.px(6)) if self.way == "short" else width
        left = {"left": 0, "center": (width - wide) // 2, "right": width - wide}[look.align]
        line = Part("line", "{} divider", (left, 2 + thick // 2, wide, 1), style)
        if self.way == "double":
            return Setting((line, line.at(0, 5)), 9)
        if self.way == "diamond":
            side = look.px(0.8)
            gem = Part(
                "shape",
                "diamond on the {} divider",
                ((width - side) // 2, 0, side, side),
                Style(fill=look.fill(self.role)),
                shape="diamond",
            )
            return Setting((line.at(0, side // 2 - 3), gem), side)
        return Setting((line,), thick + 4)


@dataclass(frozen=True, eq=False)
class Shapes:
    """A row of small shapes of one kind in several colours, each turned a little."""

    shape: Shape
    count: int
    angle: int
    opacity: float = 1
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        side = min(look.px(1.5), width // (2 * self.count))
        step = min((width - side) / max(self.count - 1, 1), side * 2.6)
        left = {
            "left": 0.0,
            "center": (width - side - step * (self.count - 1)) / 2,
            "right": width - side - step * (self.count - 1),
        }[look.align]
        roles = ("accent", "second", "main")
        parts = tuple(
            Part(
                "shape",
                f"{{}} small {self.shape}",
                (round(left + i * step), 0, side, side),
                Style(fill=look.fill(roles[i % 3])),
                angle=self.angle,
                opacity=self.opacity,
                shape=self.shape,
            )
            for i in range(self.count)
        )
        return Setting(grouped(parts, f"row of small {self.shape}s", look), side)


@dataclass(frozen=True, eq=False)
class Bars:
    """A bar chart: labels, bars and values."""

    bars: tuple[tuple[str, float, str], ...]
    optional: int = 0
    grow: float = 0.8

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        look = replace(look, align="left")
        step = min(look.px(3), max(look.px(2), room // len(self.bars)))
        label, value = round(width * 0.34), look.px(3.4)
        parts: list[Part] = []
        for i, (name, share, caption) in enumerate(self.bars):
            high = look.px(1.1)
            text = text_part(
                "label of the {} bar", plain(name), style_of("caption", look, colour=look.ink), label - look.px(0.5), 1
            )
            wide = max(4, round((width - label - value) * share))
            bar = Part(
                "shape",
                "{} bar",
                (label, 0, wide, high),
                Style(fill=look.fill("main" if i % 2 else "accent")),
                shape="rectangle",
            )
            value_part = text_part(
                "value of the {} bar",
                plain(caption),
                style_of("caption", look, bold=True, colour=look.ink),
                value - look.px(0.3),
                1,
            )
            row = (
                text.at(0, (high - text.box[3]) // 2),
                bar,
                value_part.at(label + wide + look.px(0.3), (high - value_part.box[3]) // 2),
            )
            parts += at(row, 0, i * step + look.px(0.2))
        return Setting(grouped(parts, "bar chart", look), step * len(self.bars))


@dataclass(frozen=True, eq=False)
class Barcode:
    """Bars of several widths above a number."""

    code: str
    widths: tuple[int, ...]
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        total = min(width, look.px(9))
        step, high = total / (2 * sum(self.widths)), look.px(2.4)
        left = float({"left": 0, "center": (width - total) // 2, "right": width - total}[look.align])
        parts: list[Part] = []
        for bar in self.widths:
            parts.append(
                Part(
                    "shape",
                    "{} bar of the code",
                    (round(left), 0, max(2, round(bar * step)), high),
                    Style(fill=look.ink),
                    shape="rectangle",
                )
            )
            left += 2 * bar * step
        number = text_part("number under the bars", plain(self.code), style_of("small", look), width, 1)
        return Setting((*grouped(parts, "bar code", look), number.at(0, high + 2)), high + number.box[3] + 2)


@dataclass(frozen=True, eq=False)
class Logo:
    """Initials in a shape beside a name."""

    initials: str
    name: str
    shape: Shape
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        side, gap = look.px(3), look.px(0.7)
        mark = shape_part(
            "logo", self.shape, (side, side), look.fill("accent"), look, plain(self.initials), radius=look.radius
        )
        words = text_part(
            "name beside the logo", plain(self.name), style_of("heading", look, align="left"), width - side - gap, 2
        )
        high = max(side, words.box[3])
        parts = mark.at(0, (high - side) // 2), words.at(side + gap, (high - words.box[3]) // 2)
        return Setting(grouped(parts, "logo with its name", look), high)


@dataclass(frozen=True, eq=False)
class Signature:
    """A name as it is signed, on a rule, above what it is of."""

    name: str
    role: str
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        wide = min(width, look.px(15))
        left = {"left": 0, "center": (width - wide) // 2, "right": width - wide}[look.align]
        style = style_of("script", look, face="Dancing Script", colour=look.ink)
        signed = text_part("signature", plain(self.name), style, wide, 1)
        rule = Part(
            "line", "rule under the signature", (0, signed.box[3], wide, 1), Style(stroke=look.rule, stroke_width=1)
        )
        caption = text_part("text under the signature", plain(self.role), style_of("caption", look), wide, 1)
        parts = (signed, rule, caption.at(0, signed.box[3] + 4))
        return Setting(at(parts, left, 0), signed.box[3] + 4 + caption.box[3])


@dataclass(frozen=True, eq=False)
class Perforation:
    """A thin line between two notches, where a coupon is torn off; it runs downwards where it is narrow."""

    optional: int = 0
    grow: float = 0.1

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        side, upright = look.px(1.1), width < look.px(4)
        long = max(room, look.px(6)) if upright else width
        middle = (width - side) // 2 if upright else 0
        ends = ((middle, 0), (middle, long - side)) if upright else ((0, 0), (long - side, 0))
        notch = Style(fill=look.fill("soft"), stroke=look.rule, stroke_width=1)
        box = (
            (middle + side // 2, side, 1, max(1, long - 2 * side))
            if upright
            else (side, side // 2, max(1, long - 2 * side), 1)
        )
        line = Part("line", "tear line", box, Style(stroke=look.rule, stroke_width=2))
        parts = (line, *(Part("shape", "{} notch", (x, y, side, side), notch, shape="ellipse") for x, y in ends))
        return Setting(parts, long if upright else side)
