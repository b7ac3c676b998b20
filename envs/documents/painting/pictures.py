"""Pictures by name: icons, scenes drawn from a seed, and embedded pictures."""

from __future__ import annotations

import hashlib
import io
import math
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
import pydantic
from numpy.typing import NDArray
from PIL import Image as PillowImage
from PIL import ImageDraw
from pydantic import RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from ...core.pages import opened_picture
from ...core.text_sprites import font
from ..scene.colours import mixed
from ..scene.elements import Colour, Crop
from .canvas import fineness

FINE = 2
"""The resolution of pictures in exported files, in pixels per pixel of their boxes."""
Palette = tuple[tuple[int, int, int], ...]

_SKIES: tuple[Palette, ...] = (
    ((132, 182, 222), (232, 240, 244)),
    ((246, 178, 120), (252, 232, 200)),
    ((58, 70, 118), (196, 150, 170)),
    ((176, 214, 214), (240, 246, 238)),
)
_LANDS: tuple[Palette, ...] = (
    ((116, 148, 104), (86, 120, 84), (54, 86, 64)),
    ((170, 142, 104), (132, 104, 78), (92, 70, 56)),
    ((112, 128, 150), (78, 94, 120), (46, 60, 86)),
)
_BRIGHT: Palette = ((214, 92, 78), (240, 180, 76), (88, 150, 140), (70, 96, 150), (150, 104, 160), (120, 150, 84))


def _sky(image: PillowImage.Image, rng: np.random.Generator) -> None:
    top, bottom = map(np.asarray, _SKIES[rng.integers(len(_SKIES))])
    share = np.linspace(0, 1, image.height)[:, None]
    column = top * (1 - share) + bottom * share
    line = PillowImage.fromarray(column[:, None].round().astype(np.uint8), "RGB").convert(image.mode)
    image.paste(line.resize(image.size, PillowImage.Resampling.NEAREST))


def _waves(rng: np.random.Generator, width: int, rough: float) -> NDArray[np.float64]:
    x = np.linspace(0, 1, width)
    sines = [np.sin(2 * math.pi * (k * x + rng.random())) * rng.uniform(0.4, 1) / k for k in (1, 2, 3, 5)]
    heights: NDArray[np.float64] = rough * np.sum(sines, axis=0)
    return heights


