"""Elements: the things on a page, with their boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, get_args

import pydantic
from pydantic import model_validator

from ...core.boxes import Rect, intersection, union
from ...core.files import Data
from .charts import Chart
from .charts import Colour as Colour

Kind = Literal["text", "image", "shape", "line", "table", "list", "chart", "group"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Shape = Literal["rectangle", "ellipse", "triangle", "diamond", "star", "arrow", "hexagon", "chevron"]
Face = Literal["Arimo", "Inter", "Noto Serif", "Source Code Pro", "Caveat", "Dancing Script"]
Align = Literal["left", "center", "right"]
_Share = Annotated[float, pydantic.Field(ge=-1, lt=1)]
BBox = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the page."""
Crop = tuple[_Share, _Share, _Share, _Share]
"""The shares of a picture that are cut off at its left, top, right and bottom; negative: empty room is added."""
MAX_COORDINATE = 4096
"""The maximum absolute value of coordinates, widths and heights, in pixels."""
_Length = Annotated[int, pydantic.Field(ge=-MAX_COORDINATE, le=MAX_COORDINATE)]
_Size = Annotated[int, pydantic.Field(ge=1, le=MAX_COORDINATE)]


class Run(Data):
    """A piece of text in one style; ``None``: the value of the element's style.

    Attributes:
        text: may hold line feeds: a paragraph, or an item of a list, ends there.
        bold, italic, underline, strike: its styles.
        colour: of the ink.
        size: of the face in pixels (em square).
    """

    text: Annotated[str, pydantic.Field(max_length=4000)]
    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    colour: Colour | None = None
    size: Annotated[int, pydantic.Field(ge=6, le=400)] | None = None


class CellFormat(Data):
    """How a cell of a table differs from the others of its row; ``None``: not at all.

    Attributes:
        bold, italic, underline, strike, colour, size, align: as in ``Style``.
        fill: its colour, or ``"none"``.
    """

    bold: bool | None = None
    italic: bool | None = None
    underline: bool | None = None
    strike: bool | None = None
    colour: Colour | None = None
    size: Annotated[int, pydantic.Field(ge=6, le=400)] | None = None
    align: Align | None = None
    fill: Colour | Literal["none"] | None = None


class Style(Data):
    """How an element looks.

    Attributes:
        face: the typeface, ours or another, for which the most similar one of ours is drawn.
        size: of the face in pixels (em square).
        bold, italic, underline, strike: how text is set.
        colour: of text.
        align: of lines.
        anchor: where text is in its box.
        line_height: of a line, in sizes of the face.
        spacing: between paragraphs, in pixels.
        fill: the colour inside; ``None``: none.
        head: the colour of the text in a table's first row; ``None``: that of all its text.
        bands: the colours of a table's other rows, in turn.
        stroke: the colour of the outline, of a line, or of a table's rules; ``None``: none.
        stroke_width: in pixels.
        radius: of corners, in pixels.
    """

    face: Annotated[str, pydantic.Field(min_length=1, max_length=80)] = "Arimo"
    size: Annotated[int, pydantic.Field(ge=6, le=400)] = 20
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strike: bool = False
    colour: Colour = (20, 20, 20)
    align: Align = "left"
    anchor: Literal["top", "middle", "bottom"] = "top"
    line_height: Annotated[float, pydantic.Field(ge=0.8, le=3)] = 1.2
    spacing: Annotated[int, pydantic.Field(ge=0, le=400)] = 0
    fill: Colour | None = None
    head: Colour | None = None
    bands: tuple[Colour | None, ...] = ()
    stroke: Colour | None = None
    stroke_width: Annotated[int, pydantic.Field(ge=0, le=60)] = 0
    radius: Annotated[int, pydantic.Field(ge=0, le=400)] = 0


