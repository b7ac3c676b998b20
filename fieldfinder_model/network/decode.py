"""From what the network says to places on the page."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.core.locators import Box
from .runtime import Look

_CELLS = 80
"""How many of the likeliest cells are looked at."""
_IN_BOX = 0.5
"""What it is worth that the middle lies in the right box, against the boxes' IoU."""
_APART = 0.3


class Place(NamedTuple):
    """A place of an answer.

    Attributes:
        box: in cells of the page.
        chance: that it is the right one, from 0 to 1.
    """

    box: Box
    chance: float


def places_of(look: Look, most: int = 3) -> list[Place]:
    """The likeliest places that the network sees from a label, the likeliest first.

    Of the boxes that likely cells tell, the one is chosen that is best on the average over all of them: minimum Bayes
    risk rather than the single likeliest cell.

    Args:
        look: what the network said.
        most: how many places are wanted at most.
    """
    boxes, chances = _boxes(look)
    worth = _worth(boxes)
    places: list[Place] = []
    left = chances.copy()
    for _ in range(most):
        if left.sum() < 0.02:
            break
        best = int(np.argmax(worth @ left))
        near = worth[best] > _APART
        near[best] = True
        places.append(Place(_on_page(boxes[best], look.origin), float(left[near].sum())))
        left[near] = 0
    return places


def _boxes(look: Look) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The boxes of the likeliest cells in cells of the window, (n, 4), and how likely each is."""
    logits = np.append(look.heat.ravel().astype(np.float64), look.nowhere)
    chances = np.exp(logits - logits.max())
    chances /= chances.sum()
    cells = np.argpartition(-chances[:-1], _CELLS)[:_CELLS]
    rows, columns = np.divmod(cells, look.heat.shape[1])
    left, top, right, bottom = look.sides.reshape(4, -1)[:, cells]
    x, y = columns + 0.5, rows + 0.5
    return np.stack([x - left, y - top, x + right, y + bottom], 1).astype(np.float32), chances[cells]


def _worth(boxes: NDArray[np.float32]) -> NDArray[np.float64]:
    """What each box (row) is worth if another (column) is the right one, from 0 to 1."""
    one, other = boxes[:, None], boxes[None]
    width = np.minimum(one[..., 2], other[..., 2]) - np.maximum(one[..., 0], other[..., 0])
    height = np.minimum(one[..., 3], other[..., 3]) - np.maximum(one[..., 1], other[..., 1])
    both = np.clip(width, 0, None) * np.clip(height, 0, None)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    overlap = both / (area[:, None] + area[None] - both + 1e-6)
    x, y = (one[..., 0] + one[..., 2]) / 2, (one[..., 1] + one[..., 3]) / 2
    inside = (x > other[..., 0]) & (x < other[..., 2]) & (y > other[..., 1]) & (y < other[..., 3])
    worth: NDArray[np.float64] = (1 - _IN_BOX) * overlap + _IN_BOX * inside
    return worth


def _on_page(box: NDArray[np.float32], origin: tuple[int, int]) -> Box:
    top, left = origin
    return float(box[0] + left), float(box[1] + top), float(box[2] + left), float(box[3] + top)
