"""Edits of lines of texts and lists, and of table rows.

To add one, add a function and its row of the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..scene.elements import Element
from .line_references import context_of, resolve_lines, resolve_list, resolve_row, resolve_table
from .scope import Draft, Edit, Refused, Scope, Values
from .text_edits import change_text


def _set_line(scope: Scope, values: Values, draft: Draft) -> None:
    """Replace the text of a line."""
    lines = resolve_lines(scope, values["line"])
    _rewritten(draft, lines.element, dict.fromkeys(lines.numbers, str(values["text"])))


def _delete_lines(scope: Scope, values: Values, draft: Draft) -> None:
    """Delete lines."""
    lines = resolve_lines(scope, values["lines"])
    if len(lines.numbers) >= len(lines.texts):
        raise Refused("that is all of the list; delete the list")
    for number in sorted(lines.numbers, reverse=True):
        element = draft.document.find(lines.element.id)
        assert element is not None
        _take_line_out(draft, element, number)


def _take_line_out(draft: Draft, element: Element, number: int) -> None:
    starts = _starts(element.text)
    start, end = starts[number], starts[number] + len(element.text.split("\n")[number])
    stretches = ((start, end + 1), (start - 1, end))
    for low, high in stretches:
        if low >= 0 and high <= len(element.text) and (pair := context_of(element, low, high, "")) is not None:
            draft.modify(element, "words", list(pair))
            return
    raise Refused("the line is written in several styles")


def _starts(text: str) -> list[int]:
    """The index where each line of a text starts."""
    starts = [0]
    for line in text.split("\n")[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _rewritten(draft: Draft, element: Element, new: Mapping[int, str]) -> None:
    starts, lines = _starts(element.text), element.text.split("\n")
    for number in sorted(new, reverse=True):
        now = draft.document.find(element.id)
        assert now is not None
        change_text(draft, now, starts[number], starts[number] + len(lines[number]), new[number])


def _swap_lines(scope: Scope, values: Values, draft: Draft) -> None:
    """Swap two lines."""
    words = f"{values['pair']} in {values['list']}" if "list" in values else values["pair"]
    lines = resolve_lines(scope, words)
    if len(set(lines.numbers)) != 2:
        raise Refused("two lines are swapped, no more and no less")
    one, other = lines.numbers
    _rewritten(draft, lines.element, {one: lines.texts[other], other: lines.texts[one]})


def _add_line(scope: Scope, values: Values, draft: Draft) -> None:
    """Add a line at the end."""
    if "onpage" in values:
        element = resolve_list(scope, values["onpage"].removeprefix("on ").removeprefix("to "))
    else:
        element = resolve_list(scope, values["list"])
    is_list = element.type == "list" or "\n" in element.text
    if not is_list:
        raise Refused(f"{values.get('list')!r} is no list; say where the new text should stand")
    if values["text"] in element.text.split("\n"):
        raise Refused("it is in the list already")
    last = element.text.split("\n")[-1]
    change_text(draft, element, len(element.text) - len(last), len(element.text), f"{last}\n{values['text']}")


def _insert_line(scope: Scope, values: Values, draft: Draft) -> None:
    """Insert a line before or after another."""
    lines = resolve_lines(scope, values["line"])
    (number,) = lines.numbers
    there = lines.texts[number]
    both = (there, values["text"]) if values["where"] == "after" else (values["text"], there)
    _rewritten(draft, lines.element, {number: "\n".join(both)})


def _add_row(scope: Scope, values: Values, draft: Draft) -> None:
    """Add a row to a table."""
    if "row" in values:
        table, at = resolve_row(scope, values["row"])
        at += values["where"] == "after"
    else:
        table = resolve_table(scope, values["table"])
        at = len(table.cells)
        if "total" in table.cells[-1][0].lower():
            raise Refused("should it stand before or after the total? Say above or below which row")
    cells = [cell.strip() for cell in re.split(r"[,;|](?!\d{3})\s*", values["text"])]
    if len(cells) != len(table.cells[0]):
        raise Refused(f"the rows of the table have {len(table.cells[0])} cells; the new one has {len(cells)}")
    _retabled(draft, table, [*table.cells[:at], cells, *table.cells[at:]])


def _delete_row(scope: Scope, values: Values, draft: Draft) -> None:
    """Delete a row of a table."""
    table, at = resolve_row(scope, values["row"])
    if len(table.cells) < 3:
        raise Refused("that is all of the table; delete the table")
    _retabled(draft, table, [*table.cells[:at], *table.cells[at + 1 :]])


def _retabled(draft: Draft, table: Element, rows: Sequence[Sequence[str]]) -> None:
    if any("\t" in cell or "\n" in cell for row in rows for cell in row):
        raise Refused("the cells of the table have several lines")
    draft.modify(table, "text", "\n".join("\t".join(row) for row in rows))


LINE_EDITS: Mapping[str, Edit] = {
    "delete_line": _delete_lines,
    "set_line": _set_line,
    "swap_lines": _swap_lines,
    "add_line": _add_line,
    "insert_line": _insert_line,
    "add_row": _add_row,
    "delete_row": _delete_row,
}
"""The edit of each kind of phrasing."""
