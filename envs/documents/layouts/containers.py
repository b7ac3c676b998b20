"""Containers: blocks that arrange other blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..scene.elements import Shape, Style
from .decorations import Ornament
from .parts import Align, Block, Look, Part, Setting, at, height_of, natural

_WIDEST_GAP = 2.6
"""Gaps grow to so many times their size where height is left; what is left then is shared above and below."""


@dataclass(frozen=True, eq=False)
class Stack:
    """Blocks below each other.

    Attributes:
        gap: between them, in units.
        tight: whether gaps stay as they are where height is left.
    """

    children: tuple[Block, ...]
    gap: float
    optional: int
    grow: float
    tight: bool = False
    align: Align | None = None

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: children that are optional come in as long as there is room, then others grow, then gaps."""
        look = replace(look, align=self.align) if self.align else look
        gap = look.px(self.gap) if self.gap else 0
        kept = _kept(self.children, width, room, gap, look)
        needed = [height_of(child, width, look) for child in kept]
        left = room - sum(needed) - gap * (len(kept) - 1)
        grown = _grown(kept, needed, max(left, 0))
        settings = [_set(child, width, high, look) for child, high in zip(kept, grown, strict=True)]
        left = room - sum(s.height for s in settings) - gap * (len(kept) - 1)
        top, step = self._spread(left, len(kept), gap)
        parts: list[Part] = []
        for setting in settings:
            parts += at(setting.parts, 0, int(top))
            top += setting.height + step
        used = sum(s.height for s in settings) + gap * (len(kept) - 1)
        return Setting(tuple(parts), max(used, 0 if self.tight else room))

    def _spread(self, left: int, count: int, gap: int) -> tuple[float, float]:
        """Where the first child begins, and how far the children are apart, with so much height left."""
        if self.tight or left <= 0:
            return 0.0, float(gap)
        more = min(left / max(count - 1, 1), gap * (_WIDEST_GAP - 1)) if count > 1 else 0.0
        return max(0.0, (left - more * (count - 1)) / 2), gap + more


def _set(block: Block, width: int, room: int, look: Look) -> Setting:
    return block.set(width, room, look) if room else natural(block, width, look)


def _kept(children: Sequence[Block], width: int, room: int, gap: int, look: Look) -> list[Block]:
    """The children that must be there, and others as long as there is room."""
    used = sum(height_of(child, width, look) + gap for child in children if not child.optional) - gap
    chosen = {id(child) for child in children if not child.optional}
    for child in sorted((child for child in children if child.optional), key=lambda child: child.optional):
        high = height_of(child, width, look) + gap
        if used + high <= room:
            used += high
            chosen.add(id(child))
    return [child for child in children if id(child) in chosen]


def _grown(children: Sequence[Block], needed: Sequence[int], left: int) -> list[int]:
    """How high children may become; 0: as they are."""
    weight = sum(child.grow for child in children)
    if not weight or not left:
        return [high if child.grow else 0 for child, high in zip(children, needed, strict=True)]
    return [
        int(high + left * child.grow / weight) if child.grow else 0
        for child, high in zip(children, needed, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Row:
    """Blocks beside each other.

    Attributes:
        shares: of the width, relative to each other.
        middle: whether lower ones stand in the middle of the height, or at the top.
    """

    children: tuple[Block, ...]
    shares: tuple[float, ...]
    gap: float
    optional: int
    grow: float
    middle: bool = True

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: all have the height of the highest, or the room there is."""
        gap = look.px(self.gap) if self.gap else 0
        free = width - gap * (len(self.children) - 1)
        widths = [round(free * share / sum(self.shares)) for share in self.shares]
        high = max(room, *(height_of(child, wide, look) for child, wide in zip(self.children, widths, strict=True)), 1)
        parts: list[Part] = []
        left = 0
        for child, wide in zip(self.children, widths, strict=True):
            setting = _set(child, wide, high if child.grow or room else 0, look)
            down = max(0, high - setting.height) // 2 if self.middle else 0
            parts += at(setting.parts, left, down)
            left += wide + gap
        return Setting(tuple(parts), high)


@dataclass(frozen=True, eq=False)
class Panel:
    """A block on a shape.

    Attributes:
        name: of the shape.
        fill: a colour of the palette, or "outline".
        pad: around the block, in units.
        ornament: on the shape, behind the block.
        shape: of the panel.
        rounded: whether its corners are, if those of the document are.
    """

    child: Block
    name: str
    fill: str
    pad: float
    optional: int
    grow: float
    ornament: Ornament | None = None
    shape: Shape = "rectangle"
    rounded: bool = True

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        pad = look.px(self.pad) if self.pad else 0
        outlined = self.fill == "outline"
        ground = look.ground if outlined else look.fill(self.fill)
        inner = look.on(ground)
        content = self.child.set(width - 2 * pad, max(0, room - 2 * pad), inner)
        height = max(content.height + 2 * pad, room if self.grow else 0)
        style = {"fill": None, "stroke": look.fill("main"), "stroke_width": 2} if outlined else {"fill": ground}
        back = Part(
            "shape", self.name, (0, 0, width, height), look_style(look, self.rounded, **style), shape=self.shape
        )
        behind = self.ornament.parts(width, height, inner) if self.ornament else ()
        down = pad + max(0, height - 2 * pad - content.height) // 2
        return Setting((back, *behind, *at(content.parts, pad, down)), height)


def look_style(look: Look, rounded: bool, **fields: object) -> Style:
    """The style of a shape without words."""
    return Style.model_validate({"radius": look.radius if rounded else 0} | fields)


@dataclass(frozen=True, eq=False)
class Inset:
    """A block with room around it: left and right, above and below, in units."""

    child: Block
    across: float
    down: float
    optional: int
    grow: float

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        across, down = (look.px(units) if units else 0 for units in (self.across, self.down))
        content = self.child.set(width - 2 * across, max(0, room - 2 * down), look)
        return Setting(at(content.parts, across, down), content.height + 2 * down)
