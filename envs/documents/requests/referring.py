"""Referring expressions that mean certain elements and clearly no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from ...core.asset_cache import by_identity
from ..operations.values import (
    NOUNS,
    ORDINALS,
    STYLES,
    colour_word,
    faces_on,
    is_mixed,
    is_title,
    is_wide,
    kind_of,
    styles_of,
)
from ..scene.document import Document
from ..scene.elements import Element

Expression = tuple[str, dict[str, str]]
"""A kind of expression (``phrasings.REFERENCES``) and its slots."""

_LEVEL = 8
"""The minimum distance of elements that have an order, in pixels."""
_LARGER = 1.15
"""The minimum ratio of a superlative's size to the next one."""
_NEARER = 1.3
"""The minimum ratio of the next one's distance to that of the nearest."""
_FAR = 160.0
"""The maximum distance in pixels from the anchor that identifies an element."""
_MOST_OF_IT, _A_LITTLE_ASIDE = 0.5, -0.25
_SHORT, _MANY = 34, 8
_MARKS = ("$", "%", "€", ":", "&", "(", "@")
"""The marks by which texts that contain them are told from others."""
_SLOTS = {"containing": "text"}
"""The slots of expressions for several elements that are not called as their trait."""
EDGES = ("left", "right", "top", "bottom")
SIDES = {"below": "below", "above": "above", "to the left of": "left", "to the right of": "right"}
"""The words for the sides of an anchor."""
_KINDS_ALONE = ("icon", "picture", "table", "list", "circle", "oval", "triangle", "diamond", "star", "arrow", "hexagon")
"""Kinds that people call by their noun alone where there is one only."""
_COUNTED = ORDINALS[:4]


def singular(document: Document, page: int, target: Element) -> list[Expression]:
    """Expressions for one element of a page, counted from 0, by what is seen of it."""
    kind = kind_of(target)
    if kind is None or target.opacity == 0:
        return []
    alike = [element for element in faces_on(document, page) if kind_of(element) == kind]
    word = NOUNS[kind][0]
    expressions = [*plain(document, page, target)]
    # Whether something that fills the page is counted among the rest, people do not agree.
    is_countable = not any(is_wide(element, document.pages[page]) for element in alike)
    for find in (_by_colour, _by_style, *((_by_ordinal, _by_superlative) if is_countable else ())):
        expressions += find(target, alike, word)
    return expressions + list(_by_place(document, page, target, alike, word))


@partial(by_identity, maxsize=256)
def plain(document: Document, page: int, target: Element) -> Sequence[Expression]:
    """Expressions that mention no other element: the only one of its kind, the title, what it says."""
    return tuple(_plain(document, page, target))


def _plain(document: Document, page: int, target: Element) -> Iterator[Expression]:
    faces, kind = faces_on(document, page), kind_of(target)
    if kind in _KINDS_ALONE and [e.id for e in faces if kind_of(e) == kind] == [target.id]:
        yield "only", {"kind": NOUNS[kind][0]}
    if is_title(document.pages[page], target):
        yield "title", {}
    text = _words(target)
    if target.type not in ("text", "shape") or not text or '"' in text:
        return
    others = [_words(e).lower() for e in faces if e.id != target.id]
    beginning = " ".join(text.split()[:3])
    if len(text) <= _SHORT and not any(text.lower() in other for other in others):
        yield (
            ("says", {"text": text})
            if target.type == "text"
            else ("says_on", {"kind": NOUNS[kind or ""][0], "text": text})
        )
    elif target.type == "text" and len(text.split()) > 4 and not any(beginning.lower() in other for other in others):
        yield "begins", {"text": beginning.rstrip(".,;:!")}


@by_identity
def _words(element: Element) -> str:
    return " ".join(element.text.split())


@partial(by_identity, maxsize=16)
def plural(document: Document, page: int) -> Sequence[tuple[Expression, tuple[str, ...]]]:
    """Expressions for several elements of a page, with the ids of these elements."""
    return tuple(_plural(document, page))


