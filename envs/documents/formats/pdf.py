"""Write PDF files with embedded typefaces; their text can be searched and copied."""

from __future__ import annotations

import hashlib
import io
from functools import lru_cache
from pathlib import Path
from typing import Any

import fontpkg

from ...core.files import atomic_write
from ..painting.pictures import FINE, picture
from ..painting.texts import underline_of
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .outlines import Area, Letters, areas_of, letters_of, lines_of

_POINTS = 0.75
"""Points per pixel, at 96 pixels per inch."""
_SLANT = 0.2
_BOLD, _REGULAR = 700, 400
_COMMON = {chr(code) for code in (*range(32, 127), *range(160, 384))} | set("–—‘’“”•…€™")
"""The letters that suffice for most documents: Latin and punctuation."""


def write_pdf(document: Document, path: Path) -> None:
    """Write a document as a PDF file: 96 pixels are an inch.

    Raises:
        RuntimeError: if reportlab is not installed.
        OSError: if the file cannot be written.
    """
    atomic_write(path, pdf_bytes(document))


def pdf_bytes(document: Document) -> bytes:
    """The content of a PDF file, the same for the same document; see ``write_pdf``."""
    try:
        from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
    except ImportError:
        raise RuntimeError("PDF files need reportlab: pip install 'formgym[office]'") from None
    fonts = _fonts(document)
    file = io.BytesIO()
    first = document.pages[0]
    canvas = Canvas(file, (first.width * _POINTS, first.height * _POINTS), invariant=1, pageCompression=1)
    canvas.setTitle(document.title)
    canvas.setSubject(document.kind)
    for page in document.pages:
        canvas.scale(_POINTS, _POINTS)
        _draw_page(canvas, page, fonts)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _fonts(document: Document) -> dict[tuple[str, bool], str]:
    """The names of the fonts that a document needs, by face and whether bold."""
    used: dict[tuple[str, bool], set[str]] = {}
    for element in document.elements():
        for letters in letters_of(element):
            used.setdefault((letters.face, letters.bold), set()).update(letters.text)
    return {key: _font(*key, "".join(sorted(letters))) for key, letters in used.items()}


@lru_cache(maxsize=64)
def _font(face: str, bold: bool, letters: str) -> str:
    """Register a font with some letters of a face and return its name."""
    from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
    from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]

    digest = hashlib.sha256(letters.encode()).hexdigest()[:12]
    name = f"{face.replace(' ', '')}-{'Bold' if bold else 'Regular'}-{digest}"
    pdfmetrics.registerFont(TTFont(name, io.BytesIO(_instance(name, face, bold, letters))))
    return name


def _instance(name: str, face: str, bold: bool, letters: str) -> bytes:
    """A font file of some letters of a variable face in one weight; reproducible."""
    from fontTools.ttLib import TTFont
    from fontTools.varLib.instancer import instantiateVariableFont

    is_common = set(letters) <= _COMMON
    font = TTFont(io.BytesIO(_common_letters(face)) if is_common else fontpkg.path(face), recalcTimestamp=False)
    _subset(font, letters + " ")
    axes = {axis.axisTag: axis.defaultValue for axis in font["fvar"].axes}
    fixed = instantiateVariableFont(font, axes | {"wght": _BOLD if bold else _REGULAR})
    # Fonts of one name are taken for one font: those with other letters need other names.
    for platform, encoding, language in ((1, 0, 0), (3, 1, 0x409)):
        fixed["name"].setName(name, 6, platform, encoding, language)
    file = io.BytesIO()
    fixed.save(file)
    return file.getvalue()


@lru_cache(maxsize=8)
def _common_letters(face: str) -> bytes:
    """A variable face with the common letters alone, from which subsets are fast."""
    from fontTools.ttLib import TTFont

    font = TTFont(fontpkg.path(face), recalcTimestamp=False)
    _subset(font, "".join(sorted(_COMMON)))
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()


def _subset(font: Any, letters: str) -> None:
    """Remove all but some letters from a font."""
    from fontTools.subset import Options, Subsetter

    options = Options(layout_features=[], notdef_outline=True, name_IDs=[6], hinting=False, drop_tables=["STAT"])
    subsetter = Subsetter(options)
    subsetter.populate(text=letters)
    subsetter.subset(font)


def _draw_page(canvas: Any, page: Page, fonts: dict[tuple[str, bool], str]) -> None:
    canvas.setFillColorRGB(*_shares(page.background))
    canvas.rect(0, 0, page.width, page.height, stroke=0, fill=1)
    for element in page.elements:
        if element.type != "group":
            canvas.saveState()
            _transform(canvas, element, page)
            canvas.setFillAlpha(element.opacity)
            _draw(canvas, element, fonts)
            canvas.restoreState()


def _transform(canvas: Any, element: Element, page: Page) -> None:
    """Put the origin at an element's left top corner, turned like it, with y upwards."""
    left, top, width, height = element.bbox
    canvas.translate(left, page.height - top)
    if element.angle:
        canvas.translate(width / 2, -height / 2)
        canvas.rotate(-element.angle)
        canvas.translate(-width / 2, height / 2)


def _draw(canvas: Any, element: Element, fonts: dict[tuple[str, bool], str]) -> None:
    if element.asset is not None:
        _draw_image(canvas, element)
    for area in areas_of(element):
        _draw_area(canvas, area)
    for line in lines_of(list(letters_of(element))):
        _draw_line(canvas, line, fonts)


def _draw_image(canvas: Any, element: Element) -> None:
    from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]

    _, _, width, height = element.bbox
    image = ImageReader(picture(element.asset or "", width * FINE, height * FINE))
    canvas.drawImage(image, 0, -height, width, height, mask="auto")


def _draw_area(canvas: Any, area: Area) -> None:
    path = canvas.beginPath()
    draw = {"M": path.moveTo, "L": path.lineTo, "C": path.curveTo, "Z": path.close}
    for kind, numbers in area.path:
        draw[kind](*(-number if i % 2 else number for i, number in enumerate(numbers)))
    canvas.setFillColorRGB(*_shares(area.colour))
    canvas.drawPath(path, stroke=0, fill=1, fillMode=_EVEN_ODD)


_EVEN_ODD = 0


def _draw_line(canvas: Any, line: list[Letters], fonts: dict[tuple[str, bool], str]) -> None:
    for letters in line:
        if letters.underline:
            below, thick = underline_of(letters.size)
            canvas.setFillColorRGB(*_shares(letters.colour))
            canvas.rect(letters.x, -letters.y - below - thick, letters.width, thick, stroke=0, fill=1)
    text = canvas.beginText()
    for letters in line:
        _draw_letters(canvas, text, letters, fonts[letters.face, letters.bold])
    canvas.drawText(text)


def _draw_letters(canvas: Any, text: Any, letters: Letters, font: str) -> None:
    text.setFillColorRGB(*_shares(letters.colour))
    text.setTextTransform(1, 0, _SLANT if letters.italic else 0, 1, letters.x, -letters.y)
    text.setFont(font, letters.size)
    # As wide as it is painted, where widths are whole pixels.
    free = letters.width - canvas.stringWidth(letters.text, font, letters.size)
    text.setCharSpace(free / len(letters.text))
    text.textOut(letters.text)


def _shares(colour: Colour) -> tuple[float, float, float]:
    red, green, blue = (channel / 255 for channel in colour)
    return red, green, blue
