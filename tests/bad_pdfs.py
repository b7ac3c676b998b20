"""PDFs that are broken, locked, or odd in one way each; most are made of a form of ``pdf_forms``."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pdf_fields import pdf_object
from pdf_forms import write_pdf
from pypdf import PdfWriter
from pypdf.generic import BooleanObject, DecodedStreamObject, PdfObject
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


def _editing(edit: Callable[[PdfWriter], Any]) -> Callable[[bytes], bytes]:
    """What edits the bytes of a PDF."""

    def edited(good: bytes) -> bytes:
        writer, content = PdfWriter(clone_from=io.BytesIO(good)), io.BytesIO()
        edit(writer)
        writer.write(content)
        return content.getvalue()

    return edited


def _locked(password: str, algorithm: str) -> Callable[[bytes], bytes]:
    return _editing(lambda writer: writer.encrypt(password, "owner", algorithm=algorithm))


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


def _put(target: PdfObject, **values: Any) -> None:
    target.get_object().update(pdf_object({f"/{key}": value for key, value in values.items()}))


def _static_xfa(writer: PdfWriter) -> None:
    stream = DecodedStreamObject()
    stream.set_data(XFA.encode())
    _put(writer.root_object["/AcroForm"], XFA=writer._add_object(stream))


def _dynamic_xfa(writer: PdfWriter) -> None:
    _static_xfa(writer)
    _put(writer.root_object["/AcroForm"], Fields=[])
    _put(writer.root_object, NeedsRendering=BooleanObject(True))
    for page in writer.pages:
        page.pop("/Annots")


def _same_names(writer: PdfWriter) -> None:
    first, second = writer.pages[0]["/Annots"][:2]
    _put(second, T=first["/T"])


def _cycle(writer: PdfWriter) -> None:
    top = writer.root_object["/AcroForm"]["/Fields"][0]
    top.get_object()["/Kids"].append(top)


def _no_boxes(writer: PdfWriter) -> None:
    for page in writer.pages:
        for widget in page["/Annots"]:
            widget.get_object().pop("/Rect", None)


BAD: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "not_pdf": lambda good: b"PK\x03\x04 a document of another program",
    "truncated": lambda good: good[: len(good) // 2],
    "no_end": lambda good: good[: good.rindex(b"startxref")],
    "user_password": _locked("open sesame", "RC4-128"),
    "user_password_aes": _locked("open sesame", "AES-256"),
    "owner_password": _locked("", "RC4-128"),
    "owner_password_aes": _locked("", "AES-256"),
    "dynamic_xfa": _editing(_dynamic_xfa),
    "static_xfa": _editing(_static_xfa),
    "pages_500": lambda good: _printed(500, fields=True),
    "no_fields": lambda good: _printed(1, fields=False),
    "huge_page": lambda good: _printed(1, fields=True, size=(14400, 14400)),
    "off_page": _editing(lambda writer: _put(writer.pages[0]["/Annots"][0], Rect=[900, 900, 1000, 920])),
    "same_names": _editing(_same_names),
    "cycle": _editing(_cycle),
    "no_boxes": _editing(_no_boxes),
    "crop_box": _editing(
        lambda writer: _put(writer.pages[0], MediaBox=[-100, -50, 520, 700], CropBox=[0, 200, 419, 595])
    ),
}
"""What is wrong, and how the bytes of a good PDF become so. From owner_password on, those that are not dynamic XFA, too
long or without fields can be read, with a word on what is odd."""
