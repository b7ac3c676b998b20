"""Blocks of text: single texts, lists, prices, buttons, tables and fields to fill in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ..painting.texts import text_height, too_wide
from ..scene.colours import contrast
from ..scene.elements import Run, Shape, Style
from .fitting import plain, shape_part, shrunk, style_of, text_part
from .parts import Look, Part, Setting, at, grouped
from .words import Accent, runs_of

_LIST_LINES = (1.35, 2.0)
"""Line heights of a list: where there is no room left, and where there is."""


@dataclass(frozen=True, eq=False)
class Text:
    """A text.

    Attributes:
        name: of the element.
        text: what it says.
        role: how it is set, a row of ``fitting``'s table.
        accent: which words are set otherwise.
        lines: how many there may be; 0: any number.
        italic, underline, faint: how it is set besides.
    """

    name: str
    text: str
    role: str
    accent: Accent | None = None
    lines: int = 0
    italic: bool = False
    underline: bool = False
    colour: str = ""
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        changes: dict[str, object] = {"italic": self.italic, "underline": self.underline}
        if self.colour:
            changes["colour"] = look.tint(self.colour)
        style = style_of(self.role, look, **changes)
        part = text_part(self.name, runs_of(self.text, self.accent, look), style, width, self.lines)
        return Setting((part,), part.box[3])


@dataclass(frozen=True, eq=False)
class Bullets:
    """A list.

    Attributes:
        name: of the element.
        lines: its items.
        bold: how many letters of the first item are bold.
    """

    name: str
    lines: tuple[str, ...]
    bold: int = 0
    optional: int = 0
    grow: float = 0.5

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: lines move apart where there is room."""
        text = "\n".join(self.lines)
        runs = (Run(text=text[: self.bold], bold=True), Run(text=text[self.bold :])) if self.bold else plain(text)
        style = style_of("body", look, line_height=_LIST_LINES[0], align="left")
        part = Part("list", self.name, (0, 0, width, 2048), style, runs)
        part = shrunk(part, lambda tried: not any(too_wide(tried)))
        natural = text_height(part.drawn())
        loose = min(_LIST_LINES[1], _LIST_LINES[0] * max(room, natural) / natural)
        part = replace(part, style=part.style.model_copy(update={"line_height": round(loose - 0.005, 2)}))
        height = text_height(part.drawn()) + 2
        return Setting((replace(part, box=(0, 0, width, height)),), height)


