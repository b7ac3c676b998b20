"""Places: where something new should stand that words put beside what is there."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..scene.document import Document, Page
from ..scene.elements import Box, Element
from .ranking import Proposal

_GAP = 12
"""How far something new stands off what it is put beside, in pixels."""
_SIZE = (240, 40)
"""How large it is taken to be where words do not tell, in pixels."""
_MARGIN = 24
"""How far it stays off the edges of the page, in pixels."""
_BESIDE = {
    "below": "below",
    "under": "below",
    "underneath": "below",
    "above": "above",
    "over": "above",
    "to the left of": "left",
    "left of": "left",
    "to the right of": "right",
    "right of": "right",
    "next to": "right",
    "beside": "right",
}
_RELATION = re.compile(rf"\b({'|'.join(sorted(map(re.escape, _BESIDE), key=len, reverse=True))})\b\s+(.+)", re.S | re.I)
_ROWS = {"top": 0.0, "upper": 0.0, "bottom": 1.0, "lower": 1.0}
_COLUMNS = {"left": 0.0, "right": 1.0}
_MIDDLE = re.compile(r"\b(middle|cent(?:er|re))\b", re.I)


def infer_place(
    document: Document, words: str, rank: Callable[[Document, str], list[Proposal]], page: int = 0
) -> Box | None:
    """Left, top, width and height of where something new should stand; ``None`` if words do not tell.

    Args:
        document: what is edited.
        words: such as ``"below the headline"`` or ``"in the top left corner"``.
        rank: what words mean, the likeliest first.
        page: where there is no anchor, counted from 0.
    """
    found = _RELATION.search(words)
    if found is not None:
        ranked = rank(document, found[2])
        if not ranked:
            return None
        anchor = ranked[0].element
        return _beside(_BESIDE[found[1].lower()], anchor, document.pages[document.places[anchor.id][0]])
    return _on_page(words.lower(), document.pages[page])


def _beside(side: str, anchor: Element, page: Page) -> Box:
    """A box of the anchor's width, or height, beside it, kept on the page."""
    left, top, width, height = anchor.bbox
    wide, high = (width, _SIZE[1]) if side in ("below", "above") else (_SIZE[0], height)
    corner = {
        "below": (left, top + height + _GAP),
        "above": (left, top - high - _GAP),
        "left": (left - wide - _GAP, top),
        "right": (left + width + _GAP, top),
    }[side]
    return _kept(corner, (wide, high), page)


def _on_page(words: str, page: Page) -> Box | None:
    """A box in a corner, at an edge, or in the middle of the page."""
    row = next((share for word, share in _ROWS.items() if re.search(rf"\b{word}\b", words)), None)
    column = next((share for word, share in _COLUMNS.items() if re.search(rf"\b{word}\b", words)), None)
    if row is None and column is None and not _MIDDLE.search(words):
        return None
    across = 0.5 if column is None else column
    down = 0.5 if row is None else row
    left = _MARGIN + round((page.width - 2 * _MARGIN - _SIZE[0]) * across)
    top = _MARGIN + round((page.height - 2 * _MARGIN - _SIZE[1]) * down)
    return _kept((left, top), _SIZE, page)


def _kept(corner: tuple[int, int], size: tuple[int, int], page: Page) -> Box:
    left = max(0, min(corner[0], page.width - size[0]))
    top = max(0, min(corner[1], page.height - size[1]))
    return left, top, size[0], size[1]
