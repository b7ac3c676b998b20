"""Edits of properties: letters, colours, sizes, angles, order.

To add one, add a row to the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..scene.elements import Element
from .referring_expressions import reference
from .scope import Draft, Edit, Refused, Scope, Values

Value = Callable[[Scope, Values, Element], Any]
"""The new value of an element's property."""

_TEXT_TYPES = ("text", "list", "table")
_FONT_STEP = 0.15
"""The share by which letters grow if the request names no amount."""


def _modify(kind: str, value: Value, has_text: bool = False) -> Edit:
    """An edit that sets a property of all targets; ``has_text``: they must have text."""

    def edit(scope: Scope, values: Values, draft: Draft) -> None:
        for element in _with_text(scope, values) if has_text else scope.elements(values["target"]):
            draft.modify(element, kind, value(scope, values, element))

    return edit


def _style(kind: str, value: Callable[[Values], Any]) -> Edit:
    return _modify(kind, lambda scope, values, element: value(values), has_text=True)


def _with_text(scope: Scope, values: Values) -> list[Element]:
    """The elements of the target, which must have text.

    Raises:
        Refused: if one has none.
    """
    found = scope.elements(values["target"])
    for element in found:
        if element.type not in _TEXT_TYPES and not (element.type == "shape" and element.text):
            raise Refused(f"{values['target']!r} is a {element.type}, which has no text")
    return found


def _colour(scope: Scope, values: Values, draft: Draft) -> None:
    is_text = "text" in reference(values["target"]).kinds
    for element in scope.elements(values["target"]):
        if element.type in ("image", "group", "table"):
            raise Refused(f"{values['target']!r} is a {element.type}, whose colour cannot be changed")
        if element.type in ("text", "list") and values.get("is_fill"):
            raise Refused("the background of a text cannot be changed")
        is_of_letters = is_text and element.type == "shape" and bool(element.text)
        draft.modify(element, "text_color" if is_of_letters else "color", values["colour"])


def _font_pixels(scope: Scope, values: Values, slot: str) -> float:
    return scope.pixels(values.get(slot) or values["measured"], is_type=True)


def _font_size(scope: Scope, values: Values, element: Element) -> int:
    return round(_font_pixels(scope, values, "size"))


def _font_to(sign: int) -> Value:
    """A new font size that must be larger, or smaller, than the present one."""

    def size(scope: Scope, values: Values, element: Element) -> int:
        size = _font_size(scope, values, element)
        if (size - element.style.size) * sign <= 0:
            raise Refused(f"the letters of {values['target']!r} are {element.style.size} px already")
        return size

    return size


def _font_by(sign: int) -> Value:
    def size(scope: Scope, values: Values, element: Element) -> int:
        return _one_font_size(element, element.style.size + sign * _font_pixels(scope, values, "amount"))

    return size


def _one_font_size(element: Element, size: float) -> int:
    """A new font size, if an element's letters are all of one size."""
    if any(run.size is not None for run in element.runs):
        raise Refused(f"the letters of {element.name or element.id} are of several sizes; say the size in numbers")
    return max(6, round(size))


def _grow(sign: int, is_text: bool) -> Edit:
    """An edit that makes targets larger or smaller by a visible amount."""

    def edit(scope: Scope, values: Values, draft: Draft) -> None:
        for element in _with_text(scope, values) if is_text else scope.elements(values["target"]):
            if is_text or element.type in ("text", "list"):
                step = max(2, round(element.style.size * _FONT_STEP))
                draft.modify(element, "font_size", _one_font_size(element, element.style.size + sign * step))
            elif element.type in ("image", "shape"):
                draft.modify(element, "scale", "125%" if sign > 0 else "80%")
            else:
                raise Refused(f"by how much should the {element.type} grow or shrink? Say width and height")

    return edit


