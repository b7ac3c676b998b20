"""What is printed on the forms of ``pdf_forms``, drawn by ReportLab, and where their widgets go."""

from __future__ import annotations

from typing import IO, Any

from pdf_fields import Widget
from pdf_forms import OPTIONS, Cell, Row, options, rows
from reportlab.lib.pagesizes import A4, A5, LETTER, landscape
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

SIZES = {"letter": LETTER, "a4": A4, "a5": A5, "landscape": landscape(LETTER)}
PAD = 2.5
"""Points between the edge of a cell and what is in it."""
FIELD = 13
"""The least height of a text field, in points."""
LEADING = 1.17


def draw(form: dict[str, Any], file: IO[bytes]) -> list[Widget]:
    """Draw all pages to ``file``; the widgets to lay over them, named by their keys."""
    canvas = Canvas(file, invariant=1)
    canvas.setTitle(form["title"])
    widgets: list[Widget] = []
    for number in range(len(form["pages"])):
        page = _Page(form, canvas, number)
        page.draw()
        widgets += page.widgets
        canvas.showPage()
    canvas.save()
    return widgets


class _Page:
    """Draws one page from top to bottom, in points as it is seen, and collects its widgets."""

    def __init__(self, form: dict[str, Any], canvas: Canvas, number: int) -> None:
        self.form, self.canvas, self.number = form, canvas, number
        self.rotated = number + 1 in form.get("rotated", ())
        size = SIZES[form["size"]]
        self.width, self.height = size[::-1] if self.rotated else size
        self.bleed: float = form.get("bleed", 0)
        self.margin: float = form.get("margin", 36)
        self.widgets: list[Widget] = []

    def draw(self) -> None:
        """Draw the blocks and the footer; ValueError where they do not fit on the page."""
        bleed = self.bleed
        self.canvas.setPageSize((self.width + 2 * bleed, self.height + 2 * bleed))
        self.canvas.setPageRotation(90 if self.rotated else 0)
        if self.rotated:
            self.canvas.transform(0, 1, -1, 0, self.height + bleed, bleed)
        else:
            self.canvas.translate(bleed, bleed)
        on_page = list(rows(self.form["pages"][self.number], self.form["styles"]))
        heights = [max(row.h, *map(self._needed, row.cells, self._widths(row))) for row in on_page]
        spare, y = self.height - 2 * self.margin - sum(heights), self.height - self.margin
        if spare < 0:
            raise ValueError(f"{self.form['title']}: page {self.number + 1} is {-spare:.0f} points too long")
        stretched = [any("f" in cell for cell in row.cells) for row in on_page]
        more = min(self.form.get("stretch", 7), spare / max(1, sum(stretched)))
        for row, height, stretch in zip(on_page, heights, stretched, strict=True):
            self._row(row, y, height + stretch * more)
            y -= height + stretch * more
        footer = self.form["footer"].format(page=self.number + 1, pages=len(self.form["pages"]))
        self._text(footer, self.margin, self.margin - 12, {"size": 7})

    def _widths(self, row: Row) -> list[float]:
        total = sum(cell.get("w", 1) for cell in row.cells)
        return [(self.width - 2 * self.margin) * cell.get("w", 1) / total for cell in row.cells]

    def _row(self, row: Row, top: float, height: float) -> None:
        x = self.margin
        for cell, width in zip(row.cells, self._widths(row), strict=True):
            self._cell(cell, x, top, width, height)
            x += width

    def _needed(self, cell: Cell, width: float) -> float:
        label = self._label_height(cell, width)
        if cell.get("k") in OPTIONS:
            return label + self._option_places(cell, width)[1] + 2
        return label + (cell.get("lines", 1) * FIELD if "f" in cell else 0) + 1.5

    def _size(self, cell: Cell) -> float:
        return float(cell.get("size", self.form["print"]))

    def _font(self, cell: Cell) -> str:
        family: str = self.form.get("font", "Helvetica")
        bold = "Times-Bold" if family.startswith("Times") else "Helvetica-Bold"
        return bold if cell.get("bold") else family

    def _label(self, cell: Cell, width: float) -> list[str]:
        if cell.get("k") == "check" or not cell.get("l"):
            return []
        lines: list[str] = simpleSplit(cell["l"], self._font(cell), self._size(cell), width - 2 * PAD)
        if any(stringWidth(line, self._font(cell), self._size(cell)) > width - PAD for line in lines):
            raise ValueError(f"{self.form['title']}: a word of {cell['l']!r} is wider than its cell")
        return lines

    def _label_height(self, cell: Cell, width: float) -> float:
        lines = self._label(cell, width)
        return len(lines) * self._size(cell) * LEADING + 2 if lines else 1.5

    def _cell(self, cell: Cell, x: float, top: float, width: float, height: float) -> None:
        canvas, bottom = self.canvas, top - height
        canvas.setLineWidth(cell.get("rule", self.form.get("rule", 0.5)))
        if "shade" in cell:
            canvas.setFillGray(cell["shade"])
            canvas.rect(x, bottom, width, height, stroke=0, fill=1)
        border = cell.get("border", self.form.get("border", "box"))
        if border == "box":
            canvas.rect(x, bottom, width, height)
        elif border == "under" and "f" in cell and cell.get("k") not in OPTIONS:
            canvas.line(x + PAD, bottom + 1, x + width - PAD, bottom + 1)
        spare = 0 if "f" in cell else (height - self._label_height(cell, width) - 1) / 2
        for i, line in enumerate(self._label(cell, width)):
            y = top - 1 - spare - self._size(cell) * (0.8 + i * LEADING)
            left = {"left": PAD, "right": width - PAD, "centre": width / 2}[cell.get("align", "left")]
            self._text(line, x + left, y, cell)
        if "f" in cell:
            self._field(cell, x, top - self._label_height(cell, width), width, bottom)

    def _field(self, cell: Cell, x: float, top: float, width: float, bottom: float) -> None:
        if cell.get("k") in OPTIONS:
            return self._option_boxes(cell, x, top, width, bottom)
        box = (x + PAD, bottom + 1.5, x + width - PAD, top)
        if "comb" in cell:
            step = (box[2] - box[0]) / cell["comb"]
            for i in range(1, cell["comb"]):
                self.canvas.line(box[0] + i * step, box[1], box[0] + i * step, box[1] + min(8, top - bottom - 3))
        return self._widget(cell, cell["f"], box)

    def _option_places(self, cell: Cell, width: float) -> tuple[list[tuple[float, float, list[str]]], float]:
        """Left and top of each option within its cell with the lines of its text, and the height of all."""
        size, room = self._size(cell), width - 2 * PAD
        box, places = size + 2, list[tuple[float, float, list[str]]]()
        x = y = below = 0.0
        for i, (_, _, text) in enumerate(options(cell)):
            needed = room / cell["cols"] if "cols" in cell else box + 10 + stringWidth(text, self._font(cell), size)
            if (x and x + needed - 8 > room + 0.1) or ("cols" in cell and i and i % cell["cols"] == 0):
                x, y = 0, below
            within = (needed if "cols" in cell else room - x) - box - 3
            lines: list[str] = simpleSplit(text, self._font(cell), size, within) if text else []
            places.append((x, y, lines))
            below = max(below, y + max(box + 2, len(lines) * size * LEADING + 2))
            x += needed
        return places, below

    def _option_boxes(self, cell: Cell, x: float, top: float, width: float, bottom: float) -> None:
        size = self._size(cell)
        box = size + 2
        places, height = self._option_places(cell, width)
        if len(places) == 1 and not cell.get("l"):
            x, top = x + (width - box) / 2 - PAD, (top + bottom + height) / 2
        for (key, state, _), (dx, dy, lines) in zip(options(cell), places, strict=True):
            left, high = x + PAD + dx, top - dy
            if cell.get("printed", True):
                self.canvas.rect(left, high - box, box, box)
            self._widget(cell, key, (left, high - box, left + box, high), state)
            for i, line in enumerate(lines):
                self._text(line, left + box + 3, high - 1 - size * (0.9 + i * LEADING), cell)

    def _text(self, text: str, x: float, y: float, cell: Cell) -> None:
        self.canvas.setFillGray(cell.get("ink", 0))
        self.canvas.setFont(self._font(cell), self._size(cell))
        place = {"left": "drawString", "right": "drawRightString", "centre": "drawCentredString"}
        getattr(self.canvas, place[cell.get("align", "left")])(x, y, text)

    def _widget(self, cell: Cell, key: str, box: tuple[float, float, float, float], state: str = "") -> None:
        left, low, right, high = box
        if high - low < 6 or right - left < 6:
            raise ValueError(f"{self.form['title']}: field {key} has no room")
        if self.rotated:
            left, low, right, high = self.height - high, left, self.height - low, right
        rect = tuple(round(edge + self.bleed, 2) for edge in (left, low, right, high))
        self.widgets.append(Widget(self.number, key, rect, cell, state, 90 if self.rotated else 0))
