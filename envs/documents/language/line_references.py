"""Resolve descriptions of lines of texts and lists, and of rows of tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..scene.elements import Element
from .lexicon import LEXICON, NTH
from .referring_expressions import number_of, paged
from .scope import Refused, Scope

_NOUN = rf"(?:{LEXICON.line_nouns})"
_IN = r"(?: (?:on|in|of|from|within) (?P<where>.+))?"
_QUOTED = r"[\"'](?P<quote>[^\"']+)[\"']"
_NTH_LINE = re.compile(rf"(?:the |that )?(?P<nth>{NTH}|last|final) (?P<noun>{_NOUN}){_IN}", re.I)
_QUOTED_LINE = re.compile(
    rf"(?:the )?(?:{_QUOTED} {_NOUN}|{_NOUN} (?:that says |saying |reading |that reads )?"
    rf"[\"'](?P<quote2>[^\"']+)[\"']){_IN}",
    re.I,
)
_ALL_BUT = re.compile(
    rf"(?:all|every|each)(?: of)?(?: the)? {_NOUN}{_IN},? (?:but|except(?: for)?|apart from) the (?P<nth>{NTH}|last)"
    rf"(?: {_NOUN}| one)?",
    re.I,
)
_PAIR = re.compile(
    rf"(?:(?:in|on) (?P<before>[^,]+),? )?(?:the )?(?P<one>{NTH}|last) and (?:the )?(?P<other>{NTH}|last) {_NOUN}{_IN}",
    re.I,
)
_ROW = re.compile(r"(?:the )?(?P<name>.+?) (?:row|line)(?: (?:of|in|from) (?P<where>.+))?", re.I)
_ROW_FOR = re.compile(
    r"(?:the )?row (?:for|with|of|about|labelled) (?:the )?(?P<name>.+?)"
    r"(?: (?:of|in|from) (?P<where>(?:the|that) .+))?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of an element, counted from 0."""

    element: Element
    numbers: tuple[int, ...]

    @property
    def texts(self) -> list[str]:
        """All lines of the element."""
        return self.element.text.split("\n")


def resolve_lines(scope: Scope, words: str) -> Lines:
    """The lines that a description matches, such as ``the third bullet on slide 2``.

    Raises:
        Refused: if it matches none, or several.
    """
    for pattern, read in _LINES:
        found = pattern.fullmatch(words.strip())
        if found is not None:
            return read(scope, found)
    hits = [
        (element, number)
        for element in scope.on_scope_page(("list", "text"))
        for number, line in enumerate(element.text.split("\n"))
        if "\n" in element.text and same(line, words)
    ]
    if len(hits) == 1:
        return Lines(hits[0][0], (hits[0][1],))
    raise Refused(f"{words!r} is no line of a list")


def resolve_list(scope: Scope, words: str | None) -> Element:
    """The list that a description matches; without a description, the only list.

    Raises:
        Refused: if it matches none, or several.
    """
    return _resolve_kind(scope, words, "list", ("", "list", "the bullets", "the bullet list", "the bullet points"))


def resolve_table(scope: Scope, words: str | None) -> Element:
    """The table that a description matches; without a description, the only table.

    Raises:
        Refused: if it matches none, or several.
    """
    return _resolve_kind(scope, words, "table", ("", "table"))


def _resolve_kind(scope: Scope, words: str | None, kind: str, bare: Sequence[str]) -> Element:
    """The element of a kind; descriptions among ``bare`` name only the kind."""
    if words is not None:
        rest, page = paged(words.lower())
        if rest.strip(" ,") in (f"the {kind}", *bare):
            scope, words = scope.on_page(page), None
    if words is None:
        found = scope.on_scope_page((kind,))
        if len(found) != 1:
            raise Refused(f"there are {len(found)} {kind}s; say which is meant" if found else f"there is no {kind}")
        return found[0]
    element = scope.titled(words, kind) or scope.element(words)
    if element.type != kind and (kind, element.type) != ("list", "text"):
        raise Refused(f"{words!r} is a {element.type}, not a {kind}")
    return element


