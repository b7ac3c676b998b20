"""MODIFY: change the text and the look of elements (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from ...core.tools import ToolError
from ..scene.document import Document, changed, element_of, fields_of, reordered
from ..scene.elements import Element, Run, Style
from .edits_of_looks import MODIFY_EDITS
from .operation import EditOperation, OperationTool
from .values import FACES, SHAPES, colour_of, number_of, picture_in, point_of, shape_in, share_of

Fields = dict[str, Any]
"""New fields of an element."""

MAX_LETTERS = 4_000
"""The maximum length of an element's text."""
MAX_SIDE = 2_048
"""The maximum width and height that an edit may give an element, in pixels."""
_LETTERED = ("text", "list", "shape")


def modify(document: Document, object_id_to_modify: Any, modification: Any, type_of_modification: Any) -> Document:
    """Change the text or the look of an element.

    Args:
        document: what is edited.
        object_id_to_modify: the element's id.
        modification: the new value.
        type_of_modification: one of ``MODIFICATIONS``, or ``"order"``.

    Raises:
        ToolError: if there is no such element or modification, or the value does not fit.
    """
    element = element_of(document, object_id_to_modify)
    kind = str(type_of_modification).strip().lower().replace("colour", "color").replace("-", "_").replace(" ", "_")
    kind = _ALIASES.get(kind, kind)
    try:
        if kind == "order":
            return _reordered(document, element, str(modification).strip().lower())
        if kind not in MODIFICATIONS:
            raise ValueError(f"there is no type_of_modification {type_of_modification!r}; there are {', '.join(TYPES)}")
        return changed(document, element.id, **MODIFICATIONS[kind](element, modification))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ToolError(f"{element.id} cannot be so: {where}: {first['msg']}.") from None
    except ValueError as error:
        raise ToolError(f"{element.id}: {error}.") from None


def with_text(element: Element, text: str) -> Fields:
    """Set the text, in the style of the first run.

    Raises:
        ValueError: if the element has no text of its own.
    """
    if element.type not in _LETTERED:
        raise ValueError(f"a {element.type} has no text; texts, lists and shapes have")
    if len(text) > MAX_LETTERS:
        raise ValueError(f"a text of {len(text):,} characters is too long; {MAX_LETTERS:,} are the most")
    first = element.runs[0] if element.runs else Run(text="")
    return {"runs": [first.model_copy(update={"text": text}).model_dump()]}


def _text(element: Element, value: Any) -> Fields:
    if element.type == "table":
        rows = [line.split("\t") for line in str(value).split("\n")]
        return {"cells": rows, "columns": element.columns if len(rows[0]) == len(element.cells[0]) else ()}
    return with_text(element, str(value))


def _words(element: Element, value: Any) -> Fields:
    """Replace words, each run in its style."""
    if element.type not in _LETTERED:
        raise ValueError(f"a {element.type} has no text; texts, lists and shapes have")
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(isinstance(v, str) and v for v in value):
        raise ValueError(f"{value!r} is no pair of texts: (words that are there, words instead)")
    if not any(value[0] in run.text for run in element.runs):
        raise ValueError(f"it does not say {value[0]!r}")
    return {"runs": [run.model_dump() | {"text": run.text.replace(*value)} for run in element.runs]}


def _cell(element: Element, value: Any) -> Fields:
    if element.type != "table":
        raise ValueError(f"a {element.type} has no cells; tables have")
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"{value!r} is no cell: (row, column, text), counted from 1")
    row, column, text = round(number_of(value[0])), round(number_of(value[1])), str(value[2])
    if not (1 <= row <= len(element.cells) and 1 <= column <= len(element.cells[0])):
        raise ValueError(f"there is no cell ({row}, {column}) in {len(element.cells)} x {len(element.cells[0])}")
    cells = [list(line) for line in element.cells]
    cells[row - 1][column - 1] = text
    return {"cells": cells}


