"""How an element stands to another one, or to its page, by what they cover and how they look."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...core.boxes import Rect, overlap_height, overlap_width
from ...core.boxes import centre as middle
from ..operations.values import ink_of
from ..scene.elements import Element
from .comparison import COLOUR_FIELDS, Comparison, is_colour, is_value, values_of

Check = Callable[[Rect, Rect, float], bool]
"""Whether one rectangle stands so to another, up to a tolerance in pixels."""


def _gap(a: Rect, b: Rect) -> float:
    return max(-overlap_width(a, b), -overlap_height(a, b), 0)


def _edge(at: int) -> Check:
    return lambda a, b, t: abs(a[at] - b[at]) <= t


def _centred(at: int) -> Check:
    return lambda a, b, t: abs(middle(a)[at] - middle(b)[at]) <= t


def _as_long(at: int) -> Check:
    return lambda a, b, t: abs((a[at + 2] - a[at]) - (b[at + 2] - b[at])) <= t


def _half(at: int, sign: int) -> Check:
    return lambda a, b, t: sign * (middle(a)[at] - middle(b)[at]) > -t


_CORNER = 0.3
"""The maximum distance of what is in a corner from its edges, as a share of the whole."""


def _corner(at: int, sign: int) -> Check:
    """Whether a box is nearer to one edge of another than to the opposite one, and near enough."""

    def check(a: Rect, b: Rect, t: float) -> bool:
        low, high = a[at] - b[at], b[at + 2] - a[at + 2]
        near, far = (low, high) if sign < 0 else (high, low)
        return near <= far + t and near <= _CORNER * (b[at + 2] - b[at]) + t

    return check


def _both(one: Check, two: Check) -> Check:
    return lambda a, b, t: one(a, b, t) and two(a, b, t)


BY_BOX: Mapping[str, Check] = {
    "left_of": lambda a, b, t: a[2] <= b[0] + t,
    "right_of": lambda a, b, t: a[0] >= b[2] - t,
    "above": lambda a, b, t: a[3] <= b[1] + t,
    "below": lambda a, b, t: a[1] >= b[3] - t,
    "inside": lambda a, b, t: a[0] >= b[0] - t and a[1] >= b[1] - t and a[2] <= b[2] + t and a[3] <= b[3] + t,
    "near": lambda a, b, t: _gap(a, b) <= t,
    "aligned_left": _edge(0), "aligned_top": _edge(1), "aligned_right": _edge(2), "aligned_bottom": _edge(3),
    "centred_x": _centred(0), "centred_y": _centred(1),
    "same_width": _as_long(0), "same_height": _as_long(1),
    "left_half": _half(0, -1), "right_half": _half(0, 1), "top_half": _half(1, -1), "bottom_half": _half(1, 1),
    "top_left": _both(_corner(0, -1), _corner(1, -1)), "top_right": _both(_corner(0, 1), _corner(1, -1)),
    "bottom_left": _both(_corner(0, -1), _corner(1, 1)), "bottom_right": _both(_corner(0, 1), _corner(1, 1)),
    "middle": lambda a, b, t: all(
        abs(middle(a)[i] - middle(b)[i]) <= max(t, 0.1 * (b[i + 2] - b[i])) for i in (0, 1)
    ),
}  # fmt: skip


def _is_over(edit: Comparison, new: Element, other: Element) -> bool:
    mine, theirs = edit.after.places[new.id], edit.after.places.get(other.id)
    a, b = edit.ink(new.id), edit.ink(other.id)
    return theirs is None or (
        mine[1] > theirs[1] and a is not None and b is not None and overlap_width(a, b) > 0 < overlap_height(a, b)
    )


def _same_colour(edit: Comparison, new: Element, other: Element) -> bool:
    one, two = ink_of(new), ink_of(other)
    return one is not None and two is not None and is_colour(one, two)


def _same_size(edit: Comparison, new: Element, other: Element) -> bool:
    sides = ("size",) if new.runs and other.runs and "shape" not in (new.type, other.type) else ("width", "height")
    document = edit.after if edit.after.find(other.id) is other else edit.before
    return all(
        is_value(side, values_of(edit.after, new, side)[-1], values_of(document, other, side)[-1]) for side in sides
    )


BY_LOOK: Mapping[str, Callable[[Comparison, Element, Element], bool]] = {
    "over": _is_over,
    "same_size": _same_size,
    "same_colour": _same_colour,
    "same_fill": lambda edit, a, b: is_value("fill", a.style.fill, b.style.fill),
    "same_face": lambda edit, a, b: a.style.face == b.style.face,
}
_ACROSS = ("aligned_left", "aligned_right", "centred_x", "left_half", "right_half")
_DOWN = ("aligned_top", "aligned_bottom", "centred_y", "top_half", "bottom_half")
RELATIONS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(BY_BOX, ("x", "y")), **dict.fromkeys(_ACROSS, ("x",)), **dict.fromkeys(_DOWN, ("y",)),
    "same_width": ("width",), "same_height": ("height",), "same_size": ("size", "width", "height"),
    "same_colour": COLOUR_FIELDS, "same_fill": ("fill",), "same_face": ("face",), "over": ("order",),
}  # fmt: skip
"""The relations, each with the fields of an element that may change for it."""
