"""TargetPool: the interface of targets that policies are trained on in batches."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class TargetPool(Protocol):
    """Targets on pages by their index.

    A target is seen in a window, which begins at an origin; an action is a cell of it. ``index`` has one target a row.
    """

    @property
    def observation_space(self) -> spaces.Dict:
        """Of one target."""
        ...

    @property
    def action_space(self) -> spaces.Discrete:
        """The cells of a window."""
        ...

    def __len__(self) -> int: ...

    def origins(self, index: Ints, rng: np.random.Generator | None = None) -> Ints:
        """Where the windows of targets begin, moved at random if ``rng`` is given: (n, 2)."""
        ...

    def observe(self, index: Ints, origins: Ints) -> dict[str, NDArray[Any]]:
        """The observations of targets in windows."""
        ...

    def right_cells(self, index: Ints, origins: Ints) -> NDArray[np.bool_]:
        """Which cells of windows are right: (n, cells)."""
        ...

    def points(self, index: Ints, cells: Ints, origins: Ints) -> Floats:
        """The middles of cells as fractions of the targets' pages: x and y, (n, 2)."""
        ...

    def boxes(self, index: Ints) -> Floats:
        """The boxes that points must lie in, as fractions of the targets' pages: (n, 4)."""
        ...
