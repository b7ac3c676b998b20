"""The edits that a clause can ask for; those of places and elements are here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..operations.creating import size_of_new
from ..operations.traits import kind_of
from ..painting.typesetting import typeset
from ..scene.elements import Run, Style
from .line_edits import LINE_EDITS
from .positions import aligned, centred, put_at, put_beside
from .scope import Draft, Edit, Refused, Scope, Values
from .slot_values import Place
from .style_edits import STYLE_EDITS
from .text_edits import TEXT_EDITS

_SMALL_MOVE = 20
"""The distance of a small move, in pixels."""


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
    """Width and height of a new text without a box, in pixels."""
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
    **TEXT_EDITS,
    **LINE_EDITS,
    **STYLE_EDITS,
    "delete": _delete,
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
    "split": _split,
    "merge": _merge,
}
"""The edit of each kind of phrasing."""
