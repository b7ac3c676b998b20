"""Limits on what slides hold, counted before any of it is read."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.pages import opened_picture
from .package import Unreadable
from .xml import Node, find, serialized, tag

_COUNTED = (
    ("shapes", 5_000, ("p:sp", "p:pic", "p:cxnSp", "p:grpSp", "p:graphicFrame", "p:contentPart")),
    ("pieces of text", 50_000, ("a:r", "a:br", "a:fld", "a:p")),
    ("cells", 10_000, ("a:tc", "a:gridCol")),
)
"""What is counted, the most there may be in a deck, and its tags."""
_MAX_CHARACTERS = 200_000
_MAX_DEPTH = 32
_MAX_PIXELS = 600_000_000
"""Of all pictures: more would take longer than a person waits."""
_CROPPED = 6
"""What is left of a cropped picture is also packed again."""


def check_content(slides: Sequence[tuple[Any, tuple[Node, ...]]], origin: str) -> None:
    """Check that slides hold no more than can be read in a few seconds.

    Args:
        slides: the part of python-pptx of each, and its XML with that of its layout and master.
        origin: what the file is called in messages.

    Raises:
        ValueError: if they hold more.
    """
    roots = list(dict.fromkeys(root for _, sheets in slides for root in sheets))
    for what, largest, names in _COUNTED:
        if (n := sum(1 for root in roots for _ in root.iter(*map(tag, names)))) > largest:
            raise Unreadable(f"{origin} holds {n:,} {what}; {largest:,} are the most that can be opened")
    if (n := sum(len(text.text or "") for root in roots for text in root.iter(tag("a:t")))) > _MAX_CHARACTERS:
        raise Unreadable(f"{origin} holds {n:,} characters; {_MAX_CHARACTERS:,} are the most that can be opened")
    for group in (group for root in roots for group in root.iter(tag("p:grpSp"))):
        if sum(1 for _ in group.iterancestors(tag("p:grpSp"))) >= _MAX_DEPTH:
            raise Unreadable(f"{origin} has groups within groups {_MAX_DEPTH} deep, which cannot be opened")
    if (n := sum(_pixels(slides))) > _MAX_PIXELS:
        raise Unreadable(
            f"{origin}: its pictures have {n // 10**6:,} million pixels; "
            f"{_MAX_PIXELS // 10**6} million are the most that can be opened"
        )


def _pixels(slides: Sequence[tuple[Any, tuple[Node, ...]]]) -> Iterator[int]:
    """The pixels of each picture: once, and ``_CROPPED`` times over for each way in which it is cropped."""
    sizes: dict[Any, int] = {}
    uses: set[tuple[Any, bytes]] = set()
    for part, (root, *_) in slides:
        for fill in root.iter(tag("p:blipFill")):
            blip, crop = find(fill, "a:blip"), find(fill, "a:srcRect")
            link = None if blip is None else part.rels.get(blip.get(tag("r:embed")))
            if link is not None and not link.is_external:
                uses.add((link.target_part, serialized(crop)))
    for picture, crop in uses:
        if picture not in sizes:
            sizes[picture] = _size(picture.blob)
        yield sizes[picture] * (_CROPPED if crop else 1)


def _size(content: bytes) -> int:
    """Width times height, from the header; 0 for what is no picture, or one that is not shown for its size."""
    try:
        with opened_picture(io.BytesIO(content), "a picture") as image:
            return image.width * image.height
    except (OSError, ValueError):
        return 0
