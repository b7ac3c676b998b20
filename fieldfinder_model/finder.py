"""FieldFinder: reads a page once, matches targets to its labels, and sees from the labels where answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from ..assets import ROOT
from ..envs.core.locators import Found
from .matching.label import Label
from .network.decode import places_of
from .network.geometry import Scale, crossing_of, origin_of
from .network.picture import picture_of
from .network.runtime import Ask, Floats, Weights
from .reader import PageReader, shares
from .reading.page import PageReading
from .snapping import snapped

WEIGHTS = ROOT / "fieldfinder"


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
        self._features: WeakKeyDictionary[PageReading, tuple[Floats, Scale]] = WeakKeyDictionary()

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Found]:
        """What the network sees from each label."""
        features, scale = self._features_of(reading)
        trusted = list(zip(labels, shares(labels), strict=True))
        asked = [(label, share, ask) for label, share in trusted for ask in _asks(label, scale)]
        looks = self._weights.looks(features, [ask for _, _, ask in asked])
        return [
            Found(snapped(scale.to_pixels(place.box), label, reading), share * place.chance)
            for (label, share, _), look in zip(asked, looks, strict=True)
            for place in places_of(look)
        ]

    def _features_of(self, reading: PageReading) -> tuple[Floats, Scale]:
        """What the network makes of a page, and how its pixels become cells."""
        if reading not in self._features:
            picture, scale = picture_of(reading)
            self._features[reading] = self._weights.features(picture), scale
        return self._features[reading]


def _asks(label: Label, scale: Scale) -> Iterator[Ask]:
    """How a label is looked at: in its own window, and where its row and a column cross if that may lie beyond."""
    box, other = scale.to_cells(label.box), scale.to_cells(label.other) if label.other else None
    yield Ask(label.text, box, other, origin_of(box))
    crossing = crossing_of(box, other) if other else None
    if crossing is not None:
        yield Ask(label.text, box, other, crossing)
