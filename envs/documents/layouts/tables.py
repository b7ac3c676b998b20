"""Tables, and fields that are filled in by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..painting.texts import too_wide
from ..scene.elements import Style
from .colours import contrast
from .fitting import plain, shrunk, style_of, text_part
from .parts import Look, Part, Setting, at, grouped

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
        told = text_part(
            f"label of the field for {label.lower()}", plain(label), style_of("small", look, align="left"), width, 1
        )
        top = told.box[3] + 2
        name = f"field for {label.lower()}"
        if self.boxed:
            outline = Style(stroke=look.rule, stroke_width=1, radius=look.radius // 2)
            space = Part("shape", name, (0, top, width, look.px(1.7)), outline, shape="rectangle")
        else:
            space = Part("line", name, (0, top + look.px(1.4), width, 1), Style(stroke=look.rule, stroke_width=1))
        return grouped((told, space), f"group of the field for {label.lower()}", look)


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
            told = text_part(
                "text beside the {} tick box", plain(label), style_of("body", look, align="left"), wide - 2 * side, 1
            )
            box = Part(
                "shape",
                "{} tick box",
                (0, (told.box[3] - side) // 2, side, side),
                Style(stroke=look.ink, stroke_width=1),
                shape="ellipse" if self.round else "rectangle",
            )
            parts += at((box, told.at(round(side * 1.6), 0)), (i % columns) * wide, (i // columns) * high)
        return Setting(tuple(parts), high * rows)
