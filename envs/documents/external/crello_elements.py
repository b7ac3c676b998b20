"""Elements of Crello's designs as ours: boxes in pixels, texts that fit, pictures."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..painting.pictures import embed
from ..painting.scenes import SCENES
from ..painting.texts import text_height, too_wide
from ..scene.elements import LARGEST, Element, Face, Kind, Style
from .crello_rows import CrelloElement
from .rows import inside

FACES: dict[str, Face] = {
    "sans": "Arimo",
    **dict.fromkeys(("mono", "code", "courier", "typewriter"), "Source Code Pro"),
    **dict.fromkeys(("script", "dancing", "pacifico", "lobster", "vibes", "brush", "signature"), "Dancing Script"),
    **dict.fromkeys(("hand", "caveat", "marker", "amatic", "indie"), "Caveat"),
    **dict.fromkeys(("serif", "slab", "playfair", "times", "garamond", "merriweather", "georgia"), "Noto Serif"),
    **dict.fromkeys(("lora", "abril", "bodoni", "baskerville", "didot", "cinzel", "cormorant"), "Noto Serif"),
    **dict.fromkeys(("inter", "montserrat", "roboto", "poppins", "raleway", "lato"), "Inter"),
}
"""Our typefaces by what names of others hold; the first that fits counts."""
_HEAVY = ("bold", "black", "heavy")
_BULLET = re.compile(r"^\s*[•·▪‣*–-]\s+", re.MULTILINE)
_SMALLEST = 0.6
"""How small letters are made to fit, in shares of what the file says."""
_THIN, _LONG = 8, 12
"""A shape is a line that is so many pixels thick at most, and so many times longer."""


@dataclass(frozen=True, slots=True)
class Scale:
    """A page's width and height in pixels, and how many of them a pixel of the canvas is."""

    width: int
    height: int
    factor: float

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.width, self.height


def asset_of(reference: str, folder: Path, place: str) -> str:
    """The name of the picture that an image shows.

    A file that is there is loaded and kept in memory. An element whose file is missing, and one without, shows one of
    our own scenes instead, the same one every time.

    Args:
        reference: the file of the picture, relative to ``folder``; ``""``: none.
        folder: where the design's file is.
        place: tells elements without a file from each other.

    Raises:
        ValueError: if the file lies outside of the folder, or is no picture.
    """
    if reference and (file := inside(folder, reference)).is_file():
        try:
            return embed(file.read_bytes())
        except ValueError as error:
            raise ValueError(f"{reference}: {error}") from None
    number = zlib.crc32((reference or place).encode())
    return f"scene/{tuple(SCENES)[number % len(SCENES)]}/{number % 1_000_000}"


def element_of(told: CrelloElement, scale: Scale, folder: Path, taken: Collection[str]) -> Element:
    """An element of a design as one of ours, without a name.

    Texts stay texts, and are lists where each of several lines begins with a bullet; pictures and masks become images,
    backgrounds rectangles. A vector shape becomes an image if there is a picture of it, otherwise a line if it is thin,
    otherwise a rectangle, in its main colour: what shape it is, the data do not say.

    Raises:
        ValueError: if something does not fit.
    """
    box = _box(told, scale)
    kind = _kind(told, box)
    fields: dict[str, Any] = {
        "id": _id(told.id, kind, taken),
        "type": kind,
        "bbox": box,
        "angle": round(math.degrees(told.angle), 2) % 360,
        "opacity": told.opacity,
    }
    if kind in ("text", "list"):
        return fitted(Element.model_validate(fields | _lettering(told, kind, scale.factor)))
    if kind == "image":
        return Element.model_validate(fields | {"asset": asset_of(told.image, folder, fields["id"])})
    ink = told.color or Style().colour
    if kind == "line":
        return Element.model_validate(fields | {"style": Style(stroke=ink, stroke_width=min(box[2:]))})
    return Element.model_validate(fields | {"shape": "rectangle", "style": Style(fill=ink)})


def fitted(element: Element) -> Element:
    """A text that keeps to its box, as far as that goes.

    Faces differ, so that a text may need more room than it had: lines move closer, letters become smaller, and where
    even six tenths of their size are too large the box becomes higher.
    """
    if _fits(element):
        return element
    close, size = element.style.model_copy(update={"line_height": 1.0}), element.style.size
    low, high = max(6, round(size * _SMALLEST)), size
    while low < high:
        middle = (low + high + 1) // 2
        if _fits(_sized(element, close, middle)):
            low = middle
        else:
            high = middle - 1
    small = _sized(element, close, low)
    left, top, width, height = small.bbox
    return small.model_copy(update={"bbox": (left, top, width, min(LARGEST, max(height, text_height(small))))})


def face_of(family: str) -> Face:
    """Our typeface that is most like the one of a name."""
    name = family.lower()
    return next((face for part, face in FACES.items() if part in name), "Arimo")


def _sized(element: Element, style: Style, size: int) -> Element:
    return element.model_copy(update={"style": style.model_copy(update={"size": size})})


def _fits(element: Element) -> bool:
    return text_height(element) <= element.bbox[3] and not any(too_wide(element))


def _kind(told: CrelloElement, box: tuple[int, int, int, int]) -> Kind:
    if told.type == "text":
        lines = [line for line in told.text.splitlines() if line.strip()]
        return "list" if len(lines) > 1 and all(_BULLET.match(line) for line in lines) else "text"
    if told.type == "image" or (told.type == "shape" and told.image):
        return "image"
    thin, long = sorted(box[2:])
    return "line" if told.type == "shape" and thin <= _THIN and long >= _LONG * thin else "shape"


def _box(told: CrelloElement, scale: Scale) -> tuple[int, int, int, int]:
    across, down = scale.size
    left, top = (max(-LARGEST, min(round(v), LARGEST)) for v in (told.left * across, told.top * down))
    width, height = (max(1, min(round(v), LARGEST)) for v in (told.width * across, told.height * down))
    return left, top, width, height


def _lettering(told: CrelloElement, kind: Kind, factor: float) -> dict[str, Any]:
    text = "\n".join(told.text.splitlines()).strip("\n")
    if kind == "list":
        text = _BULLET.sub("", "\n".join(line for line in text.split("\n") if line.strip()))
    size = round(told.font_size * factor) if told.font_size else Style().size
    style = Style(
        face=face_of(told.font),
        size=max(6, min(size, 400)),
        bold=any(word in told.font.lower() for word in _HEAVY),
        colour=told.color or Style().colour,
        align=told.text_align,
    )
    return {"style": style, "runs": [{"text": text}] if text else []}


def _id(told: str, kind: Kind, taken: Collection[str]) -> str:
    """The file's own id if it is one of ours too, otherwise the kind with the next number."""
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", told) and told not in taken:
        return told
    number = 1
    while f"{kind}_{number}" in taken:
        number += 1
    return f"{kind}_{number}"
