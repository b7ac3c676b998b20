"""Claims: which entry goes into which field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .entries import TICK, Entry
from .find_feedback import Seen

SURE = 0.75
"""From which score on a field is surely found."""


@dataclass(frozen=True)
class Claim:
    """An entry, what its field is called, and where that was seen.

    Attributes:
        entry: what is to be written.
        target: what its field is called.
        seen: where that is on the page; ``None``: nobody looked.
        top: how far the page was scrolled down when it was seen, in the units of the tools.
    """

    entry: Entry
    target: str
    seen: Seen | None
    top: int = 0

    @property
    def score(self) -> float:
        """How sure it is that the field is there."""
        return self.seen.score if self.seen else 0.0


def settled(claims: Iterable[Claim], at_least: float, tick_box: float, most: int | None = None) -> list[Claim]:
    """Of claims to the same field the likeliest, from the top of the page down.

    Args:
        claims: of all entries that were looked for.
        at_least: the score of a claim that is believed.
        tick_box: how wide a field is, in the units of its box, that takes ticks alone.
        most: how many there is time to write; ``None``: all.
    """
    taken: list[tuple[Seen, Claim]] = []
    for claim in sorted(claims, key=lambda c: -c.score):
        place = claim.seen
        if place is None or place.score < at_least or any(_same(place, other) for other, _ in taken):
            continue
        if claim.entry.text == TICK or place.box[2] - place.box[0] > tick_box:
            taken.append((place, claim))
    taken = taken[:most]
    taken.sort(key=lambda pair: (pair[0].box[1], pair[0].box[0]))
    return [claim for _, claim in taken]


def _same(one: Seen, other: Seen) -> bool:
    """Whether the middle of one place lies in the other."""
    left, top, right, bottom = other.box
    x, y = (one.box[0] + one.box[2]) / 2, (one.box[1] + one.box[3]) / 2
    return left <= x <= right and top <= y <= bottom
