"""Blocks of text: texts, lists, prices, buttons, tables and form fields.

To add one, add a function and its row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..painting.texts import text_height, too_wide
from ..scene.colours import contrast
from ..scene.elements import Run, Shape
from .contents import TABLES, price_lines
from .document_words import Emphasis, Writer, pick_emphasis, runs_of
from .fitting import plain, set_text, shape_part, shrunk, style_of, text_part
from .placed_parts import Draw, Part, PlacedParts, Theme, at, grouped, line_at, shape_at
from .schema import Node, content

_LIST_LINES = (1.35, 2.0)
"""The line heights of a list: without spare room, and with it."""
_HEXAGON_LETTERS = 16
"""The number of letters from which a text does not fit a hexagon."""
_BUTTON = (14, 2.5)
"""The maximum width of a button and its height, in units."""
_ROW, _LOOSE = 2.0, 1.5
"""The height of a table's row in units, and the maximum factor by which it grows."""
_MIN_COLUMN, _MAX_COLUMN = 4, 22
"""The range of a column's width in letters; the longest text determines it."""


def draw_text(
    name: str, text: str, role: str, emphasis: Emphasis | None = None, lines: int = 0, colour: str = "", **style: bool
) -> Draw:
    """A text in at most ``lines`` lines (0: any), in a colour ("": of the role)."""

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        changes = style | ({"colour": theme.tint(colour)} if colour else {})
        part = text_part(name, runs_of(text, emphasis, theme), style_of(role, theme, **changes), width, lines)
        return PlacedParts((part,), part.box[3])

    return draw


def _text(node: Node, writer: Writer) -> Draw:
    kind = content().texts[node.what]
    text = writer.words.text(node.what)
    if kind.capitals and len(text) < 26 and writer.chance(0.4):
        text = text.upper()
    role = writer.one(node.looks) if node.looks else kind.style
    italic = kind.italics and writer.chance(0.5)
    emphasis = pick_emphasis(text, writer.rng) if kind.emphasis else None
    return draw_text(node.name or kind.name, text, role, emphasis, kind.max_lines, kind.colour, italic=italic)


def _list(node: Node, writer: Writer) -> Draw:
    """A list; its lines spread where there is room."""
    lines = writer.words.notes(writer.count(node))
    bold = len(" ".join(lines[0].split(" ")[:2])) if writer.chance(0.4) else 0
    text = "\n".join(lines)
    runs = (Run(text=text[:bold], bold=True), Run(text=text[bold:])) if bold else plain(text)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        style = style_of("body", theme, line_height=_LIST_LINES[0], align="left")
        part = Part("list", node.name or "list of notes", (0, 0, width, 2048), style, runs)
        part = shrunk(part, lambda tried: not any(too_wide(tried)))
        natural = text_height(part.drawn())
        loose = min(_LIST_LINES[1], _LIST_LINES[0] * max(room, natural) / natural)
        part = replace(part, style=part.style.model_copy(update={"line_height": round(loose - 0.005, 2)}))
        height = text_height(part.drawn()) + 2
        return PlacedParts((replace(part, box=(0, 0, width, height)),), height)

    return draw


