"""Carry out the calls of PPTC's API on a deck, as its own executor does (Guo et al., 2023).

Calls are parsed, never evaluated: a name in ``CALLS`` and literals. There are a current slide and a current shape; the
shape that a call inserts or chooses is what the next one changes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image as PillowImage

from ...core.files import read_foreign

COLOURS = {
    "blue": "0000FF", "light blue": "ADD8E6", "dark blue": "00008B", "green": "008000", "light green": "90EE90",
    "dark green": "006400", "yellow": "FFFF00", "light yellow": "FFFFE0", "dark yellow": "BDB76B", "orange": "FFA500",
    "light orange": "FFDAB9", "dark orange": "FF8C00", "red": "FF0000", "light red": "FFC0CB", "dark red": "8B0000",
    "black": "000000", "white": "FFFFFF", "purple": "800080", "pink": "FFC0CB",
}  # fmt: skip
"""The colours that calls name."""
SHAPES = {
    "rectangle": "RECTANGLE", "right_arrow": "RIGHT_ARROW", "rounded_rectangle": "ROUNDED_RECTANGLE",
    "triangle": "ISOSCELES_TRIANGLE", "callout": "BALLOON", "cloud": "CLOUD", "star": "STAR_5_POINT", "circle": "OVAL",
}  # fmt: skip
"""The shapes that calls insert, as python-pptx calls them."""
CHARTS = {"line": "LINE", "bar": "COLUMN_CLUSTERED", "pie": "PIE"}
"""The charts that calls insert, as python-pptx calls them."""
SLIDE = 9_144_000, 6_858_000
"""Width and height of every slide as the API takes it, in English metric units (EMU)."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 628_650, 1_825_625, 7_886_700, 4_351_338
"""The box of what is inserted."""
_MARGIN, _SIDE, _ROW, _PICTURE = 600_000, 900_000, 370_000, 2_160_000
_POINT, _CENTIMETRE = 12_700, 360_000
_MAX_CELLS, _MAX_PICTURE = 10_000, 32 << 20


@dataclass
class Cursor:
    """Where calls take effect.

    Attributes:
        deck: a ``Presentation`` of python-pptx with at least one slide.
        pictures: the folder of the pictures that calls name.
        slide: the current slide, at first the last one.
        shape: the current shape, cell, table or chart; ``None``: none.
        made: what was inserted last, by its kind.
    """

    deck: Any
    pictures: Path
    shape: Any = None
    made: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.slide: Any = self.deck.slides[len(self.deck.slides) - 1]

    def turn_to(self, slide: Any) -> None:
        """Make a slide the current one."""
        self.slide, self.shape = slide, None

    def keep(self, kind: str, shape: Any) -> None:
        """Make a new shape the current one, and the last of its kind."""
        self.shape = self.made[kind] = shape

    def choose(self, kind: str, index: int = 0) -> None:
        """Choose what was inserted last of a kind, else the shape of an index on the slide, if there is one."""
        if kind in self.made:
            self.shape = self.made[kind]
        elif found := [shape for shape in self.slide.shapes if kind in str(shape.shape_type)][index:]:
            self.shape = found[0]

    @property
    def paragraphs(self) -> list[Any]:
        """The paragraphs of the current shape."""
        return list(self.shape.text_frame.paragraphs)

    @property
    def fonts(self) -> list[Any]:
        """The fonts of its letters, run by run."""
        return [run.font for paragraph in self.paragraphs for run in paragraph.runs]


Call = Callable[..., None]


def _set_all(owners: str, name: str, read: Callable[[Any], Any] = lambda value: value) -> Call:
    """A call that sets an attribute of all paragraphs or fonts of the current shape."""

    def call(cursor: Cursor, value: Any) -> None:
        for owner in getattr(cursor, owners):
            setattr(owner, name, read(value))

    return call


def _set_font_color(cursor: Cursor, color: str) -> None:
    for font in cursor.fonts:
        font.color.rgb = _colour(color)


def _fill(shape: Any, color: str) -> None:
    shape.fill.solid()
    shape.fill.fore_color.rgb = _colour(color)


def _colour(name: str) -> Any:
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(COLOURS[name])  # type: ignore[no-untyped-call]


def _choose_table(cursor: Cursor) -> None:
    if "TABLE" in cursor.made:
        cursor.choose("TABLE")
    else:
        cursor.choose("TABLE", -1)
        cursor.made["TABLE"] = cursor.shape.table


def _insert_bullet_point(cursor: Cursor, text: str) -> None:
    paragraph = cursor.shape.text_frame.add_paragraph()
    paragraph.alignment = _member("PP_ALIGN", "LEFT")
    paragraph.text, paragraph.level = text, 0


