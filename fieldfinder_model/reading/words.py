"""Words snapped to their ink, so that every reader gives the same boxes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...envs.core.locators import Box
from ..examples import Word
from .ink import Ink, Mask, dilated


def tightened(words: Iterable[Word], ink: Ink) -> list[Word]:
    """The words with boxes about their letters, without rules and pieces of other lines.

    Args:
        words: as they were read.
        ink: of the page.
    """
    letters = ink.dark & (1 - dilated(ink.across, 3, 1)) & (1 - dilated(ink.down, 1, 3))
    found = ((word.text, _tight(word.box, letters)) for word in words)
    return [Word(text, box) for text, box in found if box is not None]


def _tight(box: Box, letters: Mask) -> Box | None:
    """The box about the heaviest run of rows in a box; ``None``: it is off the page or holds nothing of a line."""
    left, top = int(max(0, box[0] - 1)), int(max(0, box[1] - 1))
    patch = letters[top : max(0, int(box[3]) + 1), left : max(0, int(box[2]) + 1)]
    if patch.size == 0:
        return None
    rows, columns = np.flatnonzero(patch.any(axis=1)), np.flatnonzero(patch.any(axis=0))
    if not len(rows) or rows[-1] - rows[0] < max(3.0, 0.12 * (box[3] - box[1])) or columns[-1] - columns[0] < 2:
        return box
    first, last = _heaviest(rows, patch.sum(axis=1))
    columns = np.flatnonzero(patch[first : last + 1].any(axis=0))
    return float(left + columns[0]), float(top + first), float(left + columns[-1] + 1), float(top + last + 1)


def _heaviest(rows: NDArray[np.intp], weight: NDArray[np.intp]) -> tuple[int, int]:
    """The first and last row of the heaviest run of rows, with dots of i's and accents just above."""
    runs = np.split(rows, np.flatnonzero(np.diff(rows) > 2) + 1)
    main = max(runs, key=lambda run: float(weight[run].sum()) * (1.0 if len(run) >= 4 else 0.2))
    first = int(main[0])
    for run in reversed(runs):
        if 0 < first - run[-1] <= 3 and len(run) <= 4:
            first = int(run[0])
    return first, int(main[-1])


def levelled(words: Sequence[Word], segments: Sequence[Sequence[int]]) -> list[Word]:
    """The words of each segment with like tops and bottoms, whatever their letters.

    Args:
        words: of a page.
        segments: their indices, each segment a run of near words of one line.
    """
    level = list(words)
    for segment in segments:
        boxes = np.array([words[i].box for i in segment])
        height = float(np.median(boxes[:, 3] - boxes[:, 1]))
        top = max(float(boxes[:, 1].min()), float(np.median(boxes[:, 1])) - 0.45 * height)
        bottom = min(float(boxes[:, 3].max()), float(np.median(boxes[:, 3])) + 0.35 * height)
        for i in segment:
            left, _, right, _ = words[i].box
            level[i] = Word(words[i].text, (left, top, right, bottom))
    return level