def _prices(node: Node, writer: Writer) -> Draw:
    """Items with prices at the right; their lines spread where there is room."""
    noun = node.name or ("dish" if writer.words.subject.sort == "food" else "offer")
    has_captions = "told" in node.looks if len(node.looks) < 2 else writer.chance(0.5)
    has_rules = not has_captions and writer.chance(0.5)
    lines = price_lines(writer.words, writer.count(node), has_captions)

    def row(line: tuple[str, str, str], width: int, theme: Theme) -> PlacedParts:
        name, caption, price = line
        wide = min(round(width * 0.36), theme.px(5.2))
        left = replace(theme, align="left")
        cost = set_text(f"{{}} {noun} price", price, "label", left, wide, 1, align="right", colour=theme.tint("accent"))
        room = width - wide - theme.px(0.5)
        first = set_text(f"{{}} {noun}", name, "body", left, room, 1, bold=bool(caption), line_height=1.25)
        parts = [first, cost.at(width - wide, 0)]
        height = max(first.box[3], cost.box[3])
        if caption:
            more = set_text(f"what is said of the {{}} {noun}", caption, "caption", left, width - wide, 2)
            parts.append(more.at(0, height))
            height += more.box[3]
        if has_rules:
            rule = style_of("body", theme, stroke=theme.rule, stroke_width=1)
            parts.append(Part("line", f"rule under the {{}} {noun}", (0, height + 2, width, 1), rule))
            height += 4
        return PlacedParts(grouped(parts, f"group of the {{}} {noun}", theme), height)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        rows = [row(line, width, theme) for line in lines]
        natural = sum(one.height for one in rows) + theme.px(0.35) * (len(rows) - 1)
        gap = theme.px(0.35) + min(theme.px(1.1), max(0, room - natural) // max(len(rows) - 1, 1))
        parts: list[Part] = []
        top = 0
        for one in rows:
            parts += at(one.parts, 0, top)
            top += one.height + gap
        return PlacedParts(tuple(parts), top - gap)

    return draw


def _button(node: Node, writer: Writer) -> Draw:
    """A shape with words."""
    text = writer.words.text(node.what or "call")
    shape: Shape = "hexagon" if len(text) < _HEXAGON_LETTERS and writer.chance(0.35) else "rectangle"

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        wide, high = min(width, theme.px(_BUTTON[0])), theme.px(_BUTTON[1])
        radius = min(high // 2 if theme.round > 0.6 else theme.radius, 400)
        name, fill, size = node.name or "{} button", theme.fill(node.fill or "accent"), max(8, round(theme.unit * 1.15))
        part = shape_part(name, shape, (wide, high), fill, theme, plain(text), radius=radius, size=size)
        return PlacedParts((part.at(int(theme.indent(width - wide)), 0),), high)

    return draw


def _table(node: Node, writer: Writer) -> Draw:
    """A table; the widths of its columns follow from their texts."""
    contents, name = TABLES[node.what]
    cells = contents(writer.words, writer.count(node))
    align = "center" if writer.chance(0.2) else "left"

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        natural = theme.px(_ROW) * len(cells)
        height = min(max(room, natural), round(natural * _LOOSE))
        ground = theme.fill("soft")
        # Cells below the first row stand on the ground around the table.
        fill = ground if contrast(theme.ink, ground) > 4.5 else None
        rules = {"stroke": theme.rule, "stroke_width": 1}
        style = style_of("body", theme, colour=theme.ink, fill=fill, align=align, line_height=1.2, **rules)
        lengths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        columns = tuple(float(min(max(length, _MIN_COLUMN), _MAX_COLUMN) + 2) for length in lengths)
        part = Part("table", node.name or name, (0, 0, width, height), style, cells=cells, columns=columns)
        return PlacedParts((shrunk(part, lambda tried: not any(too_wide(tried))),), height)

    return draw


def _fields(node: Node, writer: Writer) -> Draw:
    """Labels with rules or boxes to write on, in two columns where there is room."""
    is_boxed = writer.chance(0.5) if not node.looks else "boxes" in node.looks
    labels = writer.words.fields(node.what, writer.count(node))

    def field(label: str, width: int, theme: Theme) -> tuple[Part, ...]:
        thing = f"field for {label.lower()}"
        caption = set_text(f"label of the {thing}", label, "small", theme, width, 1, align="left")
        top = caption.box[3] + 2
        if is_boxed:
            outline: dict[str, Any] = {"stroke": theme.rule, "stroke_width": 1, "radius": theme.radius // 2}
            space = shape_at(thing, (0, top, width, theme.px(1.7)), **outline)
        else:
            space = line_at(thing, (0, top + theme.px(1.4), width, 1), theme.rule)
        return grouped((caption, space), f"group of the {thing}", theme)

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        gap, columns = theme.px(1), 2 if width > theme.px(26) else 1
        wide = (width - gap * (columns - 1)) // columns
        rows = -(-len(labels) // columns)
        natural = theme.px(3.1)
        high = min(theme.px(4), max(natural, room // rows))
        parts: list[Part] = []
        for i, label in enumerate(labels):
            parts += at(field(label, wide, theme), (i % columns) * (wide + gap), (i // columns) * high)
        return PlacedParts(tuple(parts), high * (rows - 1) + natural)

    return draw


def _checks(node: Node, writer: Writer) -> Draw:
    """Boxes to tick beside their labels, in two columns where there is room."""
    labels = writer.words.fields(node.what or "checks", writer.count(node))
    shape: Shape = "ellipse" if writer.chance(0.25) else "rectangle"

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        columns = 2 if width > theme.px(22) else 1
        wide, side = width // columns, theme.px(1)
        rows = -(-len(labels) // columns)
        high = min(theme.px(2.4), max(theme.px(1.7), room // rows))
        parts: list[Part] = []
        for i, label in enumerate(labels):
            name = "text beside the {} tick box"
            caption = set_text(name, label, "body", theme, wide - 2 * side, 1, align="left")
            square = (0, (caption.box[3] - side) // 2, side, side)
            box = shape_at("{} tick box", square, shape, stroke=theme.ink, stroke_width=1)
            parts += at((box, caption.at(round(side * 1.6), 0)), (i % columns) * wide, (i // columns) * high)
        return PlacedParts(tuple(parts), high * rows)

    return draw


TEXT_BLOCKS: dict[str, tuple[Callable[[Node, Writer], Draw], float]] = {
    "text": (_text, 0),
    "list": (_list, 0.5),
    "prices": (_prices, 1.0),
    "button": (_button, 0),
    "table": (_table, 1.0),
    "fields": (_fields, 0.8),
    "checks": (_checks, 0.4),
}
"""The drawing of each block, and its share of spare height."""
