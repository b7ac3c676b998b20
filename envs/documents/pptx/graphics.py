"""Read pictures of slides."""

from __future__ import annotations

from typing import Any

from ..painting.pictures import embed
from .xml import Node, find, share, tag


def picture_of(fill: Node, part: Any) -> dict[str, Any]:
    """The fields of an image from a ``blipFill``, or its like; a panel if the picture is missing or unknown."""
    blip, crop = find(fill, "a:blip"), find(fill, "a:srcRect")
    try:
        asset = embed(part.related_part(None if blip is None else blip.get(tag("r:embed"))).blob)
    except (KeyError, ValueError, AttributeError):
        return {"asset": "panel/picture"}
    opacity = share(find(blip, "a:alphaModFix"), "amt")
    shares = tuple(round(share(crop, side, 0), 5) for side in "ltrb")
    is_whole = min(shares) < -1 or shares[0] + shares[2] >= 1 or shares[1] + shares[3] >= 1
    return {
        "asset": asset,
        "opacity": min(max(opacity, 0.0), 1.0),
        "crop": (0.0, 0.0, 0.0, 0.0) if is_whole else shares,
    }
