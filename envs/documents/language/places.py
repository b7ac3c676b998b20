"""Places: where something new should stand that words put beside what is there, in a corner, or at an edge."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..operations.creating import size_of_new
from ..scene.document import Document, Page
from ..scene.elements import Box, Element
from .expressions import QUOTE, paged, reference
from .lexicon import LEXICON
from .ranking import Proposal
from .selection import room_between

Ranked = Callable[[Document, str], list[Proposal]]
Size = tuple[int, int]

_GAP = 12
"""How far something new stands off what it is put beside, in pixels."""
_SIZE = (240, 40)
"""How large it is taken to be where words do not tell, in pixels."""
_MARGIN = 24
"""How far it stays off the edges of the page, in pixels."""
_IN = ("inside", "between")
_RELATED = "|".join(
    f"(?P<{name.replace(' ', '_')}>{words})" for name, words in LEXICON.relations.items() if name not in _IN
)
_RELATION = re.compile(rf"\b(?:{_RELATED})\b[ ,]+(?P<anchor>.+)", re.S | re.I)
_INSIDE = re.compile(
    r"\b(?:inside(?: of)?|within|onto|into|in|on) +(?P<anchor>(?:the|a|an|this|that|<).+)", re.S | re.I
)
_BETWEEN = re.compile(r"\bbetween (.+?) and (.+)", re.S | re.I)
_ROWS = {r"top|upper|uppermost|head": 0.0, r"bottom|lower|lowest|foot|base": 1.0}
_COLUMNS = {r"left(?:[- ]hand)?|leftmost": 0.0, r"right(?:[- ]hand)?|rightmost": 1.0}
_PART = re.compile(
    rf"\b(?:{'|'.join((*_ROWS, *_COLUMNS))}|middle|cent(?:er|re)|corner|edge|side|half|part|area|margin|border|end|"
    r"space|room|page|sheet|slide|document|very|far|extreme|empty|free|the|a|an|this|that|on|in|at|of|to|and|hand)\b|-"
)
"""The words for parts of a page."""
_AT = re.compile(r"\b(?:in|on|at|near|towards?|along|into|onto|inside|within|to)\b", re.I)
_MIDDLE = re.compile(r"\b(?:middle|cent(?:er|re|ral|rally|red|ered)|mid)\b", re.I)
_NEW: dict[str, tuple[str, str]] = {
    "text": ("text", "Text"),
    "list": ("list", "List"),
    "table": ("table", "Table"),
    "line": ("line", "line"),
    "icon": ("image", "icon/star"),
    "picture": ("image", "icon/star"),
}
"""For the kinds of elements: the type of a new one, and something that describes one as large as any; else a shape."""


def infer_place(document: Document, words: str, rank: Ranked, page: int = 0) -> Box | None:
    """Left, top, width and height of where something new should stand; ``None`` if words do not tell.

    Args:
        document: what is edited.
        words: such as ``"below the headline"``, ``"in the top left corner"`` or ``"a picture above the footer"``; the
            kind of what is placed tells its size.
        rank: what words mean, the likeliest first.
        page: where there is no anchor, and words tell no page; counted from 0.
    """
    between = _BETWEEN.search(words)
    if between is not None:
        return _between(document, [between[1], between[2]], _size_in(document, words[: between.start()]), rank)
    found = _RELATION.search(words)
    if found is not None and not _is_page(found["anchor"]):
        relation = next(name for name, said in found.groupdict().items() if said and name != "anchor")
        anchor = _likeliest(document, found["anchor"], rank)
        return _beside(document, relation, anchor, _size_in(document, words[: found.start()])) if anchor else None
    inside = _INSIDE.search(words)
    if inside is not None and not _is_page(inside["anchor"]):
        anchor = _likeliest(document, inside["anchor"], rank)
        return _inside(document, anchor, _size_in(document, words[: inside.start()])) if anchor else None
    told, number = paged(QUOTE.sub(" ", words).lower())
    shown = page if number is None else min(number, len(document.pages) - 1) if number >= 0 else len(document.pages) - 1
    return _on_page(told, document.pages[shown], _size_in(document, _AT.split(words)[0]) or _SIZE)


def _is_page(words: str) -> bool:
    """Whether words mean the page, or a part of it, rather than something on it."""
    told = paged(f"on {words.lower()}")[0]
    return not _PART.sub(" ", told).strip(" ,.!")


def _likeliest(document: Document, words: str, rank: Ranked) -> Element | None:
    ranked = rank(document, words)
    return ranked[0].element if ranked else None


def _size_in(document: Document, words: str) -> Size | None:
    """How large something new is whose kind words tell; ``None`` if they do not."""
    kinds = reference(words).kinds - {"group"}
    if not kinds:
        return None
    kind, description = _NEW.get(min(kinds), ("shape", "rectangle"))
    quoted = QUOTE.search(words)
    return size_of_new(document, kind, quoted[0] if quoted and kind == "text" else description)


def _beside(document: Document, relation: str, anchor: Element, size: Size | None) -> Box:
    """A box beside the anchor, kept on the page; of the anchor's width, or height, where its size is not told."""
    page = document.pages[document.places[anchor.id][0]]
    left, top, width, height = anchor.bbox
    is_level = relation not in ("below", "above")
    wide, high = size or ((_SIZE[0], height) if is_level else (width, _SIZE[1]))
    if relation == "beside":
        relation = "right_of" if left + width + _GAP + wide <= page.width else "left_of"
    corner = {
        "below": (left, top + height + _GAP),
        "above": (left, top - high - _GAP),
        "left_of": (left - wide - _GAP, top),
        "right_of": (left + width + _GAP, top),
    }[relation]
    return _kept(corner, (wide, high), page)


