"""Files of tasks: small, and made from their names alone, to look at and to send."""

from __future__ import annotations

import io
import mimetypes
import time
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
_FORMATS = {"application/pdf": "PDF", "image/png": "PNG", "image/jpeg": "JPEG"}


def sample_file(name: str, organisation: str) -> tuple[bytes, str]:
    """The content of a file and its media type.

    Args:
        name: the file's name; its ending decides what is made.
        organisation: for whom it is.
    """
    lines = [_title(name), f"For {organisation}", "", *_SENTENCES]
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind in _FORMATS:
        return _picture(name, lines, _FORMATS[kind]), kind
    return ("\n".join(lines) + "\n").encode(), kind


def _title(name: str) -> str:
    return PurePosixPath(name).stem.replace("_", " ").replace("-", " ").capitalize()


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
    if kind != "PDF":
        image.save(file, kind)
        return file.getvalue()
    # Without a date: the same name gives the same bytes.
    image.save(file, kind, creationDate=time.gmtime(0), modDate=time.gmtime(0))
    return file.getvalue() + b"\n"
