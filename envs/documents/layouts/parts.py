"""Parts of a page before they become elements, the theme that styles them, and texts that fit a width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from ...core.asset_cache import by_identity
from ..painting.texts import text_height, too_wide
from ..scene.colours import contrast, mixed, readable
from ..scene.elements import BBox, Colour, Element, Kind, Run, Shape, Style
from .schema import Pairing, Palette, kit

_BODY, _TEXT, _TINTED, _SEEN = 6.0, 4.5, 2.2, 1.6
"""Minimum contrasts: of body text, of other text, of palette colours for text, and of shapes."""
SIZES = (8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 29, 32, 36, 40, 45, 50, 56, 63, 70, 78, 87, 97, 108)
"""The sizes of faces in pixels: few, because each is loaded separately."""
_USABLE = {"rectangle": 1.0, "ellipse": 0.72, "star": 0.5, "diamond": 0.5, "triangle": 0.4}
"""The share of a shape's width and height that a text can use; 0.7 of others."""


_PLAIN = Style()
_BLANK = Element(id="blank", type="group", bbox=(0, 0, 1, 1))


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """A named group of parts."""

    name: str


class Part(NamedTuple):
    """A part, which becomes an ``Element``.

    Attributes:
        name: what a person would call it; ``{}`` stands for "first", "second", … where there are several.
        box: left, top, width and height in pixels, from the corner of what it is in.
        group: what it belongs to.
    """

    type: Kind
    name: str
    box: BBox
    style: Style = _PLAIN
    runs: tuple[Run, ...] = ()
    angle: float = 0
    opacity: float = 1
    asset: str | None = None
    shape: Shape | None = None
    cells: tuple[tuple[str, ...], ...] = ()
    columns: tuple[float, ...] = ()
    group: Group | None = None

    def fields(self) -> dict[str, Any]:
        """The fields that an element shares with its part."""
        names = "type style runs angle opacity asset shape cells columns".split()
        return {name: getattr(self, name) for name in names} | {"bbox": self.box}

    def drawn(self) -> Element:
        """An unchecked element of the part, for measuring."""
        names = ("type", "style", "runs", "cells", "columns")
        return _BLANK.model_copy(update={"bbox": self.box} | {name: getattr(self, name) for name in names})

    def styled(self, **changes: Any) -> Part:
        """The part with some fields of its style changed."""
        return self._replace(style=self.style.model_copy(update=changes))

    def shrunk(self, fits: Callable[[Element], bool]) -> Part:
        """The part at its largest size that fits, at most its own; else the smallest."""
        tried = self.drawn()
        for size in reversed([size for size in SIZES if size < self.style.size]):
            if fits(tried):
                break
            tried = tried.model_copy(update={"style": _sized(tried.style, size)})
        return self._replace(style=tried.style)


@by_identity
def _sized(style: Style, size: int) -> Style:
    return style.model_copy(update={"size": size})


class Moved(NamedTuple):
    """Parts to be moved right and down, and perhaps to belong to a group."""

    parts: Placed
    right: int
    down: int
    group: Group | None = None


Placed = tuple[Part | Moved, ...]


class PlacedParts(NamedTuple):
    """Parts placed from (0, 0), and their height in pixels."""

    parts: Placed
    height: int


def at(parts: Placed, right: int, down: int) -> Placed:
    """Parts, moved right and down."""
    return (Moved(parts, right, down),) if right or down else parts


