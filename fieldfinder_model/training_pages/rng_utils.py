"""Dice: what a page needs of chance, over one generator of random numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Dice:
    """Draws from ``rng``; the same generator gives the same draws."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def chance(self, share: float) -> bool:
        """True in ``share`` (0 to 1) of all draws."""
        return bool(self.rng.random() < share)

    def between(self, low: float, high: float) -> float:
        """A number from ``low`` up to ``high``, all as likely."""
        return low + (high - low) * float(self.rng.random())

    def count(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self.rng.random() * (high - low + 1))

    def pick(self, choices: Sequence[T]) -> T:
        """One of ``choices``, all as likely."""
        return choices[int(self.rng.random() * len(choices))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, as often as its weight says; weights need not sum to 1."""
        left = float(self.rng.random()) * sum(weights.values())
        for choice, weight in weights.items():
            left -= weight
            if left < 0:
                return choice
        return choice

    def spread(self, middle: float, share: float, low: float, high: float) -> float:
        """A number about ``middle``: log-normal with ``share`` as its deviation, held within ``low`` and ``high``."""
        return float(np.clip(middle * np.exp(self.rng.normal(0, share)), low, high))

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in any order."""
        return [items[int(i)] for i in self.rng.permutation(len(items))]
