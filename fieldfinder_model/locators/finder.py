"""FieldFinder: matches targets to printed labels, and predicts from the labels where answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ...assets import ROOT
from ...envs.core.locators import Box, Detection
from ..matching.label import Label
from ..network.inputs import Scale, crossing_of, origin_of, picture_of
from ..network.runtime import Ask, Floats, Weights, places_of
from ..reading.boxes import centre, holds, shared_width
from ..reading.page import PageReading
from .reader import PageReader, shares

_GAP, _ALIGNED, _BLANK = 0.9, 1.5, 1.1
"""How far above a label its line is, how far off their left ends are, and how much above the line is blank at least, in
heights of a letter."""
_LEAST_GAP, _MOST_GAP = 0.25, 4.0
"""How far lines that stand side by side are from each other."""
_SHORTEST, _WRITTEN, _LOWEST = 4.0, 1.6, 6.0
"""How long a line is at least, how high above it an answer reaches, and how far under a label its line is at most."""
_TOUCHING = 5
_LEAST = 8
"""On how many labels that can be nothing else it rests at least that a form has captions."""

_Line = NDArray[np.int32]


class Captions:
    """The captions of a page.

    A line between two labels may be that of either. Whose lines they are follows from the labels that have a line on
    one side alone: those at the end of a form whose labels are captions, those at its beginning if they are heads.

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading

    def blank_over(self, label: Box) -> Box | None:
        """Where the answer goes above the line that a label stands under; ``None``: it stands under none of its own.

        Args:
            label: in pixels.
        """
        line = self._over(label) if self._used else None
        if line is None:
            return None
        left, top, right, _ = (float(edge) for edge in line)
        return left, top - _WRITTEN * self._reading.letter, right, top

    @cached_property
    def _used(self) -> bool:
        """Whether labels of the page are captions rather than heads."""
        sides = [(self._over(box) is not None, self._has_line_under(box)) for box in self._reading.segment_boxes]
        captions, heads = sides.count((True, False)), sides.count((False, True))
        return captions >= _LEAST and captions > heads

    def _over(self, label: Box) -> _Line | None:
        """The line that stands over a label alone."""
        level, letter = self._reading.level, self._reading.letter
        gap = label[1] - level[:, 3]
        near = np.flatnonzero((gap > -_TOUCHING) & (gap < _GAP * letter) & self._aligned(label))
        for line in level[near[np.argsort(gap[near])]]:
            if self._is_strip(line) and not self._in_cell(line) and not self._underlines(line):
                found: _Line = line
                return found
        return None

    def _has_line_under(self, label: Box) -> bool:
        """Whether a label has a line under it that an answer between them would stand on."""
        level, letter = self._reading.level, self._reading.letter
        gap = level[:, 1] - label[3]
        return bool(((gap > _BLANK * letter) & (gap < _LOWEST * letter) & self._aligned(label)).any())

    def _aligned(self, label: Box) -> NDArray[np.bool_]:
        """Which lines begin where a label does and are as long."""
        level, letter = self._reading.level, self._reading.letter
        long = level[:, 2] - level[:, 0] >= max(_SHORTEST * letter, 0.8 * (label[2] - label[0]))
        aligned: NDArray[np.bool_] = long & (np.abs(level[:, 0] - label[0]) < _ALIGNED * letter)
        return aligned

    def _is_strip(self, line: _Line) -> bool:
        """Whether a line is one of several with gaps between them."""
        level, letter = self._reading.level, self._reading.letter
        beside = np.abs(level[:, 1] - line[1]) <= _TOUCHING
        gaps = np.maximum(level[:, 0] - line[2], line[0] - level[:, 2])[beside]
        return bool(((gaps > _LEAST_GAP * letter) & (gaps < _MOST_GAP * letter)).any())

    def _in_cell(self, line: _Line) -> bool:
        """Whether an upright goes down from the left end of a line."""
        uprights = self._reading.uprights
        beside = np.abs((uprights[:, 0] + uprights[:, 2]) / 2 - line[0]) <= _TOUCHING
        down = (uprights[:, 1] <= line[3] + _TOUCHING) & (uprights[:, 3] >= line[3] + self._reading.letter)
        return bool((beside & down).any())

    def _underlines(self, line: _Line) -> bool:
        """Whether words stand on a line over more than half of it."""
        left, top, right, _ = (float(edge) for edge in line)
        over = top - _BLANK * self._reading.letter
        words = [box for _, box in self._reading.words if box[1] < top and box[3] > over]
        covered = sum(max(0.0, shared_width(box, (left, top, right, top))) for box in words)
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


