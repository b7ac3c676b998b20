"""Carry out the calls of PPTC's API on a deck, as its own executor does (Guo et al., 2023).

Calls are parsed, never evaluated: a name of ``PptcApi`` and literals. The API has a current slide and a current shape;
what a call leaves as the current shape is what the next one changes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
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
    "rectangle": "RECTANGLE",
    "right_arrow": "RIGHT_ARROW",
    "rounded_rectangle": "ROUNDED_RECTANGLE",
    "triangle": "ISOSCELES_TRIANGLE",
    "callout": "BALLOON",
    "cloud": "CLOUD",
    "star": "STAR_5_POINT",
    "circle": "OVAL",
}
"""The shapes that calls insert, as python-pptx calls them."""
_CHARTS = {"line_chart": "LINE", "bar_chart": "COLUMN_CLUSTERED", "pie_chart": "PIE"}
WIDTH, HEIGHT = 9_144_000, 6_858_000
"""The size of a slide as the API takes it, whatever the deck's is, in English metric units."""
_LEFT, _TOP, _WIDTH, _HEIGHT = 628_650, 1_825_625, 7_886_700, 4_351_338
"""The box of what is inserted."""
_MARGIN, _SIDE, _ROW, _PICTURE, _CENTIMETRE = 600_000, 900_000, 370_000, 2_160_000, 360_000
_FLAGS = {"font_bold": "bold", "font_italic": "italic", "font_underline": "underline"}
_ALIGNED = ("left", "center", "right")
_MAX_CELLS, _MAX_PICTURE = 10_000, 32 << 20
_NO_PICTURE = "none"


