"""Boxes for new elements, from words that describe a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..operations.creating import size_of_new
from ..operations.placing import beside
from ..scene.document import Document, Page
from ..scene.elements import BBox, Element

Find = Callable[[Document, str], Sequence[Element]]
"""The elements that words may mean, the likeliest first."""
Size = tuple[int, int]

_SIZE = (320, 24)
"""The size of a new element whose kind is unknown, in pixels: that of a text in a line."""
_MARGIN = 24
"""The margin of an element at the edge of a page, in pixels."""
_SIDES = {
    "below": "below|underneath|under|beneath",
    "above": "above|over|on top of",
    "left": "left of",
    "right": "right of",
    "beside": "next to|beside|near(?: to)?|close to|alongside",
}
_RELATION = re.compile(
    rf"\b(?:{'|'.join(f'(?P<{name}>{words})' for name, words in _SIDES.items())}) +(?P<anchor>.+)", re.S | re.I
)
_INSIDE = re.compile(r"\b(?:inside(?: of)?|within|into|in|on) +(?P<anchor>.+)", re.S | re.I)
_BETWEEN = re.compile(r"\bbetween (.+?) and (.+)", re.S | re.I)
_PAGE = re.compile(r"\b(?:page|slide) (\d{1,3})\b", re.I)
_PAGE_PART = re.compile(
    r"(?:the|this|very|top|upper|bottom|lower|left|right|hand|middle|cent(?:er|re)|corner|edge|side|half|part|of|page|slide"
    r"|\d+|[- ,.])+",
    re.I,
)
"""What stands after "in" and "on" without being an element."""
_QUOTED = re.compile(r"[\"“](.+?)[\"”]", re.S)
_ROWS = {r"top|upper": 0.0, r"bottom|lower": 1.0}
_COLUMNS = {r"left": 0.0, r"right": 1.0}
_MIDDLE = re.compile(r"\b(?:middle|cent(?:er|re))\b")
_NEW = {
    "text": ("text", "Text"),
    "list": ("list", "List"),
    "table": ("table", "Table"),
    "line": ("line", "line"),
    "icon|picture|image|photo": ("image", "icon/star"),
    "circle|oval|rectangle|box|triangle|diamond|star|arrow|hexagon|chevron|shape": ("shape", "rectangle"),
}
"""By nouns: the type of a new element, and a description that determines its size."""


def infer_place(document: Document, words: str, find: Find, page: int = 0) -> BBox | None:
    """The box for a new element that words describe; ``None`` if they do not.

    Args:
        document: what is edited.
        words: such as ``"below the headline"``, ``"in the top left corner"`` or ``"a picture above the footer"``; its
            size follows from its kind.
        find: the elements that words may mean, the likeliest first.
        page: the page, from 0, for words that name neither an anchor nor a page.
    """
    for pattern in (_BETWEEN, _RELATION, _INSIDE):
        found = pattern.search(words)
        if found is None or (pattern is not _BETWEEN and _PAGE_PART.fullmatch(found["anchor"])):
            continue
        named = found.groups() if pattern is _BETWEEN else (found["anchor"],)
        anchors = [elements[0] for name in named if (elements := find(document, name))]
        size = _size_in(document, words[: found.start()])
        if len(anchors) < len(named):
            return None
        around = document.pages[document.places[anchors[0].id][0]]
        if pattern is _BETWEEN:
            return _in_middle(_gap_between(anchors[0].bbox, anchors[1].bbox), size or _SIZE, around)
        if pattern is _INSIDE:
            width, height = anchors[0].bbox[2:]
            return _in_middle(anchors[0].bbox, size or (min(_SIZE[0], width), min(_SIZE[1], height)), around)
        side = next(name for name, text in found.groupdict().items() if text and name != "anchor")
        return _beside(side, anchors[0].bbox, size, around)
    page = page_named(words, len(document.pages), page)
    size = _size_in(document, re.split(r"\b(?:in|on|at|near)\b", words)[0])
    return _on_page(_QUOTED.sub(" ", words).lower(), document.pages[page], size or _SIZE)


def page_named(words: str, n_pages: int, page: int) -> int:
    """The page that words name, or else ``page``, from 0; the last of ``n_pages`` for one that is not there."""
    number = _PAGE.search(words)
    return min(max(int(number[1]) - 1, 0) if number else page, n_pages - 1)


def _size_in(document: Document, words: str) -> Size | None:
    """The size of a new element of the described kind, or of a quoted text; ``None`` without a kind."""
    quoted = _QUOTED.search(words)
    for nouns, (kind, description) in _NEW.items():
        if re.search(rf"\b(?:{nouns})\b", words, re.I):
            return size_of_new(document, kind, quoted[0] if quoted and kind == "text" else description)
    return None


def _beside(side: str, anchor: BBox, size: Size | None, page: Page) -> BBox:
    """A box on a side of the anchor, by default as wide or high as it."""
    size = size or ((anchor[2], _SIZE[1]) if side in ("below", "above") else (_SIZE[0], anchor[3]))
    if side == "beside":
        x, _, width, _ = beside("right", anchor, size)
        side = "right" if x + width <= page.width else "left"
    return _on(page, beside(side, anchor, size)[:2], size)


def _in_middle(box: BBox, size: Size, page: Page) -> BBox:
    left, top, width, height = box
    return _on(page, (round(left + (width - size[0]) / 2), round(top + (height - size[1]) / 2)), size)


def _on_page(words: str, page: Page, size: Size) -> BBox | None:
    """A box in a corner, at an edge, or in the middle of the page."""
    row = next((share for part, share in _ROWS.items() if re.search(rf"\b(?:{part})", words)), None)
    column = next((share for part, share in _COLUMNS.items() if re.search(rf"\b(?:{part})", words)), None)
    if row is None and column is None and not _MIDDLE.search(words):
        return None
    shares = (0.5 if column is None else column, 0.5 if row is None else row)
    lengths = zip((page.width, page.height), size, shares, strict=True)
    left, top = (_MARGIN + round((side - 2 * _MARGIN - length) * share) for side, length, share in lengths)
    return _on(page, (left, top), size)


def _on(page: Page, corner: tuple[int, int], size: Size) -> BBox:
    """The box of a size at a corner, moved onto the page."""
    left = max(0, min(corner[0], page.width - size[0]))
    return left, max(0, min(corner[1], page.height - size[1])), *size


def _gap_between(one: BBox, other: BBox) -> BBox:
    """The box of the gap between two boxes; where they overlap, it spans both."""
    (left, width), (top, height) = (_gap((one[i], one[i + 2]), (other[i], other[i + 2])) for i in (0, 1))
    return left, top, width, height


def _gap(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    """Start and length of the gap between two intervals, or else of their union."""
    (start, length), (far, far_length) = sorted((one, other))
    if far >= start + length:
        return start + length, max(far - start - length, 1)
    return start, max(length, far + far_length - start)
