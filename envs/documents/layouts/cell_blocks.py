"""Draw repeated cells, such as icons with captions and cards.

To add a way to draw them, add a function and its row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from .contents import CONTENTS, Cell
from .document_words import Writer
from .fitting import plain, set_text, shape_part
from .placed_parts import Draw, Part, PlacedParts, Theme, at, beside, column, grouped, shape_at
from .schema import Node

DrawCell = Callable[[Cell, int, int, Theme], PlacedParts]
_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How cells are drawn.

    Attributes:
        draw: the parts of a cell, from its width, its height (0: the natural one) and its theme.
        width: the minimum, in units.
        gap: between cells, in units.
        align: of texts; "": as around the cells.
        card: the colour of a card under each; "": none.
    """

    draw: DrawCell
    width: float
    gap: float = 0.8
    align: Literal["", "left", "center"] = ""
    card: str = ""

    def draw_cell(self, cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
        """The parts of one cell."""
        theme = replace(theme, align=self.align) if self.align else theme
        if not self.card:
            return self.draw(cell, width, height, theme)
        pad, ground = theme.px(0.7), theme.fill(self.card)
        inner = self.draw(cell, width - 2 * pad, max(0, height - 2 * pad), theme.on(ground))
        high = max(height, inner.height + 2 * pad)
        back = shape_at(f"{{}} {cell.noun}", (0, 0, width, high), fill=ground, radius=theme.radius)
        return PlacedParts((back, *at(inner.parts, pad, (high - inner.height) // 2)), high)


def cells(node: Node, writer: Writer) -> Draw:
    """Cells in as many columns as fit; they grow to the available height."""
    way = writer.one(node.looks or ("above", "disc", "beside", "card"))
    contents, usual = CONTENTS[node.what or "items"]
    is_card = usual in ("item", "note", "offer") and ("card" in way or way == "striped")
    noun = usual if usual == "detail" else node.name or ("card" if is_card else usual)
    each, style = contents(writer.words, writer.count(node), noun), CELL_STYLES[way]

    def draw(width: int, room: int, theme: Theme) -> PlacedParts:
        space, count = theme.px(style.gap), len(each)
        columns = max(1, min(count, _COLUMNS, int((width + space) // theme.px(style.width + style.gap))))
        rows = math.ceil(count / columns)
        columns = math.ceil(count / rows)
        wide = (width - space * (columns - 1)) // columns
        natural = max(style.draw_cell(cell, wide, 0, theme).height for cell in each)
        high = min(round(natural * 1.5), max(natural, (room - space * (rows - 1)) // rows))
        parts: list[Part] = []
        for i, cell in enumerate(each):
            left, top = (i % columns) * (wide + space), (i // columns) * (high + space)
            placed = style.draw_cell(cell, wide, high, theme)
            parts += grouped(at(placed.parts, left, top), f"{{}} {cell.noun} group", theme)
        return PlacedParts(tuple(parts), high * rows + space * (rows - 1))

    return draw


def _picture(cell: Cell, side: int) -> Part:
    name = cell.thing if cell.thing.startswith("portrait") else f"icon of the {cell.thing}"
    return Part("image", name, (0, 0, side, side), asset=cell.picture)


def _texts(cell: Cell, width: int, theme: Theme, place: str = "") -> list[Part]:
    """The title and text of a cell, if any; ``place``: where they are of its picture."""
    found = []
    if cell.title:
        word = "name" if cell.noun == "person" else "title"
        found.append(set_text(f"{word} of the {{}} {cell.noun}", cell.title, "label", theme, width, 2))
    if cell.text:
        name = f"caption {place} the {cell.thing}" if cell.thing and place else f"text of the {{}} {cell.noun}"
        found.append(set_text(name, cell.text, "caption", theme, width, 4))
    return found


def _above(cell: Cell, width: int, height: int, theme: Theme, units: float = 3) -> PlacedParts:
    """The picture above the words."""
    picture = _picture(cell, min(width, theme.px(units)))
    return column([picture, *_texts(cell, width, theme, "under")], theme.px(0.3), width, height)


def _disc(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """The picture on a disc above the words."""
    side = min(width, theme.px(4))
    disc = shape_at(f"disc behind the {cell.thing}", (0, 0, side, side), "ellipse", fill=theme.fill("soft"))
    placed = column([disc, *_texts(cell, width, theme, "under")], theme.px(0.35), width, height)
    left, top, _, _ = placed.parts[0].box
    inner = round(side * 0.58)
    icon = _picture(cell, inner).at(left + (side - inner) // 2, top + (side - inner) // 2)
    return PlacedParts((placed.parts[0], icon, *placed.parts[1:]), placed.height)


def _beside(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """The picture at the left of the words."""
    side, gap = theme.px(2.4), theme.px(0.6)
    room = width - side - gap
    return beside(_picture(cell, side), column(_texts(cell, room, theme, "beside"), 1, room), gap)


def _line(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """A small picture at the left of one line."""
    side, gap = theme.px(1.4), theme.px(0.5)
    words = set_text(f"text beside the {cell.thing}", cell.title, "body", theme, width - side - gap, 2)
    return beside(_picture(cell, side), PlacedParts((words,), words.box[3]), gap)


def _words(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """Words alone."""
    return column(_texts(cell, width, theme), theme.px(0.25), width, height)


def _striped(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """Words on a card with a stripe along its upper edge."""
    card = CellStyle(_words, 0, card="soft").draw_cell(cell, width, height, replace(theme, round=0))
    fill = theme.fill(("main", "accent", "second")[cell.number % 3])
    stripe = shape_at(f"stripe of the {{}} {cell.noun}", (0, 0, width, theme.px(0.35)), fill=fill)
    return PlacedParts((card.parts[0], stripe, *card.parts[1:]), card.height)


def _numbered(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """A number in a disc at the left of the words."""
    side, gap = theme.px(2.1), theme.px(0.7)
    name, fill, room = f"number of the {{}} {cell.noun}", theme.fill("accent"), width - side - gap
    disc = shape_part(name, "ellipse", (side, side), fill, theme, plain(str(cell.number)))
    return beside(disc, column(_texts(cell, room, theme), 1, room), gap)


def _figure(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """A large figure above its label."""
    figure = set_text(f"{{}} {cell.noun}", cell.title, "figure", theme, width, 1)
    label = set_text(f"label of the {{}} {cell.noun}", cell.text, "caption", theme, width, 3)
    return column([figure, label], 0, width, height)


def _pair(cell: Cell, width: int, height: int, theme: Theme) -> PlacedParts:
    """A small label above its value."""
    label = set_text(f"label of the {cell.thing}", cell.title, "small", theme, width, 1)
    value = set_text(cell.thing, cell.text, "label", theme, width, 2)
    return column([label, value], 0, width)


CELL_STYLES: dict[str, CellStyle] = {
    "above": CellStyle(_above, 6.5, 1.0, "center"),
    "disc": CellStyle(_disc, 6.5, 1.0, "center"),
    "beside": CellStyle(_beside, 10.5, 1.0, "left"),
    "line": CellStyle(_line, 10.5, 0.5, "left"),
    "card": CellStyle(_above, 7.5, align="center", card="soft"),
    "dark card": CellStyle(_words, 8, align="center", card="main"),
    "word card": CellStyle(_words, 8.5, card="soft"),
    "striped": CellStyle(_striped, 8.5, align="left"),
    "numbered": CellStyle(_numbered, 12, 0.9, "left"),
    "figure": CellStyle(_figure, 6, align="center"),
    "figure card": CellStyle(_figure, 7, align="center", card="soft"),
    "pair": CellStyle(_pair, 6),
    "portrait": CellStyle(partial(_above, units=4.6), 6, 1.0, "center"),
    "portrait beside": CellStyle(_beside, 11, 1.0, "left"),
}
"""How cells are drawn, by the looks of their node."""
