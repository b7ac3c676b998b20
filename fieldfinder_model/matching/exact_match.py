"""Match a target to printed text, and choose among similar labels by context."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...envs.core.boxes import Box, overlaps_by
from ...envs.core.locators import Detection
from ..reading.page_reading import PageReading
from .label import Decay, Label, chosen, distinct, nearness, top_matches
from .spans import Spans
from .target_words import Query, variants

_CANDIDATES, _CONTEXT = 14, 8
_MIN_CONTEXT = 68.0
_SURE = 92.0
_NEAREST_PART, _LAST_PART = 14.0, 10.0
"""The maximum bonus for a part in the right position, in points of similarity."""
_CROSSED = 0.6
_ANYTHING, _STEEP = 60.0, 2
_HEADED = 114.0
"""A part under its own heading has a higher score, up to this similarity."""
_TIED = 5.0
_DECAY = Decay(beside=30, right=0.35, above=14, across=12, under=0.25, below=15)
_LAST_DECAY = _DECAY._replace(above=40, across=40)
"""How near the parts of a target are; the last one, a section, may be far above."""
_TURNED = 6.0
"""The penalty for a label that is the second part of the target."""


def exact_matches(query: Query, spans: Spans, reading: PageReading) -> list[Label]:
    """The labels of a target, the most likely first.

    A target may name its row before its column, or the other way round.

    Args:
        query: the target, its parts as they are printed.
        spans: of the page.
        reading: of the page.
    """
    found = _labels(query.parts, query, spans, reading)
    if len(query.parts) > 1 and _may_cross(found):
        turned = (query.parts[1], query.parts[0], *query.parts[2:])
        crossed = [label for label in _labels(turned, query, spans, reading) if label.other is not None]
        found += [label.raised(-_TURNED) for label in crossed[:2]]
    return top_matches(found)


def _may_cross(found: Sequence[Label]) -> bool:
    return not found or found[0].other is not None


def _labels(parts: Sequence[str], query: Query, spans: Spans, reading: PageReading) -> list[Label]:
    context = _context(parts[1:], spans, reading.letter)
    matches = _matches(parts[0], spans, _CANDIDATES, 55)
    found = [_in_context(match, parts[0], context, reading.letter) for match in matches]
    unsure = len(parts) == 1 or not context[-1] or context[-1][0].score < 80
    return _by_rank(found, query.rank or 0, reading.letter) if unsure or query.rank is not None else found


def _context(parts: Sequence[str], spans: Spans, letter: float) -> list[list[Detection]]:
    """The places of each further part of a target, scored by its headings too.

    This distinguishes columns of one name under several headings: ``"Tar | Present sample | Mean"``.
    """
    found: list[list[Detection]] = []
    for part in reversed(parts):
        matches = _matches(part, spans, _CONTEXT, _MIN_CONTEXT)
        headed = [_in_context(match, part, found, letter, crossing=False).score for match in matches]
        found.insert(
            0,
            [Detection(box, min(own, 100.0) + score - own) for (box, own), score in zip(matches, headed, strict=True)],
        )
    return found


def _matches(part: str, spans: Spans, limit: int, min_score: float) -> list[Detection]:
    """The runs of words that are similar to a part, or to a variant of it."""
    found = list(spans.like(part, limit, min_score))
    if not found or found[0].score < _SURE:
        for other in variants(part):
            found += [Detection(match.box, match.score - 5) for match in spans.like(other, limit, max(min_score, 80))]
        found += spans.sharing_words(part, limit)
    found.sort(key=lambda match: -match.score)
    return distinct(found)[:limit]


def _in_context(
    match: Detection, text: str, context: Sequence[Sequence[Detection]], letter: float, crossing: bool = True
) -> Label:
    """A label, with a bonus for its context.

    Args:
        match: the label.
        text: the part of the target that it matches.
        context: where each further part may be printed.
        letter: the usual height of a word.
        crossing: whether this and the next part may be the headings of a row and a column, in either order.
    """
    bonus, other, best = 0.0, None, 0.15
    for level, matches in enumerate(context):
        last = level == len(context) - 1 and level > 0
        apart = [near for near in matches if not overlaps_by(near.box, match.box, 0.5)]
        weighed = [(_worth(match.box, near, letter, last, crossing and level == 0), near.box) for near in apart]
        weight, head = max(weighed, default=(0.0, None))
        bonus += weight * (_LAST_PART if last else _NEAREST_PART)
        if weight > best and level == 0:
            other, best = head, weight
    return Label(match.score + bonus, match.box, text, other)


def _worth(label: Box, part: Detection, letter: float, last: bool, crossing: bool) -> float:
    """How well another part of a target fits a label, from 0 to 1."""
    near = nearness(label, part.box, letter, _LAST_DECAY if last else _DECAY)
    near = max(near, _crossing(label, part.box, letter)) if crossing else near
    return near * max(0.0, (min(_HEADED, part.score) - _ANYTHING) / (100 - _ANYTHING)) ** _STEEP


def _crossing(label: Box, box: Box, letter: float) -> float:
    """How well two boxes fit as the headings of a row and a column, from 0 to 1."""
    row, column = (label, box) if box[3] <= label[1] + 0.5 * letter else (box, label)
    if column[3] > row[1] + 0.5 * letter or column[0] < row[2]:
        return 0.0
    return _CROSSED * math.exp(-(row[1] - column[3]) / letter / 40)


def _by_rank(labels: list[Label], rank: int, letter: float) -> list[Label]:
    """The labels, first the one of a rank, in reading order, among the best ones."""
    best = max((label.score for label in labels), default=0.0)
    tied = [label for label in labels if label.score > best - _TIED]
    return chosen(top_matches(labels), tied, rank, letter) if len(tied) > 1 else labels
