"""Assign entries to the fields that the feedback of ``find`` lists."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...envs.core.boxes import centre, contains
from ...envs.core.locators import Detection
from ..base import split_feedback
from .entries import TICK, FormEntry

SURE = 0.75
"""The score from which on a field is certainly found."""
_NUMBER = r"(\d+(?:\.\d+)?)"
_PLACE = re.compile(rf" may be at: 1\. x {_NUMBER} to {_NUMBER}, y {_NUMBER} to {_NUMBER}, score {_NUMBER}")

_SCROLLED = re.compile(r"^Scrolled (?:\w+ by \d+ and )?down by (\d+)")


def parse_find_feedback(feedback: str, n: int) -> list[Detection | None]:
    """The detections that the ``n`` calls of ``find`` of a round returned, or ``None`` for each miss."""
    return [_detection(answer) for answer in split_feedback(feedback, n)]


def scrolled(feedback: str, n: int) -> list[int]:
    """The distances by which the ``n`` actions of a round scrolled the page down."""
    replies = (_SCROLLED.search(answer) for answer in split_feedback(feedback, n))
    return [int(by[1]) for by in replies if by]


def _detection(answer: str) -> Detection | None:
    place = _PLACE.search(answer)
    if place is None:
        return None
    left, right, top, bottom, score = (float(part) for part in place.groups())
    return Detection((left, top, right, bottom), score)


@dataclass(frozen=True)
class FieldAssignment:
    """An entry, the label of its field, and where that was detected.

    Attributes:
        entry: what to write.
        target: the label of its field.
        detection: where that is on the page; ``None``: not searched for.
        top: how far the page was scrolled down then, in the units of the tools.
    """

    entry: FormEntry
    target: str
    detection: Detection | None
    top: int = 0

    @property
    def score(self) -> float:
        """The score of the detection."""
        return self.detection.score if self.detection else 0.0


def resolve_conflicts(
    assignments: Iterable[FieldAssignment], at_least: float, tick_box: float, most: int | None = None
) -> list[FieldAssignment]:
    """The best assignment of each field, from the top of the page down.

    Args:
        assignments: of all entries that were searched for.
        at_least: the lowest score of an assignment that is used.
        tick_box: the largest width of a field that takes only ticks, in the units of its box.
        most: how many there is time to write; ``None``: all.
    """
    taken: list[tuple[Detection, FieldAssignment]] = []
    for assignment in sorted(assignments, key=lambda c: -c.score):
        place = assignment.detection
        if place is None or place.score < at_least:
            continue
        if any(contains(other.box, *centre(place.box)) for other, _ in taken):
            continue
        if assignment.entry.text == TICK or place.box[2] - place.box[0] > tick_box:
            taken.append((place, assignment))
    taken = taken[:most]
    taken.sort(key=lambda pair: (pair[0].box[1], pair[0].box[0]))
    return [assignment for _, assignment in taken]
