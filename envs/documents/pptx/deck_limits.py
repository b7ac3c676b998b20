"""Limits on what slides hold, counted before any of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .package import Unreadable
from .xml import Node, tag

_COUNTED = (
    ("shapes", 5_000, ("p:sp", "p:pic", "p:cxnSp", "p:grpSp", "p:graphicFrame", "p:contentPart")),
    ("pieces of text", 50_000, ("a:r", "a:br", "a:fld", "a:p")),
    ("cells", 10_000, ("a:tc", "a:gridCol")),
)
"""What is counted, the most there may be in a deck, and its tags."""
_MAX_CHARACTERS = 200_000
_MAX_DEPTH = 32


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