@dataclass(frozen=True, eq=False)
class Prices:
    """What is offered, line by line, with prices at the right.

    Attributes:
        noun: what a thing offered is called, such as ``"dish"``.
        lines: what is offered, what is said of it or "", and its price.
        leader: what runs between the two: "", or "line".
    """

    noun: str
    lines: tuple[tuple[str, str, str], ...]
    leader: Literal["", "line"] = ""
    optional: int = 0
    grow: float = 1.0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: lines move apart where there is room."""
        rows = [self._row(line, width, look) for line in self.lines]
        natural = sum(row.height for row in rows) + look.px(0.35) * (len(rows) - 1)
        gap = look.px(0.35) + min(look.px(1.1), max(0, room - natural) // max(len(rows) - 1, 1))
        parts: list[Part] = []
        top = 0
        for row in rows:
            parts += at(row.parts, 0, top)
            top += row.height + gap
        return Setting(tuple(parts), top - gap)

    def _row(self, line: tuple[str, str, str], width: int, look: Look) -> Setting:
        name, caption, price = line
        wide = min(round(width * 0.36), look.px(5.2))
        left = replace(look, align="left")
        cost = text_part(
            f"{{}} {self.noun} price",
            plain(price),
            style_of("label", left, align="right", colour=look.tint("accent")),
            wide,
            1,
        )
        bold = bool(caption)
        first = text_part(
            f"{{}} {self.noun}",
            plain(name),
            style_of("body", left, bold=bold, line_height=1.25),
            width - wide - look.px(0.5),
            1,
        )
        parts = [first, *at((cost,), width - wide, 0)]
        height = max(first.box[3], cost.box[3])
        if caption:
            more = text_part(
                f"what is said of the {{}} {self.noun}", plain(caption), style_of("caption", left), width - wide, 2
            )
            parts += at((more,), 0, height)
            height += more.box[3]
        if self.leader:
            rule = style_of("body", look, stroke=look.rule, stroke_width=1)
            parts.append(Part("line", f"rule under the {{}} {self.noun}", (0, height + 2, width, 1), rule))
            height += 4
        return Setting(grouped(parts, f"group of the {{}} {self.noun}", look), height)


@dataclass(frozen=True, eq=False)
class Button:
    """A shape with words in it.

    Attributes:
        name: of the element.
        text: what it says.
        shape: of it.
        role: of its colour.
        size: the most that it is wide, and how high it is, in units.
    """

    name: str
    text: str
    shape: Shape
    role: str
    size: tuple[float, float] = (14, 2.5)
    angle: float = 0
    optional: int = 0
    grow: float = 0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``."""
        wide, high = min(width, look.px(self.size[0])), look.px(self.size[1])
        radius = high // 2 if look.round > 0.6 else look.radius
        size = round(look.unit * 1.15)
        part = shape_part(
            self.name,
            self.shape,
            (wide, high),
            look.fill(self.role),
            look,
            plain(self.text),
            radius=min(radius, 400),
            size=max(8, size),
        )
        left = {"left": 0, "center": (width - wide) // 2, "right": width - wide}[look.align]
        return Setting(at((replace(part, angle=self.angle),), left, 0), high)


_ROW, _LOOSE = 2.0, 1.5
"""How high a row of a table is, in units, and to how many times that it grows."""
_NARROW, _WIDE = 4, 22
"""Columns are as wide as their longest text, within these lengths."""


@dataclass(frozen=True, eq=False)
class Table:
    """A table; its columns are as wide as their texts ask for."""

    name: str
    cells: tuple[tuple[str, ...], ...]
    align: Literal["left", "center"] = "left"
    optional: int = 0
    grow: float = 1.0

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: rows become higher where there is room."""
        natural = look.px(_ROW) * len(self.cells)
        height = min(max(room, natural), round(natural * _LOOSE))
        ground = look.fill("soft")
        style = style_of(
            "body",
            look,
            colour=look.on(ground).ink,
            fill=ground,
            stroke=look.rule,
            stroke_width=1,
            align=self.align,
            line_height=1.2,
        )
        # Cells below the first row stand on the ground around the table.
        style = style.model_copy(update={"colour": look.ink, "fill": ground if _is_readable(look, ground) else None})
        lengths = [max(len(row[k]) for row in self.cells) for k in range(len(self.cells[0]))]
        columns = tuple(float(min(max(length, _NARROW), _WIDE) + 2) for length in lengths)
        part = Part("table", self.name, (0, 0, width, height), style, cells=self.cells, columns=columns)
        part = shrunk(part, lambda tried: not any(too_wide(tried)))
        return Setting((part,), height)


def _is_readable(look: Look, ground: tuple[int, int, int]) -> bool:
    """Whether the ink of the page can be read on the head of the table too."""
    return contrast(look.ink, ground) > 4.5


@dataclass(frozen=True, eq=False)
class Fields:
    """Labels with rules or boxes to write on.

    Attributes:
        labels: of the fields.
        boxed: whether there are boxes, or rules.
    """

    labels: tuple[str, ...]
    boxed: bool
    optional: int = 0
    grow: float = 0.8

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: two columns where there is room."""
        gap, columns = look.px(1), 2 if width > look.px(26) else 1
        wide = (width - gap * (columns - 1)) // columns
        rows = -(-len(self.labels) // columns)
        natural = look.px(3.1)
        high = min(look.px(4), max(natural, room // rows))
        parts: list[Part] = []
        for i, label in enumerate(self.labels):
            parts += at(self._field(label, wide, look), (i % columns) * (wide + gap), (i // columns) * high)
        return Setting(tuple(parts), high * (rows - 1) + natural)

    def _field(self, label: str, width: int, look: Look) -> tuple[Part, ...]:
        caption = text_part(
            f"label of the field for {label.lower()}", plain(label), style_of("small", look, align="left"), width, 1
        )
        top = caption.box[3] + 2
        name = f"field for {label.lower()}"
        if self.boxed:
            outline = Style(stroke=look.rule, stroke_width=1, radius=look.radius // 2)
            space = Part("shape", name, (0, top, width, look.px(1.7)), outline, shape="rectangle")
        else:
            space = Part("line", name, (0, top + look.px(1.4), width, 1), Style(stroke=look.rule, stroke_width=1))
        return grouped((caption, space), f"group of the field for {label.lower()}", look)


@dataclass(frozen=True, eq=False)
class Checks:
    """Boxes to tick with what they stand for."""

    labels: tuple[str, ...]
    round: bool = False
    optional: int = 0
    grow: float = 0.4

    def set(self, width: int, room: int, look: Look) -> Setting:
        """See ``Block``: two columns where there is room."""
        columns = 2 if width > look.px(22) else 1
        wide, side = width // columns, look.px(1)
        rows = -(-len(self.labels) // columns)
        high = min(look.px(2.4), max(look.px(1.7), room // rows))
        parts: list[Part] = []
        for i, label in enumerate(self.labels):
            caption = text_part(
                "text beside the {} tick box", plain(label), style_of("body", look, align="left"), wide - 2 * side, 1
            )
            box = Part(
                "shape",
                "{} tick box",
                (0, (caption.box[3] - side) // 2, side, side),
                Style(stroke=look.ink, stroke_width=1),
                shape="ellipse" if self.round else "rectangle",
            )
            parts += at((box, caption.at(round(side * 1.6), 0)), (i % columns) * wide, (i // columns) * high)
        return Setting(tuple(parts), high * rows)
