"""What MODIFY changes of the texts of elements, and of the cells of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ...core.texts import truncate
from ..scene.cells import Grid, packed
from ..scene.elements import CellFormat, Element, Run
from .draft import with_article
from .values import colour_of, number_of, one_of

Fields = dict[str, Any]
"""New fields of an element."""

MAX_LETTERS = 4_000
"""The maximum length of an element's text."""
_LETTERED = ("text", "list", "shape")


def _with_text(element: Element, text: str) -> Fields:
    """Set the text, in the style of the first run.

    Raises:
        ValueError: if the element has no text of its own.
    """
    check_text(element)
    if len(text) > MAX_LETTERS:
        raise ValueError(f"a text of {len(text):,} characters is too long; {MAX_LETTERS:,} are the most")
    first = element.runs[0] if element.runs else Run(text="")
    return {"runs": [first.model_copy(update={"text": text}).model_dump()]}


def check_text(element: Element) -> None:
    """Check that an element has a text of its own.

    Raises:
        ValueError: if it has none.
    """
    if element.type == "table":
        raise ValueError("the text of a table is in its cells, which row and column name: [row, column, value]")
    if element.type not in _LETTERED:
        raise ValueError(f"{with_article(element.type)} has no text of its own; texts, lists and shapes have")


def set_text(element: Element, value: Any) -> Fields:
    """Set all text: of a table its rows."""
    if element.type == "table":
        is_list = isinstance(value, list | tuple)
        rows = value if is_list else [line.split("\t") for line in str(value).split("\n")]
        rows = [[str(cell) for cell in (row if isinstance(row, list | tuple) else [row])] for row in rows] or [[]]
        is_wide, is_high = len(rows[0]) == len(element.cells[0]), len(rows) == len(element.cells)
        return {
            "cells": rows,
            "columns": element.columns if is_wide else (),
            "rows": element.rows if is_high else (),
            "formats": kept_formats(element, rows),
        }
    return _with_text(element, "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value))


def kept_formats(element: Element, rows: Sequence[Sequence[str]]) -> Grid:
    """The formats of cells that are there as before; others have none."""
    known = dict(enumerate(element.formats))
    return packed(
        [*known.get(i, ())[: len(row)], *[CellFormat()] * (len(row) - len(known.get(i, ())))]
        for i, row in enumerate(rows)
    )


def set_runs(element: Element, value: Any) -> Fields:
    """Set the text in pieces, each in a style of its own."""
    check_text(element)
    if not isinstance(value, list | tuple) or not all(isinstance(one, dict) and "text" in one for one in value):
        raise ValueError(f'runs are such as [{{"text": "Doors ", "bold": true}}, {{"text": "7 pm"}}], not {value!r}')
    colours = ({"colour": colour_of(one["colour"])} if one.get("colour") is not None else {} for one in value)
    return {"runs": [one | colour for one, colour in zip(value, colours, strict=True)]}


def set_words(element: Element, value: Any) -> Fields:
    """Replace words, in the style of the first of them, or take them out."""
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(isinstance(v, str) for v in value):
        raise ValueError(f"a pair of texts is needed, [words that are there, words instead], not {value!r}")
    pieces = list(cut(element, value[0]))
    runs = [run if at is None else run | {"text": value[1] if at == 0 else ""} for run, at in pieces]
    return {"runs": [run for run in runs if run["text"]]}


def cut(element: Element, words: str) -> Iterator[tuple[Fields, int | None]]:
    """The runs, cut at words that they say, and how far into these each begins; ``None``: it is no part of them.

    Raises:
        ValueError: if the element has no text of its own, or does not say the words.
    """
    check_text(element)
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


def set_cell(element: Element, value: Any) -> Fields:
    """Set the text of a cell."""
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


def set_case(element: Element, value: Any) -> Fields:
    """Set the case of all letters."""
    case = one_of("upper", "lower", "title")(str(value).lower().removesuffix("case"), None)
    turn: Callable[[str], str] = {"upper": str.upper, "lower": str.lower, "title": str.title}[case]
    if element.type == "table":
        return {"cells": [[turn(cell) for cell in row] for row in element.cells]}
    check_text(element)
    return {"runs": [run.model_dump() | {"text": turn(run.text)} for run in element.runs]}


def set_sizes(field: str) -> Callable[[Element, Any], Fields]:
    """A change of the relative widths of columns, or heights of rows."""

    def change(element: Element, value: Any) -> Fields:
        count = 0 if element.type != "table" else len(element.cells if field == "rows" else element.cells[0])
        if not isinstance(value, list | tuple) or len(value) != count or not count:
            raise ValueError(f"{field} are a table's relative sizes, a number for each ({count} here), not {value!r}")
        return {field: [number_of(one) for one in value]}

    return change
