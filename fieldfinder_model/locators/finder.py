"""The FieldFinder locator: matches targets to labels and predicts their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...assets import ROOT
from ...envs.core.boxes import Box, centre, contains, overlap_width
from ...envs.core.locators import Detection
from ..matching.label import Label
from ..network.inputs import Scale, crossing_of, origin_of, picture_of
from ..network.runtime import Floats, LabelInput, NetworkWeights, places_of
from ..reading.page_reading import PageReading
from .page_reader import PageReader, shares

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


def snapped(box: Box, label: Label, reading: PageReading) -> Box:
    """A box on the label's side of a horizontal rule that runs through it.

    Args:
        box: in pixels.
        label: that it belongs to.
        reading: of the page.
    """
    left, top, right, bottom = box
    height = bottom - top
    level = reading.level
    if len(level):
        middle = (level[:, 1] + level[:, 3]) / 2
        wide = np.minimum(level[:, 2], right) - np.maximum(level[:, 0], left) >= 0.6 * max(2.0, right - left)
        through = wide & (middle > top + 0.02 * height) & (middle < bottom - 0.22 * height)
        if through.any():
            rule = float(min(middle[through], key=lambda y: abs(y - (top + bottom) / 2)))
            under = (label.box[1] + label.box[3]) / 2 > rule
            top, bottom = (rule + 2, rule + 2 + height) if under else (rule + 1 - height, rule + 1)
    return left, top, right, bottom


_FILLED, _CAPTION_SCORE = 0.6, 0.5
"""The share of a line that an answer fills, and the score of a place that only a caption gives."""
WEIGHTS = ROOT / "fieldfinder"


class _PageFeatures(NamedTuple):
    """The network's features of a page, their scale, and the page's captions."""

    features: Floats
    scale: Scale
    captions: Captions


class FieldFinderLocator(PageReader):
    """The shipped locator (FormGym, section FieldFinder); scores are probabilities.

    It needs neither a GPU nor torch, and downloads nothing.

    Args:
        weights: the folder of the network's weights; ``None``: the shipped ones.
        reread: see ``PageReader``.

    Raises:
        ImportError: if ONNX Runtime is not installed.
        ValueError: if there are no weights.
    """

    def __init__(self, weights: str | Path | None = None, reread: bool = False) -> None:
        super().__init__(reread)
        self._weights = NetworkWeights(Path(weights) if weights is not None else WEIGHTS)
        self._page_features: WeakKeyDictionary[PageReading, _PageFeatures] = WeakKeyDictionary()

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """The places that the network predicts from each label."""
        features, scale, captions = self._features_of(reading)
        trusted = list(zip(labels, shares(labels), strict=True))
        inputs = [(label, share, one) for label, share in trusted for one in _inputs(label, scale)]
        outputs = self._weights.predict(features, [one for _, _, one in inputs])
        found = [
            Detection(snapped(scale.to_pixels(place.box), label, reading), share * place.score)
            for (label, share, _), output in zip(inputs, outputs, strict=True)
            for place in places_of(output)
        ]
        label, share = trusted[0]
        blank = captions.blank_over(label.box)
        return _normalised(found if blank is None else _above_line(found, blank, share))

    def _features_of(self, reading: PageReading) -> _PageFeatures:
        if reading not in self._page_features:
            picture, scale = picture_of(reading)
            self._page_features[reading] = _PageFeatures(self._weights.features(picture), scale, Captions(reading))
        return self._page_features[reading]


FieldFinder = FieldFinderLocator
"""Its earlier name, which ``wrappers.FieldFinder`` has too."""


def _normalised(places: Sequence[Detection]) -> list[Detection]:
    """Places with scores scaled down to sum to at most 1.

    A label with two windows may give the same answer twice.
    """
    total = max(1.0, sum(place.score for place in places))
    return [Detection(place.box, place.score / total) for place in places]


def _above_line(places: Sequence[Detection], blank: Box, share: float) -> list[Detection]:
    """The places in the blank space above a caption's line, and its beginning.

    Args:
        places: that the network predicts.
        blank: in pixels.
        share: how much the label is trusted.
    """
    above = [place for place in places if contains(blank, *centre(place.box))]
    left, top, right, bottom = blank
    beginning = (left, top, left + _FILLED * (right - left), bottom)
    return [*above, Detection(beginning, _CAPTION_SCORE * max(0.0, share - sum(place.score for place in above)))]


def _inputs(label: Label, scale: Scale) -> Iterator[LabelInput]:
    """The network inputs of a label: its window, and one where row and column cross.

    The second is left out where the first includes the crossing.
    """
    box, other = scale.to_cells(label.box), scale.to_cells(label.other) if label.other else None
    yield LabelInput(label.text, box, other, origin_of(box))
    crossing = crossing_of(box, other) if other else None
    if crossing is not None:
        yield LabelInput(label.text, box, other, crossing)
