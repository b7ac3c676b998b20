"""Plan rows of cells: the content, place and number of lines of each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count, pairwise
from typing import NamedTuple

from .field_drawing import SEVERAL_LINES, Look, look_of, option_width
from .field_labels import labels_for, large_choice, printed_label, small_choice
from .page_canvas import Canvas
from .page_settings import BlockLayout, settings
from .style import wrap
from .vocabulary import Choice, FieldLabel

Content = FieldLabel | Choice
"""The content of a cell: a label for a value, or several options."""

_USUAL_WIDTH = 12.0
_COLONS = {"corner": 0.3, "under": 0.3}
"""The share of labels with a colon, by their placing, if not 0.8."""


class Cell(NamedTuple):
    """A cell before it is drawn; lengths are in pixels.

    Attributes:
        start, end: its edges, from the left of its row.
        number: before its label; empty: none.
        label: the lines of its label.
        lines: the number of lines of its answer or options; 0: the cell is too narrow and stays blank.
        abreast: the number of options in a row.
    """

    content: Content
    start: float
    end: float
    number: str
    label: Sequence[str]
    lines: int
    abreast: int = 0


def plan_cells(canvas: Canvas, layout: BlockLayout, width: float) -> tuple[Look, list[list[Cell]]]:
    """The look of a block ``width`` pixels wide, with its tab stop, and its rows."""
    random, look = canvas.random, look_of(canvas, layout)
    contents = _contents(canvas, layout)
    if layout.columns:
        columns = random.weighted(layout.columns)
        groups = [contents[i : i + columns] for i in range(0, len(contents), columns)]
        rows = [_equal_cells(canvas, group, columns, width, 0.0 if look.placing == "tab" else 0.2) for group in groups]
    else:
        rows = _natural_cells(canvas, look, contents, width)
    share = {"beside": 0.75, "tab": random.uniform(0.25, 0.6)}.get(look.placing, 1.0)
    number = count(random.choice([1, 1, 1, random.between(2, 30)]))
    plan: list[list[Cell]] = [[] for _ in rows]
    for planned, row in zip(plan, rows, strict=True):
        for content, start, end in row:
            room = (end - start - look.narrow if look.narrow else share * (end - start)) - 2 * look.inset
            planned.append(_cell(canvas, look, layout, content, (start, end), next(number), room))
    if look.placing == "tab":
        look = look._replace(tab=_tab(canvas, look, [cell for row in plan for cell in row], share))
    return look, plan


def _contents(canvas: Canvas, layout: BlockLayout) -> list[Content]:
    """The labels or options of a block; dense blocks may have both."""
    random = canvas.random
    if layout.labels == ("choices",):
        framed = "corner" in layout.placing
        return [small_choice(canvas) if framed else large_choice(canvas) for _ in range(random.between(*layout.fields))]
    contents: list[Content] = list(labels_for(canvas, layout))
    for place in range(len(contents) - 1, 0, -1):
        if not layout.columns and random.chance(0.1):
            contents.insert(place, small_choice(canvas))
    return contents


_Placed = tuple[Content, float, float]
"""The content and the edges of a cell."""


def _equal_cells(canvas: Canvas, row: Sequence[Content], columns: int, width: float, jitter: float) -> list[_Placed]:
    """Cells of about the same width; the rest of the row stays blank."""
    inner = [(i + canvas.random.uniform(-jitter, jitter)) * width / columns for i in range(1, columns)]
    return [(content, a, b) for content, (a, b) in zip(row, pairwise([0.0, *inner, width]), strict=False)]


def _natural_cells(canvas: Canvas, look: Look, contents: Sequence[Content], width: float) -> list[list[_Placed]]:
    """Cells as wide as their content requires, stretched to fill their rows."""
    rows: list[list[tuple[Content, float]]] = [[]]
    full = width * canvas.random.uniform(0.7, 1.0)
    for content in contents:
        natural = min(_natural_width(canvas, look, content), width)
        if rows[-1] and sum(other for _, other in rows[-1]) + natural > full:
            rows.append([])
        rows[-1].append((content, natural))
    placed = []
    for row in filter(None, rows):
        stretch, x = width / sum(natural for _, natural in row), 0.0
        placed.append([(content, x, x := x + natural * stretch) for content, natural in row])
    return placed


def _natural_width(canvas: Canvas, look: Look, content: Content) -> float:
    text = content.ask if isinstance(content, Choice) else content.text
    label = look.type.width(canvas.style.printed(text)) * 1.08 + 3 * look.pad
    if isinstance(content, Choice):
        options = 1.1 * sum(option_width(look, option) for option in content.options)
        return options + label if look.placing == "beside" else max(options, label)
    answer = settings().cell_widths.get(content.kind, _USUAL_WIDTH) * look.type.size * canvas.random.uniform(0.7, 1.3)
    if look.placing == "beside":
        return label + 0.8 * answer
    return max(answer, label * (1.0 if canvas.random.chance(0.8) else 0.62))


def _cell(
    canvas: Canvas,
    look: Look,
    layout: BlockLayout,
    content: Content,
    edges: tuple[float, float],
    number: int,
    room: float,
) -> Cell:
    """A cell, with its label in lines no wider than ``room``."""
    text = content.ask if isinstance(content, Choice) else content.text
    printed = printed_label(canvas, text, colon=_COLONS.get(look.placing, 0.8))
    mark = look.numbers.format(number) if look.numbers else ""
    label = wrap(printed, look.type, room - indent(look, mark), 3, may_cut=False)
    if text and not label:
        return Cell(content, *edges, mark, (), 0)
    if isinstance(content, FieldLabel):
        roomy = look.placing != "beside" or room - look.type.width(label[-1]) > 9 * canvas.style.em
        lines = canvas.random.weighted(layout.lines) if roomy and content.kind in SEVERAL_LINES else 1
        return Cell(content, *edges, mark, label, lines)
    options = [option_width(look, option) for option in content.options]
    beside = look.placing in ("beside", "tab") and label
    width = edges[1] - edges[0] - 2 * look.inset - (look.type.width(label[-1]) + look.type.size if beside else 0)
    fitting = len(options) if sum(options) <= width else int(width // max(options))
    abreast = min(fitting, canvas.random.weighted(layout.options) or len(options))
    return Cell(content, *edges, mark, label, -(-len(options) // abreast) if abreast > 0 else 0, abreast)


def indent(look: Look, mark: str) -> float:
    """The width of a label's number, in pixels."""
    return look.type.width(f"{mark} ") if mark else 0.0