def _insert_shape(name: str, cursor: Cursor) -> None:
    left, top = ((side - _SIDE) // 2 for side in SLIDE)
    kind = _member("MSO_SHAPE", SHAPES[name])
    cursor.keep(name, cursor.slide.shapes.add_shape(kind, left, top, _SIDE, _SIDE))


def _insert_picture(cursor: Cursor, name: str) -> None:
    """Insert a picture of the folder, the one for none of that name, or a grey one if the checkout has none."""
    files = [cursor.pictures / f"{one}.png" for one in (name, "none")]
    found = [file for file in files if file.parent == cursor.pictures and file.is_file()]
    content = BytesIO()
    if found:
        content = BytesIO(read_foreign(found[0], _MAX_PICTURE, is_json=False))
    else:
        PillowImage.new("L", (64, 64), 160).save(content, "PNG")
    cursor.keep("PICTURE", cursor.slide.shapes.add_picture(content, _LEFT, _TOP, _PICTURE, _PICTURE))


def _insert_table(cursor: Cursor, row_num: int, col_num: int) -> None:
    if row_num * col_num > _MAX_CELLS:
        raise ValueError(f"a table of {row_num * col_num:,} cells is too large")
    frame = cursor.slide.shapes.add_table(row_num, col_num, _LEFT, _TOP, _WIDTH, row_num * _ROW)
    cursor.keep("TABLE", frame.table)


def _insert_table_row(cursor: Cursor, row_data: Sequence[str]) -> None:
    """Write into the first row whose first cell is empty, or into the first row."""
    rows, table = range(len(cursor.shape.rows)), cursor.made["TABLE"]
    row = next((i for i in rows if not table.cell(i, 0).text), 0)
    for column, text in enumerate(row_data):
        table.cell(row, column).text = text


def _insert_chart(kind: str, cursor: Cursor, data: Sequence[float], series: Sequence[str] | None = None) -> None:
    """Insert a chart whose series have one value each."""
    from pptx.chart.data import ChartData

    chart: Any = ChartData()  # type: ignore[no-untyped-call]
    for i, value in enumerate(data):
        chart.add_series(f"Series {i}" if series is None else series[i], [value])
    chart.categories = [f"Category {i}" for i in range(len(data))]
    member = _member("XL_CHART_TYPE", CHARTS[kind])
    cursor.keep("CHART", cursor.slide.shapes.add_chart(member, _LEFT, _TOP, _WIDTH, _HEIGHT, chart).chart)


def _append(owner: Any, text: str) -> None:
    # Setting a text takes the formats of its letters away.
    owner.text += text


def _align(across: str | None, upright: str | None, cursor: Cursor) -> None:
    for axis, size, side, whole in zip(("left", "top"), ("width", "height"), (across, upright), SLIDE, strict=True):
        if side is not None:
            setattr(cursor.shape, axis, _EDGES[side](getattr(cursor.shape, size), whole))


def _emu(number: Any, unit: int = 1) -> int:
    """A length in English metric units."""
    if not isinstance(number, int | float):
        raise TypeError(f"{number!r} is no length")
    return int(number * unit)


def _member(enumeration: str, name: str) -> Any:
    """A member of an enumeration of python-pptx."""
    from pptx.enum import chart, shapes, text

    module = {"XL_CHART_TYPE": chart, "MSO_SHAPE": shapes, "PP_ALIGN": text}[enumeration]
    return getattr(getattr(module, enumeration), name)


_EDGES: dict[str, Callable[[int, int], int]] = {
    "start": lambda length, whole: _MARGIN,
    "end": lambda length, whole: whole - _MARGIN - length,
    "middle": lambda length, whole: whole // 2 - length // 2,
    "beyond": lambda length, whole: whole // 2 + _MARGIN,
}
"""Where the left or upper edge of a shape comes to be, from its length and that of the slide."""
_PLACES: dict[str, tuple[str | None, str | None]] = {
    "slide_left": ("start", None),
    "slide_right": ("beyond", None),
    "slide_top": (None, "start"),
    "slide_bottom": (None, "beyond"),
    "slide_center": ("middle", "middle"),
    "top_left_corner": ("start", "start"),
    "top_right_corner": ("end", "start"),
    "bottom_left_corner": ("start", "end"),
    "bottom_right_corner": ("end", "end"),
}
"""Where calls align a shape, across and upright."""
CALLS: dict[str, Call] = {
    "create_slide": lambda c: c.turn_to(c.deck.slides.add_slide(c.deck.slide_layouts[1])),
    "move_to_slide": lambda c, idx: c.turn_to(c.deck.slides[idx]),
    # The id of a slide is taken for its index, so that in practice there is none.
    "move_to_next_slide": lambda c: c.turn_to(c.deck.slides[c.slide.slide_id + 1]),
    "move_to_previous_slide": lambda c: c.turn_to(c.deck.slides[c.slide.slide_id - 1]),
    "set_background_color": lambda c, color: _fill(c.slide.background, color),
    "choose_title": lambda c: setattr(c, "shape", c.slide.shapes.title),
    "choose_content": lambda c: setattr(c, "shape", c.slide.placeholders[1]),
    "choose_textbox": lambda c, idx=0: c.choose("TEXT_BOX", idx),
    "choose_picture": lambda c, idx=0: c.choose("PICTURE", idx),
    "choose_chart": lambda c: c.choose("CHART", -1),
    "choose_shape": lambda c, shape_name: setattr(c, "shape", c.made[shape_name]),
    "choose_table": _choose_table,
    "choose_table_cell": lambda c, row_id, column_id: setattr(c, "shape", c.made["TABLE"].cell(row_id, column_id)),
    "insert_text": lambda c, text: _append(c.shape.text_frame, text),
    "insert_bullet_point": _insert_bullet_point,
    "insert_note": lambda c, note: _append(c.slide.notes_slide.notes_text_frame, note),
    "insert_textbox": lambda c: c.keep("TEXT_BOX", c.slide.shapes.add_textbox(_LEFT, _TOP, _WIDTH, _ROW)),
    "delete_text": lambda c: setattr(c.shape.text_frame, "text", ""),
    "set_font_size": _set_all("fonts", "size", lambda points: _emu(points, _POINT)),
    "set_font_color": _set_font_color,
    "set_font_bold": lambda c: _set_all("fonts", "bold")(c, True),
    "set_font_italic": lambda c: _set_all("fonts", "italic")(c, True),
    "set_font_underline": lambda c: _set_all("fonts", "underline")(c, True),
    "set_font_style": _set_all("fonts", "name"),
    "set_line_space": lambda c, line_space_level=0: _set_all("paragraphs", "line_spacing")(c, line_space_level),
    "text_align_left": lambda c: _set_all("paragraphs", "alignment")(c, _member("PP_ALIGN", "LEFT")),
    "text_align_center": lambda c: _set_all("paragraphs", "alignment")(c, _member("PP_ALIGN", "CENTER")),
    "text_align_right": lambda c: _set_all("paragraphs", "alignment")(c, _member("PP_ALIGN", "RIGHT")),
    **{f"insert_{name}": partial(_insert_shape, name) for name in SHAPES},
    **{f"insert_{name}_chart": partial(_insert_chart, name) for name in CHARTS},
    "insert_picture": _insert_picture,
    "insert_table": _insert_table,
    "insert_table_row": _insert_table_row,
    "set_chart_title": lambda c, title: setattr(c.shape.chart_title.text_frame, "text", title),
    "set_width": lambda c, width: setattr(c.shape, "width", _emu(width, _CENTIMETRE)),
    "set_height": lambda c, height: setattr(c.shape, "height", _emu(height, _CENTIMETRE)),
    "set_left": lambda c, left: setattr(c.shape, "left", _emu(left)),
    "set_top": lambda c, top: setattr(c.shape, "top", _emu(top)),
    "rotate_element": lambda c, angle: setattr(c.shape, "rotation", angle),
    "set_fill_color": lambda c, color: _fill(c.shape, color),
    **{f"align_{name}": partial(_align, *sides) for name, sides in _PLACES.items()},
}
"""The API: what each call does at the cursor."""


def run_calls(cursor: Cursor, calls: str) -> list[str]:
    """Carry out calls that are written one after the other, with semicolons, and return those that failed.

    As in PPTC, a call that fails is passed over.
    """
    from pptx.exc import PythonPptxError

    errors = ArithmeticError, AttributeError, LookupError, NotImplementedError, OSError, TypeError, ValueError
    failed = []
    for text in _statements(calls):
        try:
            name, values, named = _parsed(text)
            CALLS[name](cursor, *values, **named)
        except (*errors, SyntaxError, PythonPptxError):
            failed.append(text)
    return failed


def _statements(calls: str) -> Iterator[str]:
    """The calls of a sequence; a semicolon between quotation marks ends none."""
    pieces = calls.replace("\n", ";").split(";")
    start = 0
    while start < len(pieces):
        ends = (end for end in range(start + 1, len(pieces) + 1) if _is_python(";".join(pieces[start:end])))
        end = next(ends, start + 1)
        if text := ";".join(pieces[start:end]).strip():
            yield text
        start = end


def _is_python(text: str) -> bool:
    try:
        ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parsed(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name, the values and the named values of a call.

    Raises:
        SyntaxError, ValueError: if it is none, or has values that are no literals.
    """
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(f"{text!r} is no call")
    values = [ast.literal_eval(value) for value in call.args]
    return call.func.id, values, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