def hills(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint hills under a sky, with a sun."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    _sky(image, rng)
    land = _LANDS[rng.integers(len(_LANDS))]
    x, r = rng.uniform(0.15, 0.85) * width, 0.09 * height
    draw.ellipse((x - r, 0.16 * height - r, x + r, 0.16 * height + r), fill=(255, 246, 214, 255))
    for i, colour in enumerate(land):
        level = height * (0.5 + 0.16 * i) + height * _waves(rng, 200, 0.06)
        ridge = [(k * width / 199, float(y)) for k, y in enumerate(level)]
        draw.polygon([(0, height), *ridge, (width, height)], fill=(*colour, 255))


def city(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint houses with windows under a sky."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    _sky(image, rng)
    x = 0.0
    while x < width:
        wide, high = rng.uniform(0.08, 0.17) * width, rng.uniform(0.3, 0.8) * height
        shade = int(rng.integers(50, 120))
        draw.rectangle((x, height - high, x + wide, height), fill=(shade, shade + 8, shade + 24, 255))
        pane = wide / 7
        for row in range(int(high / (pane * 2.2))):
            for column in range(3):
                if rng.random() < 0.6:
                    left, top = x + pane * (1 + 2 * column), height - high + pane * (1 + 2.2 * row)
                    draw.rectangle((left, top, left + pane, top + pane * 1.2), fill=(250, 226, 160, 255))
        x += wide


def plate(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint a plate with food on a table, from above."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    wood = int(rng.integers(150, 200))
    draw.rectangle((0, 0, width, height), fill=(wood, wood - 36, wood - 70, 255))
    cx, cy, r = width / 2, height / 2, min(width, height) * 0.42
    for share, colour in ((1, (244, 242, 236)), (0.78, (228, 226, 220)), (0.74, (250, 248, 244))):
        draw.ellipse((cx - r * share, cy - r * share, cx + r * share, cy + r * share), fill=(*colour, 255))
    for _ in range(16):
        turn, far, size = rng.uniform(0, 2 * math.pi), r * 0.5 * math.sqrt(rng.random()), r * rng.uniform(0.08, 0.2)
        x, y = cx + far * math.cos(turn), cy + far * math.sin(turn)
        draw.ellipse((x - size, y - size, x + size, y + size), fill=(*_BRIGHT[rng.integers(len(_BRIGHT))], 255))


def sea(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint waves and a boat."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    _sky(image, rng)
    for i in range(5):
        level = height * (0.5 + 0.11 * i) + height * _waves(rng, 200, 0.015)
        line = [(k * width / 199, float(y)) for k, y in enumerate(level)]
        blue = 150 - 20 * i
        draw.polygon([(0, height), *line, (width, height)], fill=(30 + 4 * i, blue - 30, blue, 255))
    x, y, s = rng.uniform(0.25, 0.75) * width, 0.56 * height, 0.12 * min(width, height)
    draw.polygon(
        [(x - s, y), (x + s, y), (x + 0.6 * s, y + 0.4 * s), (x - 0.6 * s, y + 0.4 * s)], fill=(120, 60, 48, 255)
    )
    draw.polygon([(x, y - 0.1 * s), (x, y - 1.6 * s), (x + 0.9 * s, y - 0.1 * s)], fill=(250, 248, 240, 255))


def blocks(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint squares of bright colours, as on a fabric."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    columns = int(rng.integers(4, 8))
    side = width / columns
    for row in range(math.ceil(height / side)):
        for column in range(columns):
            box = (column * side, row * side, (column + 1) * side, (row + 1) * side)
            draw.rectangle(box, fill=(*_BRIGHT[rng.integers(len(_BRIGHT))], 255))
            if rng.random() < 0.5:
                draw.pieslice(
                    box, 0, 180 if rng.random() < 0.5 else 90, fill=(*_BRIGHT[rng.integers(len(_BRIGHT))], 255)
                )


def portrait(image: PillowImage.Image, rng: np.random.Generator) -> None:
    """Paint head and shoulders, without a face."""
    draw, (width, height) = ImageDraw.Draw(image), image.size
    ground = _BRIGHT[rng.integers(len(_BRIGHT))]
    draw.rectangle((0, 0, width, height), fill=(*((c + 255) // 2 for c in ground), 255))
    cx, r = width / 2, min(width, height) * 0.19
    skin = [(232, 196, 164), (190, 140, 104), (134, 92, 66), (246, 218, 192)][rng.integers(4)]
    coat, hair = _BRIGHT[rng.integers(len(_BRIGHT))], [(50, 36, 30), (120, 84, 50), (200, 190, 180)][rng.integers(3)]
    top = height * 0.2
    draw.ellipse((cx - 2.1 * r, top + 2.3 * r, cx + 2.1 * r, top + 7.5 * r), fill=(*coat, 255))
    draw.rectangle((cx - 0.4 * r, top + 1.6 * r, cx + 0.4 * r, top + 2.7 * r), fill=(*skin, 255))
    draw.ellipse((cx - 1.12 * r, top - 0.22 * r, cx + 1.12 * r, top + 1.7 * r), fill=(*hair, 255))
    draw.ellipse((cx - 0.9 * r, top, cx + 0.9 * r, top + 2.2 * r), fill=(*skin, 255))


SCENES: dict[str, Callable[[PillowImage.Image, np.random.Generator], None]] = {
    "hills": hills,
    "city": city,
    "plate": plate,
    "sea": sea,
    "blocks": blocks,
    "portrait": portrait,
}
"""Scenes by name: each fills a picture, mode RGBA, by chance."""


_Unit = Annotated[float, pydantic.Field(ge=-0.05, le=1.05)]
_Point = tuple[_Unit, _Unit]


_GROUND, _EDGE, _INK = (236, 239, 243, 255), (168, 176, 186, 255), (92, 102, 114, 255)
EMBEDDED = "embedded/"
"""The prefix of the names of pictures from files; the SHA-256 of their bytes follows."""
_embedded: dict[str, bytes] = {}
"""Pictures from files, by SHA-256, as long as the process lives: a document holds only their names."""


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
    """The names of built-in pictures; scenes take any seed in place of 0.

    There are also ``icon/name/rrggbb`` (an icon in shades of a colour), ``panel/word`` and
    ``gradient/degrees/rrggbb/rrggbb`` (``r``: from the middle).
    """
    return (*(f"icon/{name}" for name in icons()), *(f"scene/{name}/0" for name in SCENES))


def is_picture(name: str) -> bool:
    """Whether a picture of this name exists."""
    kind, _, rest = name.partition("/")
    if kind == "icon":
        return rest.partition("/")[0] in icons() and re.fullmatch("[^/]+(/[0-9a-f]{6})?", rest) is not None
    if name.startswith(EMBEDDED):
        return rest in _embedded
    if kind == "panel":
        return re.fullmatch("[a-z ]{1,40}", rest) is not None
    if kind == "gradient":
        return re.fullmatch("([0-9]{1,3}|r)(/[0-9a-f]{6}){2,12}", rest) is not None
    scene, _, seed = rest.partition("/")
    return kind == "scene" and scene in SCENES and seed.isascii() and seed.isdecimal() and len(seed) < 10


@cached
def picture(name: str, width: int, height: int, crop: Crop = (0, 0, 0, 0)) -> PillowImage.Image:
    """A picture at a size in pixels, mode RGBA, without the shares that are cut off at its sides.

    Raises:
        ValueError: if there is no such picture.
    """
    if not is_picture(name):
        raise ValueError(f"no picture {name!r}; there are {', '.join(picture_names())}")
    kind, _, rest = name.partition("/")
    shown = round(width / (1 - crop[0] - crop[2])), round(height / (1 - crop[1] - crop[3]))
    if name.startswith(EMBEDDED):
        return _cropped(_decoded(_embedded[rest], shown), width, height, crop)
    if any(crop):
        return _cropped(picture(name, *shown), width, height, crop)
    if kind in _BY_WORD:
        return _BY_WORD[kind](rest, (width, height))
    fine = fineness(width, height)
    if kind == "icon":
        large = PillowImage.new("RGBA", (width * fine, height * fine), (0, 0, 0, 0))
        for stroke in _strokes(rest):
            _draw_stroke(large, stroke)
        return large.reduce(fine)
    # A scene fills its box, so that nothing of it is transparent.
    large = PillowImage.new("RGB", (width * fine, height * fine))
    scene, _, seed = rest.partition("/")
    SCENES[scene](large, np.random.default_rng(int(seed)))
    return large.reduce(fine).convert("RGBA")


def tinted(name: str, colour: Colour) -> str:
    """The name of an icon in shades of a colour.

    Raises:
        ValueError: if it is the name of another picture.
    """
    if not name.startswith("icon/"):
        raise ValueError("a photo has no colour of its own; icons have")
    return f"icon/{name.split('/')[1]}/{bytes(colour).hex()}"


def tint_of(name: str | None) -> Colour | None:
    """The colour in whose shades an icon is drawn, if any."""
    parts = (name or "").split("/")
    if parts[0] != "icon" or len(parts) < 3:
        return None
    red, green, blue = bytes.fromhex(parts[2])
    return red, green, blue


def _strokes(name: str) -> Iterable[Stroke]:
    """The parts of an icon; of a tinted one the darkest in its colour, and lighter ones mixed with white."""
    strokes, tint = icons()[name.partition("/")[0]], tint_of(f"icon/{name}")
    if tint is None:
        return strokes
    light = [sum(stroke.colour) / 765 for stroke in strokes]
    room = (1 - min(light)) or 1
    return [
        stroke.model_copy(update={"colour": mixed(tint, (255, 255, 255), (one - min(light)) / room)})
        for stroke, one in zip(strokes, light, strict=True)
    ]


def _cropped(image: PillowImage.Image, width: int, height: int, crop: Crop) -> PillowImage.Image:
    """What a crop leaves of a picture, stretched to a size in pixels; negative shares leave room around it."""
    left, top, right, bottom = crop
    wide, high = width / (1 - left - right), height / (1 - top - bottom)
    inside = [max(share, 0.0) for share in crop]
    source = (
        inside[0] * image.width, inside[1] * image.height,
        (1 - inside[2]) * image.width, (1 - inside[3]) * image.height,
    )  # fmt: skip
    box = [round(edge) for edge in (max(-left, 0) * wide, max(-top, 0) * high)]
    box += [width - round(max(-right, 0) * wide), height - round(max(-bottom, 0) * high)]
    size = max(box[2] - box[0], 1), max(box[3] - box[1], 1)
    shown = image.resize(size, PillowImage.Resampling.LANCZOS, source, reducing_gap=3)
    if size == (width, height):
        return shown
    whole = PillowImage.new("RGBA", (width, height), (0, 0, 0, 0))
    whole.paste(shown, (box[0], box[1]))
    return whole


def fine_png(name: str, width: int, height: int) -> bytes:
    """A picture as PNG for export, ``FINE`` times as fine as its box's pixels."""
    file = io.BytesIO()
    picture(name, width * FINE, height * FINE).save(file, "PNG")
    return file.getvalue()


def picture_file(name: str, width: int, height: int) -> bytes:
    """A picture as a file for export: one from a file as it is, others as ``fine_png``."""
    content = _embedded.get(name.removeprefix(EMBEDDED))
    return fine_png(name, width, height) if content is None else content


def embed(content: bytes) -> str:
    """Register a picture from a file for painting and return its name.

    It is decoded when it is painted; one that is then found broken is shown as a panel.

    Args:
        content: a PNG, JPEG, GIF, BMP, TIFF or WebP file.

    Raises:
        ValueError: if it is none of them, or has more than 40 million pixels.
    """
    digest = hashlib.sha256(content).hexdigest()
    if digest not in _embedded:
        try:
            with opened_picture(io.BytesIO(content), "a picture"):
                _embedded[digest] = content
        except OSError as error:
            raise ValueError(f"a picture cannot be read: {error}") from None
    return EMBEDDED + digest


def embedded_in(names: Iterable[str | None]) -> dict[str, bytes]:
    """The embedded pictures among ``names``: their bytes by SHA-256."""
    digests = {name.removeprefix(EMBEDDED) for name in names if name is not None and name.startswith(EMBEDDED)}
    return {digest: _embedded[digest] for digest in sorted(digests) if digest in _embedded}


def _decoded(content: bytes, size: tuple[int, int]) -> PillowImage.Image:
    """A decoded picture, mode RGBA; a JPEG only as finely as it is shown, at a size in pixels."""
    try:
        with opened_picture(io.BytesIO(content), "a picture") as image:
            image.draft(None, size)
            return image.convert("RGBA")
    except (OSError, ValueError):
        return _panel("picture", size)


def _panel(word: str, size: tuple[int, int]) -> PillowImage.Image:
    """A panel with a word: what stands for a thing that cannot be drawn."""
    width, height = size
    image = PillowImage.new("RGBA", size, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, width - 1, height - 1), outline=_EDGE, width=max(1, min(size) // 100))
    letters = max(6, min(height // 4, width // max(len(word), 4), 40))
    draw.text((width / 2, height / 2), word, fill=_INK, font=font("Arimo", letters), anchor="mm")
    return image


def gradient_mean(name: str) -> Colour | None:
    """The mean colour of a gradient by its name; ``None``: it is none."""
    kind, _, *colours = name.split("/")
    if kind != "gradient" or not colours:
        return None
    parts = [bytes.fromhex(colour) for colour in colours]
    red, green, blue = (round(sum(part[k] for part in parts) / len(parts)) for k in range(3))
    return red, green, blue


def _gradient(stops: str, size: tuple[int, int]) -> PillowImage.Image:
    """A gradient: linear by degrees clockwise from the right, or radial, and two or more colours as digits."""
    angle, *colours = stops.split("/")
    x, y = np.meshgrid(*(np.linspace(-0.5, 0.5, side) for side in size))
    if angle == "r":
        along = 2 * np.maximum(abs(x), abs(y))
    else:
        right, down = (f(math.radians(int(angle))) * side for f, side in zip((math.cos, math.sin), size, strict=True))
        along = (x * right + y * down) / max(abs(right) + abs(down), 1) + 0.5
    ends = [bytes.fromhex(colour) for colour in colours]
    places = np.linspace(0, 1, len(ends))
    channels = [np.interp(along, places, [end[k] for end in ends]) for k in range(3)]
    return PillowImage.fromarray(np.stack(channels, axis=2).round().astype(np.uint8), "RGB").convert("RGBA")


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


_BY_WORD: dict[str, Callable[[str, tuple[int, int]], PillowImage.Image]] = {"panel": _panel, "gradient": _gradient}
"""What draws the pictures whose names describe them."""