class PptcApi:
    """The calls of the API; all that is public is one.

    Args:
        deck: a ``Presentation`` of python-pptx with at least one slide; the last one is current.
        pictures: the folder of the pictures that calls name.
    """

    def __init__(self, deck: Any, pictures: Path) -> None:
        self._deck, self._pictures = deck, pictures
        self._slide: Any = deck.slides[len(deck.slides) - 1]
        self._shape: Any = None
        self._made: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Callable[..., None]:
        """The calls that differ in one word."""
        verb, _, what = name.partition("_")
        if verb == "insert" and what in SHAPES:
            return partial(self._insert_shape, what)
        if verb == "insert" and what in _CHARTS:
            return partial(self._insert_chart, _CHARTS[what])
        if verb == "set" and what in _FLAGS:
            return partial(self._format_runs, _FLAGS[what], True)
        if verb == "text" and (side := what.removeprefix("align_")) in _ALIGNED:
            return partial(self._format_paragraphs, "alignment", _member("text.PP_ALIGN", side))
        if verb == "align" and what in _PLACES:
            return partial(self._align, *_PLACES[what])
        raise AttributeError(f"the API has no call {name!r}")

    def create_slide(self) -> None:
        """Add a slide of the second layout."""
        self._turn_to(self._deck.slides.add_slide(self._deck.slide_layouts[1]))

    def move_to_slide(self, index: int) -> None:
        """Turn to a slide by its index from 0; a negative one counts from the end."""
        self._turn_to(self._deck.slides[index])

    def move_to_next_slide(self) -> None:
        """Turn to the slide whose index is the *id* of the current one and one more: in practice to none."""
        self._turn_to(self._deck.slides[self._slide.slide_id + 1])

    def move_to_previous_slide(self) -> None:
        """Turn to the slide whose index is the *id* of the current one and one less: in practice to none."""
        self._turn_to(self._deck.slides[self._slide.slide_id - 1])

    def set_background_color(self, color: str) -> None:
        """Fill the background of the current slide."""
        _fill(self._slide.background, color)

    def choose_title(self) -> None:
        """Choose the title of the slide, if it has one."""
        self._shape = self._slide.shapes.title

    def choose_content(self) -> None:
        """Choose the placeholder of index 1."""
        self._shape = self._slide.placeholders[1]

    def choose_textbox(self, idx: int = 0) -> None:
        """Choose the text box that was inserted last, else one of the slide."""
        self._choose("textbox", "TEXT_BOX", idx)

    def choose_picture(self, idx: int = 0) -> None:
        """Choose the picture that was inserted last, else one of the slide."""
        self._choose("picture", "PICTURE", idx)

    def choose_chart(self) -> None:
        """Choose the chart that was inserted last, else the last of the slide."""
        self._choose("chart", "CHART", -1)

    def choose_shape(self, shape_name: str) -> None:
        """Choose the shape of a kind that was inserted last."""
        self._shape = self._made[f"shape {shape_name}"]

    def choose_table(self) -> None:
        """Choose the table that was inserted or chosen last, else the last of the slide."""
        if "table" in self._made:
            self._shape = self._made["table"]
        else:
            self._choose("table", "TABLE", -1)
            self._made["table"] = self._shape.table

    def choose_table_cell(self, row_id: int, column_id: int) -> None:
        """Choose a cell of that table, counted from 0."""
        self._shape = self._made["table"].cell(row_id, column_id)

    def insert_text(self, text: str) -> None:
        """Append to the text, which takes the format of the whole away."""
        self._shape.text_frame.text += text

    def insert_bullet_point(self, text: str) -> None:
        """Add a paragraph."""
        paragraph = self._shape.text_frame.add_paragraph()
        paragraph.alignment = _member("text.PP_ALIGN", "left")
        paragraph.text, paragraph.level = text, 0

    def insert_note(self, note: str) -> None:
        """Append to the speaker's notes."""
        self._slide.notes_slide.notes_text_frame.text += note

    def insert_textbox(self) -> None:
        """Insert an empty text box."""
        self._keep("textbox", self._slide.shapes.add_textbox(_LEFT, _TOP, _WIDTH, _ROW))

    def delete_text(self) -> None:
        """Empty the text."""
        self._shape.text_frame.text = ""

    def set_font_size(self, size: float) -> None:
        """Set the size of all letters, in points."""
        from pptx.util import Pt

        self._format_runs("size", Pt(size))

    def set_font_color(self, color: str) -> None:
        """Set the colour of all letters."""
        for run in self._runs():
            run.font.color.rgb = _colour(color)

    def set_font_style(self, font_name: str) -> None:
        """Set the typeface of all letters."""
        self._format_runs("name", font_name)

    def set_line_space(self, line_space_level: float = 0) -> None:
        """Set the height of all lines."""
        self._format_paragraphs("line_spacing", line_space_level)

    def insert_picture(self, picture_name: str) -> None:
        """Insert a picture of the folder by its name, or the one for none of that name."""
        file = BytesIO(self._picture(picture_name))
        self._keep("picture", self._slide.shapes.add_picture(file, _LEFT, _TOP, _PICTURE, _PICTURE))

    def set_width(self, width: float) -> None:
        """Set the width in centimetres."""
        self._shape.width = int(width * _CENTIMETRE)

    def set_height(self, height: float) -> None:
        """Set the height in centimetres."""
        self._shape.height = int(height * _CENTIMETRE)

    def set_left(self, left: int) -> None:
        """Set the distance from the left edge, in English metric units."""
        self._shape.left = int(left)

    def set_top(self, top: int) -> None:
        """Set the distance from the top, in English metric units."""
        self._shape.top = int(top)

    def rotate_element(self, angle: float) -> None:
        """Set the rotation, in degrees."""
        self._shape.rotation = angle

    def set_fill_color(self, color: str) -> None:
        """Fill the shape."""
        _fill(self._shape, color)

    def insert_table(self, row_num: int, col_num: int) -> None:
        """Insert a table."""
        if row_num * col_num > _MAX_CELLS:
            raise ValueError(f"a table of {row_num * col_num:,} cells is too large")
        frame = self._slide.shapes.add_table(row_num, col_num, _LEFT, _TOP, _WIDTH, row_num * _ROW)
        self._keep("table", frame.table)

    def insert_table_row(self, row_data: list[str]) -> None:
        """Write into the first row whose first cell is empty, or into the first."""
        rows, table = range(len(self._shape.rows)), self._made["table"]
        row = next((i for i in rows if not table.cell(i, 0).text), 0)
        for column, text in enumerate(row_data):
            table.cell(row, column).text = text

    def set_chart_title(self, title: str) -> None:
        """Set the title of the current chart."""
        self._shape.chart_title.text_frame.text = title

    def _turn_to(self, slide: Any) -> None:
        self._slide, self._shape = slide, None

    def _keep(self, name: str, shape: Any) -> None:
        self._shape = self._made[name] = shape

    def _choose(self, name: str, kind: str, index: int) -> None:
        """Choose what was made last, else a shape of a kind, or nothing."""
        if name in self._made:
            self._shape = self._made[name]
        elif found := [shape for shape in self._slide.shapes if kind in str(shape.shape_type)][index:]:
            self._shape = found[0]

    def _picture(self, name: str) -> bytes:
        """The file of a picture; a grey one if the checkout has none."""
        for file in (self._pictures / f"{one}.png" for one in (name, _NO_PICTURE)):
            if file.parent == self._pictures and file.is_file():
                return read_foreign(file, _MAX_PICTURE, is_json=False)
        grey = BytesIO()
        PillowImage.new("L", (64, 64), 160).save(grey, "PNG")
        return grey.getvalue()

    def _insert_shape(self, name: str) -> None:
        box = ((WIDTH - _SIDE) // 2, (HEIGHT - _SIDE) // 2, _SIDE, _SIDE)
        kind = _member("shapes.MSO_SHAPE", SHAPES[name])
        self._keep(f"shape {name}", self._slide.shapes.add_shape(kind, *box))

    def _insert_chart(self, kind: str, data: list[float], series: list[str] | None = None) -> None:
        """Insert a chart whose series have a value each."""
        from pptx.chart.data import ChartData

        chart = ChartData()
        for i, value in enumerate(data):
            chart.add_series(f"Series {i}" if series is None else series[i], [value])
        chart.categories = [f"Category {i}" for i in range(len(data))]
        member = _member("chart.XL_CHART_TYPE", kind)
        frame = self._slide.shapes.add_chart(member, _LEFT, _TOP, _WIDTH, _HEIGHT, chart)
        self._keep("chart", frame.chart)

    def _align(self, across: str | None, upright: str | None) -> None:
        for axis, side, size, whole in (("left", across, "width", WIDTH), ("top", upright, "height", HEIGHT)):
            if side is not None:
                setattr(self._shape, axis, _ALIGNMENTS[side](getattr(self._shape, size), whole))

    def _runs(self) -> Iterator[Any]:
        for paragraph in self._shape.text_frame.paragraphs:
            yield from paragraph.runs

    def _format_runs(self, name: str, value: Any) -> None:
        for run in self._runs():
            setattr(run.font, name, value)

    def _format_paragraphs(self, name: str, value: Any) -> None:
        for paragraph in self._shape.text_frame.paragraphs:
            setattr(paragraph, name, value)


_ALIGNMENTS: dict[str, Callable[[int, int], int]] = {
    "start": lambda side, whole: _MARGIN,
    "end": lambda side, whole: whole - _MARGIN - side,
    "middle": lambda side, whole: whole // 2 - side // 2,
    "beyond": lambda side, whole: whole // 2 + _MARGIN,
}
"""Where an edge comes to be, from the length of the shape and of the slide."""
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


def run_calls(api: PptcApi, calls: str) -> list[str]:
    """Carry out calls that are written one after the other, with semicolons, and return those that failed.

    As in PPTC, a call that fails changes nothing and is passed over.
    """
    from pptx.exc import PythonPptxError

    failed = []
    for text in _statements(calls):
        try:
            name, values, named = _parsed(text)
            getattr(api, name)(*values, **named)
        except (ArithmeticError, AttributeError, LookupError, NotImplementedError, OSError, PythonPptxError):
            failed.append(text)
        except (SyntaxError, TypeError, ValueError):
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
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id.startswith("_"):
        raise ValueError(f"{text!r} is no call of the API")
    values = [ast.literal_eval(value) for value in call.args]
    return call.func.id, values, {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}


def _member(name: str, value: str) -> Any:
    """A member of an enumeration of python-pptx."""
    from pptx.enum import chart, shapes, text

    module, _, enumeration = name.partition(".")
    return getattr(getattr({"chart": chart, "shapes": shapes, "text": text}[module], enumeration), value.upper())


def _colour(name: str) -> Any:
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(COLOURS[name])


def _fill(shape: Any, color: str) -> None:
    shape.fill.solid()
    shape.fill.fore_color.rgb = _colour(color)
