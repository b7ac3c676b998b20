"""Blocks with pictures, and badges."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..scene.elements import Run, Shape, Style
from .fitting import plain, shape_part, style_of, text_part
from .parts import Look, Part, Setting, at

_HIGHEST = 10
"""Pictures need no more height than this, in units, but take it where there is room."""


@dataclass(frozen=True, slots=True)
class Badge:
    """A turned shape with a word or two on it."""

    text: str
    small: str
    shape: Shape
    angle: int
    role: str


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture, with a caption and a badge if it has them.

    Attributes:
        name: of the element.
        asset: the picture.
        ratio: its least height, in widths.
        most: the height that it may grow to, in widths.
        caption: below it, or "".
        badge: on its right edge.
        framed: whether there is a frame around it.
    """

    name: str
    asset: str
    ratio: float
    most: float
    caption: str = ""
    badge: Badge | None = None
    framed: bool = False
    optional: int = 0
    grow: float = 3.0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: the picture becomes higher where there is room."""
        parts: list[Part] = []
        told = (
            text_part(
                f"caption of the {self.name}", plain(self.caption), style_of("caption", look, italic=True), width, 2
            )
            if self.caption
            else None
        )
        below = told.box[3] + look.px(0.25) if told else 0
        least = min(width * self.ratio, look.px(_HIGHEST))
        high = max(look.px(4), round(min(max(least, room - below), width * self.most)))
        edge = look.px(0.3) if self.framed else 0
        if self.framed:
            parts.append(
                Part(
                    "shape",
                    f"frame of the {self.name}",
                    (0, 0, width, high),
                    Style(fill=look.fill("main")),
                    shape="rectangle",
                )
            )
        parts.append(Part("image", self.name, (edge, edge, width - 2 * edge, high - 2 * edge), asset=self.asset))
        if self.badge:
            side = min(look.px(6), round(high * 0.6), round(width * 0.35))
            parts += at((badge_part(self.badge, side, look),), width - side - look.px(0.6), high - side - look.px(0.6))
        if told:
            parts.append(told.at(0, high + look.px(0.25)))
        return Setting(tuple(parts), high + below)


def badge_part(badge: Badge, side: int, look: Look) -> Part:
    """A badge at a size in pixels."""
    runs: tuple[Run, ...] = plain(badge.text)
    size = max(8, round(side * 0.24))
    if badge.small:
        runs = (Run(text=badge.text + "\n"), Run(text=badge.small, size=max(8, round(size * 0.6)), bold=False))
    part = shape_part("badge", badge.shape, (side, side), look.fill(badge.role), look, runs, size=size, line_height=1.1)
    return replace(part, angle=badge.angle)


@dataclass(frozen=True, eq=False)
class Stamp:
    """A badge that stands alone."""

    badge: Badge
    side: float = 6.5
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        side = min(width, look.px(self.side))
        left = {"left": 0, "center": (width - side) // 2, "right": width - side}[look.align]
        return Setting(at((badge_part(self.badge, side, look),), left, 0), side)
