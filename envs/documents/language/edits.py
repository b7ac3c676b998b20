"""Edits: for each kind of edit, its operations, from the values in a clause."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..operations.creating import size_of_new
from ..operations.traits import kind_of
from ..painting.typesetting import typeset
from ..scene.elements import Element, Run, Style
from . import texts
from .expressions import reference
from .places import aligned, centred, put_at, put_beside
from .scope import Draft, Refused, Scope
from .values import Place

Values = Mapping[str, Any]
"""The value of each slot of a phrasing."""
Edit = Callable[[Scope, Values, Draft], None]
Value = Callable[[Scope, Values, Element], Any]
"""The new value of an element's property."""

_TEXT_TYPES = ("text", "list", "table")
_FONT_STEP = 0.15
"""The share by which letters grow where the request names no amount."""
_SMALL_MOVE = 20
"""The distance of a small move, in pixels."""


def _modify(kind: str, value: Value, has_text: bool = False) -> Edit:
    """An edit that sets a property of each element of the target; ``has_text``: which must have text."""

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
    """A new size of letters that must be larger, or smaller, than the present one."""

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
    """A new size of letters, if those of an element are all of one size."""
    if any(run.size is not None for run in element.runs):
        raise Refused(f"the letters of {element.name or element.id} are of several sizes; say the size in numbers")
    return max(6, round(size))


def _grow(sign: int, is_text: bool) -> Edit:
    """Larger or smaller by a visible amount."""

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


def _delete(scope: Scope, values: Values, draft: Draft) -> None:
    for element in scope.elements(values["target"]):
        if draft.document.find(element.id) is not None:
            draft.do("DELETE", object_id=element.id)


def _move_by(scope: Scope, values: Values, draft: Draft) -> None:
    pixels = _SMALL_MOVE if "pixels" not in values else round(scope.pixels(values["pixels"]))
    for element in scope.elements(values["target"]):
        draft.do("MOVE", object_id=element.id, position_diff=(values["direction"], pixels))


def _move_to(scope: Scope, values: Values, draft: Draft) -> None:
    element = scope.element(values["target"])
    if scope.emu is not None and not values["is_in_pixels"]:
        raise Refused(f"{values['x']}, {values['y']} is in no unit; say px from the left and from the top")
    draft.do("MOVE", object_id=element.id, new_position=[values["x"], values["y"]])


def _move_place(scope: Scope, values: Values, draft: Draft) -> None:
    place: Place = values["place"]
    found = scope.elements(values["target"])
    if len(found) > 1:
        raise Refused("move one thing after the other")
    (element,) = found
    page = scope.before.places[element.id][0]
    number = scope.on_page(place.page).page_number if place.page is not None else None
    if number is not None and number != page:
        raise Refused("things cannot be moved to another page")
    document = scope.now
    if place.side:
        anchor = scope.element(place.anchor)
        if document.places[anchor.id][0] != document.places[element.id][0] or anchor.id == element.id:
            raise Refused(f"{values['target']!r} and {place.anchor!r} are not on one page")
        position = put_beside(place.side, anchor.bbox, element.bbox[2:], document.pages[page])
    else:
        position = put_at(place, element.bbox, document.pages[page])
    draft.do("MOVE", object_id=element.id, new_position=list(position))


def _center(scope: Scope, values: Values, draft: Draft) -> None:
    for element in scope.elements(values["target"]):
        page = scope.now.pages[scope.now.places[element.id][0]]
        draft.do("MOVE", object_id=element.id, new_position=centred(values["axis"], element.bbox, page))


def _align_edge(scope: Scope, values: Values, draft: Draft) -> None:
    anchor = scope.element(values["anchor"])
    if values.get("edge2", values["edge"]) != values["edge"]:
        raise Refused("only like edges are aligned")
    for element in scope.elements(values["target"]):
        position = aligned(values["edge"], element.bbox, anchor.bbox)
        draft.do("MOVE", object_id=element.id, new_position=position)


def _swap(scope: Scope, values: Values, draft: Draft) -> None:
    if "anchor" in values:
        pair = [scope.element(values["target"]), scope.element(values["anchor"])]
    else:
        pair = scope.elements(values["target"])
    if len(pair) != 2 or pair[0].id == pair[1].id:
        raise Refused("two things are swapped, no more and no less")
    one, other = pair
    if scope.now.places[one.id][0] != scope.now.places[other.id][0]:
        raise Refused("things on different pages cannot be swapped")
    draft.do("MOVE", object_id=one.id, new_position=list(other.bbox[:2]))
    draft.do("MOVE", object_id=other.id, new_position=list(one.bbox[:2]))


def _copy_to(scope: Scope, values: Values, draft: Draft) -> None:
    element = scope.element(values["target"])
    draft.do("COPY", object_id=element.id, position=[values["x"], values["y"]])


def _copy_beside(scope: Scope, values: Values, draft: Draft) -> None:
    element = scope.element(values["target"])
    page = scope.now.pages[scope.now.places[element.id][0]]
    position = put_beside(values["side"], element.bbox, element.bbox[2:], page, must_fit=False)
    draft.do("COPY", object_id=element.id, position=list(position))


def _duplicate(scope: Scope, values: Values, draft: Draft) -> None:
    draft.do("COPY", object_id=scope.element(values["target"]).id)


