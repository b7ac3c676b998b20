"""What MODIFY changes of the style of elements, of words in their texts, and of the cells of tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..painting.faces import is_known
from ..painting.pictures import tinted
from ..scene.cells import FORMAT_FIELDS, Grid, cell_style, cells_in, cleared, formats_of, packed, with_value
from ..scene.elements import Element, Run, Style
from .contents import Fields, cut
from .draft import with_article
from .values import FACES, colour_of, index_of, number_of, one_of


def styled(field: str, read: Callable[[Any, Any], Any]) -> Callable[[Element, Any], Fields]:
    """A change of a style field, which clears it in runs and cells; of some words or cells alone if these are given.

    Words are given as ``[words, value]``, cells as ``[row, column, value]``.
    """

    def change(element: Element, value: Any) -> Fields:
        if field not in USED[element.type]:
            raise ValueError(f"{with_article(element.type)} has no {field}; it has {_used_words(element)}")
        now = getattr(element.style, field)
        is_of_words = isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str)
        if is_of_words and field in Run.model_fields:
            new = {field: read(value[1], now)}
            return {"runs": [run if at is None else run | new for run, at in cut(element, value[0])]}
        if is_part(element, field, value):
            return {"formats": _formats(element, field, value, read)}
        if isinstance(value, list | tuple) and field not in COLOUR_FIELDS:
            raise ValueError(f"one value is needed, not {value!r}; words and cells have no {field} of their own")
        style = element.style.model_dump() | ({"head": None} if field == "colour" else {}) | {field: read(value, now)}
        if field == "stroke" and not element.style.stroke_width:
            # An outline without a width would not be seen.
            style["stroke_width"] = _OUTLINE
        own = {field: None} if field in Run.model_fields else {}
        runs = [run.model_dump() | own for run in element.runs]
        formats = cleared(element, field) if field in FORMAT_FIELDS else element.formats
        return {"style": Style.model_validate(style).model_dump(), "runs": runs, "formats": formats}

    return change


def is_part(element: Element, field: str, value: Any) -> bool:
    """Whether a value is that of some cells: ``[row, column, value]``; a colour may be three numbers."""
    is_cells = element.type == "table" and field in FORMAT_FIELDS and isinstance(value, list | tuple)
    return is_cells and len(value) == 3 and not (field in COLOUR_FIELDS and isinstance(value[2], int | float))


def _formats(table: Element, field: str, part: Any, read: Callable[[Any, Any], Any]) -> Grid:
    """The formats of a table after a change of the cells in a row and a column; ``None``: in all."""
    sides = (("row", part[0], len(table.cells)), ("column", part[1], len(table.cells[0])))
    row, column = (None if at is None else index_of(at, kind, n) + 1 for kind, at, n in sides)
    grid = [list(line) for line in formats_of(table)]
    for i, k in cells_in(table, row, column):
        value = read(part[2], getattr(cell_style(table, i, k), field))
        grid[i][k] = with_value(table, i, k, field, value)
    return packed(grid)


def _used_words(element: Element) -> str:
    return ", ".join(USED[element.type]) or "no style of its own"


def set_colour(element: Element, value: Any) -> Fields:
    """Set the colour of the text; of a thing without text, its area or its line; of an icon, all of it."""
    if element.type == "image":
        return {"asset": tinted(str(element.asset), colour_of(value))}
    is_bare = element.type == "line" or (element.type == "shape" and not element.text)
    field = "colour" if not is_bare else "stroke" if element.type == "line" else "fill"
    return styled(field, lambda given, now: colour_of(given))(element, value)


def measure(value: Any, now: Any) -> float:
    """A number; in percent, of what is now."""
    is_relative = isinstance(value, str) and re.search(r"%|per ?cent", value, re.I)
    return number_of(value) * now / 100 if is_relative else number_of(value)


def is_yes(value: Any, now: Any) -> bool:
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


def whole(value: Any, now: Any) -> int:
    """A whole number; in percent, of what is now."""
    return round(measure(value, now))


def _spacing(value: Any, now: Any) -> float:
    return measure(value, 1.0)


def _optional_colour(value: Any, now: Any) -> Any:
    return None if str(value).strip().lower() in ("none", "no", "transparent") else colour_of(value)


COLOUR_FIELDS = ("fill", "stroke", "colour")
_OUTLINE = 2
"""The width of an outline where there was none, in pixels."""
LETTERS = ("face", "size", "bold", "italic", "underline", "strike", "colour", "align", "anchor", "line_height")
USED: dict[str, tuple[str, ...]] = {
    "text": LETTERS,
    "list": LETTERS,
    "shape": (*LETTERS, "fill", "stroke", "stroke_width", "radius"),
    "line": ("stroke", "stroke_width"),
    "table": (*LETTERS, "fill", "stroke", "stroke_width"),
    "chart": (*LETTERS, "fill"),
    "image": (),
    "group": (),
}
"""The fields of the style that an element of a type shows."""
STYLES: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "fill": ("a colour or none; of a table, of its first row", _optional_colour),
    "stroke": ("a colour or none: of the outline, the line or a table's rules", _optional_colour),
    "stroke_width": ("px", whole),
    "radius": ("px, of corners", whole),
    "face": ("a typeface", _face),
    "bold": ("true or false", is_yes),
    "italic": ("true or false", is_yes),
    "underline": ("true or false", is_yes),
    "strike": ("true or false: whether it is struck through", is_yes),
    "align": ("left, center or right", one_of("left", "center", "right")),
    "anchor": ("of text in its box: top, middle or bottom", one_of("top", "middle", "bottom")),
    "line_height": ("in sizes of the face, such as 1.2", _spacing),
}
"""Fields of the style that are set as they are: their values, and how one is read, given what is now."""
