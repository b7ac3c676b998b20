"""Text on PDF pages: how large it is written in a box, and sheets of it, with typefaces embedded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

import fontpkg
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from ....envs.core.boxes import Box
from ....envs.core.matchers import TICKS
from ....envs.core.text_sprites import INK, SIGNED_FACE, TYPED_FACE, characters
from ....envs.paper_forms.writing import in_cells
from ..form_pages import PIXELS_PER_POINT
from .widgets import Widget, resolved

if TYPE_CHECKING:
    from pypdf import PdfWriter
    from pypdf.generic import IndirectObject

PADDING = 2.0
"""The room beside text in its box, in points."""
LARGEST, SMALLEST, _LARGEST_SIGNED = 12.0, 4.0, 20.0
"""Sizes of text that is fitted into its box, in points."""
_FACES = {"Ti": "Noto Serif"}
"""The faces for fonts whose names begin so; ``TYPED_FACE`` for others."""
_STEP = 0.5
_ASCENT, _LINE = 0.905, 1.15
"""Of Arimo, as shares of its size: the height of a line above its baseline, and all of it."""
_BOX = "□"


@dataclass(frozen=True)
class Style:
    """How text is written.

    Attributes:
        size: in points, or less where the text would not fit; 0: what fits, at most ``LARGEST``.
        face: a font family.
        colour: red, green and blue from 0 to 1.
        align: 0: left, 1: centred, 2: right.
        is_multiline: whether it is wrapped, from the top of its box on.
        comb: the number of cells of one character each; 0 for plain text.
        is_fixed: whether ``size`` is kept, however long the text.
    """

    size: float = 0.0
    face: str = TYPED_FACE
    colour: tuple[float, float, float] = (INK[0] / 255, INK[1] / 255, INK[2] / 255)
    align: int = 0
    is_multiline: bool = False
    comb: int = 0
    is_fixed: bool = False


@dataclass(frozen=True)
class Layout:
    """Text as it is written in a box.

    Attributes:
        lines: from the top.
        size: in points.
        fits: whether it is all in its box.
    """

    lines: Sequence[str]
    size: float
    fits: bool


def lay_out(text: str, width: float, height: float, style: Style) -> Layout:
    """The largest lines of a text that fit a box, or the smallest there are; sizes in points."""
    face, size = registered(style.face), style.size or LARGEST
    rows = text.splitlines() if style.is_multiline else [" ".join(text.split())]
    while True:
        room = width - 2 * PADDING
        lines = [line for row in rows for line in simpleSplit(row, face, size, room)] if style.is_multiline else rows
        taken = len(lines) * _LINE * size
        fits = taken <= height and (bool(style.comb) or all(stringWidth(line, face, size) <= room for line in lines))
        if fits or style.is_fixed or size <= SMALLEST:
            return Layout(lines, size, fits)
        size = max(size - _STEP, SMALLEST)


def lacking(text: str, face: str = TYPED_FACE) -> str:
    """The characters of a text that a face cannot draw."""
    known = characters(face)
    return "".join(sorted({c for c in text if not c.isspace() and c not in known}))


@lru_cache
def registered(face: str) -> str:
    """The name by which reportlab knows a font family."""
    registerFont(TTFont(face, str(fontpkg.path(face))))
    return face


class Sheets:
    """Drawings of one PDF writer, each a form XObject of its own size; they share their typefaces."""

    def __init__(self) -> None:
        self._file = BytesIO()
        self._canvas = Canvas(self._file, pageCompression=1, invariant=1)
        self._n = 0

    def begin(self, width: float, height: float) -> Any:
        """A canvas of a size in points to draw the next sheet on, with its origin at the left bottom corner."""
        if self._n:
            self._canvas.showPage()
        self._n += 1
        self._canvas.setPageSize((width, height))
        return self._canvas

    def into(self, writer: PdfWriter) -> list[IndirectObject]:
        """The sheets as form XObjects of a PDF, in their order."""
        from pypdf import PdfReader
        from pypdf.generic import ArrayObject, DecodedStreamObject, FloatObject, NameObject, NumberObject

        if not self._n:
            return []
        self._canvas.showPage()
        self._canvas.save()
        forms = []
        for page in PdfReader(self._file).pages:
            contents = page.get_contents()
            drawing = DecodedStreamObject()
            drawing.set_data(contents.get_data() if contents is not None else b"")
            form = drawing.flate_encode()
            _, _, width, height = page.mediabox
            form[NameObject("/Type")], form[NameObject("/Subtype")] = NameObject("/XObject"), NameObject("/Form")
            form[NameObject("/FormType")] = NumberObject(1)
            form[NameObject("/BBox")] = ArrayObject(FloatObject(edge) for edge in (0, 0, width, height))
            form[NameObject("/Resources")] = page["/Resources"].clone(writer)
            forms.append(writer._add_object(form))
        return forms


def write_lines(canvas: Any, text: str, box: tuple[float, float, float, float], style: Style) -> Layout:
    """Write text in a box (left, bottom, right, top, in points), characters that its face lacks as boxes."""
    left, bottom, right, top = box
    unknown = lacking(text, style.face)
    drawn = "".join(_BOX if c in unknown else c for c in text)
    layout = lay_out(drawn, right - left, top - bottom, style)
    size, line = layout.size, _LINE * layout.size
    canvas.setFillColorRGB(*style.colour)
    canvas.setFont(registered(style.face), size)
    spare = top - bottom - len(layout.lines) * line
    y = top - min(spare / 2, PADDING if style.is_multiline else spare / 2) - _ASCENT * size
    for number, words in enumerate(layout.lines):
        _write_line(canvas, words, (left, right), y - number * line, style, size)
    return layout


def _write_line(canvas: Any, words: str, sides: tuple[float, float], y: float, style: Style, size: float) -> None:
    left, right = sides
    if style.comb:
        pitch = (right - left) / style.comb
        skipped = (0, (style.comb - len(words)) // 2, style.comb - len(words))[style.align]
        for i, character in enumerate(words, start=skipped):
            canvas.drawCentredString(left + (i + 0.5) * pitch, y, character)
        return
    spare = right - left - stringWidth(words, registered(style.face), size)
    canvas.drawString(
        left + (min(PADDING, spare / 2), spare / 2, max(spare - PADDING, spare / 2))[style.align], y, words
    )


def style_of(widget: Widget, form: Mapping[str, Any]) -> Style:
    """How text is to be written in a box of a form."""
    appearance = str(widget.get("/DA") or form.get("/DA") or "")
    font, size = next(iter(re.findall(r"/(\S+)\s+([\d.]+)\s+Tf", appearance)), ("", "0"))
    align = widget.get("/Q")
    align = int(form.get("/Q", 0) if align is None else align)
    face = next((face for begin, face in _FACES.items() if font.startswith(begin)), TYPED_FACE)
    numbers = next(iter(re.findall(r"((?:[\d.]+\s+)+)(?:k|rg|g)\b", appearance)), "0")
    colour = _colour([float(n) for n in numbers.split()]) or (0.0, 0.0, 0.0)
    return Style(float(size), face, colour, min(max(align, 0), 2), widget.is_multiline, widget.comb)


def draw_frame(canvas: Any, annotation: Mapping[str, Any], width: float, height: float) -> float:
    """Draw the background and border of a box of a form; the width of the border in points."""
    look = resolved(annotation.get("/MK")) or {}
    border, sides = resolved(annotation.get("/BS")) or {}, [*(resolved(annotation.get("/Border")) or (0, 0, 1))]
    line = float(border.get("/W", sides[2]))
    if fill := _colour(look.get("/BG")):
        canvas.setFillColorRGB(*fill)
        canvas.rect(0, 0, width, height, stroke=0, fill=1)
    stroke = _colour(look.get("/BC"))
    if not stroke or not line:
        return 0.0
    canvas.setStrokeColorRGB(*stroke)
    canvas.setLineWidth(line)
    if border.get("/S") == "/U":
        canvas.line(0, line / 2, width, line / 2)
    else:
        canvas.rect(line / 2, line / 2, width - line, height - line)
    return line


def draw_on_page(canvas: Any, text: str, box: Box, height: float, is_signed: bool, comb: int, size: float) -> None:
    """Draw a text on a page of a height in points; for the other arguments see ``writing.Entry``."""
    left, top, right, bottom = (edge / PIXELS_PER_POINT for edge in box)
    face = SIGNED_FACE if is_signed else TYPED_FACE
    if size:
        x, y, size = (left + right) / 2, (top + bottom) / 2, size / PIXELS_PER_POINT
        style = Style(size, face, align=1, is_fixed=True)
        write_lines(canvas, text, (x, height - y - size, x, height - y + size), style)
        return
    room = bottom - top
    style = Style(
        min(_LARGEST_SIGNED, 0.7 * room) if is_signed else 0.0,
        face,
        align=int(text in TICKS),
        is_multiline=room > 3 * LARGEST,
        comb=comb,
    )
    write_lines(canvas, in_cells(text, comb) or text, (left, height - bottom, right, height - top), style)


def _colour(numbers: Any) -> tuple[float, float, float] | None:
    """Red, green and blue of a colour in gray, RGB or CMYK; ``None`` if it is transparent."""
    values = [float(n) for n in resolved(numbers) or ()]
    if len(values) == 4:
        cyan, magenta, yellow, black = values
        return (1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black)
    red, green, blue = values if len(values) == 3 else 3 * values[:1] or (0.0, 0.0, 0.0)
    return (red, green, blue) if values else None
