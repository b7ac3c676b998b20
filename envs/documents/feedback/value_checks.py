"""Check an edit's values against the request: amounts, places, colours, texts.

To add a check, add a row to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ..language.lexicon import LEXICON
from ..operations.values import COLOURS
from ..scene.colours import colour_difference
from ..scene.document import Document
from ..scene.elements import Box, Colour, Element
from .differences import Difference
from .request_features import RequestFeatures

Side = Literal["below", "above", "left", "right"]
_SIDES: tuple[Side, ...] = ("below", "above", "left", "right")
_SAME_COLOUR = 12.0
_LEVEL = 3
"""The maximum distance of edges on one line, in pixels."""
_MAX_GAP = 100
"""The maximum distance of a new element from the one it is beside, in pixels."""


@dataclass(frozen=True)
class EditContext:
    """An edit and its request.

    Attributes:
        request: the parts of the request.
        before, after: the documents.
        fits: for each element of the document before, how well it matches an expression of the request, from 0 to 1.
    """

    request: RequestFeatures
    before: Document
    after: Document
    fits: Mapping[str, float]


@dataclass(frozen=True)
class ElementEdit:
    """An element before and after an edit."""

    context: EditContext
    old: Element
    new: Element

    @property
    def request(self) -> RequestFeatures:
        """The parts of the request."""
        return self.context.request

    @property
    def step(self) -> tuple[int, int]:
        """How far the element has moved to the right and down."""
        return _step(self.old, self.new)

    @property
    def page_size(self) -> tuple[int, int]:
        """Width and height of its page after the edit."""
        page = self.context.after.pages[self.context.after.places[self.new.id][0]]
        return page.width, page.height

    def mentions(self, words: str) -> bool:
        """Whether the request has words of a row of ``Lexicon.value_words``."""
        return self.request.has(LEXICON.value_words[words])

    def fit(self, element: Element) -> float:
        """How well an element matches an expression of the request."""
        return self.context.fits.get(element.id, 0.0)


def value_agreement(context: EditContext, edit: str, difference: Difference) -> float:
    """How well the values of a difference agree with the request, from 0 to 1.

    The difference is read as the kind of edit ``edit``.
    """
    check = VALUE_CHECKS.get(edit)
    if check is None or difference.after is None:
        return 1.0
    return float(check(ElementEdit(context, difference.element or difference.after, difference.after)))


def _step(old: Element, new: Element) -> tuple[int, int]:
    return new.bbox[0] - old.bbox[0], new.bbox[1] - old.bbox[1]


def _mean(*values: float) -> float:
    return sum(map(float, values)) / len(values)


def _moved_by(edit: ElementEdit) -> float:
    right, down = edit.step
    if right and down:
        return 0.0
    direction = ("right" if right > 0 else "left") if right else ("down" if down > 0 else "up")
    return _mean(edit.mentions(direction), edit.request.has_number(right or down))


def _moved_to(edit: ElementEdit) -> float:
    return _mean(*(any(abs(number - at) <= _LEVEL for number in edit.request.numbers) for at in edit.new.bbox[:2]))


def _edges(box: Box) -> dict[str, int]:
    left, top, width, height = box
    return {"left": left, "right": left + width, "top": top, "bottom": top + height}


def _aligned(edit: ElementEdit) -> float:
    right, down = edit.step
    edges = ("left", "right") if right and not down else ("top", "bottom") if down and not right else ()
    mentioned = [edge for edge in edges if edit.request.has(rf"{edge}(?:s|-hand|-aligned)?")]
    after, mine = edit.context.after, _edges(edit.new.bbox)
    others = (
        other
        for other in after.elements_of_page(after.places[edit.new.id][0])
        if other.id != edit.new.id
        if any(abs(mine[edge] - _edges(other.bbox)[edge]) <= _LEVEL for edge in mentioned)
    )
    return max(map(edit.fit, others), default=0.0)


def _centred(edit: ElementEdit) -> float:
    right, down = edit.step
    if bool(right) == bool(down):
        return 0.0
    axis = 0 if right else 1
    is_central = abs(edit.new.centre[axis] - edit.page_size[axis] / 2) <= _LEVEL
    return _mean(1, edit.mentions(("horizontally", "vertically")[axis])) if is_central else 0.0


def _swapped(edit: ElementEdit) -> float:
    """How well the request matches the element that this one changed places with."""
    before, after = edit.context.before, edit.context.after
    others = (
        one
        for one in before.elements_of_page(before.places[edit.old.id][0])
        if one.id != edit.old.id and _is_at(one, edit.new)
        if (moved := after.find(one.id)) is not None and _is_at(moved, edit.old)
    )
    return max(map(edit.fit, others), default=0.0)


def _is_at(one: Element, other: Element) -> bool:
    return max(map(abs, _step(one, other))) <= _LEVEL


def _beside_itself(edit: ElementEdit) -> bool:
    return any(edit.mentions(side) and _is_beside(side, edit.new.bbox, edit.old.bbox) for side in _SIDES)


def _is_beside(side: Side, box: Box, anchor: Box) -> bool:
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
    return -min(box[3 - axis], 40) <= gap <= _MAX_GAP and aside <= _MAX_GAP


def _placed(edit: ElementEdit) -> float:
    """Whether a new element is where the request mentions: a corner, or a side."""
    best = float(_is_in_part(edit, 0, ("left", "right")) and _is_in_part(edit, 1, ("top", "bottom")))
    for side in _SIDES:
        if edit.mentions(side if side in ("below", "above") else f"{side} of"):
            anchors = (one for one in edit.context.before.elements() if _is_beside(side, edit.new.bbox, one.bbox))
            best = max(best, *map(edit.fit, anchors), 0.0)
    return best


def _is_in_part(edit: ElementEdit, axis: int, ends: tuple[str, str]) -> bool:
    """Whether an element is in the part of the page that the request mentions."""
    at = edit.new.centre[axis] / edit.page_size[axis]
    parts = {ends[0]: 0.25, ends[1]: 0.75, "middle": 0.5}
    return any(edit.mentions(f"{part} part") and abs(at - share) <= 0.26 for part, share in parts.items())


def _colour_agreement(edit: ElementEdit, colour: Colour | None) -> float:
    if colour is None:
        return 0.0
    nearest = min((colour_difference(one, colour) for one in edit.request.colours), default=100.0)
    name = min(COLOURS, key=lambda name: colour_difference(COLOURS[name], colour))
    is_named = COLOURS[name] in edit.request.colours
    return 1.0 if nearest <= _SAME_COLOUR or is_named else max(0.0, 0.5 - nearest / 100)


def _coloured(edit: ElementEdit) -> float:
    now, then = edit.new.style, edit.old.style
    pairs = ((then.fill, now.fill), (then.stroke, now.stroke), (then.colour, now.colour))
    return max((_colour_agreement(edit, new) for old, new in pairs if old != new), default=0.0)


def _is_quoted(edit: ElementEdit) -> bool:
    return _plain(edit.new.text) in map(_plain, edit.request.quotes)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _reworded(edit: ElementEdit) -> bool:
    quotes, old, new = edit.request.quotes, edit.old.text, edit.new.text
    pairs = ((a, b) for i, a in enumerate(quotes) for b in (*quotes[:i], *quotes[i + 1 :]) if a)
    return any(old.replace(a, b) == new for a, b in pairs)


def _cell(edit: ElementEdit) -> bool:
    rows = zip(edit.old.cells, edit.new.cells, strict=False)
    changed = [pair for row in rows for pair in zip(*row, strict=False) if pair[0] != pair[1]]
    quotes = set(map(_plain, edit.request.quotes))
    return len(changed) == 1 and set(map(_plain, changed[0])) <= quotes


def _turned(edit: ElementEdit) -> float:
    angle = (edit.new.angle - edit.old.angle + 180) % 360 - 180
    is_counter = edit.mentions("counterclockwise")
    is_clockwise = edit.mentions("clockwise") and not is_counter
    return _mean(edit.request.has_number(angle), is_clockwise if angle > 0 else is_counter)


def _scaled(edit: ElementEdit) -> bool:
    old, new = edit.old.bbox, edit.new.bbox
    percent = 100 * (new[2] / old[2] + new[3] / old[3]) / 2
    return edit.request.has_number(percent, 1.5 + 50 / min(old[2:]))


def _resized_letters(edit: ElementEdit) -> bool:
    return edit.request.has_number(edit.new.style.size - edit.old.style.size)


def _has_picture(edit: ElementEdit) -> bool:
    return edit.new.asset in edit.request.pictures


def _place_in_order(edit: ElementEdit) -> int:
    """1 for the topmost element of a page, -1 for the lowest, 0 for any other."""
    page, at = edit.context.after.places[edit.new.id]
    return 1 if at == len(edit.context.after.elements_of_page(page)) - 1 else -1 if at == 0 else 0


VALUE_CHECKS: dict[str, Callable[[ElementEdit], float]] = {
    "move_by": _moved_by,
    "move_to": _moved_to,
    "align_edge": _aligned,
    "center": _centred,
    "swap": _swapped,
    "add_text": lambda edit: _mean(_is_quoted(edit), _placed(edit)),
    "add_shape": lambda edit: _mean(
        edit.new.shape in edit.request.shapes, _colour_agreement(edit, edit.new.style.fill), _placed(edit)
    ),
    "add_image": lambda edit: _mean(_has_picture(edit), _placed(edit)),
    "copy_to": _moved_to,
    "copy_beside": _beside_itself,
    "replace_image": _has_picture,
    "replace_shape": lambda edit: edit.new.shape in edit.request.shapes,
    "replace_by_image": _has_picture,
    "replace_by_text": _is_quoted,
    "text": _is_quoted,
    "word": _reworded,
    "cell": _cell,
    "colour": _coloured,
    "text_colour": lambda edit: _colour_agreement(edit, edit.new.style.colour),
    "font_size": lambda edit: edit.request.has_number(edit.new.style.size),
    "font_larger": _resized_letters,
    "font_smaller": _resized_letters,
    "font": lambda edit: edit.new.style.face in edit.request.faces,
    "underline": lambda edit: edit.new.style.underline,
    "align_text": lambda edit: edit.mentions(f"align {edit.new.style.align}"),
    "upper_case": lambda edit: edit.new.text == edit.old.text.upper(),
    "opacity": lambda edit: edit.request.has_number(100 * edit.new.opacity),
    "rotate": _turned,
    "scale": _scaled,
    "width": lambda edit: edit.request.has_number(edit.new.bbox[2]),
    "height": lambda edit: edit.request.has_number(edit.new.bbox[3]),
    "to_front": lambda edit: _place_in_order(edit) == 1,
    "to_back": lambda edit: _place_in_order(edit) == -1,
}
"""By kind of edit: how well its values agree with the request, from 0 to 1."""