def flat(parts: Placed, right: int = 0, down: int = 0, group: Group | None = None) -> Iterator[Part]:
    """The parts where they are in the end, each in its outermost group."""
    for one in parts:
        if isinstance(one, Moved):
            yield from flat(one.parts, right + one.right, down + one.down, group or one.group)
        else:
            left, top, width, height = one.box
            yield one._replace(box=(left + right, top + down, width, height), group=group or one.group)


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
    align: Literal["left", "center", "right"] = "left"
    round: float = 0.4
    grouped: bool = False
    natural: dict[tuple[int, int], PlacedParts] = field(default_factory=dict)

    def px(self, units: float) -> int:
        """A length in units as whole pixels, at least 1 if it is not 0."""
        return max(1, round(units * self.unit)) if units else 0

    def indent(self, free: float) -> int:
        """The free width on the left of aligned content."""
        return int({"left": 0.0, "center": free / 2, "right": free}[self.align])

    @property
    def ink(self) -> Colour:
        """The colour of text."""
        own = max((self.palette.ink, self.palette.paper), key=lambda colour: contrast(colour, self.ground))
        return readable(own, self.ground, _BODY)

    def text(self, role: str) -> Colour:
        """The colour of text: ``"ink"``, ``"muted"``, ``"head"``, or one of the palette, unless that is too pale."""
        if role in ("ink", "muted"):
            return readable(mixed(self.ink, self.ground, 0.3), self.ground, _TEXT) if role == "muted" else self.ink
        own: Colour = getattr(self.palette, "main" if role == "head" else role)
        if contrast(own, self.ground) < (_TEXT if role == "head" else _TINTED):
            return self.ink
        return readable(own, self.ground, _TEXT)

    def fill(self, role: str) -> Colour:
        """The colour of a shape or a rule, made visible on the background."""
        if role in ("ink", "rule"):
            return self.ink if role == "ink" else mixed(self.ground, self.ink, 0.3)
        own: Colour = getattr(self.palette, role)
        if role in ("soft", "paper"):
            return own if contrast(own, self.ground) > 1.04 else mixed(self.ground, self.ink, 0.08)
        return readable(own, self.ground, _SEEN)

    def style(self, role: str, **changes: object) -> Style:
        """The style of a role of ``Kit.styles``, with some fields of ``Style`` changed."""
        style = kit().styles[role]
        units = style.units * (self.pairing.head_size if style.face == "head" else 1)
        fields: dict[str, object] = {
            "face": getattr(self.pairing, style.face),
            "size": size_near(units * self.unit),
            "bold": style.bold == "always" or (style.bold == "pairing" and self.pairing.bold),
            "colour": self.text(style.ink),
            "align": self.align,
            "line_height": style.line_height,
        }
        return _style(tuple((fields | changes).items()))

    def look(self, fill: str, stroke: str, thick: int, is_round: bool) -> dict[str, object]:
        """The fields of ``Style`` of a shape or background; ``fill``, ``stroke``: roles, or ""."""
        inside = {"fill": self.fill(fill)} if fill else {}
        outline = {"stroke": self.fill(stroke), "stroke_width": thick} if stroke else {}
        return {**inside, **outline, "radius": round(self.round * self.unit) if is_round else 0}


def size_near(pixels: float) -> int:
    """The largest size that is not above ``pixels``; at least the smallest."""
    return max((size for size in SIZES if size <= pixels + 0.5), default=SIZES[0])


@lru_cache(maxsize=512)
def _style(fields: tuple[tuple[str, object], ...]) -> Style:
    return Style.model_validate(dict(fields))


@lru_cache(maxsize=2048)
def text_part(name: str, runs: tuple[Run, ...], style: Style, width: int, lines: int = 0) -> Part:
    """A text shrunk until it fits a width, and at most so many lines; 0: any number."""

    def fits(tried: Element) -> bool:
        limit = (lines + 0.5) * tried.style.size * tried.style.line_height
        return not any(too_wide(tried)) and (not lines or text_height(tried) <= limit)

    part = Part("text", name, (0, 0, max(width, 20), 2048), style, runs).shrunk(fits)
    return part._replace(box=(0, 0, part.box[2], text_height(part.drawn()) + 2))


def shape_part(part: Part) -> Part:
    """A shape whose text is shrunk until it fits."""
    width, height = part.box[2:]
    usable = _USABLE.get(str(part.shape), 0.7)

    def fits(tried: Element) -> bool:
        inner = tried.model_copy(update={"bbox": (0, 0, round(width * usable), height)})
        return not any(too_wide(inner)) and text_height(inner) <= height * min(usable, 0.8)

    return part.shrunk(fits) if part.runs else part