def resolve_row(scope: Scope, words: str) -> tuple[Element, int]:
    """The table and the row index, from 0, whose first cell a description names.

    Raises:
        Refused: if it matches none, or several.
    """
    found = _ROW.fullmatch(words.strip()) or _ROW_FOR.fullmatch(words.strip())
    if found is None or re.fullmatch(NTH, found["name"], re.I):
        raise Refused(f"{words!r} names no row by its first cell")
    where = found["where"]
    tables = [resolve_table(scope, where)] if where else scope.on_scope_page(("table",))
    rows = [
        (table, number) for table in tables for number, row in enumerate(table.cells) if same(row[0], found["name"])
    ]
    if found["name"].lower() in ("last", "bottom") and len(tables) == 1:
        rows = [(tables[0], len(tables[0].cells) - 1)]
    if len(rows) != 1:
        raise Refused(f"there are {len(rows)} rows {found['name']!r}")
    return rows[0]


def same(one: str, other: str) -> bool:
    """Whether two texts have the same words."""
    return re.findall(r"\w+", one.lower()) == re.findall(r"\w+", other.lower().removeprefix("the "))


def value_type(text: str) -> str | None:
    """The type of a text that is one value: money, percent, time, date or number."""
    return next(
        (name for name, pattern in LEXICON.value_types.items() if re.fullmatch(pattern, text.strip(), re.I)), None
    )


def values_of(text: str, kind: str) -> list[tuple[int, int]]:
    """Where values of a type are in a text."""
    return [found.span() for found in re.finditer(LEXICON.value_types[kind], text, re.I)]


def context_of(element: Element, start: int, end: int, new: str) -> tuple[str, str] | None:
    """Words around a stretch of text that occur once, before and after a change.

    ``None``: the stretch is in several runs, which look different.
    """
    at = 0
    for run in element.runs:
        if at <= start and end <= at + len(run.text):
            return _widened(element, run.text, start - at, end - at, new)
        at += len(run.text)
    return None


def _widened(element: Element, text: str, start: int, end: int, new: str) -> tuple[str, str] | None:
    for margin in range(len(text) + 1):
        low, high = max(0, start - margin), min(len(text), end + margin)
        # Whole words read better in a program.
        edges = text[max(low - 1, 0) : low + 1], text[high - 1 : high + 1]
        if margin and any(re.match(r"\w\w", edge) for edge in edges):
            continue
        old = text[low:high]
        made = f"{text[low:start]}{new}{text[end:high]}"
        if old and made and sum(run.text.count(old) for run in element.runs) == 1:
            return old, made
    return None


def _nth(scope: Scope, found: re.Match[str]) -> Lines:
    where = found["where"]
    element = _list_or_text(scope, where, found["noun"])
    return Lines(element, (_number(element, found["nth"]),))


def _list_or_text(scope: Scope, where: str | None, noun: str) -> Element:
    if where is None and noun.lower().startswith("line"):
        raise Refused("say of which text the line is meant")
    return resolve_list(scope, where)


def _number(element: Element, word: str) -> int:
    lines = element.text.split("\n")
    number = number_of(word.lower())
    at = number - 1 if number > 0 else len(lines) + number
    if not 0 <= at < len(lines):
        raise Refused(f"there are only {len(lines)} lines in {element.name or element.id}")
    return at


def _quoted_line(scope: Scope, found: re.Match[str]) -> Lines:
    quote = found["quote"] or found["quote2"]
    where = found["where"]
    page = paged(f"on {where.lower()}") if where else ("", None)
    if where and page[1] is not None and not page[0].strip(" ,"):
        scope, where = scope.on_page(page[1]), None
    among = [resolve_list(scope, where)] if where else scope.on_scope_page(("list", "text"))
    hits = [
        (element, number)
        for element in among
        for number, line in enumerate(element.text.split("\n"))
        if line.strip().lower() == quote.strip().lower()
    ]
    if len(hits) != 1:
        raise Refused(f"there are {len(hits)} lines {quote!r}")
    return Lines(hits[0][0], (hits[0][1],))


def _all_but(scope: Scope, found: re.Match[str]) -> Lines:
    element = resolve_list(scope, found["where"])
    kept = _number(element, found["nth"])
    return Lines(element, tuple(i for i in range(len(element.text.split("\n"))) if i != kept))


def _pair(scope: Scope, found: re.Match[str]) -> Lines:
    element = resolve_list(scope, found["where"] or found["before"])
    return Lines(element, (_number(element, found["one"]), _number(element, found["other"])))


_LINES: Sequence[tuple[re.Pattern[str], Callable[[Scope, re.Match[str]], Lines]]] = (
    (_ALL_BUT, _all_but),
    (_PAIR, _pair),
    (_QUOTED_LINE, _quoted_line),
    (_NTH_LINE, _nth),
)
