"""MODIFY: change the text and the look of elements (Agent-DocEdit)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic import ValidationError

from ...core.texts import truncate
from ...core.tools import ToolError
from ..painting.faces import is_known
from ..scene.charts import Chart
from ..scene.document import Document, changed, element_of, fields_of, reordered
from ..scene.elements import Element, Run, Style
from .charts import USAGE as CHART_USAGE
from .charts import chart_data, with_chart_data
from .draft import with_article
from .edits_of_looks import MODIFY_EDITS
from .operation import EditOperation, OperationTool
from .values import FACES, SHAPES, colour_of, number_of, picture_in, pictures, point_of, shape_in, share_of

Fields = dict[str, Any]
"""New fields of an element."""

MAX_LETTERS = 4_000
"""The maximum length of an element's text."""
MAX_SIDE = 2_048
"""The maximum width and height that an edit may give an element, in pixels."""
_LETTERED = ("text", "list", "shape")


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


def with_text(element: Element, text: str) -> Fields:
    """Set the text, in the style of the first run.

    Raises:
        ValueError: if the element has no text of its own.
    """
    _check_text(element)
    if len(text) > MAX_LETTERS:
        raise ValueError(f"a text of {len(text):,} characters is too long; {MAX_LETTERS:,} are the most")
    first = element.runs[0] if element.runs else Run(text="")
    return {"runs": [first.model_copy(update={"text": text}).model_dump()]}


def _check_text(element: Element) -> None:
    if element.type not in _LETTERED:
        raise ValueError(f"{with_article(element.type)} has no text of its own; texts, lists and shapes have")


def _text(element: Element, value: Any) -> Fields:
    if element.type == "table":
        is_list = isinstance(value, list | tuple)
        rows = value if is_list else [line.split("\t") for line in str(value).split("\n")]
        rows = [[str(cell) for cell in (row if isinstance(row, list | tuple) else [row])] for row in rows] or [[]]
        return {
            "cells": rows,
            "columns": element.columns if len(rows[0]) == len(element.cells[0]) else (),
            "rows": element.rows if len(rows) == len(element.cells) else (),
        }
    return with_text(element, "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value))


def _runs(element: Element, value: Any) -> Fields:
    """Set the text in pieces, each in a style of its own."""
    _check_text(element)
    if not isinstance(value, list | tuple) or not all(isinstance(one, dict) and "text" in one for one in value):
        raise ValueError(f'runs are such as [{{"text": "Doors ", "bold": true}}, {{"text": "7 pm"}}], not {value!r}')
    colours = ({"colour": colour_of(one["colour"])} if one.get("colour") is not None else {} for one in value)
    return {"runs": [one | colour for one, colour in zip(value, colours, strict=True)]}


def _words(element: Element, value: Any) -> Fields:
    """Replace words, in the style of the first of them."""
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(isinstance(v, str) and v for v in value):
        raise ValueError(f"a pair of texts is needed, [words that are there, words instead], not {value!r}")
    pieces = list(_cut(element, value[0]))
    runs = [run if at is None else run | {"text": value[1] if at == 0 else ""} for run, at in pieces]
    return {"runs": [run for run in runs if run["text"]]}


def _cut(element: Element, words: str) -> Iterator[tuple[Fields, int | None]]:
    """The runs, cut at words that they say, and how far into these each begins; ``None``: it is no part of them.

    Raises:
        ValueError: if the element has no text of its own, or does not say the words.
    """
    _check_text(element)
    starts = [found.start() for found in re.finditer(re.escape(words), element.text)] if words else []
    if not starts:
        raise ValueError(f"it does not say {words!r}, but {truncate(element.text, 80)!r}")
    at = 0
    for run in element.runs:
        ends = {0, len(run.text), *(end - at for start in starts for end in (start, start + len(words)))}
        for begin, end in pairwise(sorted(end for end in ends if 0 <= end <= len(run.text))):
            inside = (at + begin - start for start in starts if start <= at + begin < start + len(words))
            yield run.model_dump() | {"text": run.text[begin:end]}, next(inside, None)
        at += len(run.text)


def _cell(element: Element, value: Any) -> Fields:
    if element.type != "table":
        raise ValueError(f"{with_article(element.type)} has no cells; tables have")
    if not isinstance(value, list | tuple) or len(value) != 3:
        raise ValueError(f"a cell is [row, column, text], counted from 1, not {value!r}")
    row, column, text = round(number_of(value[0])), round(number_of(value[1])), str(value[2])
    if not (1 <= row <= len(element.cells) and 1 <= column <= len(element.cells[0])):
        raise ValueError(
            f"there is no cell ({row}, {column}); the table has {len(element.cells)} rows and {len(element.cells[0])} "
            "columns"
        )
    cells = [list(line) for line in element.cells]
    cells[row - 1][column - 1] = text
    return {"cells": cells}


def _styled(field: str, read: Callable[[Any, Any], Any]) -> Callable[[Element, Any], Fields]:
    """A change of a style field, which clears it in runs; given words and a value, a change of these words alone."""

    def change(element: Element, value: Any) -> Fields:
        if field not in _USED[element.type]:
            raise ValueError(f"{with_article(element.type)} has no {field}; it has {_used_words(element)}")
        now = getattr(element.style, field)
        is_of_words = isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)
        if is_of_words and field in Run.model_fields:
            new = {field: read(value[1], now)}
            return {"runs": [run if at is None else run | new for run, at in _cut(element, value[0])]}
        style = element.style.model_dump() | ({"head": None} if field == "colour" else {}) | {field: read(value, now)}
        if field == "stroke" and not element.style.stroke_width:
            # An outline without a width would not be seen.
            style["stroke_width"] = _OUTLINE
        own = {field: None} if field in Run.model_fields else {}
        runs = [run.model_dump() | own for run in element.runs]
        return {"style": Style.model_validate(style).model_dump(), "runs": runs}

    return change


