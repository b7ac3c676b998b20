"""Pictures of slides as they are shown, and pictures that stand for what cannot be shown."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Any

from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.text_sprites import font
from ..painting.pictures import embed
from .xml import Node, find, number

_WHOLE = 100_000
_LARGEST_SIDE = 960
_GROUND, _EDGE, _INK = (236, 239, 243), (168, 176, 186), (92, 102, 114)


def picture_of(shape: Node, part: Any) -> str | None:
    """The name of the picture that a ``p:pic`` shows; ``None``: it is not there, or of no format that can be read."""
    blip = find(shape, "p:blipFill/a:blip")
    reference = None if blip is None else blip.get(_embed_attribute())
    try:
        content = part.related_part(reference).blob
        name = embed(content)
    except (KeyError, ValueError):
        return None
    crop = find(shape, "p:blipFill/a:srcRect")
    return name if crop is None or not crop.attrib else _cropped(content, crop)


@lru_cache(maxsize=256)
def stand_in(word: str, width: float, height: float) -> str:
    """The name of a picture that stands for what cannot be shown: a panel with a word, of a size in pixels."""
    wide, high = (max(8, min(round(side), _LARGEST_SIDE)) for side in (width, height))
    image = PillowImage.new("RGB", (wide, high), _GROUND)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, wide - 1, high - 1), outline=_EDGE, width=max(1, min(wide, high) // 100))
    size = max(6, min(high // 4, wide // max(len(word), 4), 40))
    draw.text((wide / 2, high / 2), word, fill=_INK, font=font("Arimo", size), anchor="mm")
    return embed(_png(image))


def _cropped(content: bytes, crop: Node) -> str | None:
    with PillowImage.open(io.BytesIO(content)) as image:
        whole = image.convert("RGBA")
    left, top = whole.width * number(crop, "l") / _WHOLE, whole.height * number(crop, "t") / _WHOLE
    right, bottom = whole.width * (1 - number(crop, "r") / _WHOLE), whole.height * (1 - number(crop, "b") / _WHOLE)
    box = round(left), round(top), round(right), round(bottom)
    if box[2] <= box[0] or box[3] <= box[1] or (box[2] - box[0]) * (box[3] - box[1]) > 4 * whole.width * whole.height:
        return None
    return embed(_png(whole.crop(box)))


def _png(image: PillowImage.Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def _embed_attribute() -> str:
    from pptx.oxml.ns import qn

    return str(qn("r:embed"))
