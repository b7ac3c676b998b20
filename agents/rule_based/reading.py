"""Reading: what sentences tell, by the words in them, of whom."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from .values import READERS

FIRST, SECOND, BOTH, DEAL = "first", "second", "both", "deal"
"""Of whom something is told: one of the two people, both of them, or neither."""
_NAME = re.compile(r"\b[^\W\d_a-z][\w'’-]*(?: [^\W\d_a-z][\w'’-]*)*")
_SECOND_ROLE = re.compile(r"\b(?:co-|joint |second |other )", re.IGNORECASE)
_RELATION = re.compile(r"\bis (?:an? )?[^\W\d_][\w-]*['’]s (\w+)\.?$")
_NO_NAMES = ("First", "The")
_NAMED = re.compile(r"\{(\w+)")


@dataclass
class Known:
    """What a source tells.

    Attributes:
        facts: by whom they are of, then by name.
        ticks: what is to be ticked: of whom, and what the box may be called.
    """

    facts: dict[str, dict[str, str]] = field(default_factory=lambda: {FIRST: {}, SECOND: {}, DEAL: {}})
    ticks: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


def read_sentences(source: str) -> Known:
    """What the sentences of a source tell, each on a line of its own."""
    known = Known()
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    for who, name in _introduced(lines):
        known.facts[who].setdefault("first_name", name)
    for line in lines:
        _take_in(line, known)
    return known


def _take_in(line: str, known: Known) -> None:
    who = _of_whom(line, known)
    told = _without_names(line, known)
    fact = _best(told, [(rule, name) for name, rule in _facts_of(who) if READERS[rule["value"]](told)])
    tick = _best(told, [(rule, rule) for rule in table("ticks") if (rule.get("of") == "pair") == (who == BOTH)])
    if tick is not None and (fact is None or tick[0] >= fact[0]):
        known.ticks.append((DEAL if who == BOTH else who, tuple(tick[1]["labels"])))
    elif fact is not None and who != BOTH:
        known.facts[who].setdefault(fact[1], READERS[table("said")[fact[1]]["value"]](told))
    if who == BOTH and (relation := _RELATION.search(line)):
        known.facts[SECOND].setdefault("relationship", relation[1].capitalize())


@lru_cache(maxsize=4)
def _facts_of(who: str) -> list[tuple[str, Mapping[str, Any]]]:
    """The rules for what may be told of a person, or of the deal."""
    of_people = [rule["text"] for rule in table("fields") if rule["of"] in ("person", "second")]
    personal = {name for template in of_people for name in _NAMED.findall(template)}
    personal -= {name for name, rule in table("said").items() if rule.get("of") == DEAL}
    return [(name, rule) for name, rule in table("said").items() if who != DEAL or name not in personal]


def _without_names(line: str, known: Known) -> str:
    """A sentence without the first names of the two: what is left of names is what it tells."""
    for who in (FIRST, SECOND):
        if name := known.facts[who].get("first_name"):
            line = re.sub(rf"\b{re.escape(name)}(?:['’]s)?\s?", "", line)
    return line


def _introduced(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Who is told of, and by what first name."""
    for line in lines:
        if "first name" not in line.casefold():
            continue
        names = [name for name in _NAME.findall(line) if name not in _NO_NAMES]
        if names:
            yield SECOND if _SECOND_ROLE.search(line) else FIRST, names[-1]


def _of_whom(line: str, known: Known) -> str:
    told = [who for who in (FIRST, SECOND) if _names(line, known.facts[who].get("first_name"))]
    return BOTH if len(told) == 2 else told[0] if told else DEAL


def _names(line: str, name: str | None) -> bool:
    return name is not None and re.search(rf"\b{re.escape(name)}\b", line) is not None


def _best(told: str, rules: Sequence[tuple[Mapping[str, Any], Any]]) -> tuple[tuple[int, int], Any] | None:
    """The rule whose words are most, and longest, of those that are all in a sentence, and how good it is."""
    words = _in_plain_words(told)
    best: tuple[tuple[int, int], Any] | None = None
    for rule, what in rules:
        if any(_has(words, other) for other in rule.get("without", ())):
            continue
        for phrase in rule["said"]:
            worth = len(phrase.split()), len(phrase)
            if (best is None or worth > best[0]) and all(_has(words, word) for word in phrase.split()):
                best = worth, what
    return best


@lru_cache(maxsize=4096)
def _in_plain_words(told: str) -> str:
    """What is told in the words that the rules know, as far as there are others for them."""
    plain = table("synonyms")
    return _phrases().sub(lambda found: plain[found[0]], told.casefold())


@lru_cache(maxsize=1)
def _phrases() -> re.Pattern[str]:
    longest_first = sorted(table("synonyms"), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")


def _has(words: str, word: str) -> bool:
    return _beginning(word).search(words) is not None


@lru_cache(maxsize=2048)
def _beginning(word: str) -> re.Pattern[str]:
    """A word, or the beginning of a longer one; words of up to three letters only whole."""
    return re.compile(rf"(?<![\w-]){re.escape(word)}" + (r"\b" if len(word) <= 3 else ""))


@lru_cache(maxsize=8)
def table(name: str) -> Any:
    """A table of this folder: ``said``, ``ticks``, ``synonyms``, ``fields`` or ``people``."""
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
