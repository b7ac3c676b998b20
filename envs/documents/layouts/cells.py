"""Repeated cells such as icons with captions and cards, and single pictures with badges."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from ..scene.elements import Run, Shape, Style
from .fitting import plain, shape_part, style_of, text_part
from .parts import Look, Part, Setting, at, grouped


@dataclass(frozen=True, slots=True)
class Cell:
    """What one of them shows.

    Attributes:
        title, text: what it says; either may be "".
        picture: the name of a picture, or "".
        number: its number, counted from 1.
        noun: what it is called, such as ``"card"``.
        thing: what its picture shows, such as ``"cup"``.
    """

    title: str
    text: str
    picture: str
    number: int
    noun: str
    thing: str


Draw = Callable[[Cell, int, int, Look], Setting]


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells in as many columns as have room.

    Attributes:
        cells: from the first on.
        way: how each is drawn: a row of ``WAYS``.
        columns: how many there may be.
    """

    cells: tuple[Cell, ...]
    way: str
    columns: int = 6
    optional: int = 0
    grow: float = 0.7

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: cells become higher, then rows move apart where there is room."""
        draw, least, gap = WAYS[self.way]
        columns = max(1, min(len(self.cells), self.columns, int((width + look.px(gap)) // look.px(least + gap))))
        rows = math.ceil(len(self.cells) / columns)
        columns = math.ceil(len(self.cells) / rows)
        space = look.px(gap)
        wide = (width - space * (columns - 1)) // columns
        natural = max(draw(cell, wide, 0, look).height for cell in self.cells)
        high = min(round(natural * 1.5), max(natural, (room - space * (rows - 1)) // rows))
        parts: list[Part] = []
        for i, cell in enumerate(self.cells):
            left, top = (i % columns) * (wide + space), (i // columns) * (high + space)
            setting = draw(cell, wide, high, look)
            parts += grouped(at(setting.parts, left, top), f"{{}} {cell.noun} group", look)
        return Setting(tuple(parts), high * rows + space * (rows - 1))


def _stacked(parts: list[Part], gap: int, width: int, height: int) -> Setting:
    """Parts below each other, in the middle of a height."""
    used = sum(part.box[3] for part in parts) + gap * (len(parts) - 1)
    top = max(0, height - used) // 2
    placed: list[Part] = []
    for part in parts:
        placed.append(part.at((width - part.box[2]) // 2, top))
        top += part.box[3] + gap
    return Setting(tuple(placed), max(height, used))


def _picture(cell: Cell, side: int) -> Part:
    kind = "portrait" if cell.thing.startswith("portrait") else "icon"
    name = cell.thing if kind == "portrait" else f"icon of the {cell.thing}"
    return Part("image", name, (0, 0, side, side), asset=cell.picture)


def _texts(cell: Cell, width: int, look: Look, under: str = "under") -> list[Part]:
    """The title and the text of a cell, as far as it has them."""
    found = []
    if cell.title:
        word = "name" if cell.noun == "person" else "title"
        found.append(text_part(f"{word} of the {{}} {cell.noun}", plain(cell.title), style_of("label", look), width, 2))
    if cell.text:
        name = f"caption {under} the {cell.thing}" if cell.thing else f"text of the {{}} {cell.noun}"
        found.append(text_part(name, plain(cell.text), style_of("caption", look), width, 4))
    return found


def _above(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """The picture above the words, all in the middle."""
    look = replace(look, align="center")
    return _stacked([_picture(cell, min(width, look.px(3))), *_texts(cell, width, look)], look.px(0.3), width, height)


def _disc(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """The picture on a disc above the words."""
    look = replace(look, align="center")
    side = min(width, look.px(4))
    back = Part(
        "shape", f"disc behind the {cell.thing}", (0, 0, side, side), Style(fill=look.fill("soft")), shape="ellipse"
    )
    inner = round(side * 0.58)
    texts = _texts(cell, width, look)
    setting = _stacked([back, *texts], look.px(0.35), width, height)
    left, top, _, _ = setting.parts[0].box
    icon = _picture(cell, inner).at(left + (side - inner) // 2, top + (side - inner) // 2)
    return Setting((setting.parts[0], icon, *setting.parts[1:]), setting.height)


def _beside(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """The picture at the left of the words."""
    look = replace(look, align="left")
    side, gap = look.px(2.4), look.px(0.6)
    words = _stacked(_texts(cell, width - side - gap, look, "beside"), 1, width - side - gap, 0)
    high = max(side, words.height)
    icon = _picture(cell, side).at(0, (high - side) // 2)
    return Setting((icon, *at(words.parts, side + gap, (high - words.height) // 2)), high)


def _line(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """A small picture at the left of one line."""
    look = replace(look, align="left")
    side, gap = look.px(1.4), look.px(0.5)
    words = text_part(f"text beside the {cell.thing}", plain(cell.title), style_of("body", look), width - side - gap, 2)
    high = max(side, words.box[3])
    return Setting(
        (_picture(cell, side).at(0, (high - side) // 2), words.at(side + gap, (high - words.box[3]) // 2)), high
    )


def _on_card(
    content: Callable[[Cell, int, int, Look], Setting], cell: Cell, width: int, height: int, look: Look, role: str
) -> Setting:
    """Something on a card."""
    pad, ground = look.px(0.7), look.fill(role)
    inner = content(cell, width - 2 * pad, max(0, height - 2 * pad), look.on(ground))
    high = max(height, inner.height + 2 * pad)
    back = Part(
        "shape", f"{{}} {cell.noun}", (0, 0, width, high), Style(fill=ground, radius=look.radius), shape="rectangle"
    )
    return Setting((back, *at(inner.parts, pad, (high - inner.height) // 2)), high)


def _words(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """Words alone."""
    return _stacked(_texts(replace(cell, thing=""), width, look), look.px(0.25), width, height)


def _striped(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """Words on a card with a stripe along its upper edge."""
    setting = _on_card(_words, cell, width, height, replace(look, round=0, align="left"), "soft")
    role = ("main", "accent", "second")[cell.number % 3]
    stripe = Part(
        "shape",
        f"stripe of the {{}} {cell.noun}",
        (0, 0, width, look.px(0.35)),
        Style(fill=look.fill(role)),
        shape="rectangle",
    )
    return Setting((setting.parts[0], stripe, *setting.parts[1:]), setting.height)


def _numbered(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """A number in a disc at the left of the words."""
    look = replace(look, align="left")
    side, gap = look.px(2.1), look.px(0.7)
    disc = shape_part(
        f"number of the {{}} {cell.noun}", "ellipse", (side, side), look.fill("accent"), look, plain(str(cell.number))
    )
    words = _stacked(_texts(replace(cell, thing=""), width - side - gap, look), 1, width - side - gap, 0)
    high = max(side, words.height)
    return Setting((disc.at(0, (high - side) // 2), *at(words.parts, side + gap, (high - words.height) // 2)), high)


def _figure(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """A large figure above its label."""
    look = replace(look, align="center")
    figure = text_part(f"{{}} {cell.noun}", plain(cell.title), style_of("figure", look), width, 1)
    label = text_part(f"label of the {{}} {cell.noun}", plain(cell.text), style_of("caption", look), width, 3)
    return _stacked([figure, label], 0, width, height)


def _pair(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """A small label above what it stands for."""
    label = text_part(f"label of the {cell.thing}", plain(cell.title), style_of("small", look), width, 1)
    value = text_part(cell.thing, plain(cell.text), style_of("label", look), width, 2)
    return _stacked([label, value], 0, width, 0)


def _portrait(cell: Cell, width: int, height: int, look: Look) -> Setting:
    """A portrait above a name and a role."""
    look = replace(look, align="center")
    return _stacked([_picture(cell, min(width, look.px(4.6))), *_texts(cell, width, look)], look.px(0.3), width, height)


WAYS: dict[str, tuple[Draw, float, float]] = {
    "above": (_above, 6.5, 1.0),
    "disc": (_disc, 6.5, 1.0),
    "beside": (_beside, 10.5, 1.0),
    "line": (_line, 10.5, 0.5),
    "card": (lambda cell, width, height, look: _on_card(_above, cell, width, height, look, "soft"), 7.5, 0.8),
    "dark card": (
        lambda cell, width, height, look: _on_card(_words, cell, width, height, replace(look, align="center"), "main"),
        8,
        0.8,
    ),
    "word card": (lambda cell, width, height, look: _on_card(_words, cell, width, height, look, "soft"), 8.5, 0.8),
    "striped": (_striped, 8.5, 0.8),
    "numbered": (_numbered, 12, 0.9),
    "figure": (_figure, 6, 0.8),
    "figure card": (lambda cell, width, height, look: _on_card(_figure, cell, width, height, look, "soft"), 7, 0.8),
    "pair": (_pair, 6, 0.8),
    "portrait": (_portrait, 6, 1.0),
    "portrait beside": (_beside, 11, 1.0),
}
"""How cells are drawn, how wide they must be at least, and how far they are apart, in units."""


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
        caption = (
            text_part(
                f"caption of the {self.name}", plain(self.caption), style_of("caption", look, italic=True), width, 2
            )
            if self.caption
            else None
        )
        below = caption.box[3] + look.px(0.25) if caption else 0
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
        if caption:
            parts.append(caption.at(0, high + look.px(0.25)))
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
