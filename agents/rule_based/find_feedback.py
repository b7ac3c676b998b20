"""Looking: where a field is, as the feedback of ``find`` tells it."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(\d+(?:\.\d+)?)"
_PLACE = re.compile(rf" may be at: 1\. x {_NUMBER} to {_NUMBER}, y {_NUMBER} to {_NUMBER}, score {_NUMBER}")

_SCROLLED = re.compile(r"^Scrolled (?:\w+ by \d+ and )?down by (\d+)")


class Seen(NamedTuple):
    """A place where a field may be: its box in the units of the tools, and how sure that is."""

    box: tuple[float, float, float, float]
    score: float

    def moved(self, down: float) -> Seen:
        """The same further down."""
        left, top, right, bottom = self.box
        return Seen((left, top + down, right, bottom + down), self.score)


def seen(feedback: str, n: int) -> list[Seen | None]:
    """What ``n`` calls of ``find`` were answered, ``None`` where nothing was found.

    Args:
        feedback: as it is observed.
        n: how many actions the round had.
    """
    return [_seen(answer) for answer in answers(feedback, n)]


def answers(feedback: str, n: int) -> list[str]:
    """What each of ``n`` actions of a round was answered, empty where that is missing.

    Args:
        feedback: as it is observed: a line, or more, for each action, the first one numbered; or one answer as it is.
        n: how many actions the round had.
    """
    told = [""] * n
    number = 0
    for line in feedback.splitlines():
        head, _, rest = line.partition(". ")
        if number < n and head == str(number + 1):
            number += 1
            told[number - 1] = rest
        else:
            told[max(number - 1, 0)] += f"\n{line}"
    return told


def scrolled(feedback: str, n: int) -> list[int]:
    """By how much a page was scrolled down, each time that one of ``n`` actions did so.

    Args:
        feedback: as it is observed.
        n: how many actions the round had.
    """
    told = (_SCROLLED.search(answer) for answer in answers(feedback, n))
    return [int(by[1]) for by in told if by]


def _seen(answer: str) -> Seen | None:
    place = _PLACE.search(answer)
    if place is None:
        return None
    left, right, top, bottom, score = (float(part) for part in place.groups())
    return Seen((left, top, right, bottom), score)
