"""MODIFY: change the text and the look of elements (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...core.tools import ToolError
from ..scene.cells import FORMAT_FIELDS, cleared, format_changes
from ..scene.charts import Chart
from ..scene.document import Document, changed, element_of, fields_of, reordered
from ..scene.elements import Element
from .charts import USAGE as CHART_USAGE
from .charts import chart_data, with_chart_data
from .contents import Fields, kept_formats, set_case, set_cell, set_runs, set_sizes, set_text, set_words
from .draft import with_article
from .edits_of_looks import MODIFY_EDITS
from .operation import EditOperation, OperationTool
from .styles import LETTERS, STYLES, USED, is_yes, measure, set_colour, styled, whole
from .values import SHAPES, number_of, picture_in, pictures, point_of, shape_in, share_of

MAX_SIDE = 2_048
"""The maximum width and height that an edit may give an element, in pixels."""


class Modification(NamedTuple):
    """A type of modification.

    Attributes:
        values: its values, in words for those who write programs.
        change: new fields of an element, from the element and a value.
    """

    values: str
    change: Callable[[Element, Any], Fields]


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
    kind = str(type_of_modification).strip().lower().replace("-", "_").replace(" ", "_").removeprefix("style.")
    kind = _ALIASES.get(kind.replace("color", "colour"), kind)
    try:
        if kind == "order":
            return _reordered(document, element, str(modification).strip().lower())
        if kind not in MODIFICATIONS:
            raise ValueError(f"there is no type_of_modification {type_of_modification!r}; there are {', '.join(TYPES)}")
        return changed(document, element.id, **MODIFICATIONS[kind].change(element, modification))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ToolError(f"{element.id} cannot have this {where}: {first['msg'].removeprefix('Input ')}.") from None
    except ValueError as error:
        raise ToolError(f"{element.id}: {error}.") from None


def _size(element: Element, value: Any) -> Fields:
    """Set the size of the face; of what has none, or given width and height, that of the box."""
    if isinstance(value, list | tuple) and len(value) == 2 and not isinstance(value[0], str):
        return {"bbox": (*element.bbox[:2], *map(_side_length, value))}
    if "size" in USED[element.type] and (element.text or not str(value).strip().endswith("%")):
        return styled("size", whole)(element, value)
    if isinstance(value, str) and "%" in value:
        return _scaled(element, value)
    about = with_article(element.type)
    raise ValueError(f"the size of {about} is [width, height] in pixels, or such as '125%', not {value!r}")


def _side_length(value: Any) -> int:
    """A width or height in pixels."""
    side = round(number_of(value))
    if not 1 <= side <= MAX_SIDE:
        raise ValueError(f"a side of {side:,} pixels cannot be; there are 1 to {MAX_SIDE:,}")
    return side


def _side(index: int) -> Callable[[Element, Any], Fields]:
    """A change of one number of the box: left, top, width or height."""

    def change(element: Element, value: Any) -> Fields:
        box = list(element.bbox)
        box[index] = round(number_of(value)) if index < 2 else _side_length(measure(value, box[index]))
        return {"bbox": box}

    return change


def _box(element: Element, value: Any) -> Fields:
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise ValueError(f"a box is [x, y, width, height] in pixels, not {value!r}")
    return {"bbox": (*point_of(value), *map(_side_length, value[2:]))}


def _scaled(element: Element, value: Any) -> Fields:
    """Scale an element about its middle."""
    factor = measure(value, 1.0)
    left, top, width, height = element.bbox
    if factor <= 0:
        raise ValueError(f"a scale is a number above 0, or such as '125%', not {value!r}")
    wide, high = (_side_length(max(1, side * factor)) for side in (width, height))
    return {"bbox": (left + (width - wide) // 2, top + (height - high) // 2, wide, high)}


def _picture(element: Element, value: Any) -> Fields:
    if element.type != "image":
        raise ValueError(f"{with_article(element.type)} has no picture; REPLACE puts an image in its place")
    found = picture_in(str(value))
    if found is None:
        raise ValueError(f"there is no picture {value!r}; there are {pictures()}")
    # What was cut off belonged to the picture before.
    return {"asset": found, "crop": (0, 0, 0, 0)}


def _crop(element: Element, value: Any) -> Fields:
    if element.type != "image":
        raise ValueError(f"{with_article(element.type)} has no picture to crop")
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise ValueError(f"a crop is [left, top, right, bottom], the shares that are cut off, not {value!r}")
    return {"crop": [measure(one, 1.0) for one in value]}


def _shape(element: Element, value: Any) -> Fields:
    found = shape_in(str(value))
    if element.type != "shape" or found is None:
        raise ValueError(
            f"{value!r} is none of the shapes {', '.join(SHAPES)}"
            if element.type == "shape"
            else f"{with_article(element.type)} has no shape; REPLACE puts a shape in its place"
        )
    return {"shape": found, "path": ""}


def _levels(element: Element, value: Any) -> Fields:
    if element.type != "list" or not isinstance(value, list | tuple):
        raise ValueError(f"levels are how deep each item of a list is, such as [0, 1, 1, 0], not {value!r}")
    return {"levels": [round(number_of(one)) for one in value]}


def _chart(element: Element, value: Any) -> Fields:
    if element.chart is None:
        raise ValueError(f"{with_article(element.type)} is no chart")
    return {"chart": with_chart_data(element.chart, value).model_dump()}


def _rising(element: Element, value: Any) -> Fields:
    if element.type != "line":
        raise ValueError(f"{with_article(element.type)} does not rise; lines do")
    return {"rises": is_yes(value, None)}


def _reordered(document: Document, element: Element, value: str) -> Document:
    at, last = document.places[element.id][1], len(document.elements_of_page(document.places[element.id][0])) - 1
    places = {"front": last, "back": 0, "forward": at + 1, "backward": at - 1}
    if value not in places:
        raise ValueError(f"the order is one of {', '.join(places)}, not {value!r}")
    return reordered(document, element.id, places[value])


MODIFICATIONS: dict[str, Modification] = {
    "text": Modification("all words; of a table its rows, such as [['Day', 'Time'], ['Monday', '9 am']]", set_text),
    "runs": Modification("pieces of text, each with text, bold, italic, underline, colour and size", set_runs),
    "words": Modification(
        "[words as the text has them, words instead]: these alone, wherever it has them, in the same format", set_words
    ),
    "case": Modification("upper, lower or title", set_case),
    "cell": Modification("[row, column, text], counted from 1", set_cell),
    "columns": Modification("relative widths of a table's columns, such as [2, 1, 1]", set_sizes("columns")),
    "rows": Modification("relative heights of a table's rows, a number for each", set_sizes("rows")),
    "levels": Modification("how deep each item of a list is, such as [0, 1, 1, 0]", _levels),
    "colour": Modification("a colour: of the text; of a line or a shape without text, of that; of an icon", set_colour),
    "size": Modification("of the face in px, or '125%' of what it is; of an image '125%' or [width, height]", _size),
    **{field: Modification(values, styled(field, read)) for field, (values, read) in STYLES.items()},
    "opacity": Modification("0 to 1, or '50%'", lambda element, value: {"opacity": share_of(value)}),
    "transparency": Modification(
        "1 less the opacity", lambda element, value: {"opacity": round(1 - share_of(value), 4)}
    ),
    "angle": Modification("degrees clockwise", lambda element, value: {"angle": number_of(value) % 360}),
    "rotate": Modification(
        "degrees clockwise from what is now", lambda element, value: {"angle": (element.angle + number_of(value)) % 360}
    ),
    "bbox": Modification("[x, y, width, height] in px", _box),
    "x": Modification("px", _side(0)),
    "y": Modification("px", _side(1)),
    "width": Modification("px or '125%'", _side(2)),
    "height": Modification("px or '125%'", _side(3)),
    "scale": Modification("0.5 or '50%', about the middle", _scaled),
    "position": Modification("[x, y] in px", lambda element, value: {"bbox": (*point_of(value), *element.bbox[2:])}),
    "asset": Modification("a picture", _picture),
    "crop": Modification("of a picture: the shares cut off at its left, top, right and bottom, 0 to 1", _crop),
    "shape": Modification("a shape", _shape),
    "formats": Modification("of a table's cells, row by row, a dict each", lambda element, value: {"formats": value}),
    "chart": Modification(CHART_USAGE, _chart),
    "rises": Modification("true or false: whether a line goes up to the right", _rising),
}
"""Types of modification: the keys of elements and their styles in a document's JSON, and verbs."""
_ORDER = "front, back, forward or backward"
TYPES = (*MODIFICATIONS, "order")
TYPES_USAGE = "; ".join([*(f"{name} ({one.values})" for name, one in MODIFICATIONS.items()), f"order ({_ORDER})"])
"""The types of modification with their values, in words."""
_SETTING = {
    "text": "text",
    "cells": "text",
    "position": "position",
    "size": "size",
    "angle": "angle",
    "opacity": "opacity",
    "asset": "asset",
    "crop": "crop",
    "shape": "shape",
    "columns": "columns",
    "chart": "chart",
    "style.colour": "colour",
    "style.size": "size",
    **{f"style.{field}": field for field in STYLES},
}
"""The type of modification that sets each field."""
_ALIASES = {
    "colour": "colour",
    "content": "text",
    "cells": "text",
    "text_colour": "colour",
    "font_colour": "colour",
    "fill_colour": "fill",
    "background": "fill",
    "background_colour": "fill",
    "border": "stroke",
    "border_colour": "stroke",
    "stroke_colour": "stroke",
    "line_colour": "stroke",
    "border_width": "stroke_width",
    "line_width": "stroke_width",
    "corner_radius": "radius",
    "font": "face",
    "typeface": "face",
    "font_family": "face",
    "font_size": "size",
    "resize": "size",
    "font_weight": "bold",
    "alignment": "align",
    "rotation": "angle",
    "picture": "asset",
    "image": "asset",
    "z": "order",
    "layer": "order",
}


