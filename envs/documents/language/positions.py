"""Positions beside elements and in parts of a page, also from descriptions."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..operations.creating import size_of_new
from ..operations.placing import beside
from ..scene.document import Document, Page
from ..scene.elements import Box, Element
from .lexicon import LEXICON
from .ranking import Proposal
from .referring_expressions import QUOTE, paged, reference
from .scope import Refused
from .selection import room_between
from .slot_values import Place

Ranked = Callable[[Document, str], list[Proposal]]
Size = tuple[int, int]

_SIZE = (240, 40)
"""The size of a new element whose kind is unknown, in pixels."""
_MARGIN = 24
"""The margin of an element at the edge of a page, in pixels."""
_SHARES = {"top": 0.0, "left": 0.0, "middle": 0.5, "bottom": 1.0, "right": 1.0}
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
"""By kind: the type of a new element and a description that determines its size; otherwise a shape."""


def put_at(place: Place, box: Box, page: Page, is_new: bool = False) -> tuple[int, int]:
    """The left top corner of a box at a place of a page: corner, edge or middle.

    An element that exists keeps its position along an edge; a new one goes to the middle of the edge.
    """
    corner = []
    for part, start, length, room in (
        (place.column, box[0], box[2], page.width),
        (place.row, box[1], box[3], page.height),
    ):
        margin = min(_MARGIN, max(0, (room - length) // 2))
        share = _SHARES[part or "middle"]
        corner.append(start if not part and not is_new else margin + round((room - 2 * margin - length) * share))
    return corner[0], corner[1]


def put_beside(side: str, anchor: Box, size: tuple[int, int], page: Page, must_fit: bool = True) -> tuple[int, int]:
    """The left top corner of a box of a size on a side of another.

    Raises:
        Refused: if there is no room on the page, and ``must_fit``.
    """
    x, y = _beside(side, anchor, size, page)
    if must_fit and not (0 <= x <= page.width - size[0] and 0 <= y <= page.height - size[1]):
        raise Refused("there is no room for it on the page; say where in px")
    return x, y


def _beside(side: str, anchor: Box, size: Size, page: Page) -> tuple[int, int]:
    """The left top corner on a side; ``"beside"`` is right if it fits, else left."""
    if side == "beside":
        right = beside("right", anchor, size)
        side = "right" if right[0] + right[2] <= page.width else "left"
    return beside(side, anchor, size)[:2]


def centred(axis: str, box: Box, page: Page) -> list[int]:
    """The left top corner of a box in the middle of a page along an axis."""
    left = box[0] if axis == "vertically" else (page.width - box[2]) // 2
    top = box[1] if axis == "horizontally" else (page.height - box[3]) // 2
    return [left, top]


def aligned(edge: str, box: Box, anchor: Box) -> list[int]:
    """The left top corner of a box whose edge is aligned with that of another."""
    axis = 0 if edge in ("left", "right") else 1
    at = anchor[axis] + (anchor[axis + 2] - box[axis + 2] if edge in ("right", "bottom") else 0)
    return [at, box[1]] if axis == 0 else [box[0], at]


def infer_place(document: Document, words: str, rank: Ranked, page: int = 0) -> Box | None:
    """The box for a new element that words describe; ``None`` if they do not.

    Args:
        document: what is edited.
        words: such as ``"below the headline"``, ``"in the top left corner"`` or ``"a picture above the footer"``; its
            size follows from its kind.
        rank: the elements that a description may mean, the likeliest first.
        page: where there is neither an anchor nor a page in the words; counted from 0.
    """
    between = _BETWEEN.search(words)
    if between is not None:
        return _between(document, [between[1], between[2]], _size_in(document, words[: between.start()]), rank)
    found = _RELATION.search(words)
    if found is not None and not _is_page(found["anchor"]):
        relation = next(name for name, text in found.groupdict().items() if text and name != "anchor")
        anchor = _likeliest(document, found["anchor"], rank)
        side, size = relation.removesuffix("_of"), _size_in(document, words[: found.start()])
        return _box_beside(document, side, anchor, size) if anchor else None
    inside = _INSIDE.search(words)
    if inside is not None and not _is_page(inside["anchor"]):
        anchor = _likeliest(document, inside["anchor"], rank)
        return _inside(document, anchor, _size_in(document, words[: inside.start()])) if anchor else None
    text, number = paged(QUOTE.sub(" ", words).lower())
    last = len(document.pages) - 1
    number = page if number is None else min(number, last) if number >= 0 else last
    return _on_page(text, document.pages[number], _size_in(document, _AT.split(words)[0]) or _SIZE)


def _is_page(words: str) -> bool:
    """Whether words mean the page or a part of it, not an element on it."""
    return not _PART.sub(" ", paged(f"on {words.lower()}")[0]).strip(" ,.!")


def _likeliest(document: Document, words: str, rank: Ranked) -> Element | None:
    ranked = rank(document, words)
    return ranked[0].element if ranked else None


def _size_in(document: Document, words: str) -> Size | None:
    """The size of a new element of the described kind; ``None`` without a kind."""
    kinds = reference(words).kinds - {"group"}
    if not kinds:
        return None
    kind, description = _NEW.get(min(kinds), ("shape", "rectangle"))
    quoted = QUOTE.search(words)
    return size_of_new(document, kind, quoted[0] if quoted and kind == "text" else description)


def _box_beside(document: Document, side: str, anchor: Element, size: Size | None) -> Box:
    """A box beside the anchor, kept on the page; by default as wide or high as it."""
    page = document.pages[document.places[anchor.id][0]]
    width, height = anchor.bbox[2:]
    size = size or ((width, _SIZE[1]) if side in ("below", "above") else (_SIZE[0], height))
    return _kept(_beside(side, anchor.bbox, size, page), size, page)


def _inside(document: Document, anchor: Element, size: Size | None) -> Box:
    """A box in the middle of the anchor."""
    page = document.pages[document.places[anchor.id][0]]
    wide, high = size or (min(_SIZE[0], anchor.bbox[2]), min(_SIZE[1], anchor.bbox[3]))
    x, y = anchor.centre
    return _kept((round(x - wide / 2), round(y - high / 2)), (wide, high), page)


def _between(document: Document, descriptions: list[str], size: Size | None, rank: Ranked) -> Box | None:
    """A box in the middle of the gap between two anchors."""
    found = [_likeliest(document, words, rank) for words in descriptions]
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
    row = next((share for part, share in _ROWS.items() if re.search(rf"\b(?:{part})\b", words)), None)
    column = next((share for part, share in _COLUMNS.items() if re.search(rf"\b(?:{part})\b", words)), None)
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
