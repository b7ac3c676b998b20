"""How far the field of an answer extends: over all blank space in its reach, up to what is printed there."""

from __future__ import annotations

from collections.abc import Iterable

from ...envs.core.locators import Box
from ..reading.boxes import area, around, overlap, shared_height, shared_width
from .page_canvas import Canvas, Draft

_CLEAR = 1.0
"""Pixels that are kept between a blank and what is printed."""


def field_of(canvas: Canvas, draft: Draft) -> Box:
    """The blank that an answer may fill: its reach on the page, up to what is printed there."""
    printed = [_core(word.box) for word in canvas.words]
    if draft.kind not in ("lines", "comb"):
        # Rules end a field but where several lines, or the boxes of a comb, are one.
        printed += canvas.rules
    left, top, right, bottom = draft.reach
    reach = (max(left, 1.0), max(top, 1.0), min(right, canvas.width - 1.0), min(bottom, canvas.height - 1.0))
    return cut(reach, draft.box, printed)


def _core(word: Box) -> Box:
    """A word less a quarter of its height above and below: what an answer written large may touch."""
    slack = 0.25 * (word[3] - word[1])
    return word[0], word[1] + slack, word[2], word[3] - slack


def cut(reach: Box, answer: Box, printed: Iterable[Box]) -> Box:
    """The blank about ``answer`` within ``reach``.

    Whatever stands in ``reach`` but not in ``answer`` takes away the side that costs the least area. What stands in
    the answer's own place (a rule that it is written on) takes away nothing.

    Args:
        reach: how far the blank may go; it is made to hold ``answer``.
        answer: the place of the answer.
        printed: boxes of words and rules, the nearest need not come first.
    """
    blank = around((reach, answer))
    for box in sorted((b for b in printed if overlap(blank, b)), key=lambda b: _distance(answer, b)):
        if overlap(blank, box) and not overlap(answer, box):
            blank = max(_sides(blank, answer, box), key=area, default=blank)
    return blank


def _sides(blank: Box, answer: Box, box: Box) -> list[Box]:
    """The blanks that hold ``answer`` and not ``box``."""
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
    return max(-shared_width(answer, box), 0.0) + max(-shared_height(answer, box), 0.0)
