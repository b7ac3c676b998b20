"""Find the person a target or part of a page is about, and the row of an ordinal."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...envs.core.boxes import Box, centre, overlap_height
from ..reading.page_reading import PageReading
from .target_words import letters, order_words, plain, split_joined, without

_MIN_LENGTH = 3
_MAX_ROW_DISTANCE = 30.0
"""The maximum distance from the headings of columns down to a row, in heights of a letter."""
_MIN_LABELS = 4
"""The minimum number of labels that occur twice on a form that asks the same of two persons."""
_FIRST = ("applicant", "borrower", "buyer", "lessee", "primary", "primary applicant", "member", "you")
_SECOND = (
    "co applicant", "coapplicant", "co borrower", "coborrower", "co buyer", "cobuyer", "co signer", "cosigner",
    "co lessee", "colessee", "co owner", "joint", "joint applicant", "joint owner", "other party", "spouse",
    "secondary",
)  # fmt: skip


@dataclass(frozen=True)
class Zones:
    """The parts of a page that are about the first person and about the second.

    Attributes:
        axis: 0: they are side by side; 1: one above the other.
        split: where the second begins, in pixels.
        start: the upper end of both, in pixels.
        end: the lower end of both, in pixels.
    """

    axis: int
    split: float
    start: float
    end: float

    def owner_at(self, box: Box) -> int | None:
        """The person that a place is about, 0 or 1; ``None``: both or neither."""
        middle = centre(box)
        if not self.start <= middle[1] <= self.end:
            return None
        return int(middle[self.axis] >= self.split)


def zones_of(reading: PageReading) -> Zones | None:
    """The zones of a page; ``None`` if it does not ask the same of two persons.

    Args:
        reading: of the page.
    """
    groups = list(_repeated(reading).values())
    best = max((_split(groups, axis) for axis in (0, 1)), default=(0.0, 0.0, 0))
    worth, split, axis = best
    if worth < _MIN_LABELS:
        return None
    split_boxes = [box for group in groups if _is_split(group, axis, split) for box in group]
    return Zones(
        axis,
        split,
        min(box[1] for box in split_boxes) - reading.letter,
        max(box[3] for box in split_boxes) + reading.letter,
    )


def _repeated(reading: PageReading) -> dict[str, list[Box]]:
    """The segments that are printed more than once on a page, by their letters."""
    found = defaultdict[str, list[Box]](list)
    for segment, box in zip(reading.segments, reading.segment_boxes, strict=True):
        printed = letters("".join(reading.words[i].text for i in segment))
        if len(printed) >= _MIN_LENGTH and not printed.isdecimal():
            found[printed].append(box)
    return {printed: boxes for printed, boxes in found.items() if len(boxes) > 1}


def _split(groups: Sequence[Sequence[Box]], axis: int) -> tuple[float, float, int]:
    """The score of the best place to split a page at, the place, and the axis."""
    places = sorted({box[axis] - 1 for group in groups for box in group})
    weighed = [(sum(_split_score(group, axis, at) for group in groups), at) for at in places]
    # Of equally good places the last is where the second zone begins, not where the first ends.
    worth, split = max(weighed, default=(0.0, 0.0))
    return worth, split, axis


def _split_score(group: Sequence[Box], axis: int, at: float) -> float:
    return 1.0 if _is_split(group, axis, at) else -0.5


def _is_split(group: Sequence[Box], axis: int, at: float) -> bool:
    after = sum(box[axis] >= at for box in group)
    return after > 0 and abs(len(group) - 2 * after) <= len(group) % 2


def columns_of(reading: PageReading) -> list[tuple[Box, Box]]:
    """Headings of columns for two persons, such as ``Applicant`` and ``Co-applicant``.

    Args:
        reading: of the page.
    """
    heads: tuple[list[Box], list[Box]] = [], []
    for segment, box in zip(reading.segments, reading.segment_boxes, strict=True):
        printed = plain(" ".join(reading.words[i].text for i in segment))
        for names, boxes in zip((_FIRST, _SECOND), heads, strict=True):
            if printed in names:
                boxes.append(box)
    return [
        (one, min(right, key=lambda box: box[0]))
        for one in heads[0]
        if (right := [box for box in heads[1] if box[0] > one[2] and overlap_height(box, one) > 0])
    ]


def column_for(label: Box, owner: int, columns: Sequence[tuple[Box, Box]], letter: float) -> Box | None:
    """The heading of a person's column above a row; ``None`` if there is none.

    Args:
        label: the heading of the row.
        owner: 0 or 1.
        columns: of the page.
        letter: the usual height of a word.
    """
    over = [
        pair
        for pair in columns
        if pair[0][0] > label[2] - letter and 0 < label[1] - pair[0][3] < _MAX_ROW_DISTANCE * letter
    ]
    near = min(over, key=lambda pair: (label[1] - pair[0][3]) + (pair[0][0] - label[2]), default=None)
    return near[owner] if near else None


def names_person(word: str) -> bool:
    """Whether a word names the person a field is about."""
    return word in _FIRST or word in _SECOND


def without_owner(text: str) -> str:
    """A text without the words for the person it is about."""
    return without(plain(text), (*_SECOND, *_FIRST))


def owner_of(parts: Sequence[str]) -> int | None:
    """The person that a target names: 0 the first, 1 the second; ``None``: nobody.

    Args:
        parts: of the target.
    """
    printed = [f" {plain(split_joined(part))} " for part in parts]
    if any(f" {name} " in text for name in _SECOND for text in printed):
        return 1
    return 0 if any(text.startswith(f" {name} ") for name in _FIRST for text in printed) else None


_MIN_STEP, _MAX_STEP = 1.3, 6.0
"""The minimum and maximum height of a row, in heights of a letter."""


def ordinal_of(text: str) -> tuple[int, str] | None:
    """The ordinal in a text, from 0, and the text without it; ``None`` if it has none.

    Args:
        text: such as ``"Second creditor: balance"`` or ``"line 2 amount"``.
    """
    words = plain(text).split()
    ranks = order_words().ordinals
    for i in reversed(range(len(words))):
        rank = None if names_person(words[i]) else ranks.get(words[i])
        if rank is None and re.fullmatch(r"[1-9]", words[i]):
            rank = int(words[i]) - 1
        if rank is not None and len(words) > 1 and words[i : i + 2] not in _NO_ORDINALS:
            rest = words[:i] + words[i + 1 :]
            if i and words[i - 1] in _ROW_WORDS:
                rest = words[: i - 1] + words[i + 1 :]
            if rest:
                return rank, " ".join(rest)
    return None


_NO_ORDINALS = (["first", "name"], ["first", "and"], ["first", "initial"])
_ROW_WORDS = frozenset(plain("line row no nr number item entry renglón строка zeile ligne riga linha").split())


def row_under(label: Box, rank: int, reading: PageReading) -> Box | None:
    """The left end of the ``rank``-th row under a heading; ``None`` if there is none.

    Args:
        label: the heading, in pixels.
        rank: counted from 0.
        reading: of the page.
    """
    edges = _edges(label, reading)
    if len(edges) < rank + 2:
        return None
    top, bottom = edges[rank], edges[rank + 1]
    left = max(0.0, label[0] - 8 * reading.letter)
    middle, half = (top + bottom) / 2, 0.5 * min(reading.letter, bottom - top)
    return left, middle - half, left + reading.letter, middle + half


def _edges(label: Box, reading: PageReading) -> list[float]:
    """The heights of a heading's lower edge and the rules between rows, downwards."""
    level = reading.level
    if not len(level):
        return []
    middle = (label[0] + label[2]) / 2
    over = (level[:, 0] <= middle) & (level[:, 2] >= middle) & (level[:, 1] >= label[3] - 2)
    found = [float(label[3])]
    for y in np.sort((level[over, 1] + level[over, 3]) / 2):
        step = (y - found[-1]) / reading.letter
        if step > _MAX_STEP:
            break
        if step >= _MIN_STEP:
            found.append(float(y))
        elif len(found) == 1:
            found[0] = float(y)
    return found