def _inside(document: Document, anchor: Element, size: Size | None) -> Box:
    """A box in the middle of the anchor."""
    page = document.pages[document.places[anchor.id][0]]
    wide, high = size or (min(_SIZE[0], anchor.bbox[2]), min(_SIZE[1], anchor.bbox[3]))
    x, y = anchor.centre
    return _kept((round(x - wide / 2), round(y - high / 2)), (wide, high), page)


def _between(document: Document, told: list[str], size: Size | None, rank: Ranked) -> Box | None:
    """A box in the middle of the room between two anchors."""
    found = [_likeliest(document, words, rank) for words in told]
    anchors = [anchor for anchor in found if anchor is not None]
    if len(anchors) < 2:
        return None
    wide, high = size or _SIZE
    left, top, width, height = room_between(anchors[0].bbox, anchors[1].bbox)
    x, y = left + width / 2, top + height / 2
    page = document.pages[document.places[anchors[0].id][0]]
    return _kept((round(x - wide / 2), round(y - high / 2)), (wide, high), page)


def _on_page(words: str, page: Page, size: Size) -> Box | None:
    """A box in a corner, at an edge, or in the middle of the page."""
    row = next((share for said, share in _ROWS.items() if re.search(rf"\b(?:{said})\b", words)), None)
    column = next((share for said, share in _COLUMNS.items() if re.search(rf"\b(?:{said})\b", words)), None)
    if row is None and column is None and not _MIDDLE.search(words):
        return None
    across = 0.5 if column is None else column
    down = 0.5 if row is None else row
    left = _MARGIN + round((page.width - 2 * _MARGIN - size[0]) * across)
    top = _MARGIN + round((page.height - 2 * _MARGIN - size[1]) * down)
    return _kept((left, top), size, page)


def _kept(corner: tuple[int, int], size: Size, page: Page) -> Box:
    left = max(0, min(corner[0], page.width - size[0]))
    top = max(0, min(corner[1], page.height - size[1]))
    return left, top, size[0], size[1]