def _used_words(element: Element) -> str:
    return ", ".join(_USED[element.type]) or "no style of its own"


def _colour(element: Element, value: Any) -> Fields:
    """Set the colour of the text; of a thing without text, its area or its line."""
    is_bare = element.type == "line" or (element.type == "shape" and not element.text)
    field = "colour" if not is_bare else "stroke" if element.type == "line" else "fill"
    return _styled(field, lambda given, now: colour_of(given))(element, value)


def _size(element: Element, value: Any) -> Fields:
    """Set the size of the face; of what has none, or given width and height, that of the box."""
    if isinstance(value, list | tuple) and len(value) == 2 and not isinstance(value[0], str):
        return {"bbox": (*element.bbox[:2], *map(_side_length, value))}
    if "size" in _USED[element.type] and (element.text or not str(value).strip().endswith("%")):
        return _styled("size", _whole)(element, value)
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
        box[index] = round(number_of(value)) if index < 2 else _side_length(_measure(value, box[index]))
        return {"bbox": box}

    return change


def _box(element: Element, value: Any) -> Fields:
    if not isinstance(value, list | tuple) or len(value) != 4:
        raise ValueError(f"a box is [x, y, width, height] in pixels, not {value!r}")
    return {"bbox": (*point_of(value), *map(_side_length, value[2:]))}


