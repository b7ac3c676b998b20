"""Entries: facts as texts under the labels that a form may have for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from .reading import DEAL, FIRST, SECOND, Facts, table

_DATE = re.compile(r"\b([A-Z][a-z]+ \d{1,2}, \d{4}|\d{1,2}/\d{1,2}/\d{4})\b")
_DURATION = re.compile(r"\b(\d+) (year|month)s?\b")
_PREDICATE = re.compile(r"\b(?:is|was|are|were|reads)\s+(?:(?:\w+ed )?(?:with|by|in|as|at|from) )?(.+)$")
_OTHER = re.compile(r"[(\d][\d ()/-]{8,}|[A-Z][a-z]+ \d{1,2}, \d{4}|\$.*|\S+@\S+")
"""Values that are no plain text: a date, a telephone number, an amount, an email address."""
_ABOUT = re.compile(r"(?:the|a|an|what|where|how|who|one|called|named|given|on|of)\b|\W*$")
_NUMBERED = re.compile(r"\b(?:number|no)\b", re.IGNORECASE)
_PROPER = r"[A-Z0-9#][^\s,;:]*"
_RUN = rf"{_PROPER}(?:,? (?:(?:of|and|the|de|la|y|&) )?{_PROPER})*"
_AT_THE_END, _AT_THE_BEGINNING = re.compile(rf"(?<!\S)({_RUN})$"), re.compile(rf"^({_RUN})\s")
_QUOTED = re.compile(r"[\"“](.+?)[\"”]")
_FORMATS = ("%B %d, %Y", "%m/%d/%Y")


def date_in(sentence: str) -> str:
    """The first date of a sentence as ``YYYY-MM-DD``; empty if there is none."""
    for words in _DATE.findall(sentence):
        for form in _FORMATS:
            try:
                return datetime.strptime(words, form).date().isoformat()
            except ValueError:
                continue
    return ""


def text_in(sentence: str) -> str:
    """The text value of a sentence: a quotation, the predicate, or a name.

    Args:
        sentence: without the name of whom it is about.
    """
    text = _text_in(sentence)
    return "" if _OTHER.fullmatch(text) and not _NUMBERED.search(sentence) else text


def _text_in(sentence: str) -> str:
    if quoted := _QUOTED.search(sentence):
        return quoted[1]
    plain = sentence.rpartition(": ")[2].rstrip(". ").strip()
    if ": " in sentence and plain:
        return plain
    if (predicate := _PREDICATE.search(plain)) and not _ABOUT.match(predicate[1]):
        return predicate[1].strip()
    proper = _AT_THE_END.search(plain) or _AT_THE_BEGINNING.search(plain)
    return proper[1] if proper else ""


def duration_in(sentence: str) -> str:
    """A span of time as ``N years M months``; empty if there is none."""
    return " ".join(found[0] for found in _DURATION.finditer(sentence))


def _last(pattern: str) -> Callable[[str], str]:
    compiled = re.compile(pattern)

    def last(sentence: str) -> str:
        found = compiled.findall(sentence)
        return str(found[-1]) if found else ""

    return last


READERS: dict[str, Callable[[str], str]] = {
    "text": text_in,
    "date": date_in,
    "duration": duration_in,
    "money": _last(r"\$(\d[\d,]*(?:\.\d\d)?)"),
    "phone": _last(r"\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|\(\d{3}\) ?\d{3}-\d{4}"),
    "email": _last(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    "ssn": _last(r"\b\d{3}-\d{2}-\d{4}\b"),
    "zip": _last(r"\b\d{5}(?:-\d{4})?\b"),
    "state": _last(r"\b[A-Z]{2}\b"),
    "county": _last(r"\b((?:[A-Z][\w.'’-]+ )*[A-Z][\w.'’-]+) County\b"),
    "number": _last(r"\b\d[\d,]*\b"),
}
"""By kind, the function that finds a value in a sentence, as text; empty if there is none."""


def _of_date(written: str) -> Callable[[str], str]:
    return lambda iso: datetime.fromisoformat(iso).strftime(written)


def _of_duration(unit: str) -> Callable[[str], str]:
    return lambda span: next((number for number, word in _DURATION.findall(span) if word == unit), "0")


FILTERS: dict[str, Callable[[str], str]] = {
    "us": _of_date("%m/%d/%Y"),
    "month_year": _of_date("%m/%Y"),
    "month": _of_date("%m"),
    "day": _of_date("%d"),
    "year": _of_date("%Y"),
    "years": _of_duration("year"),
    "months": _of_duration("month"),
    "area": lambda phone: re.sub(r"\D", "", phone)[:3],
    "local": lambda phone: phone[-8:],
    "initial": lambda name: name[:1],
}
"""The formats of values, or of parts of them, that forms may expect."""


TICK = "X"
_PART = re.compile(r"\{([\w.]+)(\?)?(?:\|(\w+))?\}")
_TERM = re.compile(r" ([+-]) (?=\{)")
_ORDINALS = {"1": "First", "2": "Second", "3": "Third"}
_PAIR = re.compile(r"^(.{1,200}?):\s+(\S.*)$")


@dataclass(frozen=True)
class FormEntry:
    """A text to write.

    Attributes:
        text: what to write.
        labels: what the field may be called, the likeliest first; names above it follow, separated by ``" | "``.
        who: the person it is about: ``"first"`` or ``"second"`` of two people, or ``"deal"``.
        signed: whether it is written as a signature.
        piece: whether most forms ask for a longer text that includes it.
    """

    text: str
    labels: tuple[str, ...]
    who: str = DEAL
    signed: bool = False
    piece: bool = False


def entries_of_pairs(source: str) -> list[FormEntry]:
    """Entries of a source that lists ``name: value``, on one line each or on two.

    ``Section: field`` of a name becomes ``field | Section``. Empty if a line is no such pair.
    """
    pairs = [_PAIR.match(line) for line in source.splitlines() if line.strip()]
    if not pairs or not all(pairs):
        return []
    named = [(found[1], found[2]) for found in pairs if found]
    if [name for name, _ in named] == ["Field", "Value"]:
        named = [(named[0][1], named[1][1])]
    return [FormEntry(value, (_nested(name),), signed=_is_signed(name)) for name, value in named]


def entries_of(known: Facts) -> list[FormEntry]:
    """Entries for every known fact that forms may ask for."""
    written = [entry for rule in table("fields") for entry in _entries(rule, known)]
    return [*written, *(FormEntry(TICK, labels, who) for who, labels in known.ticks)]


def _entries(rule: Mapping[str, Any], known: Facts) -> Iterator[FormEntry]:
    """The entries of a rule: one for each person, or one for each number."""
    people = {"person": (FIRST, SECOND), "second": (SECOND,)}.get(rule["of"], (DEAL,))
    of_all = {f"{who}.{name}": value for who, facts in known.by_owner.items() for name, value in facts.items()}
    for who in people:
        if who != DEAL and not known.by_owner[who]:
            continue
        facts = {**of_all, **known.by_owner[DEAL], **known.by_owner[who]}
        for number in rule.get("n", ("",)):
            text = _text(rule["text"].replace("#", number), facts)
            labels = (label.replace("#", number).replace("@", _ORDINALS.get(number, "")) for label in rule["labels"])
            if text:
                yield FormEntry(text, tuple(labels), who, rule.get("signed", False), rule.get("piece", False))


def _text(template: str, facts: Mapping[str, str]) -> str:
    """A template filled with facts, sums computed; empty if a fact is missing."""
    first, *rest = _TERM.split(template)
    if rest:
        return _sum([("+", first), *zip(rest[::2], rest[1::2], strict=True)], facts)
    missing = [name for name, optional, _ in _PART.findall(template) if not optional and not facts.get(name)]
    return "" if missing else " ".join(_PART.sub(lambda part: _filled(part, facts), template).split())


def _sum(terms: list[tuple[str, str]], facts: Mapping[str, str]) -> str:
    """A sum of amounts; unknown amounts but the first count as 0."""
    amounts = [(sign, _text(term, facts).replace(",", "")) for sign, term in terms]
    if not amounts[0][1]:
        return ""
    return f"{sum(Decimal(f'{sign}{amount}') for sign, amount in amounts if amount):,.2f}"


def _filled(part: re.Match[str], facts: Mapping[str, str]) -> str:
    value = facts.get(part[1], "")
    return FILTERS[part[3]](value) if part[3] and value else value


def _nested(name: str) -> str:
    """``Section: field`` as ``field | Section``."""
    return " | ".join(reversed([part.strip() for part in name.rstrip(": ").split(": ")]))


def _is_signed(name: str) -> bool:
    return re.search(r"\b(?:signature|initials)\b", name, re.IGNORECASE) is not None