def _modify_arguments(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """The arguments of MODIFY for each field that differs, but for mere moves, and for cells of other formats."""
    if before is not None and after is not None:
        yield from _of_fields(before, after)
        yield from _of_cells(before, after)


def _arguments(element: Element, kind: str, value: Any) -> dict[str, Any]:
    return {"object_id_to_modify": element.id, "modification": value, "type_of_modification": kind}


def _of_cells(before: Element, after: Element) -> Iterator[dict[str, Any]]:
    """The arguments for the formats of cells, where those for whole fields do not give them."""
    formats = kept_formats(before, after.cells)
    edited = before.model_copy(update={"cells": after.cells, "formats": formats, "style": after.style})
    for field in FORMAT_FIELDS:
        if getattr(before.style, field) != getattr(after.style, field):
            edited = edited.model_copy(update={"formats": cleared(edited, field)})
    for change in format_changes(edited, after):
        value = "none" if change.after is None else change.after
        yield _arguments(after, change.field, [change.row, change.column, value])


def _of_fields(before: Element, after: Element) -> Iterator[dict[str, Any]]:
    old, new = fields_of(before), fields_of(after)
    for field, kind in ((field, _SETTING[field]) for field in old if field in _SETTING):
        if old[field] == new[field] or (field == "position" and old["size"] == new["size"]):
            continue
        is_of_letters = field.startswith("style.") and kind in LETTERS
        if is_of_letters and not after.text and after.type not in ("table", "chart"):
            # Of letters that are not there; the colour would be that of something else.
            continue
        value = after.text if field == "cells" else new[field]
        if before.chart is not None and isinstance(value, Chart):
            value = chart_data(value)
            if value == chart_data(before.chart):
                continue
        value = list(value) if isinstance(value, tuple) else value
        yield _arguments(after, kind, "none" if value is None else value)


MODIFY = EditOperation(
    modify,
    "Change the text or look of an element: the new value, and which property it is for.",
    (
        'Make the footer red and let it say "Tickets online".',
        'footer = FIND_AND_GET("the footer", document)[0]\nMODIFY(footer, "red", "colour")\n'
        'MODIFY(footer, "Tickets online", "text")',
    ),
    (
        OperationTool(
            "modify",
            "Change the text or look of an element: the new value, and which property it is for.",
            ("object_id_to_modify", "modification", "type_of_modification"),
            {"type_of_modification": f"One of: {TYPES_USAGE}."},
        ),
    ),
    edits=MODIFY_EDITS,
    between=_modify_arguments,
)