def _plural(document: Document, page: int) -> Iterator[tuple[Expression, tuple[str, ...]]]:
    visible = faces_on(document, page)
    for kind, (_, words) in NOUNS.items():
        alike = [element for element in visible if kind_of(element) == kind]
        if len(alike) < 2 or any(is_wide(element, document.pages[page]) for element in alike):
            continue
        found = [(("all", {"kinds": words}), alike)]
        for name, value, having in _sharing(alike):
            found.append(((f"all_{name}", {_SLOTS.get(name, name): value, "kinds": words}), having))
        for relation, anchor, having in _on_sides(document, page, alike):
            found.append((("all_spatial", {"kinds": words, "relation": relation, "anchor": anchor}), having))
        yield from ((expression, _ids(having)) for expression, having in found if len(having) <= _MANY)


def _ids(elements: Sequence[Element]) -> tuple[str, ...]:
    return tuple(element.id for element in elements)


def _along(edge: str) -> Callable[[Element], float]:
    axis, sign = (0 if edge in ("left", "right") else 1), (1 if edge in ("left", "top") else -1)
    return lambda element: sign * element.centre[axis]


def _edge(edge: str) -> Callable[[Element], float]:
    """The distance of an element from an edge of the page, except for a constant."""
    axis, is_near = (0 if edge in ("left", "right") else 1), edge in ("left", "top")
    return lambda element: element.bbox[axis] if is_near else -element.bbox[axis] - element.bbox[axis + 2]


def _rank(target: Element, alike: Sequence[Element], measure: Callable[[Element], float]) -> int | None:
    """The number of elements before one; ``None`` if another is about level with it."""
    mine, places = measure(target), [measure(element) for element in alike if element.id != target.id]
    if any(abs(place - mine) < _LEVEL for place in places):
        return None
    return sum(place < mine for place in places)


def _by_ordinal(target: Element, alike: Sequence[Element], word: str) -> Iterator[Expression]:
    # Nobody counts texts, lines or boxes.
    if not 3 <= len(alike) <= _MANY or word not in ("icon", "picture", "circle", "star"):
        return
    for edge in EDGES:
        # In a row or a column alone it is clear who is next.
        across = [e.centre[1 if edge in ("left", "right") else 0] for e in alike]
        if max(across) - min(across) > min(min(e.bbox[2:]) for e in alike) / 2:
            continue
        ranks = {_rank(target, alike, measure) for measure in (_along(edge), _edge(edge))}
        rank = ranks.pop()
        # By their middles and by their edges, people count alike.
        if rank is not None and not ranks and 0 < rank < len(_COUNTED):
            yield "ordinal", {"ordinal": _COUNTED[rank], "kind": word, "edge": edge}


def _by_superlative(target: Element, alike: Sequence[Element], word: str) -> Iterator[Expression]:
    others = [element for element in alike if element.id != target.id]
    if not others or word in ("text", "line"):
        return
    for edge, name in zip(EDGES, ("leftmost", "rightmost", "topmost", "bottommost"), strict=True):
        if all(_rank(target, alike, measure) == 0 for measure in (_along(edge), _edge(edge))):
            yield "superlative", {"superlative": name, "kind": word}
    # Of words, the size of the letters may be meant as well as that of their box.
    if target.runs or any(other.runs for other in others):
        return
    area, areas = _area(target), [_area(other) for other in others]
    if area >= _LARGER * max(areas):
        yield "superlative", {"superlative": "largest", "kind": word}
    if area * _LARGER <= min(areas):
        yield "superlative", {"superlative": "smallest", "kind": word}


def _area(element: Element) -> int:
    return element.bbox[2] * element.bbox[3]


def _by_colour(target: Element, alike: Sequence[Element], word: str) -> Iterator[Expression]:
    colour = colour_word(target)
    others = [colour_word(e) for e in alike if e.id != target.id]
    # One whose colour has no plain name might be taken for it.
    if colour is not None and colour not in others and (None not in others or target.type == "shape"):
        yield "colour", {"colour": colour, "kind": word}


