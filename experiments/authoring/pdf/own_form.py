"""A person's form as ``formgym fill`` opens it: a PDF, a picture, or a folder that was imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageOps

from ....envs.core.files import open_foreign
from ....envs.core.pages import opened_picture
from ....envs.core.painting import Image
from ....envs.paper_forms.paper_form import PaperForm, paper_form
from ..form_pages import PIXELS_PER_POINT, pictures_in
from .reading import FILLED_IN, read_pdf


@dataclass(frozen=True)
class OwnForm:
    """A form.

    Attributes:
        pages: their pictures, uint8 (height, width, 3).
        form: its fields; ``None``: there are none.
        pdf: the content of the PDF that is written on: of the file, or made of the pictures.
        remarks: on fields that cannot be filled in.
    """

    pages: Sequence[Image]
    form: PaperForm | None
    pdf: bytes
    remarks: Sequence[str] = ()


def open_form(path: Path) -> OwnForm:
    """The form in a file or folder.

    Raises:
        ValueError: if it is none, or cannot be filled in; the message says why.
        OSError: if it cannot be read.
    """
    if path.is_dir():
        form = paper_form(str(path) if "/" in str(path) else f"./{path}")
        pages = pictures_in(path, form)
        return OwnForm(pages, form, (path / form.source).read_bytes() if form.source else pdf_of(pages))
    if path.suffix.lower() == ".pdf":
        read, fields, left_out = read_pdf(path)
        with_fields = read.form(fields, path.name) if fields else None
        remarks = [
            f"fields that are {reason}: {', '.join(names)}" for reason, names in left_out.items() if reason != FILLED_IN
        ]
        return OwnForm(read.pictures, with_fields, path.read_bytes(), remarks)
    with open_foreign(path) as file, opened_picture(file, str(path)) as picture:
        pages = [np.asarray(ImageOps.exif_transpose(picture).convert("RGB"))]
    return OwnForm(pages, None, pdf_of(pages))


def pdf_of(pages: Sequence[Image]) -> bytes:
    """A PDF of pictures, each of which is a page, without loss."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    file = BytesIO()
    canvas = Canvas(file, pageCompression=1)
    for page in pages:
        height, width = page.shape[0] / PIXELS_PER_POINT, page.shape[1] / PIXELS_PER_POINT
        canvas.setPageSize((width, height))
        canvas.drawImage(ImageReader(PillowImage.fromarray(page)), 0, 0, width, height)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def page_pictures(content: bytes) -> list[Image]:
    """Pictures of the pages of a PDF, uint8 (height, width, 3)."""
    import pypdfium2

    with pypdfium2.PdfDocument(content) as document:
        document.init_forms()
        return [np.asarray(page.render(scale=PIXELS_PER_POINT).to_pil().convert("RGB")) for page in document]
