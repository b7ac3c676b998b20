"""Run the network with ONNX Runtime, and decode its output into places."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ...envs.core.boxes import Box
from ...envs.core.locators import Detection
from ..processors import threads
from .inputs import WINDOW, Picture, planes_of, text_ids

BACKBONE, HEAD = "backbone.onnx", "head.onnx"
Floats = NDArray[np.float32]


class LabelInput(NamedTuple):
    """A label as an input of the network.

    Attributes:
        text: its words.
        label: its box in cells of the page.
        other: the box of another part of the target.
        origin: the row and the column of the page's cells where the window begins; see ``origin_of``.
    """

    text: str
    label: Box
    other: Box | None
    origin: tuple[int, int]


class LabelOutput(NamedTuple):
    """The output of the network for one label.

    Attributes:
        heat: logits of the window's cells, float32 (32, 104).
        sides: distances to the left, top, right and bottom of the box in cells, float32 (4, 32, 104).
        nowhere: the logit that the answer is nowhere in the window.
        origin: the row and the column of the page's cells where the window begins.
    """

    heat: Floats
    sides: Floats
    nowhere: float
    origin: tuple[int, int]


class NetworkWeights:
    """The loaded network.

    Args:
        folder: with ``backbone.onnx`` and ``head.onnx``.

    Raises:
        ImportError: if ONNX Runtime is not installed.
        ValueError: if one of the files is missing.
    """

    def __init__(self, folder: Path) -> None:
        if importlib.util.find_spec("onnxruntime") is None:
            raise ImportError("FieldFinder runs its network by ONNX Runtime: pip install 'formgym[fieldfinder]'")
        self._backbone, self._head = (_session(folder / name) for name in (BACKBONE, HEAD))

    def features(self, picture: Picture) -> Floats:
        """Features of a page, float32 (features, height / 4, width / 4).

        Args:
            picture: see ``picture_of``.
        """
        page = picture.transpose(2, 0, 1)[None].astype(np.float32) / 255
        return cast(Floats, self._backbone.run(None, {"page": page})[0][0])

    def predict(self, features: Floats, labels: Sequence[LabelInput]) -> list[LabelOutput]:
        """The output of the network for labels.

        Args:
            features: of the page.
            labels: the labels.
        """
        size = (features.shape[1], features.shape[2])
        inputs = {
            "features": np.stack([_window(features, label.origin) for label in labels]),
            "planes": np.stack([planes_of(label.label, label.other, label.origin, size) for label in labels]),
            "ids": np.stack([text_ids(label.text) for label in labels]),
        }
        heat, sides, nowhere = self._head.run(None, inputs)
        return [LabelOutput(heat[i], sides[i], float(nowhere[i]), label.origin) for i, label in enumerate(labels)]


def _session(file: Path) -> Any:
    if not file.is_file():
        raise ValueError(f"no weights {file}; formgym fieldfinder train makes some")
    return _opened(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=8)
def _opened(file: Path, written: int) -> Any:
    """The session of a weights file.

    The time it was ``written`` is part of the cache key, so that new weights are read again.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _window(features: Floats, origin: tuple[int, int]) -> Floats:
    """The features in a window; zero where it is off the page."""
    height, width = WINDOW
    window = np.zeros((features.shape[0], height, width), np.float32)
    top, left = origin
    rows = slice(max(top, 0), max(0, min(top + height, features.shape[1])))
    columns = slice(max(left, 0), max(0, min(left + width, features.shape[2])))
    part = features[:, rows, columns]
    window[
        :,
        rows.start - top : rows.start - top + part.shape[1],
        columns.start - left : columns.start - left + part.shape[2],
    ] = part
    return window


_CELLS = 80
"""How many of the most likely cells are decoded."""
_IN_BOX = 0.5
"""The weight of the middle being in the right box; the rest is that of the boxes' IoU."""
_APART = 0.3


def places_of(look: LabelOutput, limit: int = 3) -> list[Detection]:
    """The most likely places of a label's answer, in cells of the page, best first.

    Of the boxes that likely cells predict, it takes the one that is best on average over all of them: minimum Bayes
    risk rather than the single most likely cell.

    Args:
        look: the output of the network.
        limit: the maximum number of places.
    """
    boxes, chances = _boxes(look)
    agreement = _agreement(boxes)
    places: list[Detection] = []
    left = chances.copy()
    for _ in range(limit):
        if left.sum() < 0.02:
            break
        best = int(np.argmax(agreement @ left))
        near = agreement[best] > _APART
        near[best] = True
        places.append(Detection(_in_page_cells(boxes[best], look.origin), float(left[near].sum())))
        left[near] = 0
    return places


def _boxes(look: LabelOutput) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The boxes of the most likely cells, (n, 4), and their probabilities.

    Boxes are in cells of the window.
    """
    logits = np.append(look.heat.ravel().astype(np.float64), look.nowhere)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    cells = np.argpartition(-chances[:-1], _CELLS)[:_CELLS]
    rows, columns = np.divmod(cells, look.heat.shape[1])
    left, top, right, bottom = look.sides.reshape(4, -1)[:, cells]
    x, y = columns + 0.5, rows + 0.5
    return np.stack([x - left, y - top, x + right, y + bottom], 1).astype(np.float32), chances[cells]


def _agreement(boxes: NDArray[np.float32]) -> NDArray[np.float64]:
    """The score of each box (row) if another (column) is right, from 0 to 1."""
    one, other = boxes[:, None], boxes[None]
    width = np.minimum(one[..., 2], other[..., 2]) - np.maximum(one[..., 0], other[..., 0])
    height = np.minimum(one[..., 3], other[..., 3]) - np.maximum(one[..., 1], other[..., 1])
    both = np.clip(width, 0, None) * np.clip(height, 0, None)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    overlap = both / (area[:, None] + area[None] - both + 1e-6)
    x, y = (one[..., 0] + one[..., 2]) / 2, (one[..., 1] + one[..., 3]) / 2
    inside = (x > other[..., 0]) & (x < other[..., 2]) & (y > other[..., 1]) & (y < other[..., 3])
    agreement: NDArray[np.float64] = (1 - _IN_BOX) * overlap + _IN_BOX * inside
    return agreement


def _in_page_cells(box: NDArray[np.float32], origin: tuple[int, int]) -> Box:
    top, left = origin
    return float(box[0] + left), float(box[1] + top), float(box[2] + left), float(box[3] + top)
