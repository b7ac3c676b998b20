"""Find values of each kind in sentences, and write them as forms expect."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

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
