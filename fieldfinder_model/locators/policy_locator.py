"""PolicyLocator: a trained window policy as a locator."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...envs.core.boxes import Box
from ...envs.core.locators import Detection
from ..matching.label import Label
from ..reading.page_reading import PageReading
from ..windows.label_windows import CELL, CELLS, COLUMNS, Bytes, Floats, Ints, points_of, windows_about
from ..windows.window_pool import page_picture
from .page_reader import PageReader, shares

_PLACES = 3
"""How many places each label gives at most."""
_REACH = 2
"""Cells that are no further from a place, across and down, count as the same place."""
_MIN_SCORE = 0.02


class _Pictured(NamedTuple):
    """A page as windows are cut from it, see ``WindowPage``."""

    picture: Bytes
    scale: tuple[float, float]


class PolicyLocator(PageReader):
    """Finds fields with a policy that was trained to point.

    Scores are the policy's probabilities. A policy points, so that boxes are no larger than a cell of its window.

    Args:
        path: the folder of its weights.
        reread: see ``PageReader``.

    Raises:
        ValueError: if torch is missing, or the folder holds no such weights.
    """

    def __init__(self, path: str | Path, reread: bool = False) -> None:
        super().__init__(reread)
        if importlib.util.find_spec("torch") is None:
            raise ValueError("a trained policy needs PyTorch: pip install 'formgym[train]'")
        from ..windows.window_network import load_network

        self._network = load_network(Path(path))
        self._pictured: WeakKeyDictionary[PageReading, _Pictured] = WeakKeyDictionary()

    def places(self, reading: PageReading, labels: Sequence[Label]) -> list[Detection]:
        """What the policy points at from each label."""
        if reading not in self._pictured:
            self._pictured[reading] = _Pictured(*page_picture(reading))
        picture, scale = self._pictured[reading]
        boxes, others = [label.box for label in labels], [label.other for label in labels]
        seen, origins = windows_about(picture, scale, boxes, others)
        chances = self._probabilities(seen)
        return [
            Detection(_unscaled(box, scale), share * score)
            for row, origin, share in zip(chances, origins, shares(labels), strict=True)
            for box, score in _peaks(row, origin[None])
        ]

    def _probabilities(self, seen: dict[str, Bytes]) -> Floats:
        """The probabilities of the windows' cells, (n, CELLS)."""
        import torch

        with torch.inference_mode():
            logits, _ = self._network({name: torch.from_numpy(array) for name, array in seen.items()})
            return np.asarray(logits.double().softmax(-1))


def _peaks(probabilities: Floats, origin: Ints) -> Iterator[tuple[Box, float]]:
    """The likeliest cells of a window, with the probability of their surroundings."""
    left = probabilities.copy()
    rows, columns = np.divmod(np.arange(CELLS), COLUMNS)
    for _ in range(_PLACES):
        best = int(left.argmax())
        near = (abs(rows - rows[best]) <= _REACH) & (abs(columns - columns[best]) <= _REACH)
        score = float(left[near].sum())
        if score < _MIN_SCORE:
            return
        (x, y), height, width = points_of(np.array([best]), origin)[0].tolist(), *CELL
        yield (x - width / 2, y - height / 2, x + width / 2, y + height / 2), score
        left[near] = 0


def _unscaled(box: Box, scale: tuple[float, float]) -> Box:
    """A box of the scaled page in pixels of the page."""
    across, down = scale
    return box[0] / across, box[1] / down, box[2] / across, box[3] / down
