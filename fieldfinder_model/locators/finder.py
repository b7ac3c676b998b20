"""FieldFinder: matches targets to printed labels, and predicts from the labels where answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...assets import ROOT
from ...envs.core.locators import Box, Detection
from ..matching.label import Label
from ..network.inputs import Scale, crossing_of, origin_of, picture_of
from ..network.runtime import Floats, LabelInput, Weights, places_of
from ..reading.boxes import centre, holds
from ..reading.page_reading import PageReading
from .captions import Captions
from .page_reader import PageReader, shares


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
"""How much of a line an answer fills, and the score of a place that follows from a caption alone."""
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
        reread: see ``PageReader``.

    Raises:
        ImportError: if ONNX Runtime is not installed.
        ValueError: if there are no weights.
    """

    def __init__(self, weights: str | Path | None = None, reread: bool = False) -> None:
        super().__init__(reread)
        self._weights = Weights(Path(weights) if weights is not None else WEIGHTS)
        self._pictured: WeakKeyDictionary[PageReading, _Pictured] = WeakKeyDictionary()

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """What the network sees from each label."""
        features, scale, captions = self._picture_of(reading)
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
        return _certain_at_most(found if blank is None else _above_line(found, blank, share))

    def _picture_of(self, reading: PageReading) -> _Pictured:
        if reading not in self._pictured:
            picture, scale = picture_of(reading)
            self._pictured[reading] = _Pictured(self._weights.features(picture), scale, Captions(reading))
        return self._pictured[reading]


def _certain_at_most(places: Sequence[Detection]) -> list[Detection]:
    """Places whose scores sum to 1 at most: a label that is looked at twice may give one answer twice."""
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
    return [*above, Detection(beginning, _CAPTION_SCORE * max(0.0, share - sum(place.score for place in above)))]


def _inputs(label: Label, scale: Scale) -> Iterator[LabelInput]:
    """How a label is looked at: in its own window, and where its row and a column cross if that may lie beyond."""
    box, other = scale.to_cells(label.box), scale.to_cells(label.other) if label.other else None
    yield LabelInput(label.text, box, other, origin_of(box))
    crossing = crossing_of(box, other) if other else None
    if crossing is not None:
        yield LabelInput(label.text, box, other, crossing)
