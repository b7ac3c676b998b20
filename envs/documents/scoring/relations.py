"""How an element stands to another one, or to its page, by what they paint and how they look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...core.boxes import Rect, encloses, expand, intersection, overlap_height, overlap_width
from ...core.boxes import centre as middle
from ..operations.values import ink_of
from ..scene.elements import Element
from .comparison import Comparison, is_value, values_of

Check = Callable[[Rect, Rect, float], bool]
"""Whether one rectangle stands so to another, up to a tolerance in pixels."""
_CORNER = 0.3
"""The maximum distance of what is in a corner from its edges, as a share of the whole."""
_LETTERED = ("text", "list", "table")


def _edge(at: int) -> Check:
    return lambda a, b, t: abs(a[at] - b[at]) <= t


def _centred(at: int) -> Check:
    return lambda a, b, t: abs(middle(a)[at] - middle(b)[at]) <= t


def _as_long(at: int) -> Check:
    return lambda a, b, t: abs((a[at + 2] - a[at]) - (b[at + 2] - b[at])) <= t


def _half(at: int, sign: int) -> Check:
    return lambda a, b, t: sign * (middle(a)[at] - middle(b)[at]) > -t


def _corner(*signs: int) -> Check:
    """Whether a box is nearer to two edges of another than to the opposite ones, and near enough."""

    def check(a: Rect, b: Rect, t: float) -> bool:
        for at, sign in enumerate(signs):
            near, far = (a[at] - b[at], b[at + 2] - a[at + 2])[::-sign]
            if near > far + t or near > _CORNER * (b[at + 2] - b[at]) + t:
                return False
        return True

    return check


def _is_in_the_middle(a: Rect, b: Rect, t: float) -> bool:
    return all(abs(middle(a)[i] - middle(b)[i]) <= max(t, 0.1 * (b[i + 2] - b[i])) for i in (0, 1))


_X, _Y, _XY = ("x",), ("y",), ("x", "y")
_BY_BOX: Mapping[str, tuple[Check, Sequence[str]]] = {
    "left_of": (lambda a, b, t: a[2] <= b[0] + t, _XY),
    "right_of": (lambda a, b, t: a[0] >= b[2] - t, _XY),
    "above": (lambda a, b, t: a[3] <= b[1] + t, _XY),
    "below": (lambda a, b, t: a[1] >= b[3] - t, _XY),
    "inside": (lambda a, b, t: encloses(expand(b, t), a), _XY),
    "near": (lambda a, b, t: max(-overlap_width(a, b), -overlap_height(a, b)) <= t, _XY),
    "aligned_left": (_edge(0), _X), "aligned_right": (_edge(2), _X), "centred_x": (_centred(0), _X),
    "aligned_top": (_edge(1), _Y), "aligned_bottom": (_edge(3), _Y), "centred_y": (_centred(1), _Y),
    "left_half": (_half(0, -1), _X), "right_half": (_half(0, 1), _X),
    "top_half": (_half(1, -1), _Y), "bottom_half": (_half(1, 1), _Y),
    "top_left": (_corner(-1, -1), _XY), "top_right": (_corner(1, -1), _XY),
    "bottom_left": (_corner(-1, 1), _XY), "bottom_right": (_corner(1, 1), _XY),
    "middle": (_is_in_the_middle, _XY),
    "same_width": (_as_long(0), ("width",)), "same_height": (_as_long(1), ("height",)),
}  # fmt: skip
"""Relations of what is painted, each with the fields that may change for it."""


def is_over(edit: Comparison, new: Element, other: Element) -> bool:
    """Whether an element overlaps another one and is above it; one that is gone does not count."""
    theirs = edit.after.places.get(other.id)
    both = intersection(*(edit.ink_of(one) for one in (new, other)))
    return theirs is None or (edit.after.places[new.id] > theirs and both is not None)


def _same_size(edit: Comparison, new: Element, other: Element) -> bool:
    return all(
        is_value(side, *(values_of(edit.document_of(one), one, side)[-1] for one in (new, other)))
        for side in _sides(new)
    )


def _sides(element: Element | None) -> tuple[str, ...]:
    return ("size",) if element is not None and element.type in _LETTERED else ("width", "height")


def _main_colour(element: Element | None) -> str:
    return {"shape": "fill", "line": "stroke"}.get(element.type if element else "", "colour")


_BY_LOOK: Mapping[str, Callable[[Comparison, Element, Element], bool]] = {
    "over": is_over,
    "same_size": _same_size,
    "same_colour": lambda edit, a, b: is_value("colour", ink_of(a), ink_of(b)) and ink_of(a) is not None,
    "same_fill": lambda edit, a, b: is_value("fill", a.style.fill, b.style.fill),
    "same_face": lambda edit, a, b: a.style.face == b.style.face,
}
RELATIONS = (*_BY_BOX, *_BY_LOOK)


def fields_of_relation(relation: str, element: Element | None) -> Sequence[str]:
    """The fields of an element that may change for a relation."""
    if relation in _BY_BOX:
        return _BY_BOX[relation][1]
    own = {"over": ("order",), "same_size": _sides(element), "same_fill": ("fill",), "same_face": ("face",)}
    return own.get(relation, (_main_colour(element),))


def stands(edit: Comparison, name: str, relation: str, other_name: str, within: float) -> bool:
    """Whether an element stands so to another one, or to its ``page``, after an edit."""
    new, rect, page = edit.new(name), edit.ink(name), edit.page_of(name)
    if new is None or rect is None or page is None:
        return False
    sheet = edit.after.pages[page]
    other = (0, 0, sheet.width, sheet.height) if other_name == "page" else edit.ink(other_name)
    if other is None or (other_name != "page" and edit.page_of(other_name) != page):
        return False
    if relation in _BY_BOX:
        return _BY_BOX[relation][0](rect, other, within)
    them = edit.new(other_name) or edit.old(other_name)
    return them is not None and _BY_LOOK[relation](edit, new, them)
