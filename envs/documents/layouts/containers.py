"""Containers: blocks that arrange other blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .decorations import Decoration
from .placed_parts import Align, Block, Draw, Part, PlacedParts, Theme, at, height_of, natural, shape_at

_MAX_GAP = 2.6
"""The maximum factor by which gaps grow into spare height; the rest goes above and below."""


def stack(children: Sequence[Block], units: float, tight: bool = False, align: Align | None = None) -> Draw:
    """A stack of blocks with gaps in units; ``tight``: gaps do not grow.

    Optional children are kept while there is room; then others grow, then gaps.
    """

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        theme = replace(theme, align=align) if align else theme
        gap = theme.px(units) if units else 0
        kept = _selected(children, width, room, gap, theme)
        needed = [height_of(child, width, theme) for child in kept]
        gaps = gap * (len(kept) - 1)
        grown = _grown_heights(kept, needed, max(room - sum(needed) - gaps, 0))
        all_placed = [_set(child, width, high, theme) for child, high in zip(kept, grown, strict=True)]
        used = sum(placed.height for placed in all_placed) + gaps
        top, step = (0.0, float(gap)) if tight else _spread(room - used, len(kept), gap)
        parts: list[Part] = []
        for placed in all_placed:
            parts += at(placed.parts, 0, int(top))
            top += placed.height + step
        return PlacedParts(tuple(parts), max(used, 0 if tight else room))

    return draw


def _spread(left: int, count: int, gap: int) -> tuple[float, float]:
    """The offset of the first child and the gap between children, for spare height."""
    if left <= 0:
        return 0.0, float(gap)
    more = min(left / (count - 1), gap * (_MAX_GAP - 1)) if count > 1 else 0.0
    return max(0.0, (left - more * (count - 1)) / 2), gap + more


def _set(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    return block.draw(width, room, theme) if room else natural(block, width, theme)


def _selected(children: Sequence[Block], width: int, room: int, gap: int, theme: Theme) -> list[Block]:
    """The required children, and optional ones as long as there is room."""
    used = sum(height_of(child, width, theme) + gap for child in children if not child.optional) - gap
    chosen = {id(child) for child in children if not child.optional}
    for child in sorted((child for child in children if child.optional), key=lambda child: child.optional):
        high = height_of(child, width, theme) + gap
        if used + high <= room:
            used += high
            chosen.add(id(child))
    return [child for child in children if id(child) in chosen]


def _grown_heights(children: Sequence[Block], needed: Sequence[int], left: int) -> list[int]:
    """The heights to which children grow; 0: a child keeps its height."""
    weight = sum(child.grow for child in children)
    return [
        int(high + left * child.grow / weight) if child.grow else 0
        for child, high in zip(children, needed, strict=True)
    ]


def row(children: Sequence[Block], shares: Sequence[float], units: float, middle: bool) -> Draw:
    """Blocks beside each other, as high as the highest, or as the available height.

    Args:
        children: from left to right.
        shares: of the width, relative to each other.
        units: the gap between them.
        middle: whether lower ones are in the middle of the height, not at the top.
    """

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        gap = theme.px(units) if units else 0
        free = width - gap * (len(children) - 1)
        widths = [round(free * share / sum(shares)) for share in shares]
        high = max(room, *(height_of(child, wide, theme) for child, wide in zip(children, widths, strict=True)), 1)
        parts: list[Part] = []
        left = 0
        for child, wide in zip(children, widths, strict=True):
            placed = _set(child, wide, high if child.grow or room else 0, theme)
            down = max(0, high - placed.height) // 2 if middle else 0
            parts += at(placed.parts, left, down)
            left += wide + gap
        return PlacedParts(tuple(parts), high)

    return draw


def panel(
    child: Block, name: str, fill: str, units: float, is_rounded: bool, decoration: Decoration | None = None
) -> Draw:
    """A block on a rectangle, with a decoration behind it.

    Args:
        child: the block; if it grows, the panel does.
        name: of the rectangle.
        fill: a colour of the palette, or ``"paper"``: an outline.
        units: the room around the block.
        is_rounded: whether its corners are, if those of the document are.
        decoration: behind the block.
    """

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        pad = theme.px(units) if units else 0
        ground = theme.ground if fill == "paper" else theme.fill(fill)
        inner = theme.on(ground)
        content = child.draw(width - 2 * pad, max(0, room - 2 * pad), inner)
        height = max(content.height + 2 * pad, room if child.grow else 0)
        style = {"stroke": theme.fill("main"), "stroke_width": 2} if fill == "paper" else {"fill": ground}
        back = shape_at(name, (0, 0, width, height), **style, radius=theme.radius if is_rounded else 0)
        behind = decoration.parts(width, height, inner) if decoration else ()
        down = pad + max(0, height - 2 * pad - content.height) // 2
        return PlacedParts((back, *behind, *at(content.parts, pad, down)), height)

    return draw


def inset(child: Draw, across_units: float, down_units: float) -> Draw:
    """A block with padding in units: left and right, above and below."""

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        across, down = (theme.px(units) if units else 0 for units in (across_units, down_units))
        content = child(width - 2 * across, max(0, room - 2 * down), theme)
        return PlacedParts(at(content.parts, across, down), content.height + 2 * down)

    return draw
