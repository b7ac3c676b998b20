"""WindowPool: the targets of many pages, observed and rewarded hundreds at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from gymnasium import spaces

from ...envs.core.grounding_rewards import Reward, hit
from .label_windows import (
    CELLS,
    CHANNELS,
    COLUMNS,
    HALF,
    PLANES,
    ROWS,
    SIZE,
    Bytes,
    Flags,
    Floats,
    Ints,
    jittered,
    observations,
    origins_of,
    points_of,
    right_cells,
)
from .window_pages import WindowPage, WindowTarget

_NO_BOX = (np.nan,) * 4


def _every(target: WindowTarget) -> bool:
    return True


class WindowPool:
    """Targets of pages, each seen in a window about its label.

    Args:
        pages: with targets.
        keep: which targets are in the pool, such as those of a split by names.

    Attributes:
        pages: the pages.
        targets: those with a label, by their index; observations, origins and boxes go by it.
        page_of: the number of each target's page, (n,).
        unmatched: targets without a label, each with the number of its page: a policy always misses them.
    """

    observation_space = spaces.Dict(
        {
            "picture": spaces.Box(0, 255, (CHANNELS, SIZE[0] // HALF, SIZE[1] // HALF), np.uint8),
            "planes": spaces.Box(0, 255, (PLANES, ROWS, COLUMNS), np.uint8),
        }
    )
    action_space = spaces.Discrete(CELLS)

    def __init__(self, pages: Sequence[WindowPage], keep: Callable[[WindowTarget], bool] = _every) -> None:
        self.pages = pages
        kept = [(number, target) for number, page in enumerate(pages) for target in page.targets if keep(target)]
        self.unmatched = [(number, target) for number, target in kept if target.label is None]
        matched = [(number, target) for number, target in kept if target.label is not None]
        self.targets: Sequence[WindowTarget] = [target for _, target in matched]
        self.page_of: Ints = np.array([number for number, _ in matched], np.int64)

    def __len__(self) -> int:
        return len(self.targets)

    def origins(self, index: Ints, rng: np.random.Generator | None = None) -> Ints:
        """The top and left of the windows of targets (n, 2), at random with ``rng``."""
        origins = self._origins[index]
        return origins if rng is None else jittered(origins, rng)

    def observe(self, index: Ints, origins: Ints) -> dict[str, Bytes]:
        """The observations of targets in windows: see ``label_windows.observations``."""
        pages = [self.pages[number].picture for number in self.page_of[index]]
        return observations(pages, self._labels[index], self._others[index], origins, self._sizes[self.page_of[index]])

    def points(self, index: Ints, cells: Ints, origins: Ints) -> Floats:
        """The middles of cells as fractions of the targets' pages: x and y, (n, 2)."""
        return points_of(cells, origins) / self._extents[self.page_of[index]]

    def boxes(self, index: Ints) -> Floats:
        """The boxes that points must lie in, as fractions of the targets' pages, (n, 4)."""
        return self._boxes[index] / np.tile(self._extents[self.page_of[index]], 2)

    def right_cells(self, index: Ints, origins: Ints) -> Flags:
        """Which cells of the windows are right, (n, CELLS)."""
        return right_cells(self._boxes[index], origins)

    def rewards(self, index: Ints, cells: Ints, origins: Ints, reward: Reward = hit) -> Floats:
        """The rewards of the middles of cells, (n,)."""
        return reward(np.tile(self.points(index, cells, origins), 2), self.boxes(index))

    @cached_property
    def _origins(self) -> Ints:
        return origins_of(self._labels, self._others)

    @cached_property
    def _scales(self) -> Floats:
        """Pixels of the scaled page to a pixel of each page, across and down."""
        return np.array([page.scale for page in self.pages], float).reshape(-1, 2)

    @cached_property
    def _extents(self) -> Floats:
        """Width and height of each page in pixels of the scaled page."""
        return np.array([page.size[::-1] for page in self.pages], float).reshape(-1, 2) * self._scales

    @cached_property
    def _sizes(self) -> Floats:
        """Height and width of the picture of each page in pixels of the scaled page."""
        return np.array([page.picture.shape[1:] for page in self.pages], float).reshape(-1, 2) * HALF

    @cached_property
    def _labels(self) -> Floats:
        return self._scaled([target.label or _NO_BOX for target in self.targets])

    @cached_property
    def _others(self) -> Floats:
        return self._scaled([target.other or _NO_BOX for target in self.targets])

    @cached_property
    def _boxes(self) -> Floats:
        return self._scaled([target.box for target in self.targets])

    def _scaled(self, boxes: Sequence[Sequence[float]]) -> Floats:
        """Boxes of the targets in pixels of the scaled pages, (n, 4)."""
        return np.array(boxes, float).reshape(-1, 4) * np.tile(self._scales[self.page_of], 2)