_FILLED, _UNSEEN = 0.6, 0.5
"""How much of a line an answer fills, and how sure a place is that a caption alone tells."""
WEIGHTS = ROOT / "fieldfinder"


class _Pictured(NamedTuple):
    """What the network makes of a page, how its pixels become cells, and which labels stand under their lines."""

    features: Floats
    scale: Scale
    captions: Captions


class FieldFinder(PageReader):
    """The shipped locator (FormGym, section FieldFinder): no hub, no GPU, no torch. Scores are chances.

    Args:
        weights: the folder of the network's weights; ``None``: those that ship.
        most: the most places that are returned.
        reread: see ``PageReader``.

    Raises:
        ImportError: if ONNX Runtime is not installed.
        ValueError: if there are no weights.
    """

    def __init__(self, weights: str | Path | None = None, most: int = 5, reread: bool = False) -> None:
        super().__init__(most, reread)
        self._weights = Weights(Path(weights) if weights is not None else WEIGHTS)
        self._pictured: WeakKeyDictionary[PageReading, _Pictured] = WeakKeyDictionary()

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """What the network sees from each label."""
        features, scale, captions = self._picture_of(reading)
        trusted = list(zip(labels, shares(labels), strict=True))
        asked = [(label, share, ask) for label, share in trusted for ask in _asks(label, scale)]
        looks = self._weights.looks(features, [ask for _, _, ask in asked])
        seen = [
            Detection(snapped(scale.to_pixels(place.box), label, reading), share * place.chance)
            for (label, share, _), look in zip(asked, looks, strict=True)
            for place in places_of(look)
        ]
        label, share = trusted[0]
        blank = captions.blank_over(label.box)
        return _certain_at_most(seen if blank is None else _above_line(seen, blank, share))

    def _picture_of(self, reading: PageReading) -> _Pictured:
        if reading not in self._pictured:
            picture, scale = picture_of(reading)
            self._pictured[reading] = _Pictured(self._weights.features(picture), scale, Captions(reading))
        return self._pictured[reading]


def _certain_at_most(places: Sequence[Detection]) -> list[Detection]:
    """Places whose scores sum to 1 at most: a label that is looked at twice may be seen beside its answer twice."""
    total = max(1.0, sum(place.score for place in places))
    return [Detection(place.box, place.score / total) for place in places]


def _above_line(places: Sequence[Detection], blank: Box, share: float) -> list[Detection]:
    """The places in the blank above the line that a label stands under, and the beginning of that blank.

    Args:
        places: that the network sees.
        blank: in pixels.
        share: how much the label is trusted.
    """
    above = [place for place in places if holds(blank, centre(place.box))]
    left, top, right, bottom = blank
    beginning = (left, top, left + _FILLED * (right - left), bottom)
    return [*above, Detection(beginning, _UNSEEN * max(0.0, share - sum(place.score for place in above)))]


def _asks(label: Label, scale: Scale) -> Iterator[Ask]:
    """How a label is looked at: in its own window, and where its row and a column cross if that may lie beyond."""
    box, other = scale.to_cells(label.box), scale.to_cells(label.other) if label.other else None
    yield Ask(label.text, box, other, origin_of(box))
    crossing = crossing_of(box, other) if other else None
    if crossing is not None:
        yield Ask(label.text, box, other, crossing)