class Element(Data):
    """Something on a page.

    Attributes:
        id: unique in its document.
        type: its kind.
        name: what a person would call it, such as ``"ticket price"``.
        bbox: left, top, width, height in pixels before it is turned; a line runs from one corner to the opposite one.
        angle: how far it is turned clockwise around its middle, in degrees from 0 to below 360.
        opacity: from 0 (invisible) to 1.
        parent: the id of the group that it belongs to; ``None``: none.
        style: how it looks.
        runs: its text, of a text, a shape or a list; an item of a list a line.
        levels: how deep each item of a list is; the last one is that of all further items; empty: all are at 0.
        asset: the picture of an image, by name; of a shape a gradient, which is drawn while its mean is the fill.
        crop: the shares of the picture that are cut off at each side; the rest fills the box.
        shape: of a shape.
        path: the outline of a shape or a line, or what is cut out of an image, if that has no name: SVG data of
            straight lines in thousandths of its box.
        rises: whether a line runs from the lower left to the upper right corner.
        cells: of a table, row by row: the text of each.
        columns: the widths of a table's columns, relative to each other.
        rows: the heights of a table's rows, relative to each other.
        formats: of a table's cells, row by row, where they differ from others; ``scene.cells`` reads them.
        chart: what a chart shows.
    """

    id: Annotated[str, pydantic.Field(min_length=1, max_length=40, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]
    type: Kind
    name: Annotated[str, pydantic.Field(max_length=80)] = ""
    bbox: tuple[_Length, _Length, _Size, _Size]
    angle: Annotated[float, pydantic.Field(ge=0, lt=360)] = 0
    opacity: Annotated[float, pydantic.Field(ge=0, le=1)] = 1
    parent: str | None = None
    style: Style = Style()
    runs: tuple[Run, ...] = ()
    levels: tuple[Annotated[int, pydantic.Field(ge=0, le=8)], ...] = ()
    asset: str | None = None
    crop: Crop = (0, 0, 0, 0)
    shape: Shape | None = None
    path: Annotated[str, pydantic.Field(max_length=100_000, pattern=r"^(M[-\d ]+Z?)*$")] = ""
    rises: bool = False
    cells: tuple[tuple[str, ...], ...] = ()
    columns: tuple[Annotated[float, pydantic.Field(gt=0)], ...] = ()
    rows: tuple[Annotated[float, pydantic.Field(gt=0)], ...] = ()
    formats: tuple[tuple[CellFormat, ...], ...] = ()
    chart: Chart | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Element:
        for problem in self._problems():
            raise ValueError(f"{self.type} {self.id!r} {problem}")
        return self

    def _problems(self) -> list[str]:
        problems = []
        if self.asset is None and self.type == "image":
            problems.append("needs an asset")
        if self.asset is not None and self.type not in ("image", "shape"):
            problems.append("has an asset, which only images and shapes have")
        if (self.shape is None) == (self.type == "shape"):
            problems.append("needs a shape" if self.type == "shape" else "has a shape, which only shapes have")
        if bool(self.cells) != (self.type == "table"):
            problems.append("needs cells" if self.type == "table" else "has cells, which only tables have")
        if len({len(row) for row in self.cells}) > 1 or (self.cells and not self.cells[0]):
            problems.append("has rows of different lengths, or empty ones")
        if self.columns and len(self.columns) != len(self.cells[0] if self.cells else ()):
            problems.append("has not one width for each column")
        if self.path and self.type not in ("shape", "line", "image"):
            problems.append("has a path, which only shapes, lines and images have")
        if self.rows and len(self.rows) != len(self.cells):
            problems.append("has not one height for each row")
        if self.formats and [*map(len, self.formats)] != [*map(len, self.cells)]:
            problems.append("has not one format for each cell")
        if (self.chart is None) == (self.type == "chart"):
            problems.append("needs a chart" if self.type == "chart" else "has a chart, which only charts have")
        if self.crop[0] + self.crop[2] >= 1 or self.crop[1] + self.crop[3] >= 1:
            problems.append("has a crop that leaves nothing of its picture")
        if self.levels and self.type != "list":
            problems.append("has levels, which only lists have")
        if self.runs and self.type not in ("text", "shape", "list"):
            problems.append("has runs, which only texts, shapes and lists have")
        return problems

    @property
    def text(self) -> str:
        """All text of the element; tabs separate cells, and line feeds rows; of a chart its title."""
        if self.chart is not None:
            return self.chart.title
        if self.type == "table":
            return "\n".join("\t".join(row) for row in self.cells)
        return "".join(run.text for run in self.runs)

    def level_of(self, item: int) -> int:
        """How deep an item of a list is, counted from 0."""
        return level_at(self.levels, item)

    @property
    def centre(self) -> tuple[float, float]:
        """X and y of its middle in pixels of the page."""
        left, top, width, height = self.bbox
        return left + width / 2, top + height / 2


def rect_of(box: BBox) -> Rect:
    """Left, top, right and bottom of a box."""
    left, top, width, height = box
    return left, top, left + width, top + height


def overlap(one: BBox, other: BBox) -> bool:
    """Whether two boxes share a pixel."""
    return intersection(rect_of(one), rect_of(other)) is not None


def enclosing(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around at least one box."""
    left, top, right, bottom = union([rect_of(box) for box in boxes])
    return left, top, right - left, bottom - top


def level_at(levels: Sequence[int], item: int) -> int:
    """How deep an item is, counted from 0; the last level is that of all further items."""
    return levels[min(item, len(levels) - 1)] if levels else 0


def split_runs(runs: Sequence[Run], separator: str) -> list[list[Run]]:
    """Split runs at a separator that is within one of them."""
    parts: list[list[Run]] = [[]]
    for run in runs:
        first, *others = run.text.split(separator)
        parts[-1].append(run.model_copy(update={"text": first}))
        parts += [[run.model_copy(update={"text": other})] for other in others]
    return [[run for run in part if run.text] for part in parts]
