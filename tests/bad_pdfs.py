"""PDFs that are broken, locked, or odd in one way each; most are made of a form of ``pdf_forms``."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pdf_fields import pdf_object
from pdf_forms import write_pdf
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, RectangleObject
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

XFA = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/2.8/"/></xdp:xdp>'


def write_bad(kind: str, folder: Path) -> Path:
    """Write a PDF of one of the kinds of BAD to ``folder``; where it is."""
    good = write_pdf("customs_declaration", folder)
    path = folder / f"{kind}.pdf"
    path.write_bytes(BAD[kind](good.read_bytes()))
    good.unlink()
    return path


def _edited(edit: Callable[[PdfWriter], Any], good: bytes) -> bytes:
    writer = PdfWriter(clone_from=io.BytesIO(good))
    edit(writer)
    content = io.BytesIO()
    writer.write(content)
    return content.getvalue()


def _editing(edit: Callable[[PdfWriter], Any]) -> Callable[[bytes], bytes]:
    return lambda good: _edited(edit, good)


def _printed(pages: int, fields: bool, size: tuple[float, float] = A4) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, size, invariant=1)
    for number in range(1, pages + 1):
        canvas.drawString(72, size[1] - 72, f"Page {number}: name and signature")
        if fields:
            canvas.acroForm.textfield(name=f"name{number}", x=72, y=size[1] - 120, width=200, height=20)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _form(writer: PdfWriter) -> DictionaryObject:
    form = writer.root_object["/AcroForm"].get_object()
    assert isinstance(form, DictionaryObject)
    return form


def _static_xfa(writer: PdfWriter) -> None:
    stream = DecodedStreamObject()
    stream.set_data(XFA.encode())
    _form(writer)[NameObject("/XFA")] = writer._add_object(stream)


def _dynamic_xfa(writer: PdfWriter) -> None:
    _static_xfa(writer)
    _form(writer)[NameObject("/Fields")] = pdf_object([])
    writer.root_object[NameObject("/NeedsRendering")] = pdf_object(True)
    for page in writer.pages:
        page.pop("/Annots")


def _widget(writer: PdfWriter, number: int) -> DictionaryObject:
    widget = writer.pages[0]["/Annots"][number].get_object()
    assert isinstance(widget, DictionaryObject)
    return widget


def _off_page(writer: PdfWriter) -> None:
    _widget(writer, 0)[NameObject("/Rect")] = RectangleObject((900, 900, 1000, 920))


def _same_names(writer: PdfWriter) -> None:
    _widget(writer, 1)[NameObject("/T")] = pdf_object(_widget(writer, 0)["/T"])


def _cycle(writer: PdfWriter) -> None:
    top = _form(writer)["/Fields"][0]
    top.get_object()["/Kids"].append(top)


def _no_boxes(writer: PdfWriter) -> None:
    for page in writer.pages:
        for widget in page["/Annots"]:
            widget.get_object().pop("/Rect", None)


def _cropped(writer: PdfWriter) -> None:
    writer.pages[0].mediabox = RectangleObject((-100, -50, 520, 700))
    writer.pages[0].cropbox = RectangleObject((0, 200, 419, 595))


BAD: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "not_pdf": lambda good: b"PK\x03\x04 a document of another program",
    "truncated": lambda good: good[: len(good) // 2],
    "no_end": lambda good: good[: good.rindex(b"startxref")],
    "user_password": _editing(lambda writer: writer.encrypt("open sesame", "owner", algorithm="RC4-128")),
    "user_password_aes": _editing(lambda writer: writer.encrypt("open sesame", "owner", algorithm="AES-256")),
    "owner_password": _editing(lambda writer: writer.encrypt("", "owner", algorithm="RC4-128")),
    "owner_password_aes": _editing(lambda writer: writer.encrypt("", "owner", algorithm="AES-256")),
    "dynamic_xfa": _editing(_dynamic_xfa),
    "static_xfa": _editing(_static_xfa),
    "pages_500": lambda good: _printed(500, fields=True),
    "no_fields": lambda good: _printed(1, fields=False),
    "huge_page": lambda good: _printed(1, fields=True, size=(14400, 14400)),
    "off_page": _editing(_off_page),
    "same_names": _editing(_same_names),
    "cycle": _editing(_cycle),
    "no_boxes": _editing(_no_boxes),
    "crop_box": _editing(_cropped),
}
"""What is wrong, and how the bytes of a good PDF become so. From owner_password on, those that are not dynamic XFA, too
long or without fields can be read, with a word on what is odd."""
