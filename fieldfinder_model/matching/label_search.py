"""Find the printed labels that a target quotes or describes, for the right person."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..reading.page_reading import PageReading
from .exact_match import exact_matches
from .label import Label, chosen, top_matches
from .owners import column_for, ordinal_of, owner_of, row_under, without_owner
from .spans import Spans
from .target_words import Query, split_joined

_NUMBER_LOSS = 4.0
"""The maximum penalty for an ordinal in a description that is also printed."""
_WITHIN = 10.0
_IN_ROW = 2.0


class _Description(NamedTuple):
    text: str
    lead: str
    named: str


def described(query: Query, spans: Spans, reading: PageReading) -> list[Label]:
    """The labels that a target describes, the most likely first.

    Args:
        query: the target.
        spans: of the page.
        reading: of the page.
    """
    description = _description(query, spans)
    described_labels = _described_labels(spans, description)
    ordinal = ordinal_of(description.text)
    if ordinal is None:
        return described_labels
    rank, bare = ordinal
    other = _described_labels(spans, description._replace(text=bare))
    if not other or (described_labels and described_labels[0].score >= other[0].score - _NUMBER_LOSS):
        return described_labels
    return _prefer_rank(other, rank, reading)


def _description(query: Query, spans: Spans) -> _Description:
    """A target as a description: its words, its lead and the name of the field.

    If the form asks two persons, without the words for the person.
    """
    lead, _, _ = query.parts[0].rpartition(": ")
    words = " ".join((*reversed(query.parts[1:]), query.parts[0]))
    words, lead = split_joined(words), split_joined(lead)
    if spans.asks_two:
        words, lead = without_owner(words), without_owner(lead)
    return _Description(words, lead, _named(query))


def _named(query: Query) -> str:
    """The field's name in a description: ``"date"`` in ``"date of the last visit"``."""
    tail = re.split(r": |, ", query.parts[0])[-1]
    before = re.split(r" (?:of|at|with|to|for|from|on|by|in|before) ", tail)[0]
    return before if before != tail else ""


def _described_labels(spans: Spans, description: _Description) -> list[Label]:
    return spans.wording.described(*description) if description.text else []


def _prefer_rank(found: Sequence[Label], rank: int, reading: PageReading) -> list[Label]:
    """The labels, first the one of a rank among similar ones.

    If there are no similar ones, each label gets the row of that rank under it.
    """
    best = found[0]
    similar = [label for label in found if label.text == best.text and label.score > best.score - _WITHIN]
    if len(similar) > 1:
        return chosen(found, similar, rank, reading.letter)
    return [_in_row(label, rank, reading) for label in found]


def _in_row(label: Label, rank: int, reading: PageReading) -> Label:
    row = row_under(label.box, rank, reading)
    return Label(label.score + _IN_ROW, label.box, label.text, row) if row else label


_SURE, _QUOTED = 92.0, 98.0
"""A label of this similarity to the target is exact; the second is for targets with a colon, which may describe."""
_PRINTED = 64.0
"""The minimum similarity of an exact match if the target has several parts."""
_UNSURE, _MAX_QUOTED = 12.0, 4
"""The penalty of labels that are similar to a description in spelling only."""
_OWNED = 9.0
"""The bonus of a label in the part of the form about the right person."""
_TIED = 5.0


def labels_of(query: Query, spans: Spans, reading: PageReading) -> list[Label]:
    """The labels that a target may mean, the most likely first.

    Args:
        query: the target.
        spans: of the page.
        reading: of the page.
    """
    owner, found = owner_of(query.parts), exact_matches(query, spans, reading)
    if _is_exact(query, spans, found):
        return _prefer_owner(found, owner, spans, reading)
    described_labels = described(query, spans, reading)
    if not described_labels:
        return _prefer_owner(found, owner, spans, reading)
    both = top_matches([*described_labels, *(label.raised(-_UNSURE) for label in found[:_MAX_QUOTED])])
    if owner is None:
        # A target without a person is about the first: names of fields mention the second.
        return top_matches(_in_part(label, 0, spans) for label in both)
    return _prefer_owner(both, owner, spans, reading)


def _is_exact(query: Query, spans: Spans, found: Sequence[Label]) -> bool:
    """Whether a target is a quotation of printed words, rather than a description."""
    whole = spans.like(query.parts[0], 1)
    if whole and whole[0].score >= (_QUOTED if ": " in query.parts[0] else _SURE):
        return True
    return len(query.parts) > 1 and bool(found) and found[0].score >= _PRINTED


def _prefer_owner(found: list[Label], owner: int | None, spans: Spans, reading: PageReading) -> list[Label]:
    """The labels, first those in the part of the page about the right person."""
    if owner is None or not spans.asks_two or not found:
        return found
    owned = [_owned(label, owner, spans, reading) for label in found]
    if owned[0] is not found[0]:
        return top_matches(owned)
    # The best label is in neither part, like signatures: the first of several similar ones is the first person's.
    tied = [label for label in found if label.score > found[0].score - _TIED]
    return chosen(found, tied, owner, reading.letter) if len(tied) > 1 else top_matches(owned)


def _owned(label: Label, owner: int, spans: Spans, reading: PageReading) -> Label:
    """A label, with a bonus if it is in the right person's part of the page or column."""
    column = column_for(label.box, owner, spans.columns, reading.letter)
    if column is not None:
        return Label(label.score + _OWNED, label.box, label.text, column)
    return _in_part(label, owner, spans)


def _in_part(label: Label, owner: int, spans: Spans) -> Label:
    """A label, with a bonus or penalty for the person its part of the page is about."""
    at = spans.zones.owner_at(label.box) if spans.zones else None
    return label if at is None else label.raised(_OWNED if at == owner else -_OWNED)
