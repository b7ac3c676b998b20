"""Entries: facts as texts under the labels that a form may have for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...envs.core.templates import render
from .reading import DEAL, FIRST, SECOND, Facts, table

TICK = "X"
_ORDINALS = {"1": "First", "2": "Second", "3": "Third"}
_PAIR = re.compile(r"^(.{1,200}?):\s+(\S.*)$")


@dataclass(frozen=True)
class FormEntry:
    r"""A text to write.

    >>> entries_of_pairs("Field: Section: Name\nValue: Ada")[0].labels
    ('Name | Section',)

    Attributes:
        text: what to write.
        labels: what the field may be called, the likeliest first; names above it follow, separated by ``" | "``.
        who: the person it is about: ``"first"`` or ``"second"`` of two people, or ``"deal"``.
        signed: whether it is written as a signature.
        piece: whether it is usually a part of a longer field, as a ZIP code is of an address.
    """

    text: str
    labels: tuple[str, ...]
    who: str = DEAL
    signed: bool = False
    piece: bool = False


def entries_of_pairs(source: str) -> list[FormEntry]:
    """Entries of a source of lines ``name: value``, or of one pair on two lines, ``Field: name`` and ``Value: value``.

    A name ``Section: field`` on a line ``Field:`` becomes ``field | Section``. Empty if any line is not a pair.
    """
    pairs = [_PAIR.match(line) for line in source.splitlines() if line.strip()]
    if not pairs or not all(pairs):
        return []
    named = [(found[1], found[2]) for found in pairs if found]
    if [name for name, _ in named] == ["Field", "Value"]:
        named = [(named[0][1], named[1][1])]
    return [
        FormEntry(
            value,
            (" | ".join(reversed([part.strip() for part in name.rstrip(": ").split(": ")])),),
            signed=re.search(r"\b(?:signature|initials)\b", name, re.IGNORECASE) is not None,
        )
        for name, value in named
    ]


def entries_of(known: Facts) -> list[FormEntry]:
    """Entries for every known fact that forms may ask for."""
    written = [entry for rule in table("fields") for entry in _entries(rule, known)]
    return [*written, *(FormEntry(TICK, labels, who) for who, labels in known.ticks)]


def _entries(rule: Mapping[str, Any], known: Facts) -> Iterator[FormEntry]:
    """The entries of a rule: one for each person, or one for each number."""
    people = {"person": (FIRST, SECOND), "second": (SECOND,)}.get(rule["of"], (DEAL,))
    for who in people:
        if who != DEAL and not known.by_owner[who]:
            continue
        facts = {**known.by_owner, **known.by_owner[DEAL], **known.by_owner[who]}
        for number in rule.get("n", ("",)):
            text = _text(rule["text"].replace("#", number), facts)
            labels = (label.replace("#", number).replace("@", _ORDINALS.get(number, "")) for label in rule["labels"])
            if text:
                yield FormEntry(text, tuple(labels), who, rule.get("signed", False), rule.get("piece", False))


def _text(template: str, facts: Mapping[str, Any]) -> str:
    """A template filled with facts; empty if a fact is missing."""
    try:
        return " ".join(render(template, facts).split())
    except ValueError:
        return ""
