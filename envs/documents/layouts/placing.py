"""Place blocks: the parts of a block in a width, at its natural height or in a given one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import cast

from ...core.templates import evaluate
from ..painting.texts import text_height, too_wide
from ..scene.colours import contrast
from ..scene.elements import Run, Shape, Style
from .blocks import Block
from .parts import Group, Moved, Part, PlacedParts, Theme, at, shape_part, size_near, text_part
from .schema import LEAVES, kit

_MAX_GAP = 2.6
"""The maximum factor by which gaps grow into spare height; the rest goes above and below."""
_LIST_LINES = (1.35, 2.0)
"""The line heights of a list: without spare room, and with it."""
_ROW, _LOOSE = 2.0, 1.5
"""The height of a table's row in units; the maximum factor by which it, and a grid's, grows."""
_MIN_COLUMN, _MAX_COLUMN = 4, 22
"""The range of a table column's width in letters; the longest text determines it."""
_MIN_PICTURE, _MAX_PICTURE = 4, 10
"""The range of the height that a picture requires, in units; it grows where there is room."""
_COLUMNS = 6
"""The maximum number of a grid's columns."""
_FIXED = 0.4
"""The maximum share of a row's width for a child without a share."""
_PINNED = 0.35, 0.6
"""The maximum share of the width and the height of what something is pinned on."""


