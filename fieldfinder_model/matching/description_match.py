"""Describing: fields that go by a description; what in it names the field, whom it is about, and which of several."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..reading.page import PageReading
from .label import Label, chosen
from .owners import without_owner
from .query import Query
from .rows import ordinal_of, row_under
from .spans import Spans
from .tokens import split_joined

_SAID = 4.0
"""By how much a description loses at most by the number in it, if that is printed."""
_TIED = 10.0
_IN_ROW = 2.0


class _Description(NamedTuple):
    text: str
    lead: str
    named: str


def described(query: Query, spans: Spans, reading: PageReading) -> list[Label]:
    """The labels that a target describes, the likeliest first.

    Args:
        query: the target.
        spans: of the page.
        reading: of the page.
    """
    description = _description(query, spans)
    told = _told(spans, description)
    ordinal = ordinal_of(description.text)
    if ordinal is None:
        return told
    rank, bare = ordinal
    other = _told(spans, description._replace(text=bare))
    if not other or (told and told[0].score >= other[0].score - _SAID):
        return told
    return _of_rank(other, rank, reading)


def _description(query: Query, spans: Spans) -> _Description:
    """What a target says, without whom it is about if the form asks two; what leads it, and what it names."""
    lead, _, _ = query.parts[0].rpartition(": ")
    said = " ".join((*reversed(query.parts[1:]), query.parts[0]))
    said, lead = split_joined(said), split_joined(lead)
    if spans.asks_two:
        said, lead = without_owner(said), without_owner(lead)
    return _Description(said, lead, _named(query))


def _named(query: Query) -> str:
    """What a description names before it says of what: ``"date"`` of ``"date of the last visit"``."""
    tail = re.split(r": |, ", query.parts[0])[-1]
    before = re.split(r" (?:of|at|with|to|for|from|on|by|in|before) ", tail)[0]
    return before if before != tail else ""


def _told(spans: Spans, description: _Description) -> list[Label]:
    return spans.wording.described(*description) if description.text else []


def _of_rank(found: Sequence[Label], rank: int, reading: PageReading) -> list[Label]:
    """The labels with the one that is meant of several alike first, or the row that is meant under the likeliest."""
    best = found[0]
    alike = [label for label in found if label.text == best.text and label.score > best.score - _TIED]
    if len(alike) > 1:
        return chosen(found, alike, rank, reading.letter)
    return [_in_row(label, rank, reading) for label in found]


def _in_row(label: Label, rank: int, reading: PageReading) -> Label:
    row = row_under(label.box, rank, reading)
    return Label(label.score + _IN_ROW, label.box, label.text, row) if row else label
