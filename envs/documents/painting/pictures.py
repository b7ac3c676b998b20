"""Pictures: icons drawn from a file and scenes drawn from a seed, all our own; and those that came with a file."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from functools import lru_cache
from typing import Annotated, Literal

import pydantic
from PIL import Image as PillowImage
from PIL import ImageDraw
from pydantic import RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from ..scene.elements import Colour
from .canvas import fineness
from .scenes import SCENES

_Unit = Annotated[float, pydantic.Field(ge=-0.05, le=1.05)]
_Point = tuple[_Unit, _Unit]


EMBEDDED = "embedded/"
"""How the names of pictures begin that came with a file; the SHA-256 of their bytes follows."""
_MOST_PIXELS = 40_000_000
_embedded: dict[str, bytes] = {}
"""Pictures that came with files, by SHA-256, for as long as the process lives: a document holds only their names."""


class Stroke(Data):
    """A part of an icon, in units of its side.

    Attributes:
        kind: what is drawn.
        points: of a polygon or a line; left top and right bottom of the others.
        colour: of the ink.
        width: of a line.
        radius: of a rectangle's corners.
        start, end: of an arc or a pie, in degrees clockwise from the right.
    """

    kind: Literal["polygon", "line", "ellipse", "rectangle", "pie", "arc"]
    points: Annotated[tuple[_Point, ...], pydantic.Field(min_length=2)]
    colour: Colour
    width: Annotated[float, pydantic.Field(ge=0, le=0.5)] = 0
    radius: Annotated[float, pydantic.Field(ge=0, le=0.5)] = 0
    start: float = 0
    end: float = 360


class Icons(RootModel[dict[str, tuple[Stroke, ...]]]):
    """Icons by name."""


@lru_cache(maxsize=1)
def icons() -> dict[str, tuple[Stroke, ...]]:
    """All icons.

    Raises:
        ValueError: if the file is broken.
    """
    return load(Icons, ROOT / "document_pictures" / "icons.json").root


def picture_names() -> tuple[str, ...]:
    """The pictures of our own that an image can show: ``icon/name``, and ``scene/name/0`` with any seed."""
    return (*(f"icon/{name}" for name in icons()), *(f"scene/{name}/0" for name in SCENES))


def is_picture(name: str) -> bool:
    """Whether there is a picture of a name."""
    kind, _, rest = name.partition("/")
    if kind == "icon":
        return rest in icons()
    if name.startswith(EMBEDDED):
        return rest in _embedded
    scene, _, seed = rest.partition("/")
    return kind == "scene" and scene in SCENES and seed.isascii() and seed.isdecimal() and len(seed) < 10


@cached
def picture(name: str, width: int, height: int) -> PillowImage.Image:
    """A picture at a size in pixels, mode RGBA.

    Raises:
        ValueError: if there is no such picture.
    """
    if not is_picture(name):
        raise ValueError(f"no picture {name!r}; there are {', '.join(picture_names())}")
    kind, _, rest = name.partition("/")
    if name.startswith(EMBEDDED):
        return _fitted(_embedded[rest], width, height)
    fine = fineness(width, height)
    large = PillowImage.new("RGBA", (width * fine, height * fine), (0, 0, 0, 0))
    if kind == "icon":
        for stroke in icons()[rest]:
            _draw_stroke(large, stroke)
    else:
        scene, _, seed = rest.partition("/")
        SCENES[scene](large, int(seed))
    return large.reduce(fine)


def embed(content: bytes) -> str:
    """Keep a picture that came with a file, so that it can be painted; the name that images show it by.

    Args:
        content: a PNG, JPEG, GIF, BMP, TIFF or WebP file.

    Raises:
        ValueError: if it is none of them, is broken, or has more than 40 million pixels.
    """
    digest = hashlib.sha256(content).hexdigest()
    if digest not in _embedded:
        _decoded(content)
        _embedded[digest] = content
    return EMBEDDED + digest


def embedded_in(names: Iterable[str | None]) -> dict[str, bytes]:
    """The pictures among ``names`` that came with a file: their bytes by SHA-256."""
    digests = {name.removeprefix(EMBEDDED) for name in names if name is not None and name.startswith(EMBEDDED)}
    return {digest: _embedded[digest] for digest in sorted(digests) if digest in _embedded}


def _decoded(content: bytes) -> PillowImage.Image:
    """A picture, whole."""
    try:
        with PillowImage.open(io.BytesIO(content), formats=_FORMATS) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise ValueError(f"it has {image.width} x {image.height} pixels; {_MOST_PIXELS} are the most")
            image.load()
            return image
    except (OSError, SyntaxError, ValueError, PillowImage.DecompressionBombError) as error:
        raise ValueError(f"a picture cannot be read: {error}") from None


_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP")


def _fitted(content: bytes, width: int, height: int) -> PillowImage.Image:
    """A picture at a size, mode RGBA; nothing of it is cut off and its shape is not kept."""
    return _decoded(content).convert("RGBA").resize((width, height), PillowImage.Resampling.LANCZOS)


def _draw_stroke(image: PillowImage.Image, stroke: Stroke) -> None:
    # An icon keeps its shape: it fills the largest square in the middle.
    side = min(image.size)
    left, top = (image.width - side) / 2, (image.height - side) / 2
    points = [(left + x * side, top + y * side) for x, y in stroke.points]
    width = max(1, round(stroke.width * side))
    draw, ink = ImageDraw.Draw(image), (*stroke.colour, 255)
    box = (*points[0], *points[1])
    if stroke.kind == "polygon":
        draw.polygon(points, fill=ink)
    elif stroke.kind == "line":
        draw.line(points, fill=ink, width=width, joint="curve")
    elif stroke.kind == "ellipse":
        draw.ellipse(box, fill=ink)
    elif stroke.kind == "rectangle":
        draw.rounded_rectangle(box, stroke.radius * side, fill=ink)
    elif stroke.kind == "pie":
        draw.pieslice(box, stroke.start, stroke.end, fill=ink)
    else:
        draw.arc(box, stroke.start, stroke.end, fill=ink, width=width)
