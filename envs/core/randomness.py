"""Random draws: numbers, dates, choices, samples, shuffle bags."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")

_CHARACTERS = {
    "#": string.digits,
    "%": string.digits[1:],
    "?": "ABCDEFGHJKLMNPRSTUVWXYZ",
    "^": string.ascii_uppercase,
    "~": string.ascii_lowercase,
}


class Sampler:
    """Draws from a numpy generator; equal generators give equal draws."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def chance(self, probability: float) -> bool:
        """True with a probability from 0 to 1."""
        return bool(self.rng.random() < probability)

    def uniform(self, low: float, high: float) -> float:
        """A number from ``low`` up to ``high``."""
        return low + (high - low) * float(self.rng.random())

    def between(self, low: int, high: int, step: int = 1) -> int:
        """A whole number from ``low`` to ``high``, both included, in steps."""
        return low + step * int(self.rng.random() * ((high - low) // step + 1))

    def lognormal(self, median: float, deviation: float, low: float, high: float) -> float:
        """A log-normal number, clipped to the range from ``low`` to ``high``."""
        return float(np.clip(median * np.exp(self.rng.normal(0, deviation)), low, high))

    def choice(self, items: Sequence[T]) -> T:
        """One of ``items``, all equally likely."""
        return items[int(self.rng.random() * len(items))]

    def weighted(self, weights: Mapping[T, float]) -> T:
        """One of the keys, in proportion to its weight; weights need not sum to 1."""
        left = float(self.rng.random()) * sum(weights.values())
        for item, weight in weights.items():
            left -= weight
            if left < 0:
                return item
        return item

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        return [items[int(i)] for i in self.rng.permutation(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Up to ``count`` different items, in random order."""
        return self.shuffled(items)[:count]

    def subset(self, items: Sequence[T], low: int, high: int) -> list[T]:
        """From ``low`` to ``high`` different items, if there are so many, in order."""
        high = min(high, len(items))
        count = self.between(min(low, high), high)
        return [items[int(i)] for i in sorted(self.rng.permutation(len(items))[:count])]

    def day(self, first: date, last: date) -> date:
        """A day from ``first`` to ``last``, both included."""
        return first + timedelta(self.between(0, (last - first).days))

    def digits(self, count: int) -> str:
        """A string of digits that does not begin with 0."""
        return str(self.between(10 ** (count - 1), 10**count - 1))

    def code(self, pattern: str) -> str:
        """``pattern`` with its marks replaced by random characters.

        ``#`` is a digit, ``%`` one from 1, ``?`` a capital that is not misread (no I, O, Q), ``^`` any capital,
        ``~`` a small letter.
        """
        return re.sub("[#%?^~]", lambda mark: self.choice(_CHARACTERS[mark[0]]), pattern)


class ShuffleBag(Generic[T]):
    """Items in random order; none repeats before all are drawn."""

    def __init__(self, items: Sequence[T], rng: np.random.Generator) -> None:
        self._items, self._rng, self._left = tuple(items), rng, list[T]()

    def draw(self) -> T:
        """The next item."""
        if not self._left:
            self._left = [self._items[i] for i in self._rng.permutation(len(self._items))]
        return self._left.pop()

    def several(self, count: int) -> tuple[T, ...]:
        """``count`` different items, or all there are."""
        found: list[T] = []
        for _ in range(4 * len(self._items)):
            if len(found) < min(count, len(self._items)):
                item = self.draw()
                found += [] if item in found else [item]
        return tuple(found)
