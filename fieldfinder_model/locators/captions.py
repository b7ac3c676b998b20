"""Captions: labels under the line that their answer is written on."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box, overlap_width
from ..reading.page_reading import PageReading

_GAP, _ALIGNED, _BLANK = 0.9, 1.5, 1.1
"""The maximum distance from a label up to its line and between their left ends, and the minimum blank space above the
line, in heights of a letter."""
_MIN_GAP, _MAX_GAP = 0.25, 4.0
"""The gap between lines that are side by side, in heights of a letter."""
_MIN_LENGTH, _WRITTEN, _MAX_DEPTH = 4.0, 1.6, 6.0
"""The minimum length of a line, the height of an answer, and the maximum distance from a label down to its line."""
_TOUCHING = 5
_MIN_LABELS = 8
"""A form has captions only if at least this many labels can be nothing else."""

_Line = NDArray[np.int32]


class Captions:
    """The captions of a page.

    A line between two labels may belong to either. The labels with a line on only one side decide whether labels are
    captions (a line only above) or headings (a line only below).

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading

    def blank_over(self, label: Box) -> Box | None:
        """Where the answer of a caption goes; ``None`` if the label is no caption.

        Args:
            label: in pixels.
        """
        line = self._line_above(label) if self._labels_are_captions else None
        if line is None:
            return None
        left, top, right, _ = (float(edge) for edge in line)
        return left, top - _WRITTEN * self._reading.letter, right, top

    @cached_property
    def _labels_are_captions(self) -> bool:
        """Whether labels of the page are captions rather than headings."""
        sides = [(self._line_above(box) is not None, self._has_line_below(box)) for box in self._reading.segment_boxes]
        captions, heads = sides.count((True, False)), sides.count((False, True))
        return captions >= _MIN_LABELS and captions > heads

    def _line_above(self, label: Box) -> _Line | None:
        """The nearest line above a label that its answer may be written on."""
        level, letter = self._reading.level, self._reading.letter
        gap = label[1] - level[:, 3]
        near = np.flatnonzero((gap > -_TOUCHING) & (gap < _GAP * letter) & self._aligned(label))
        for line in level[near[np.argsort(gap[near])]]:
            if self._is_strip(line) and not self._in_cell(line) and not self._underlines(line):
                found: _Line = line
                return found
        return None

    def _has_line_below(self, label: Box) -> bool:
        """Whether a label has a line below it, with room for an answer between them."""
        level, letter = self._reading.level, self._reading.letter
        gap = level[:, 1] - label[3]
        return bool(((gap > _BLANK * letter) & (gap < _MAX_DEPTH * letter) & self._aligned(label)).any())

    def _aligned(self, label: Box) -> NDArray[np.bool_]:
        """Which lines begin where a label does and are about as long or longer."""
        level, letter = self._reading.level, self._reading.letter
        long = level[:, 2] - level[:, 0] >= max(_MIN_LENGTH * letter, 0.8 * (label[2] - label[0]))
        aligned: NDArray[np.bool_] = long & (np.abs(level[:, 0] - label[0]) < _ALIGNED * letter)
        return aligned

    def _is_strip(self, line: _Line) -> bool:
        """Whether a line is one of several with gaps between them."""
        level, letter = self._reading.level, self._reading.letter
        beside = np.abs(level[:, 1] - line[1]) <= _TOUCHING
        gaps = np.maximum(level[:, 0] - line[2], line[0] - level[:, 2])[beside]
        return bool(((gaps > _MIN_GAP * letter) & (gaps < _MAX_GAP * letter)).any())

    def _in_cell(self, line: _Line) -> bool:
        """Whether a vertical rule goes down from the left end of a line."""
        uprights = self._reading.uprights
        beside = np.abs((uprights[:, 0] + uprights[:, 2]) / 2 - line[0]) <= _TOUCHING
        down = (uprights[:, 1] <= line[3] + _TOUCHING) & (uprights[:, 3] >= line[3] + self._reading.letter)
        return bool((beside & down).any())

    def _underlines(self, line: _Line) -> bool:
        """Whether words are printed on more than half of a line."""
        left, top, right, _ = (float(edge) for edge in line)
        over = top - _BLANK * self._reading.letter
        words = [box for _, box in self._reading.words if box[1] < top and box[3] > over]
        covered = sum(max(0.0, overlap_width(box, (left, top, right, top))) for box in words)
        return covered > 0.5 * (right - left)