def _scaled(element: Element, value: Any) -> Fields:
    """Scale an element about its middle."""
    factor = _measure(value, 1.0)
    left, top, width, height = element.bbox
    if factor <= 0:
        raise ValueError(f"a scale is a number above 0, or such as '125%', not {value!r}")
    wide, high = (_side_length(max(1, side * factor)) for side in (width, height))
    return {"bbox": (left + (width - wide) // 2, top + (height - high) // 2, wide, high)}


def _measure(value: Any, now: Any) -> float:
    """A number; in percent, of what is now."""
    is_relative = isinstance(value, str) and re.search(r"%|per ?cent", value, re.I)
    return number_of(value) * now / 100 if is_relative else number_of(value)


def _one_of(*allowed: str) -> Callable[[Any, Any], str]:
    def read(value: Any, now: Any) -> str:
        word = str(value).strip().lower().replace("centre", "center")
        if word not in allowed:
            raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
        return word

    return read


def _is_yes(value: Any, now: Any) -> bool:
    """Whether a value means yes: true, or a word without ``not`` or ``no`` first."""
    if isinstance(value, str):
        return value.strip().lower() not in ("false", "no", "off", "none", "0", "", "normal", "regular") and not (
            value.strip().lower().startswith(("not ", "no ", "un"))
        )
    return bool(value)


def _face(value: Any, now: Any) -> str:
    name = str(value).strip()
    found = next((face for face in FACES if face.lower() == name.lower()), name)
    if not is_known(found):
        raise ValueError(
            f"there is no typeface {value!r}; there are {', '.join(FACES)}, and usual ones such as Calibri"
        )
    return found


def _picture(element: Element, value: Any) -> Fields:
    if element.type != "image":
        raise ValueError(f"{with_article(element.type)} has no picture; REPLACE puts an image in its place")
    found = picture_in(str(value))
    if found is None:
        raise ValueError(f"there is no picture {value!r}; there are {pictures()}")
    return {"asset": found}


def _shape(element: Element, value: Any) -> Fields:
    found = shape_in(str(value))
    if element.type != "shape" or found is None:
        raise ValueError(
            f"{value!r} is none of the shapes {', '.join(SHAPES)}"
            if element.type == "shape"
            else f"{with_article(element.type)} has no shape; REPLACE puts a shape in its place"
        )
    return {"shape": found, "path": ""}


def _cased(element: Element, value: Any) -> Fields:
    case = _one_of("upper", "lower", "title")(str(value).lower().removesuffix("case"), None)
    turn: Callable[[str], str] = {"upper": str.upper, "lower": str.lower, "title": str.title}[case]
    if element.type == "table":
        return {"cells": [[turn(cell) for cell in row] for row in element.cells]}
    _check_text(element)
    return {"runs": [run.model_dump() | {"text": turn(run.text)} for run in element.runs]}


def _shares(field: str) -> Callable[[Element, Any], Fields]:
    """A change of the relative widths of columns, or heights of rows."""

    def change(element: Element, value: Any) -> Fields:
        count = 0 if element.type != "table" else len(element.cells if field == "rows" else element.cells[0])
        if not isinstance(value, list | tuple) or len(value) != count or not count:
            raise ValueError(f"{field} are a table's relative sizes, a number for each ({count} here), not {value!r}")
        return {field: [number_of(one) for one in value]}

    return change


def _chart(element: Element, value: Any) -> Fields:
    if element.chart is None:
        raise ValueError(f"{with_article(element.type)} is no chart")
    return {"chart": with_chart_data(element.chart, value).model_dump()}


def _rising(element: Element, value: Any) -> Fields:
    if element.type != "line":
        raise ValueError(f"{with_article(element.type)} does not rise; lines do")
    return {"rises": _is_yes(value, None)}


def _reordered(document: Document, element: Element, value: str) -> Document:
    at, last = document.places[element.id][1], len(document.elements_of_page(document.places[element.id][0])) - 1
    places = {"front": last, "back": 0, "forward": at + 1, "backward": at - 1}
    if value not in places:
        raise ValueError(f"the order is one of {', '.join(places)}, not {value!r}")
    return reordered(document, element.id, places[value])


def _whole(value: Any, now: Any) -> int:
    return round(_measure(value, now))


def _spacing(value: Any, now: Any) -> float:
    return _measure(value, 1.0)


def _optional_colour(value: Any, now: Any) -> Any:
    return None if str(value).strip().lower() in ("none", "no", "transparent") else colour_of(value)


_OUTLINE = 2
"""The width of an outline where there was none, in pixels."""
_LETTERS = ("face", "size", "bold", "italic", "underline", "colour", "align", "anchor", "line_height")
_USED: dict[str, tuple[str, ...]] = {
    "text": _LETTERS,
    "list": _LETTERS,
    "shape": (*_LETTERS, "fill", "stroke", "stroke_width", "radius"),
    "line": ("stroke", "stroke_width"),
    "table": (*_LETTERS, "fill", "stroke", "stroke_width"),
    "chart": (*_LETTERS, "fill"),
    "image": (),
    "group": (),
}
"""The fields of the style that an element of a type shows."""
_STYLES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "fill": ("a colour or none; of a table, of its first row", _optional_colour),
    "stroke": ("a colour or none: of the outline, the line or a table's rules", _optional_colour),
    "stroke_width": ("px", _whole),
    "radius": ("px, of corners", _whole),
    "face": ("a typeface", _face),
    "bold": ("true or false", _is_yes),
    "italic": ("true or false", _is_yes),
    "underline": ("true or false", _is_yes),
    "align": ("left, center or right", _one_of("left", "center", "right")),
    "anchor": ("of text in its box: top, middle or bottom", _one_of("top", "middle", "bottom")),
    "line_height": ("in sizes of the face, such as 1.2", _spacing),
}
"""Fields of the style that are set as they are: their values, and how one is read, given what is now."""
MODIFICATIONS: dict[str, Modification] = {
    "text": Modification("all words; of a table its rows, such as [['Day', 'Time'], ['Monday', '9 am']]", _text),
    "runs": Modification("pieces of text, each with text, bold, italic, underline, colour and size", _runs),
    "words": Modification("[words that are there, words instead]", _words),
    "case": Modification("upper, lower or title", _cased),
    "cell": Modification("[row, column, text], counted from 1", _cell),
    "columns": Modification("relative widths of a table's columns, such as [2, 1, 1]", _shares("columns")),
    "rows": Modification("relative heights of a table's rows", _shares("rows")),
    "colour": Modification("a colour: of the text; of a line or a shape without text, of that", _colour),
    "size": Modification("of the face in px, or '125%' of what it is; of an image '125%' or [width, height]", _size),
    **{field: Modification(values, _styled(field, read)) for field, (values, read) in _STYLES.items()},
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
    "shape": Modification("a shape", _shape),
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
    "shape": "shape",
    "columns": "columns",
    "chart": "chart",
    "style.colour": "colour",
    "style.size": "size",
    **{f"style.{field}": field for field in _STYLES},
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
    """The arguments of MODIFY for each field that differs, but for mere moves."""
    if before is None or after is None:
        return
    old, new = fields_of(before), fields_of(after)
    for field, kind in ((field, _SETTING[field]) for field in old if field in _SETTING):
        if old[field] == new[field] or (field == "position" and old["size"] == new["size"]):
            continue
        is_of_letters = field.startswith("style.") and kind in _LETTERS
        if is_of_letters and not after.text and after.type not in ("table", "chart"):
            # Of letters that are not there; the colour would be that of something else.
            continue
        value = after.text if field == "cells" else new[field]
        if before.chart is not None and isinstance(value, Chart):
            value = chart_data(value)
            if value == chart_data(before.chart):
                continue
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
