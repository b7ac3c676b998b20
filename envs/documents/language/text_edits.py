"""Edits of whole texts, words and cells.

To add one, add a function and its row of the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..scene.elements import Element
from .lexicon import LEXICON
from .line_references import context_of, resolve_table, same, value_type, values_of
from .referring_expressions import reference
from .scope import Draft, Edit, Refused, Scope, Values

_PARTS_OF_RECORD = re.compile(r"(?P<row>.+?)(?:'s|s') (?P<column>.+)|(?P<column2>.+) (?:of|for) (?P<row2>.+)", re.I)


def _set_text(scope: Scope, values: Values, draft: Draft) -> None:
    """Set the text of an element, or the value in its text."""
    words, new = values["target"], values["text"]
    found = scope.elements(words)
    if len(found) > 1:
        raise Refused(f"{words!r} is more than one thing")
    (element,) = found
    if element.type not in ("text", "list", "shape"):
        raise Refused(f"{words!r} is a {element.type}, which has no text of its own")
    old = element.text
    query = reference(words)
    if query.quoted is not None and query.quote_way == "says" and " ".join(old.lower().split()) != query.quoted:
        raise Refused(f"{query.quoted!r} is only a part of {old!r}")
    if old.strip() == new.strip():
        raise Refused("it says so already")
    part = _part_to_change(old, new, words)
    if part is not None:
        if values["is_quoted"]:
            raise Refused(f"{old!r} holds more than a value; quote what it should say as a whole")
        change_text(draft, element, *part, new)
        return
    if "\n" in old.strip() and not values["is_quoted"]:
        raise Refused(f"{words!r} has several lines; say which one is meant")
    if value_type(new) and old and not values["is_quoted"] and value_type(old) != value_type(new):
        raise Refused(f"{old!r} holds no such value as {new!r}")
    if not old and not values["is_quoted"]:
        raise Refused(f"{words!r} says nothing yet; put the words into quotation marks")
    draft.modify(element, "text", new)


def _part_to_change(old: str, new: str, words: str) -> tuple[int, int] | None:
    """The position of the value that a new text replaces: same type, or same label."""
    kind = value_type(new)
    if kind is not None:
        spans = values_of(old, kind)
        if len(spans) > 1:
            raise Refused(f"{old!r} holds {len(spans)} values like {new!r}; say which one is meant")
        return spans[0] if spans and spans[0] != (0, len(old)) else None
    label = re.fullmatch(r"([^:\n]{1,30}:\s+)([^\n]+)", old)
    if label is None or new.lower().startswith(label[1].strip().lower()):
        return None
    mentioned, named = _content(words), _content(label[1])
    return label.span(2) if mentioned and mentioned <= named else None


def _content(words: str) -> set[str]:
    return set(re.findall(r"\w+", words.lower())) - LEXICON.not_in_labels


def change_text(draft: Draft, element: Element, start: int, end: int, new: str) -> None:
    """Change a stretch of an element's text and keep the styles of its runs."""
    pair = context_of(element, start, end, new)
    if pair is None:
        raise Refused(f"what should be changed in {element.text!r} is written in several styles")
    draft.modify(element, "words", list(pair))


def _found_in(text: str, old: str, is_caseless: bool = False) -> list[tuple[int, int]]:
    """The positions of words in a text as whole words."""
    pattern = rf"(?<!\w){re.escape(old)}(?!\w)" if old[:1].isalnum() else rf"{re.escape(old)}(?!\w)"
    pattern = pattern if old[-1:].isalnum() else pattern.removesuffix(r"(?!\w)")
    return [found.span() for found in re.finditer(pattern, text, re.I if is_caseless else 0)]


def _set_word(scope: Scope, values: Values, draft: Draft) -> None:
    """Replace words in an element."""
    old, new = values["old"], values["new"]
    for element in scope.elements(values["target"]):
        if element.type == "table":
            _change_cell(draft, element, old, new)
            continue
        spans = _found_in(element.text, old)
        if not spans and old in element.text and values["is_exact"]:
            spans = [(found.start(), found.end()) for found in re.finditer(re.escape(old), element.text)]
        if not spans:
            raise Refused(f"{values['target']!r} does not say {old!r}")
        if not any(old in run.text for run in element.runs):
            raise Refused(f"{old!r} is written in several styles")
        if len(spans) == element.text.count(old):
            draft.modify(element, "words", [old, new])
        else:
            for start, end in reversed(spans):
                change_text(draft, element, start, end, new)


def _change_cell(draft: Draft, table: Element, old: str, new: str) -> None:
    cells = [
        (i, j) for i, row in enumerate(table.cells, 1) for j, cell in enumerate(row, 1) if cell.strip() == old.strip()
    ]
    if len(cells) != 1:
        raise Refused(f"there are {len(cells)} cells that say {old!r}")
    draft.modify(table, "cell", [*cells[0], new])


