"""FieldFinder: reads a page once, matches targets to its labels, and sees from the labels where answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ..assets import ROOT
from ..envs.core.locators import Box, Detection
from .captions import Captions
from .matching.label import Label
from .network.decode import places_of
from .network.geometry import Scale, crossing_of, origin_of
from .network.picture import picture_of
from .network.runtime import Ask, Floats, Weights
from .reader import PageReader, shares
from .reading.boxes import centre, holds
from .reading.page import PageReading
from .snapping import snapped

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
        most: how many places are told at most.
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
