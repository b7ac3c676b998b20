"""The API of PPTC on real decks: what its calls do to a deck, as the paper and its checkout describe it."""

from __future__ import annotations

import ast
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE, MSO_SHAPE_TYPE
from pptx.enum.text import PP_ALIGN
from pptx.util import Cm, Emu, Pt

_COLOURS = {"red": "FF0000", "blue": "0000FF", "dark blue": "00008B", "light blue": "ADD8E6", "yellow": "FFFF00"}
_SHAPES = {
    "rectangle": MSO_SHAPE.RECTANGLE,
    "right_arrow": MSO_SHAPE.RIGHT_ARROW,
    "triangle": MSO_SHAPE.ISOSCELES_TRIANGLE,
    "star": MSO_SHAPE.STAR_5_POINT,
    "circle": MSO_SHAPE.OVAL,
}
_CHARTS = {"line": XL_CHART_TYPE.LINE, "bar": XL_CHART_TYPE.COLUMN_CLUSTERED, "pie": XL_CHART_TYPE.PIE}
_BODY = Emu(628_650), Emu(1_825_625), Emu(7_886_700)
"""Left, top and width of what is inserted."""
_MARGIN, _SIDE, _ROW = Emu(600_000), Emu(900_000), Emu(370_000)


class PptcDeck:
    """A deck, its current slide and its current element.

    Args:
        template: the deck of a session; ``None``: a new one with one slide.
    """

    def __init__(self, template: bytes | None = None) -> None:
        self._deck: Any = Presentation(None if template is None else io.BytesIO(template))
        self._element: Any = None
        self._table: Any = None
        if template is None:
            self.create_slide()
        else:
            self._slide: Any = self._deck.slides[len(self._deck.slides) - 1]

    def run(self, calls: str) -> None:
        """Run calls that are written one after the other; those that fail do nothing, as in PPTC."""
        for statement in ast.parse(calls.replace(";", "\n")).body:
            call = statement.value
            try:
                self._call(call.func.id)(*map(ast.literal_eval, call.args))
            except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                continue

    def save(self, path: Path) -> None:
        """Write the deck."""
        self._deck.save(path)

    def create_slide(self) -> None:
        self._slide, self._element = self._deck.slides.add_slide(self._deck.slide_layouts[1]), None

    def move_to_slide(self, number: int) -> None:
        self._slide, self._element = self._deck.slides[number], None

    def set_background_color(self, colour: str) -> None:
        self._slide.background.fill.solid()
        self._slide.background.fill.fore_color.rgb = RGBColor.from_string(_COLOURS[colour])

    def choose_title(self) -> None:
        self._element = self._slide.shapes.title

    def choose_content(self) -> None:
        self._element = self._slide.placeholders[1]

    def choose_textbox(self, number: int = 0) -> None:
        self._element = self._of_type(MSO_SHAPE_TYPE.TEXT_BOX)[number]

    def choose_picture(self, number: int = 0) -> None:
        self._element = self._of_type(MSO_SHAPE_TYPE.PICTURE)[number]

    def choose_table(self) -> None:
        self._element = self._table = self._of_type(MSO_SHAPE_TYPE.TABLE)[-1].table

    def choose_table_cell(self, row: int, column: int) -> None:
        self._element = self._table.cell(row, column)

    def insert_text(self, text: str) -> None:
        self._element.text_frame.text += text

    def delete_text(self) -> None:
        self._element.text_frame.text = ""

    def insert_bullet_point(self, text: str) -> None:
        self._element.text_frame.add_paragraph().text = text

    def insert_note(self, text: str) -> None:
        self._slide.notes_slide.notes_text_frame.text += text

    def insert_textbox(self) -> None:
        self._element = self._slide.shapes.add_textbox(*_BODY, _ROW)

    def set_font_size(self, points: int) -> None:
        self._set_fonts("size", Pt(points))

    def set_font_bold(self) -> None:
        self._set_fonts("bold", True)

    def set_font_italic(self) -> None:
        self._set_fonts("italic", True)

    def set_font_underline(self) -> None:
        self._set_fonts("underline", True)

    def set_font_style(self, name: str) -> None:
        self._set_fonts("name", name)

    def set_font_color(self, colour: str) -> None:
        for run in self._runs():
            run.font.color.rgb = RGBColor.from_string(_COLOURS[colour])

    def text_align_center(self) -> None:
        for paragraph in self._element.text_frame.paragraphs:
            paragraph.alignment = PP_ALIGN.CENTER

    def set_line_space(self, lines: float) -> None:
        for paragraph in self._element.text_frame.paragraphs:
            paragraph.line_spacing = lines

    def set_fill_color(self, colour: str) -> None:
        self._element.fill.solid()
        self._element.fill.fore_color.rgb = RGBColor.from_string(_COLOURS[colour])

    def set_width(self, centimetres: float) -> None:
        self._element.width = Cm(centimetres)

    def set_height(self, centimetres: float) -> None:
        self._element.height = Cm(centimetres)

    def rotate_element(self, degrees: float) -> None:
        self._element.rotation = degrees

    def align_slide_left(self) -> None:
        self._element.left = _MARGIN

    def align_slide_right(self) -> None:
        self._element.left = Emu(self._deck.slide_width // 2 + _MARGIN)

    def align_slide_bottom(self) -> None:
        self._element.top = Emu(self._deck.slide_height // 2 + _MARGIN)

    def insert_picture(self, name: str) -> None:
        """A picture of one colour, which its name decides; PPTC has photographs."""
        file = io.BytesIO()
        Image.new("RGB", (60, 60), (len(name) * 9 % 256, sum(map(ord, name)) % 256, 120)).save(file, "PNG")
        self._element = self._slide.shapes.add_picture(file, *_BODY[:2], Cm(6), Cm(6))

    def insert_table(self, rows: int, columns: int) -> None:
        frame = self._slide.shapes.add_table(rows, columns, *_BODY, Emu(rows * _ROW))
        self._element = self._table = frame.table

    def insert_table_row(self, texts: list[str]) -> None:
        row = next((i for i in range(len(self._table.rows)) if not self._table.cell(i, 0).text), 0)
        for column, text in enumerate(texts):
            self._table.cell(row, column).text = text

    def _call(self, name: str) -> Callable[..., None]:
        kind = name.removeprefix("insert_")
        if kind in _SHAPES:
            return lambda: self._insert_shape(_SHAPES[kind])
        if kind.removesuffix("_chart") in _CHARTS:
            return lambda values, *_: self._insert_chart(_CHARTS[kind.removesuffix("_chart")], values)
        return getattr(self, name) if not name.startswith("_") else self.__getattribute__("")

    def _insert_shape(self, shape: Any) -> None:
        left, top = (Emu(side // 2 - _SIDE // 2) for side in (self._deck.slide_width, self._deck.slide_height))
        self._element = self._slide.shapes.add_shape(shape, left, top, _SIDE, _SIDE)

    def _insert_chart(self, kind: Any, values: list[float]) -> None:
        data = CategoryChartData()
        data.categories = [f"Category {i}" for i in range(len(values))]
        data.add_series("Series 0", values)
        self._element = self._slide.shapes.add_chart(kind, *_BODY, Emu(4_351_338), data).chart

    def _of_type(self, kind: Any) -> list[Any]:
        return [shape for shape in self._slide.shapes if shape.shape_type == kind]

    def _runs(self) -> list[Any]:
        return [run for paragraph in self._element.text_frame.paragraphs for run in paragraph.runs]

    def _set_fonts(self, name: str, value: Any) -> None:
        for run in self._runs():
            setattr(run.font, name, value)
