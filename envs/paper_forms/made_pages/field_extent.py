"""The extent of an answer's field: the blank space in its reach, up to print."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.boxes import Box, are_near, area, overlap_height, overlap_width, union
from .page_canvas import Canvas, Draft

_CLEAR = 1.0
"""Pixels between a field and print."""


def field_of(canvas: Canvas, draft: Draft) -> Box:
    """The blank space that an answer may fill: its reach on the page, up to print."""
    printed = [_core(word.box) for word in canvas.words]
    if draft.kind not in ("lines", "comb"):
        # Rules end a field, except where several lines, or the boxes of a comb, are one field.
        printed += canvas.rules
    left, top, right, bottom = draft.reach
    reach = (max(left, 1.0), max(top, 1.0), min(right, canvas.width - 1.0), min(bottom, canvas.height - 1.0))
    return cut(reach, draft.box, printed)


def _core(word: Box) -> Box:
    """A word's box without a quarter of its height above and below.

    A large answer may touch these margins.
    """
    slack = 0.25 * (word[3] - word[1])
    return word[0], word[1] + slack, word[2], word[3] - slack


def cut(reach: Box, answer: Box, printed: Iterable[Box]) -> Box:
    """The blank space around ``answer`` within ``reach``.

    Print in ``reach`` but not in ``answer`` removes the side that costs the least area. Print in the answer's own place
    (a rule that it is written on) removes nothing.

    Args:
        reach: the maximum extent of the blank space; extended to include ``answer``.
        answer: the place of the answer.
        printed: boxes of words and rules, in any order.
    """
    blank = union((reach, answer))
    for box in sorted((b for b in printed if are_near(blank, b)), key=lambda b: _distance(answer, b)):
        if are_near(blank, box) and not are_near(answer, box):
            blank = max(_sides(blank, answer, box), key=area, default=blank)
    return blank


def _sides(blank: Box, answer: Box, box: Box) -> list[Box]:
    """The parts of a blank that include ``answer`` but not ``box``."""
    left, top, right, bottom = blank
    cuts = []
    if box[2] <= answer[0]:
        cuts.append((min(box[2] + _CLEAR, answer[0]), top, right, bottom))
    if box[0] >= answer[2]:
        cuts.append((left, top, max(box[0] - _CLEAR, answer[2]), bottom))
    if box[3] <= answer[1]:
        cuts.append((left, min(box[3] + _CLEAR, answer[1]), right, bottom))
    if box[1] >= answer[3]:
        cuts.append((left, top, right, max(box[1] - _CLEAR, answer[3])))
    return cuts


def _distance(answer: Box, box: Box) -> float:
    return max(-overlap_width(answer, box), 0.0) + max(-overlap_height(answer, box), 0.0)
