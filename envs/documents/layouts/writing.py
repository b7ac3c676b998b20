"""Writers: what blocks are written with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from .schema import Node
from .words import Words

T = TypeVar("T")


@dataclass(frozen=True)
class Writer:
    """What blocks are written with: words, chance, and whether the page is wider than high."""

    words: Words
    rng: np.random.Generator
    is_wide: bool

    def one(self, things: Sequence[T]) -> T:
        """One of some."""
        return things[int(self.rng.integers(len(things)))]

    def count(self, node: Node) -> int:
        """How many there are of what a node repeats."""
        return int(self.rng.integers(node.count[0], node.count[1] + 1))
