"""Telling: whether a request tells the values that an edit has used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..operations.values import COLOURS
from ..scene.colours import colour_difference
from ..scene.document import Document
from ..scene.elements import Box, Colour, Element
from .differences import Difference
from .request_features import Reading

_SAME_COLOUR = 12.0
_LEVEL = 3
"""How many pixels apart edges may be that are on one line."""
_REACH = 100
"""How far off the nearest place beside something else a new thing may be, in pixels."""
_UP = r"up|upwards?|upward|higher|raise|raising|lift"
_DOWN = r"down|downwards?|downward|lower|drop"
_BELOW, _ABOVE = r"below|under|underneath|beneath|down", r"above|over|up|on top"
_LEFT, _RIGHT = r"left|leftwards?|left-hand", r"right|rightwards?|right-hand"


@dataclass(frozen=True)
class Context:
    """What values are held against.

    Attributes:
        reading: of the request.
        before, after: the documents.
        fits: for each element of the document before, how well it fits an expression of the request, from 0 to 1.
    """

    reading: Reading
    before: Document
    after: Document
    fits: Mapping[str, float]

    def page_of(self, element: Element) -> tuple[int, int]:
        """Width and height of the page that an element is on, after the edit."""
        page = self.after.pages[self.after.places[element.id][0]]
        return page.width, page.height


Telling = Callable[[Context, Element, Element], float]
"""From 0 to 1: whether the values are told by which an element became what it is now."""


def told(context: Context, edit: str, difference: Difference) -> float:
    """From 0 to 1: whether the values of a difference, taken for an edit, are those that are told."""
    telling = TELLINGS.get(edit)
    if telling is None or difference.after is None:
        return 1.0
    return telling(context, difference.about or difference.after, difference.after)


def _step(old: Element, new: Element) -> tuple[int, int]:
    return new.bbox[0] - old.bbox[0], new.bbox[1] - old.bbox[1]


def _mean(*found: bool | float) -> float:
    return sum(map(float, found)) / len(found)


def _moved_by(context: Context, old: Element, new: Element) -> float:
    right, down = _step(old, new)
    if right and down:
        return 0.0
    words = (_RIGHT if right > 0 else _LEFT) if right else (_DOWN if down > 0 else _UP)
    return _mean(context.reading.has(words), context.reading.tells(right or down))


def _moved_to(context: Context, old: Element, new: Element) -> float:
    return _mean(*(any(abs(number - at) <= _LEVEL for number in context.reading.numbers) for at in new.bbox[:2]))


def _edges(box: Box) -> dict[str, int]:
    left, top, width, height = box
    return {"left": left, "right": left + width, "top": top, "bottom": top + height}


def _aligned(context: Context, old: Element, new: Element) -> float:
    right, down = _step(old, new)
    edges = ("left", "right") if right and not down else ("top", "bottom") if down and not right else ()
    spoken = [edge for edge in edges if context.reading.has(rf"{edge}(?:s|-hand|-aligned)?")]
    page = context.after.places[new.id][0]
    best = 0.0
    for other in context.after.elements_of_page(page):
        level = any(abs(_edges(new.bbox)[edge] - _edges(other.bbox)[edge]) <= _LEVEL for edge in spoken)
        if other.id != new.id and level:
            best = max(best, context.fits.get(other.id, 0.0))
    return best


def _centred(context: Context, old: Element, new: Element) -> float:
    right, down = _step(old, new)
    if bool(right) == bool(down):
        return 0.0
    axis = 0 if right else 1
    is_central = abs(new.centre[axis] - context.page_of(new)[axis] / 2) <= _LEVEL
    words = (r"horizontal\w*|sideways|left to right|width", r"vertical\w*|top to bottom|height")[axis]
    return _mean(is_central, context.reading.has(words)) if is_central else 0.0


def _swapped(context: Context, old: Element, new: Element) -> float:
    page = context.before.elements_of_page(context.before.places[old.id][0])
    others = [one for one in page if one.id != old.id and _is_at(one, new)]
    return max((context.fits.get(one.id, 0.0) for one in others if _has_come(context, one, old)), default=0.0)


def _is_at(one: Element, other: Element) -> bool:
    return max(map(abs, _step(one, other))) <= _LEVEL


def _has_come(context: Context, one: Element, old: Element) -> bool:
    now = context.after.find(one.id)
    return now is not None and _is_at(now, old)


def _beside(context: Context, old: Element, new: Element) -> float:
    sides = {_BELOW: "below", _ABOVE: "above", _LEFT: "left", _RIGHT: "right"}
    spoken = [side for words, side in sides.items() if context.reading.has(words)]
    return float(any(_stands(side, new.bbox, old.bbox) for side in spoken))


def _stands(side: str, box: Box, anchor: Box) -> bool:
    """Whether a box is on a side of an anchor, and near it."""
    mine, other = _edges(box), _edges(anchor)
    gap = {
        "below": mine["top"] - other["bottom"],
        "above": other["top"] - mine["bottom"],
        "left": other["left"] - mine["right"],
        "right": mine["left"] - other["right"],
    }[side]
    axis = 0 if side in ("below", "above") else 1
    aside = max(anchor[axis] - box[axis] - box[axis + 2], box[axis] - anchor[axis] - anchor[axis + 2], 0)
    return -min(box[3 - axis], 40) <= gap <= _REACH and aside <= _REACH


def placed(context: Context, old: Element, new: Element) -> float:
    """Whether something new stands in the corner, or beside the element, that the request speaks of."""
    words = context.reading
    found = 0.0
    for side, spoken in (("below", _BELOW), ("above", _ABOVE), ("left", r"left of"), ("right", r"right of")):
        for element in context.before.elements() if words.has(spoken) else ():
            if context.fits.get(element.id, 0.0) > found and _stands(side, new.bbox, element.bbox):
                found = context.fits[element.id]
    return max(found, _in_corner(context, new))


def _in_corner(context: Context, new: Element) -> float:
    """Whether something stands in the part of the page that is told."""
    rows = {0.25: r"top|upper", 0.75: r"bottom|lower", 0.5: r"middle|cent(?:re|er)"}
    columns = {0.25: r"left|left-hand", 0.75: r"right|right-hand", 0.5: r"middle|cent(?:re|er)"}
    shares = [new.centre[axis] / length for axis, length in enumerate(context.page_of(new))]
    across = any(context.reading.has(words) and abs(shares[0] - at) <= 0.26 for at, words in columns.items())
    down = any(context.reading.has(words) and abs(shares[1] - at) <= 0.26 for at, words in rows.items())
    return float(across and down)


def _told_colour(context: Context, colour: Colour | None) -> float:
    if colour is None:
        return 0.0
    nearest = min((colour_difference(one, colour) for one in context.reading.colours), default=100.0)
    is_named = any(one == COLOURS[_name(colour)] for one in context.reading.colours)
    return 1.0 if nearest <= _SAME_COLOUR or is_named else max(0.0, 0.5 - nearest / 100)


def _name(colour: Colour) -> str:
    return min(COLOURS, key=lambda name: colour_difference(COLOURS[name], colour))


def _coloured(context: Context, old: Element, new: Element) -> float:
    now, then = new.style, old.style
    made = [b for a, b in ((then.fill, now.fill), (then.stroke, now.stroke), (then.colour, now.colour)) if a != b]
    return max((_told_colour(context, one) for one in made), default=0.0)


def _says(context: Context, old: Element, new: Element) -> float:
    return float(any(_plain(quote) == _plain(new.text) for quote in context.reading.quotes))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _reworded(context: Context, old: Element, new: Element) -> float:
    quotes = context.reading.quotes
    pairs = ((a, b) for i, a in enumerate(quotes) for b in (*quotes[:i], *quotes[i + 1 :]) if a)
    return float(any(old.text.replace(a, b) == new.text for a, b in pairs))


def _cell(context: Context, old: Element, new: Element) -> float:
    made = [
        (a, b)
        for mine, now in zip(old.cells, new.cells, strict=False)
        for a, b in zip(mine, now, strict=False)
        if a != b
    ]
    quotes = set(map(_plain, context.reading.quotes))
    return float(len(made) == 1 and _plain(made[0][0]) in quotes and _plain(made[0][1]) in quotes)


def _turned(context: Context, old: Element, new: Element) -> float:
    turn = (new.angle - old.angle + 180) % 360 - 180
    is_counter = context.reading.has(r"(?:counter|anti)-?\s?clockwise")
    is_with = context.reading.has(r"clockwise") and not is_counter
    return _mean(context.reading.tells(turn), is_with if turn > 0 else is_counter)


def _percent(context: Context, old: Element, new: Element) -> float:
    ratio = 100 * (new.bbox[2] / old.bbox[2] + new.bbox[3] / old.bbox[3]) / 2
    return float(context.reading.tells(ratio, 1.5 + 50 / min(old.bbox[2:])))


_ALIGNED = {"left": r"left\w*", "right": r"right\w*", "center": r"cent(?:re|er)\w*|middle"}


TELLINGS: dict[str, Telling] = {
    "move_by": _moved_by,
    "move_to": _moved_to,
    "align_edge": _aligned,
    "center": _centred,
    "swap": _swapped,
    "add_text": lambda context, old, new: _mean(_says(context, old, new), placed(context, old, new)),
    "add_shape": lambda context, old, new: _mean(
        new.shape in context.reading.shapes, _told_colour(context, new.style.fill), placed(context, old, new)
    ),
    "add_image": lambda context, old, new: _mean(new.asset in context.reading.pictures, placed(context, old, new)),
    "copy_to": _moved_to,
    "copy_beside": _beside,
    "replace_image": lambda context, old, new: float(new.asset in context.reading.pictures),
    "replace_shape": lambda context, old, new: float(new.shape in context.reading.shapes),
    "replace_by_image": lambda context, old, new: float(new.asset in context.reading.pictures),
    "replace_by_text": _says,
    "text": _says,
    "word": _reworded,
    "cell": _cell,
    "colour": _coloured,
    "text_colour": lambda context, old, new: _told_colour(context, new.style.colour),
    "font_size": lambda context, old, new: float(context.reading.tells(new.style.size)),
    "font_larger": lambda context, old, new: float(context.reading.tells(new.style.size - old.style.size)),
    "font_smaller": lambda context, old, new: float(context.reading.tells(new.style.size - old.style.size)),
    "font": lambda context, old, new: float(new.style.face in context.reading.faces),
    "underline": lambda context, old, new: float(new.style.underline),
    "align_text": lambda context, old, new: float(context.reading.has(_ALIGNED[new.style.align])),
    "upper_case": lambda context, old, new: float(new.text == old.text.upper()),
    "opacity": lambda context, old, new: float(context.reading.tells(100 * new.opacity)),
    "rotate": _turned,
    "scale": _percent,
    "width": lambda context, old, new: float(context.reading.tells(new.bbox[2])),
    "height": lambda context, old, new: float(context.reading.tells(new.bbox[3])),
    "to_front": lambda context, old, new: float(_at_end(context, new) == 1),
    "to_back": lambda context, old, new: float(_at_end(context, new) == -1),
}
"""For each kind of edit whose values are told, whether they are these."""


def _at_end(context: Context, new: Element) -> int:
    """1 for the topmost element of a page, -1 for the lowest, 0 for any other."""
    page, at = context.after.places[new.id]
    return 1 if at == len(context.after.elements_of_page(page)) - 1 else -1 if at == 0 else 0
