"""Extract values from sentences, and whom they are about, by keywords and patterns."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...envs.core.templates import names_in

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
    """A span of time as an ISO 8601 duration such as ``P2Y9M``; empty if there is none."""
    numbers = {unit: number for number, unit in reversed(_DURATION.findall(sentence))}
    spans = [f"{numbers[unit]}{unit[0].upper()}" for unit in ("year", "month") if unit in numbers]
    return f"P{''.join(spans)}" if spans else ""


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


FIRST, SECOND, BOTH, DEAL = "first", "second", "both", "deal"
"""The owner of a fact: one of the two people, both of them, or neither."""
_NAME = re.compile(r"\b[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)*")
_SECOND_ROLE = re.compile(r"\b(?:co-|joint |second |other )", re.IGNORECASE)
_RELATION = re.compile(r"\bis (?:an? )?[^\W\d_][\w-]*['’]s (\w+)\.?$")
_NO_NAMES = ("First", "The")


@dataclass
class Facts:
    """Facts extracted from a source.

    >>> Facts().by_owner["deal"]
    {}

    Attributes:
        by_owner: values by owner, then by name of the fact.
        ticks: boxes to tick: their owner, and what the box may be called.
    """

    by_owner: dict[str, dict[str, str]] = field(default_factory=lambda: {FIRST: {}, SECOND: {}, DEAL: {}})
    ticks: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


def read_sentences(source: str) -> Facts:
    """The facts in the sentences of a source, one a line."""
    facts = Facts()
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    for who, name in _introduced(lines):
        facts.by_owner[who].setdefault("first_name", name)
    for line in lines:
        _extract(line, facts)
    return facts


def _extract(line: str, facts: Facts) -> None:
    who = _owner(line, facts)
    text = _without_names(line, facts)
    fact = _best(text, [(rule, name) for name, rule in _facts_of(who) if READERS[rule["value"]](text)])
    tick = _best(text, [(rule, rule) for rule in table("ticks") if (rule.get("of") == "pair") == (who == BOTH)])
    if tick is not None and (fact is None or tick[0] >= fact[0]):
        facts.ticks.append((DEAL if who == BOTH else who, tuple(tick[1]["labels"])))
    elif fact is not None and who != BOTH:
        facts.by_owner[who].setdefault(fact[1], READERS[table("fact_phrases")[fact[1]]["value"]](text))
    if who == BOTH and (relation := _RELATION.search(line)):
        facts.by_owner[SECOND].setdefault("relationship", relation[1].capitalize())


@lru_cache(maxsize=4)
def _facts_of(who: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The rules for facts of a person, or of the deal."""
    of_people = [rule["text"] for rule in table("fields") if rule["of"] in ("person", "second")]
    personal = {name for template in of_people for name in names_in(template)}
    personal -= {name for name, rule in table("fact_phrases").items() if rule.get("of") == DEAL}
    return [(name, rule) for name, rule in table("fact_phrases").items() if who != DEAL or name not in personal]


def _without_names(line: str, facts: Facts) -> str:
    """A sentence without the first names of the two: names that are left are values."""
    for who in (FIRST, SECOND):
        if name := facts.by_owner[who].get("first_name"):
            line = re.sub(rf"\b{re.escape(name)}(?:['’]s)?\s?", "", line)
    return line


def _introduced(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The people that are introduced, by first name."""
    for line in lines:
        if "first name" not in line.casefold():
            continue
        names = [name for name in _NAME.findall(line) if name not in _NO_NAMES]
        if names:
            yield SECOND if _SECOND_ROLE.search(line) else FIRST, names[-1]


def _owner(line: str, facts: Facts) -> str:
    names = {who: facts.by_owner[who].get("first_name") for who in (FIRST, SECOND)}
    people = [who for who, name in names.items() if name and re.search(rf"\b{re.escape(name)}\b", line)]
    return BOTH if len(people) == 2 else people[0] if people else DEAL


def _best(text: str, rules: Sequence[tuple[Mapping[str, Any], Any]]) -> tuple[tuple[int, int], Any] | None:
    """The rule with the most words, all of them in a sentence; and its rank."""
    words = _normalized(text)
    best: tuple[tuple[int, int], Any] | None = None
    for rule, what in rules:
        if any(_has(words, other) for other in rule.get("without", ())):
            continue
        for phrase in rule["phrases"]:
            worth = len(phrase.split()), len(phrase)
            if (best is None or worth > best[0]) and all(_has(words, word) for word in phrase.split()):
                best = worth, what
    return best


@lru_cache(maxsize=4096)
def _normalized(text: str) -> str:
    """A text with synonyms replaced by the words of the rules."""
    plain = table("synonyms")
    return _phrases().sub(lambda found: plain[found[0]], text.casefold())


@lru_cache(maxsize=1)
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(table("synonyms"), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _has(words: str, word: str) -> bool:
    return _beginning(word).search(words) is not None


@lru_cache(maxsize=2048)
def _beginning(word: str) -> re.Pattern[str]:
    """A pattern of a word, or of the start of a longer one if it has over 3 letters."""
    return re.compile(rf"(?<![\w-]){re.escape(word)}" + (r"\b" if len(word) <= 3 else ""))


@lru_cache(maxsize=8)
def table(name: str) -> Any:
    """Read a JSON table of this folder, such as ``fact_phrases`` or ``synonyms``."""
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