def _styled(field: str, read: Callable[[Any], Any]) -> Callable[[Element, Any], Fields]:
    """A change of a style field, which clears it in runs."""

    def change(element: Element, value: Any) -> Fields:
        style = element.style.model_dump() | {field: read(value)}
        own = {field: None} if field in Run.model_fields else {}
        runs = [run.model_dump() | own for run in element.runs]
        return {"style": Style.model_validate(style).model_dump(), "runs": runs}

    return change


def _colour(element: Element, value: Any) -> Fields:
    """Set the main colour of an element: the text's, the fill or the line."""
    return _styled({"shape": "fill", "line": "stroke"}.get(element.type, "colour"), colour_of)(element, value)


def _resized(element: Element, value: Any) -> Fields:
    if isinstance(value, list | tuple) and len(value) == 2:
        return {"bbox": (*element.bbox[:2], *map(_side_length, value))}
    raise ValueError(f"{value!r} is no size: [width, height] in pixels")


def _side_length(value: Any) -> int:
    """A width or height in pixels."""
    side = round(number_of(value))
    if not 1 <= side <= MAX_SIDE:
        raise ValueError(f"a side of {side:,} pixels cannot be; there are 1 to {MAX_SIDE:,}")
    return side


def _scaled(element: Element, value: Any) -> Fields:
    """Scale an element about its middle."""
    factor = number_of(value) / 100 if isinstance(value, str) and "%" in value else number_of(value)
    left, top, width, height = element.bbox
    if factor <= 0:
        raise ValueError(f"{value!r} is no share of a size")
    wide, high = (_side_length(max(1, side * factor)) for side in (width, height))
    return {"bbox": (left + (width - wide) // 2, top + (height - high) // 2, wide, high)}


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        word = str(value).strip().lower().replace("centre", "center")
        if word not in allowed:
            raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
        return word

    return read


def _is_yes(value: Any) -> bool:
    """Whether a value means yes: true, or a word without ``not`` or ``no`` first."""
    if isinstance(value, str):
        return value.strip().lower() not in ("false", "no", "off", "none", "0", "", "normal", "regular") and not (
            value.strip().lower().startswith(("not ", "no ", "un"))
        )
    return bool(value)


def _face(value: Any) -> str:
    found = next((face for face in FACES if face.lower() == str(value).strip().lower()), None)
    if found is None:
        raise ValueError(f"{value!r} is none of the typefaces {', '.join(FACES)}")
    return found


def _picture(element: Element, value: Any) -> Fields:
    found = picture_in(str(value))
    if element.type != "image" or found is None:
        raise ValueError(f"{value!r} is no picture" if element.type == "image" else f"a {element.type} has no picture")
    return {"asset": found}


def _shape(element: Element, value: Any) -> Fields:
    found = shape_in(str(value))
    if element.type != "shape" or found is None:
        raise ValueError(f"{value!r} is none of the shapes {', '.join(SHAPES)}")
    return {"shape": found, "path": ""}


def _cased(element: Element, value: Any) -> Fields:
    case = _one_of("upper", "lower", "title")(str(value).lower().removesuffix("case"))
    turn: Callable[[str], str] = {"upper": str.upper, "lower": str.lower, "title": str.title}[case]
    if element.type == "table":
        return {"cells": [[turn(cell) for cell in row] for row in element.cells]}
    return {"runs": [run.model_dump() | {"text": turn(run.text)} for run in element.runs]}


def _reordered(document: Document, element: Element, value: str) -> Document:
    at, last = document.places[element.id][1], len(document.elements_of_page(document.places[element.id][0])) - 1
    places = {"front": last, "back": 0, "forward": at + 1, "backward": at - 1}
    if value not in places:
        raise ValueError(f"{value!r} is none of {', '.join(places)}")
    return reordered(document, element.id, places[value])


def _whole(value: Any) -> int:
    return round(number_of(value))


def _optional_colour(value: Any) -> Any:
    return None if str(value).strip().lower() in ("none", "no", "transparent") else colour_of(value)


_STYLES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "text_color": ("colour", colour_of),
    "fill": ("fill", _optional_colour),
    "stroke": ("stroke", _optional_colour),
    "stroke_width": ("stroke_width", _whole),
    "radius": ("radius", _whole),
    "font": ("face", _face),
    "font_size": ("size", _whole),
    "bold": ("bold", _is_yes),
    "italic": ("italic", _is_yes),
    "underline": ("underline", _is_yes),
    "align": ("align", _one_of("left", "center", "right")),
    "anchor": ("anchor", _one_of("top", "middle", "bottom")),
    "line_height": ("line_height", number_of),
}
"""Types of modification of the style: the field, and how its value is read."""
MODIFICATIONS: dict[str, Callable[[Element, Any], Fields]] = {
    "text": _text,
    "words": _words,
    "cell": _cell,
    "color": _colour,
    **{kind: _styled(field, read) for kind, (field, read) in _STYLES.items()},
    "case": _cased,
    "opacity": lambda element, value: {"opacity": share_of(value)},
    "transparency": lambda element, value: {"opacity": round(1 - share_of(value), 4)},
    "angle": lambda element, value: {"angle": number_of(value) % 360},
    "rotate": lambda element, value: {"angle": (element.angle + number_of(value)) % 360},
    "width": lambda element, value: {"bbox": (*element.bbox[:2], _side_length(value), element.bbox[3])},
    "height": lambda element, value: {"bbox": (*element.bbox[:3], _side_length(value))},
    "resize": _resized,
    "scale": _scaled,
    "position": lambda element, value: {"bbox": (*point_of(value), *element.bbox[2:])},
    "picture": _picture,
    "shape": _shape,
    "name": lambda element, value: {"name": str(value)},
}
"""Types of modification: from an element and a value to new fields of the element."""
TYPES = (*MODIFICATIONS, "order")
_SETTING = {
    "text": "text",
    "cells": "text",
    "position": "position",
    "size": "resize",
    "angle": "angle",
    "opacity": "opacity",
    "asset": "picture",
    "shape": "shape",
    **{f"style.{field}": kind for kind, (field, _) in _STYLES.items()},
}
"""The type of modification that sets each field."""
_ALIASES = {
    "content": "text",
    "font_color": "text_color",
    "fill_color": "fill",
    "background_color": "fill",
    "border_color": "stroke",
    "stroke_color": "stroke",
    "line_color": "stroke",
    "border_width": "stroke_width",
    "line_width": "stroke_width",
    "corner_radius": "radius",
    "typeface": "font",
    "font_family": "font",
    "size": "font_size",
    "font_weight": "bold",
    "alignment": "align",
    "rotation": "angle",
    "image": "picture",
    "asset": "picture",
    "z": "order",
    "layer": "order",
}


def _modify_arguments(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """The arguments of MODIFY for each field that differs, but for mere moves."""
    if before is None or after is None:
        return
    old, new = fields_of(before), fields_of(after)
    for field, kind in ((field, _SETTING[field]) for field in old if field in _SETTING):
        if old[field] == new[field] or (field == "position" and old["size"] == new["size"]):
            continue
        value = after.text if field == "cells" else new[field]
        value = list(value) if isinstance(value, tuple) else value
        yield {
            "object_id_to_modify": before.id,
            "modification": "none" if value is None else value,
            "type_of_modification": kind,
        }


MODIFY = EditOperation(
    modify,
    "Change the text or look of an element: the new value, and which property it is for.",
    (
        'Make the footer red and let it say "Tickets online".',
        'footer = FIND_AND_GET("the footer", document)[0]\nMODIFY(footer, "red", "color")\n'
        'MODIFY(footer, "Tickets online", "text")',
    ),
    (
        OperationTool(
            "modify",
            "Change the text or look of an element: the new value, and which property it is for.",
            ("object_id_to_modify", "modification", "type_of_modification"),
            {"type_of_modification": f"One of {', '.join(TYPES)}."},
        ),
    ),
    edits=MODIFY_EDITS,
    between=_modify_arguments,
)