def place(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """The parts of a block.

    Args:
        block: what is placed.
        width: in pixels.
        room: the height in pixels that it can take; 0: its natural one.
        theme: its style.
    """
    node = block.node
    if node.align and node.align != theme.align:
        theme = replace(theme, align=node.align)
    own = min(width, theme.px(node.wide)) if node.wide else width
    placed = (_LEAVES[node.block] if node.block in LEAVES else _container)(block, own, room, theme)
    parts = at(placed.parts, theme.indent(width - own), 0)
    if node.group and theme.grouped:
        parts = (Moved(parts, 0, 0, Group(node.group)),)
    return PlacedParts(parts, placed.height)


def natural(block: Block, width: int, theme: Theme) -> PlacedParts:
    """A block at its natural height."""
    key = id(block), width
    if key not in theme.natural:
        theme.natural[key] = place(block, width, 0, theme)
    return theme.natural[key]


def ornament_parts(block: Block, width: int, height: int, theme: Theme) -> tuple[Part, ...]:
    """The shapes of the ornament of a block, in a box from (0, 0)."""
    if not block.chances:
        return ()
    ornament = kit().ornaments[block.node.ornaments[0]]
    scope = {"w": width, "h": height, "u": theme.unit, **dict(zip("abc", block.chances, strict=True))}
    for name, expression in ornament.let.items():
        scope[name] = evaluate(expression, scope, name)
    parts = []
    for shape in ornament.shapes:
        left, top, wide, high = (round(length) for length in evaluate(shape.box, scope, shape.name))
        style = Style.model_validate(theme.look(shape.fill, shape.stroke, shape.thick, shape.round))
        opacity = round(0.1 + 0.12 * evaluate(shape.fade, scope), 2) if shape.fade else 1
        box, angle = (left, top, max(wide, 1), max(high, 1)), round(evaluate(shape.angle, scope))
        parts.append(Part("shape", shape.name, box, style, angle=angle, opacity=opacity, shape=shape.shape))
    return tuple(parts)


# -- Leaves ------------------------------------------------------------------------------------------------------------


def _text(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    node = block.node
    changes = {"colour": theme.text(node.ink)} if node.ink else {}
    style = theme.style(node.roles[0], **changes, **dict.fromkeys(node.maybe, True))
    part = text_part(node.name, _runs(block, theme), style, width, node.lines)
    return PlacedParts((part,), part.box[3])


def _runs(block: Block, theme: Theme) -> tuple[Run, ...]:
    text = block.node.words
    return block.emphasis.runs(text, theme.text("accent")) if block.emphasis else (Run(text=text),)


def _list(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """A list, the lines of which spread where there is room."""
    style = theme.style("body", line_height=_LIST_LINES[0], align="left")
    part = Part("list", block.node.name, (0, 0, width, 2048), style, _runs(block, theme))
    part = part.shrunk(lambda tried: not any(too_wide(tried)))
    needed = text_height(part.drawn())
    loose = min(_LIST_LINES[1], _LIST_LINES[0] * max(room, needed) / needed)
    part = part.styled(line_height=round(loose - 0.005, 2))
    height = text_height(part.drawn()) + 2
    return PlacedParts((part._replace(box=(0, 0, width, height)),), height)


def _table(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """A table; the widths of its columns follow from their texts."""
    needed = theme.px(_ROW) * len(block.cells)
    height = min(max(room, needed), round(needed * _LOOSE))
    ground = theme.fill("soft")
    # Cells below the first row stand on the ground around the table.
    fill = ground if contrast(theme.ink, ground) > 4.5 else None
    look = {"fill": fill, "stroke": theme.fill("rule"), "stroke_width": 1}
    style = theme.style("body", align="left", line_height=1.2, **look)
    lengths = [max(map(len, column)) for column in zip(*block.cells, strict=True)]
    columns = tuple(float(min(max(length, _MIN_COLUMN), _MAX_COLUMN) + 2) for length in lengths)
    name = block.node.name or kit().things[block.node.each].noun
    part = Part("table", name, (0, 0, width, height), style, cells=block.cells, columns=columns)
    return PlacedParts((part.shrunk(lambda tried: not any(too_wide(tried))),), height)


def _shape(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    node = block.node
    shrink = width / theme.px(node.wide) if node.wide else 1
    height = max(1, round(theme.px(node.high) * shrink) if node.high else room)
    look = theme.look(node.fill, node.stroke, node.thick, node.round)
    if node.words:
        on = replace(theme, ground=theme.fill(node.fill), align="center")
        size = size_near(node.size * shrink * theme.unit)
        style = on.style("label", size=size, anchor="middle", line_height=1.1, **look)
    else:
        style = Style.model_validate(look)
    runs = (Run(text=node.words),) if node.words else ()
    shape, angle = cast(Shape, node.shape), node.angles[0]
    part = shape_part(Part("shape", node.name, (0, 0, width, height), style, runs, angle, shape=shape))
    return PlacedParts((part,), height)


def _image(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """A square of the width that the node names, or a picture that grows with the room."""
    node = block.node
    height = width
    if not node.wide:
        low, high = kit().ratios[node.what]
        needed = min(width * low, theme.px(_MAX_PICTURE))
        height = max(theme.px(_MIN_PICTURE), round(min(max(needed, room), width * high)))
    return PlacedParts((Part("image", node.name, (0, 0, width, height), asset=node.words),), height)


def _line(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """A line across the width, or upright if the node names a height."""
    node = block.node
    style = Style(stroke=theme.fill(node.stroke), stroke_width=node.thick)
    if node.high:
        height = max(room, theme.px(node.high))
        return PlacedParts((Part("line", node.name, (width // 2, 0, 1, height), style),), height)
    return PlacedParts((Part("line", node.name, (0, 2 + node.thick // 2, width, 1), style),), node.thick + 4)


# -- Containers --------------------------------------------------------------------------------------------------------


def _container(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """The children of a container, with padding, and a background if it has a fill."""
    node, arrange = block.node, _ARRANGEMENTS[block.node.block]
    pad = theme.px(node.pad)
    inside = width - 2 * pad, max(0, room - 2 * pad)
    if not node.fill:
        placed = arrange(block, *inside, theme)
        return PlacedParts(at(placed.parts, pad, pad), placed.height + 2 * pad)
    is_outline = node.fill == "paper"
    inner = replace(theme, ground=theme.ground if is_outline else theme.fill(node.fill))
    placed = arrange(block, *inside, inner)
    height = max(placed.height + 2 * pad, room if block.grow else 0)
    look = theme.look("" if is_outline else node.fill, "main" if is_outline else "", 2, node.round)
    back = Part("shape", node.name, (0, 0, width, height), Style.model_validate(look), shape=cast(Shape, node.shape))
    down = (height - placed.height) // 2
    behind = ornament_parts(block, width, height, inner)
    return PlacedParts((back, *behind, *at(placed.parts, pad, down)), height)


def _stack(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """Blocks above each other.

    Optional ones are kept while there is room; then others grow, then gaps, unless the stack is tight.
    """
    gap, is_tight = theme.px(block.node.gap), block.node.tight
    kept = _selected(block.of, width, room, gap, theme)
    needed = [natural(child, width, theme).height for child in kept]
    gaps = gap * (len(kept) - 1)
    left, weight = max(room - sum(needed) - gaps, 0), sum(child.grow for child in kept)
    grown = [
        int(high + left * child.grow / weight) if child.grow else 0 for child, high in zip(kept, needed, strict=True)
    ]
    all_placed = [_in_room(child, width, high, theme) for child, high in zip(kept, grown, strict=True)]
    used = sum(placed.height for placed in all_placed) + gaps
    top, step = (0.0, float(gap)) if is_tight else _spread(room - used, len(kept), gap)
    parts: list[Part | Moved] = []
    for placed in all_placed:
        parts += at(placed.parts, 0, int(top))
        top += placed.height + step
    return PlacedParts(tuple(parts), max(used, 0 if is_tight else room))


def _spread(left: int, count: int, gap: int) -> tuple[float, float]:
    """The offset of the first child and the gap between children, for spare height."""
    if left <= 0:
        return 0.0, float(gap)
    more = min(left / (count - 1), gap * (_MAX_GAP - 1)) if count > 1 else 0.0
    return max(0.0, (left - more * (count - 1)) / 2), gap + more


def _in_room(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    return place(block, width, room, theme) if room else natural(block, width, theme)


def _selected(children: Sequence[Block], width: int, room: int, gap: int, theme: Theme) -> list[Block]:
    """The required children, and optional ones as long as there is room."""
    used = sum(natural(child, width, theme).height + gap for child in children if not child.optional) - gap
    chosen = {id(child) for child in children if not child.optional}
    for child in sorted((child for child in children if child.optional), key=lambda child: child.optional):
        high = natural(child, width, theme).height + gap
        if used + high <= room:
            used += high
            chosen.add(id(child))
    return [child for child in children if id(child) in chosen]


def _row(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """Blocks beside each other, as high as the highest, or as the available height."""
    gap, shares = theme.px(block.node.gap), block.shares
    most = width * _FIXED if any(shares) else width / len(shares)
    fixed = [
        0 if share else int(min(theme.px(child.node.wide), most)) for child, share in zip(block.of, shares, strict=True)
    ]
    gap = min(gap, max(0, width - sum(fixed)) // max(1, len(shares) - 1))
    free = width - gap * (len(shares) - 1) - sum(fixed)
    widths = [round(free * share / sum(shares)) if share else wide for share, wide in zip(shares, fixed, strict=True)]
    high = max(room, *(natural(child, wide, theme).height for child, wide in zip(block.of, widths, strict=True)), 1)
    parts: list[Part | Moved] = []
    left = 0 if any(shares) else theme.indent(free)
    for child, wide in zip(block.of, widths, strict=True):
        placed = _in_room(child, wide, high if child.grow or room else 0, theme)
        parts += at(placed.parts, left, 0 if block.node.top else max(0, high - placed.height) // 2)
        left += wide + gap
    return PlacedParts(tuple(parts), high)


def _grid(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """Blocks in as many equal columns as fit; they grow to the available height."""
    gap, count = theme.px(block.node.gap), len(block.of)
    columns = max(1, min(count, _COLUMNS, (width + gap) // (theme.px(block.of[0].node.column) + gap)))
    rows = math.ceil(count / columns)
    columns = math.ceil(count / rows)
    wide = (width - gap * (columns - 1)) // columns
    needed = max(natural(child, wide, theme).height for child in block.of)
    high = min(round(needed * _LOOSE), max(needed, (room - gap * (rows - 1)) // rows))
    parts: list[Part | Moved] = []
    for i, child in enumerate(block.of):
        placed = place(child, wide, high, theme)
        down = (high - max(needed, placed.height)) // 2
        parts += at(placed.parts, (i % columns) * (wide + gap), (i // columns) * (high + gap) + down)
    return PlacedParts(tuple(parts), high * rows + gap * (rows - 1))


def _pinned(block: Block, width: int, room: int, theme: Theme) -> PlacedParts:
    """A block with another one in its right lower corner."""
    below = place(block.of[0], width, room, theme)
    side, off = round(min(width * _PINNED[0], below.height * _PINNED[1])), theme.px(0.6)
    above = place(block.of[1], side, 0, replace(theme, align="right"))
    moved = at(above.parts, width - side - off, below.height - above.height - off)
    return PlacedParts((*below.parts, *moved), below.height)


Place = Callable[[Block, int, int, Theme], PlacedParts]
_LEAVES: dict[str, Place] = {
    "text": _text, "list": _list, "table": _table, "shape": _shape, "image": _image, "line": _line
}  # fmt: skip
_ARRANGEMENTS: dict[str, Place] = {"stack": _stack, "row": _row, "grid": _grid, "pinned": _pinned}