def _tab(canvas: Canvas, look: Look, block: Sequence[Cell], share: float) -> float:
    """The tab stop of a block's answers, right of all its labels."""
    width = min((cell.end - cell.start for cell in block), default=0.0)
    if look.ruling == "grid" and not look.narrow:
        return share * width
    widths = (indent(look, cell.number) + look.type.width(line) for cell in block for line in cell.label)
    gap = canvas.random.weighted({0.6: 38, 1.3: 36, 3.0: 20, 6.0: 6}) * canvas.style.em
    tab = look.inset + max(widths, default=0.0) + gap
    if look.narrow:
        tab = max(tab, canvas.random.uniform(8, 24) * canvas.style.em - look.narrow)
    return min(tab, width - (look.narrow or 3 * canvas.style.em))


def row_height(look: Look, row: Sequence[Cell]) -> float:
    """The height of a row: that of its tallest cell."""
    return max(_cell_height(look, cell) for cell in row)


def _cell_height(look: Look, cell: Cell) -> float:
    label = len(cell.label) * look.type.line + 0.3 * look.type.size
    answer = max(cell.lines, 1) * (look.option_pitch if isinstance(cell.content, Choice) else look.pitch)
    if look.placing in ("beside", "tab"):
        # The first line of an open answer is on the last line of its label.
        open_answer = not look.framed and isinstance(cell.content, FieldLabel)
        return max(label, answer + (label - look.type.line if open_answer else 0))
    return label + answer + 0.3 * look.type.size