def _scale(factor: Callable[[float], float]) -> Edit:
    def percent(scope: Scope, values: Values, element: Element) -> str:
        if element.type not in ("image", "shape"):
            raise Refused(f"should the box or the letters of {values['target']!r} change? Say the font size")
        return f"{factor(float(values.get('percent', 0))):g}%"

    return _modify("scale", percent)


def _side(kind: str) -> Edit:
    return _modify(kind, lambda scope, values, _: round(scope.pixels(values.get("pixels") or values["measured"])))


def _side_by(kind: str, sign: int) -> Edit:
    def length(scope: Scope, values: Values, element: Element) -> int:
        if element.type in ("group", "table"):
            raise Refused(f"the sides of a {element.type} cannot be changed one by one")
        side = element.bbox[2 if kind == "width" else 3]
        return round(side + sign * (scope.pixels(values["amount"]) if "amount" in values else side * 0.2))

    return _modify(kind, length)


def _stroke(sign: int) -> Edit:
    def width(scope: Scope, values: Values, element: Element) -> int:
        if element.type != "line":
            raise Refused(f"{values['target']!r} is a {element.type}, not a line")
        old = element.style.stroke_width
        new = old + max(1, round(old / 2)) if sign > 0 else round(old / 2)
        if not 1 <= new != old:
            raise Refused("the line cannot be thinner")
        return new

    return _modify("stroke_width", width)


def _rotation(scope: Scope, values: Values, element: Element) -> float:
    return (-1 if values.get("turn") == "counterclockwise" else 1) * float(values["degrees"])


def _order(place: str) -> Edit:
    return _modify("order", lambda scope, values, element: place)


STYLE_EDITS: Mapping[str, Edit] = {
    "colour": _colour,
    "text_colour": _style("text_color", lambda values: values["colour"]),
    "font_size": _modify("font_size", _font_size, has_text=True),
    "font_up_to": _modify("font_size", _font_to(1), has_text=True),
    "font_down_to": _modify("font_size", _font_to(-1), has_text=True),
    "font_larger": _modify("font_size", _font_by(1), has_text=True),
    "font_smaller": _modify("font_size", _font_by(-1), has_text=True),
    "larger": _grow(1, False),
    "smaller": _grow(-1, False),
    "text_larger": _grow(1, True),
    "text_smaller": _grow(-1, True),
    "font": _style("font", lambda values: values["face"]),
    "bold": _style("bold", lambda values: True),
    "not_bold": _style("bold", lambda values: False),
    "italic": _style("italic", lambda values: True),
    "not_italic": _style("italic", lambda values: False),
    "underline": _style("underline", lambda values: True),
    "not_underline": _style("underline", lambda values: False),
    "align_text": _style("align", lambda values: values["alignment"]),
    "upper_case": _style("case", lambda values: "upper"),
    "lower_case": _style("case", lambda values: "lower"),
    "title_case": _style("case", lambda values: "title"),
    "opacity": _modify("opacity", lambda scope, values, _: f"{float(values['percent']):g}%"),
    "transparency": _modify("opacity", lambda scope, values, _: f"{100 - float(values['percent']):g}%"),
    "rotate": _modify("rotate", _rotation),
    "scale": _modify("scale", lambda scope, values, _: f"{values['percent']}%"),
    "scale_up": _scale(lambda percent: 100 + percent),
    "scale_down": _scale(lambda percent: 100 - percent),
    "double": _scale(lambda percent: 200),
    "halve": _scale(lambda percent: 50),
    "width": _side("width"),
    "height": _side("height"),
    "wider": _side_by("width", 1),
    "narrower": _side_by("width", -1),
    "taller": _side_by("height", 1),
    "shorter": _side_by("height", -1),
    "thicker": _stroke(1),
    "thinner": _stroke(-1),
    "to_front": _order("front"),
    "to_back": _order("back"),
    "forward": _order("forward"),
    "backward": _order("backward"),
}
"""The edit of each kind of phrasing."""
