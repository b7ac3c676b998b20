"""Files that a task has: small, made of nothing but their names, so that they can be looked at and sent."""

from __future__ import annotations

import io
import mimetypes
from hashlib import sha256
from pathlib import PurePosixPath

from PIL import Image, ImageDraw

from ...core.text_sprites import TYPED_FACE, font

_SENTENCES = (
    "This file stands in for a document that an applicant would have at hand.",
    "It has a name, and enough on its page to be told from an empty one.",
    "Nothing that has to be entered anywhere else is written here.",
    "Where a form asks for a file, its name shows which one is meant.",
)
_PDF_LINE = 20


def sample_file(name: str, organisation: str) -> tuple[bytes, str]:
    """The content of a file and its media type.

    Args:
        name: the file's name; its ending says what is made.
        organisation: for whom it is.
    """
    lines = [_title(name), f"For {organisation}", "", *_SENTENCES]
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind == "application/pdf":
        return _pdf(lines), kind
    if kind in ("image/png", "image/jpeg"):
        return _picture(name, lines, "PNG" if kind == "image/png" else "JPEG"), kind
    return ("\n".join(lines) + "\n").encode(), kind


def _title(name: str) -> str:
    return PurePosixPath(name).stem.replace("_", " ").replace("-", " ").capitalize()


def _pdf(lines: list[str]) -> bytes:
    """A page of A4 with these lines."""
    shown = "\n".join(f"({_escaped(line)}) Tj T*" for line in lines)
    content = f"BT /F1 13 Tf {_PDF_LINE} TL 60 760 Td\n{shown}\nET".encode("latin-1", "replace")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    return _assembled(objects)


def _assembled(objects: list[bytes]) -> bytes:
    """A PDF file of objects, the first of which is its catalogue."""
    file, places = b"%PDF-1.4\n", []
    for i, item in enumerate(objects):
        places.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (i + 1, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    return file + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (count, table, count, len(file))
    )


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _picture(name: str, lines: list[str], kind: str) -> bytes:
    """A picture of blocks of colour, different for each name, with the lines under it."""
    digest = sha256(name.encode()).digest()
    image = Image.new("RGB", (640, 480), "#f4f1ea")
    draw = ImageDraw.Draw(image)
    for i in range(6):
        left, top, right, bottom = (40 + 95 * i, 40 + digest[i] // 2, 125 + 95 * i, 280)
        draw.rectangle((left, top, right, bottom), fill=tuple(80 + digest[8 + 3 * i + k] // 2 for k in range(3)))
    for i, line in enumerate(lines):
        draw.text((40, 300 + 22 * i), line, fill="#222222", font=font(TYPED_FACE, 15))
    file = io.BytesIO()
    image.save(file, kind)
    return file.getvalue()
