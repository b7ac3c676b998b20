"""The FieldFinder locator: matches targets to labels and predicts their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...assets import ROOT
from ...envs.core.boxes import Box, centre, contains
from ...envs.core.locators import Detection
from ..matching.label import Label
from ..network.inputs import Scale, crossing_of, origin_of, picture_of
from ..network.runtime import Floats, LabelInput, NetworkWeights, places_of
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
