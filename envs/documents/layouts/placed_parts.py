"""Parts of a page before they become elements, and the theme that styles them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ..scene.colours import contrast, mixed, readable
from ..scene.elements import BBox, Colour, Element, Kind, Run, Shape, Style
from .schema import Pairing, Palette

Align = Literal["left", "center", "right"]
_BODY, _TEXT, _TINTED, _SEEN = 6.0, 4.5, 2.2, 1.6
"""Minimum contrasts: of body text, of other text, of palette colours for text, and of shapes."""


PLAIN = Style()
"""The default style."""


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A named group of parts."""

    name: str


@dataclass(frozen=True, slots=True)
class Part:
    """A part, which becomes an ``Element``.

    Attributes:
        name: what a person would call it; ``{}`` stands for "first", "second", … where there are several.
        box: left, top, width and height in pixels, from the corner of what it is in.
        group: what it belongs to.
    """

    type: Kind
    name: str
    box: BBox
    style: Style = PLAIN
    runs: tuple[Run, ...] = ()
    angle: float = 0
    opacity: float = 1
    asset: str | None = None
    shape: Shape | None = None
    rises: bool = False
    cells: tuple[tuple[str, ...], ...] = ()
    columns: tuple[float, ...] = ()
    group: Group | None = None

    def fields(self) -> dict[str, Any]:
        """The fields that an element shares with its part."""
        names = "type style runs angle opacity asset shape rises cells columns".split()
        return {name: getattr(self, name) for name in names} | {"bbox": self.box}

    def drawn(self) -> Element:
        """An unchecked element of the part, for measuring."""
        return Element.model_construct(
            type=self.type, bbox=self.box, style=self.style, runs=self.runs, cells=self.cells, columns=self.columns
        )

    def at(self, right: int, down: int) -> Part:
        """The part, moved right and down."""
        if not (right or down):
            return self
        left, top, width, height = self.box
        return replace(self, box=(left + right, top + down, width, height))


@dataclass(frozen=True, slots=True)
class PlacedParts:
    """Parts placed from (0, 0), and their height in pixels."""

    parts: tuple[Part, ...]
    height: int


def at(parts: Iterable[Part], right: int, down: int) -> tuple[Part, ...]:
    """Parts, moved right and down."""
    return tuple(part.at(right, down) for part in parts)


def grouped(parts: Iterable[Part], name: str, theme: Theme) -> tuple[Part, ...]:
    """Parts in a named group, if the document has groups."""
    if not theme.grouped:
        return tuple(parts)
    group = Group(name)
    return tuple(replace(part, group=group) for part in parts)


@dataclass(frozen=True)
class Theme:
    """The theme of a document.

    Attributes:
        unit: the size of body text in pixels.
        ground: the colour of the background.
        round: the radius of corners in units.
        grouped: whether related parts form groups.
        natural: a cache of blocks at their natural height, by block and width.
    """

    palette: Palette
    pairing: Pairing
    unit: float
    ground: Colour
    align: Align = "left"
    round: float = 0.4
    grouped: bool = False
    natural: dict[tuple[int, int], PlacedParts] = field(default_factory=dict)

    def on(self, ground: Colour) -> Theme:
        """The theme on another background colour."""
        return replace(self, ground=ground)

    def px(self, units: float) -> int:
        """A length in units as whole pixels, at least 1."""
        return max(1, round(units * self.unit))

    def indent(self, free: float) -> float:
        """The free width on the left of aligned content."""
        return {"left": 0.0, "center": free / 2, "right": free}[self.align]

    @property
    def radius(self) -> int:
        """The radius of corners in pixels."""
        return round(self.round * self.unit)

    @property
    def ink(self) -> Colour:
        """The colour of text."""
        own = max((self.palette.ink, self.palette.paper), key=lambda colour: contrast(colour, self.ground))
        return readable(own, self.ground, _BODY)

    @property
    def muted(self) -> Colour:
        """The colour of small print."""
        return readable(mixed(self.ink, self.ground, 0.3), self.ground, _TEXT)

    @property
    def head(self) -> Colour:
        """The colour of headings."""
        own = self.palette.main
        return own if contrast(own, self.ground) >= _TEXT else self.ink

    def tint(self, role: str) -> Colour:
        """The colour of text in a palette role, made readable; or the ink if too pale."""
        own: Colour = getattr(self.palette, role)
        return readable(own, self.ground, _TEXT) if contrast(own, self.ground) >= _TINTED else self.ink

    def fill(self, role: str) -> Colour:
        """The colour of a shape, made visible on the background."""
        if role in ("soft", "paper"):
            tone: Colour = getattr(self.palette, role)
            return tone if contrast(tone, self.ground) > 1.04 else mixed(self.ground, self.ink, 0.08)
        return readable(getattr(self.palette, role), self.ground, _SEEN)

    @property
    def rule(self) -> Colour:
        """The colour of thin lines."""
        return mixed(self.ground, self.ink, 0.3)


Draw = Callable[[int, int, Theme], PlacedParts]
"""The parts of a block: from a width and a maximum height (0: its natural height) in pixels, and a theme."""


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    """Something that can be drawn at any width.

    Attributes:
        draw: its parts.
        grow: how much it takes of height that is left, relative to others.
        optional: 0: always there; else only where there is room, those with lower numbers first.
    """

    draw: Draw
    grow: float = 0
    optional: int = 0


def natural(block: Block, width: int, theme: Theme) -> PlacedParts:
    """A block at its natural height."""
    key = (id(block), width)
    if key not in theme.natural:
        theme.natural[key] = block.draw(width, 0, theme)
    return theme.natural[key]


def height_of(block: Block, width: int, theme: Theme) -> int:
    """The natural height of a block in pixels."""
    return natural(block, width, theme).height


def shape_at(
    name: str, box: BBox, shape: Shape = "rectangle", angle: float = 0, opacity: float = 1, **style: Any
) -> Part:
    """A shape without text; ``style``: fields of ``Style``."""
    return Part("shape", name, box, Style(**style), shape=shape, angle=angle, opacity=opacity)


def line_at(name: str, box: BBox, colour: Colour, thickness: int = 1) -> Part:
    """A line from the left top to the right bottom corner of a box."""
    return Part("line", name, box, Style(stroke=colour, stroke_width=thickness))


def beside(mark: Part, words: PlacedParts, gap: int) -> PlacedParts:
    """A square at the left of words, both centred vertically."""
    side = mark.box[2]
    height = max(side, words.height)
    left = mark.at(0, (height - side) // 2)
    return PlacedParts((left, *at(words.parts, side + gap, (height - words.height) // 2)), height)


def column(parts: Iterable[Part], gap: int, width: int, height: int = 0) -> PlacedParts:
    """A column of parts, centred in a width and a height."""
    parts = tuple(parts)
    used = sum(part.box[3] for part in parts) + gap * (len(parts) - 1)
    top = max(0, height - used) // 2
    placed: list[Part] = []
    for part in parts:
        placed.append(part.at((width - part.box[2]) // 2, top))
        top += part.box[3] + gap
    return PlacedParts(tuple(placed), max(height, used))