def _set_cell(scope: Scope, values: Values, draft: Draft) -> None:
    """Set the text of the cell with a given text."""
    _change_cell(draft, resolve_table(scope, values["target"]), values["old"], values["new"])


def _occurrences(scope: Scope, old: str) -> Iterator[tuple[Element, tuple[int, int] | None]]:
    """Where words occur on the page of the scope: in a text, or as a whole cell.

    Without a page, on any page; the span is ``None`` for a cell.
    """
    for element in scope.on_scope_page(("text", "list", "shape")):
        yield from ((element, span) for span in _found_in(element.text, old))
    for table in scope.on_scope_page(("table",)):
        for row in table.cells:
            for cell in row:
                if _found_in(cell, old):
                    yield table, None


def _set_word_anywhere(scope: Scope, values: Values, draft: Draft) -> None:
    """Replace words that occur only once in the scope."""
    old, new = values["old"], values["new"]
    found = list(_occurrences(scope, old))
    if not values["is_exact"] and value_type(new) != value_type(old):
        raise Refused(f"{new!r} is another kind of thing than {old!r}; quote both")
    if len(found) != 1:
        raise Refused(f"{old!r} is there {len(found)} times" if found else f"nothing says {old!r}")
    element, span = found[0]
    if span is None:
        _change_cell(draft, element, old, new)
    else:
        change_text(draft, element, *span, new)


def _set_word_everywhere(scope: Scope, values: Values, draft: Draft) -> None:
    """Replace words wherever they occur."""
    old, new = values["old"], values["new"]
    elements = {element.id: element for element, _ in _occurrences(scope, old)}
    if not elements:
        raise Refused(f"nothing says {old!r}")
    for element in elements.values():
        if element.type == "table":
            for i, row in enumerate(element.cells, 1):
                for j, cell in enumerate(row, 1):
                    for start, end in reversed(_found_in(cell, old)):
                        cell = cell[:start] + new + cell[end:]
                    if cell != row[j - 1]:
                        draft.modify(element, "cell", [i, j, cell])
            continue
        spans = _found_in(element.text, old)
        if len(spans) != element.text.count(old) or sum(run.text.count(old) for run in element.runs) != len(spans):
            raise Refused(f"{old!r} is also a part of other words, or written in several styles")
        draft.modify(element, "words", [old, new])


def _set_value(scope: Scope, values: Values, draft: Draft) -> None:
    """Set a value in a table by its row and column, or the only such value of a row."""
    subject, new = values["subject"], values["text"]
    kind = value_type(new)
    if kind is None and "'" not in subject:
        raise Refused(f"{new!r} is no amount, time or date that {subject!r} could be")
    cells = [
        (table, i, j)
        for table in scope.on_scope_page(("table",))
        for i, row in enumerate(table.cells)
        if i
        for j in _cells_named(table, i, subject, kind)
    ]
    if len(cells) != 1:
        raise Refused(f"there are {len(cells)} values that {subject!r} may mean")
    table, i, j = cells[0]
    if table.cells[i][j] == new:
        raise Refused("it says so already")
    if kind != value_type(table.cells[i][j]):
        raise Refused(f"{table.cells[i][j]!r} is no such value as {new!r}")
    draft.modify(table, "cell", [i + 1, j + 1, new])


def _cells_named(table: Element, row: int, subject: str, kind: str | None) -> list[int]:
    """The columns of a row that a subject names, or that hold its only value."""
    cells, heads = table.cells[row], table.cells[0]
    parts = _PARTS_OF_RECORD.fullmatch(subject.strip())
    if parts is not None:
        name, column = parts["row"] or parts["row2"], parts["column"] or parts["column2"]
        if same(cells[0], name):
            return [j for j, head in enumerate(heads) if j and same(head, column)]
    mentioned = _bare(subject)
    named = [
        (key, head)
        for key, cell in enumerate(cells)
        for head in (None, *range(len(heads)))
        if key != head and value_type(cell) is None and _bare(cell)
        if mentioned == _bare(cell) | (_bare(heads[head]) if head is not None else set())
    ]
    if kind is None or not named:
        return []
    columns = {head for _, head in named if head is not None}
    if columns:
        return sorted(columns)
    alike = [j for j, cell in enumerate(cells) if value_type(cell) == kind]
    return alike if len(alike) == 1 else []


def _bare(words: str) -> set[str]:
    return set(re.findall(r"\w+", words.lower())) - {"the", "a", "an", "of", "for", "in", "on", "at", "to", "our", "s"}


TEXT_EDITS: Mapping[str, Edit] = {
    "text": _set_text,
    "word": _set_word,
    "word_anywhere": _set_word_anywhere,
    "word_everywhere": _set_word_everywhere,
    "value": _set_value,
    "cell": _set_cell,
}
"""The edit of each kind of phrasing."""