def _copy_place(scope: Scope, values: Values, draft: Draft) -> None:
    place: Place = values["place"]
    element = scope.element(values["target"])
    number = scope.now.places[element.id][0]
    if place.page is not None and scope.on_page(place.page).page_number != number:
        raise Refused("copies stay on their page")
    page = scope.now.pages[number]
    if place.side:
        anchor = scope.element(place.anchor)
        if scope.now.places[anchor.id][0] != number:
            raise Refused("copies stay on their page")
        position = put_beside(place.side, anchor.bbox, element.bbox[2:], page)
    else:
        position = put_at(place, element.bbox, page)
    draft.do("COPY", object_id=element.id, position=list(position))


def _add(kind: str, describe: Callable[[Values], str]) -> Edit:
    def edit(scope: Scope, values: Values, draft: Draft) -> None:
        place: Place = values["place"]
        description = describe(values)
        size = _natural_size(values["text"]) if kind == "text" else size_of_new(scope.before, kind, description)
        if place.side:
            anchor = scope.on_page(place.page).element(place.anchor)
            number = scope.now.places[anchor.id][0]
            position = put_beside(place.side, anchor.bbox, size, scope.now.pages[number], must_fit=kind == "text")
        else:
            number = _page_of_new(scope.on_page(place.page))
            position = put_at(place, (0, 0, *size), scope.now.pages[number], is_new=True)
        draft.do("ADD", object_type=kind, object_description=description, position=[*position, *size], page=number)

    return edit


def _page_of_new(scope: Scope) -> int:
    number = scope.page_number
    if number is None and len(scope.before.pages) > 1:
        raise Refused(f"on which page? There are {len(scope.before.pages)}")
    return number or 0


def _natural_size(text: str) -> tuple[int, int]:
    """Width and height of a new text as it is by itself, in pixels."""
    lines = typeset((Run(text=text),), Style(), 600)
    return round(max(line.width for line in lines)) + 2, round(sum(line.height for line in lines)) + 1


def _replace(kind: str, describe: Callable[[Values], str]) -> Edit:
    def edit(scope: Scope, values: Values, draft: Draft) -> None:
        for element in scope.elements(values["target"]):
            draft.do(
                "REPLACE",
                object_id_to_replace=element.id,
                type_of_object_replaced=element.type,
                new_object_type=kind,
                new_object_content=describe(values),
            )

    return edit


def _replace_by_text(scope: Scope, values: Values, draft: Draft) -> None:
    element = scope.element(values["target"])
    if element.type == "text":
        draft.modify(element, "text", values["text"])
    elif element.type == "table":
        raise Refused("a table is not replaced by a text")
    else:
        _replace("text", lambda slots: f'"{slots["text"]}"')(scope, values, draft)


def _replace_shape(scope: Scope, values: Values, draft: Draft) -> None:
    for element in scope.elements(values["target"]):
        if element.type not in ("shape", "image", "line"):
            raise Refused(f"{values['target']!r} is a {element.type}, not a shape")
        if kind_of(element) == values["shape"]:
            raise Refused(f"{values['target']!r} is a {values['shape']} already")
    _replace("shape", lambda slots: str(slots["shape"]))(scope, values, draft)


def _merge(scope: Scope, values: Values, draft: Draft) -> None:
    ids = [scope.element(values["target"]).id, scope.element(values["anchor"]).id]
    draft.do("MERGE", object_ids=ids, separator="\n")


def _split(scope: Scope, values: Values, draft: Draft) -> None:
    draft.do("SPLIT", object_id=scope.element(values["target"]).id, separator="\n")


EDITS: Mapping[str, Edit] = {
    "delete": _delete,
    "text": texts.set_text,
    "word": texts.set_word,
    "word_anywhere": texts.set_word_anywhere,
    "word_everywhere": texts.set_word_everywhere,
    "value": texts.set_value,
    "cell": texts.set_cell,
    "delete_line": texts.delete_lines,
    "set_line": texts.set_line,
    "swap_lines": texts.swap_lines,
    "add_line": texts.add_line,
    "insert_line": texts.insert_line,
    "add_row": texts.add_row,
    "delete_row": texts.delete_row,
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
    "move_by": _move_by,
    "move_bit": _move_by,
    "move_place": _move_place,
    "move_to": _move_to,
    "center": _center,
    "align_edge": _align_edge,
    "swap": _swap,
    "swap_pair": _swap,
    "copy_to": _copy_to,
    "copy_beside": _copy_beside,
    "duplicate": _duplicate,
    "copy_place": _copy_place,
    "add_text": _add("text", lambda values: f'"{values["text"]}"'),
    "add_shape": _add("shape", lambda values: f"{values['colour']} {values['shape']}"),
    "add_image": _add("image", lambda values: str(values["picture"])),
    "replace_image": _replace("image", lambda values: str(values["picture"])),
    "replace_by_image": _replace("image", lambda values: str(values["picture"])),
    "replace_shape": _replace_shape,
    "replace_by_text": _replace_by_text,
    "to_front": _order("front"),
    "to_back": _order("back"),
    "forward": _order("forward"),
    "backward": _order("backward"),
    "split": _split,
    "merge": _merge,
}
"""For each kind of phrasing: what it does."""