def _by_style(target: Element, alike: Sequence[Element], word: str) -> Iterator[Expression]:
    for style in STYLES:
        having = [e for e in alike if style in styles_of(e) or is_mixed(e, style)]
        if _ids(having) == (target.id,) and style in styles_of(target) and len(alike) > 1:
            yield "style", {"style": style, "kind": word}


def _by_place(
    document: Document, page: int, target: Element, alike: Sequence[Element], word: str
) -> Iterator[Expression]:
    for anchor in faces_on(document, page):
        if anchor.id == target.id or not _is_anchor(document, page, anchor):
            continue
        for words, side in SIDES.items():
            mine = _distance(target, anchor, side, _MOST_OF_IT)
            if mine is None or mine > _FAR:
                continue
            # Others count although they are there only in part, or a little aside.
            others = [_distance(e, anchor, side, _A_LITTLE_ASIDE) for e in alike if e.id not in (anchor.id, target.id)]
            if all(other is None or other >= _NEARER * max(mine, _LEVEL) for other in others):
                yield "spatial", {"kind": word, "relation": words, "anchor": anchor.id}


def _is_anchor(document: Document, page: int, element: Element) -> bool:
    """Whether an element can serve to locate others: a few words name it."""
    return any(kind in ("says", "only") for kind, _ in plain(document, page, element))


def _distance(element: Element, anchor: Element, side: str, least: float) -> float | None:
    """How far an element is on a side of an anchor, in pixels; ``None`` if it is not.

    ``least``: how much of the narrower one must be level with the other.
    """
    left, top, width, height = element.bbox
    other_left, other_top, other_width, other_height = anchor.bbox
    gap = {
        "below": top - (other_top + other_height),
        "above": other_top - (top + height),
        "left": other_left - (left + width),
        "right": left - (other_left + other_width),
    }[side]
    if side in ("below", "above"):
        shared = min(left + width, other_left + other_width) - max(left, other_left)
        part = shared / min(width, other_width)
    else:
        shared = min(top + height, other_top + other_height) - max(top, other_top)
        part = shared / min(height, other_height)
    return float(max(gap, 0)) if gap >= -4 and part >= least else None


def _sharing(alike: Sequence[Element]) -> Iterator[tuple[str, str, list[Element]]]:
    """The elements, some but not all, that have a colour, a style or a mark: the kind of trait, its value, and they."""
    colours = [colour_word(e) or "" for e in alike]
    traits = [("colour", colour, [own == colour for own in colours]) for colour in sorted(set(colours)) if all(colours)]
    for style in STYLES:
        if not any(is_mixed(e, style) for e in alike):
            traits.append(("style", style, [style in styles_of(e) for e in alike]))
    traits += [("containing", mark, [mark in e.text for e in alike]) for mark in _MARKS]
    for kind, value, has in traits:
        if 2 <= sum(has) < len(alike):
            yield kind, value, [e for e, is_one in zip(alike, has, strict=True) if is_one]


def _on_sides(document: Document, page: int, alike: Sequence[Element]) -> Iterator[tuple[str, str, list[Element]]]:
    """The elements, some but not all, above or below an anchor: the relation, the anchor's id, and they.

    All of them must be clearly above or below it.
    """
    for anchor in faces_on(document, page):
        top, bottom = anchor.bbox[1], anchor.bbox[1] + anchor.bbox[3]
        others = [e for e in alike if e.id != anchor.id]
        above = [e for e in others if e.bbox[1] + e.bbox[3] <= top]
        below = [e for e in others if e.bbox[1] >= bottom]
        is_across = anchor.bbox[2] >= document.pages[page].width / 2
        is_plain = len(above) + len(below) == len(others) and kind_of(anchor) in ("text", "line")
        if not is_across or not is_plain or not _is_anchor(document, page, anchor):
            continue
        for relation, having in (("above", above), ("below", below)):
            if 2 <= len(having) < len(others):
                yield relation, anchor.id, having
