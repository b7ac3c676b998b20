"""Budget: what a program may use up, in steps; the larger what it works on, the more steps it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from .errors import ProgramError
from .values import OrderedSet, Stream

MAX_STEPS = 100_000
"""How many steps a program may take: one for each node of its tree that is visited, and more for work on much."""
MAX_LENGTH = 10_000
"""How many characters a text may have, and how many items a list, those of lists in it among them."""
MAX_NUMBER = 10**12
"""How large a number may be; infinity may be used to compare with."""
_SIZE_PER_STEP = 4
"""How many characters or items are read or written in a step."""


class Budget:
    """The steps that one run of a program has left."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Take steps.

        Raises:
            ProgramError: if there are not so many left.
        """
        self._left -= steps
        if self._left < 0:
            raise ProgramError(f"the program takes more than {MAX_STEPS:,} steps")

    def weigh(self, *values: Any) -> None:
        """Take the steps that work on some values costs, all that is in them counted.

        Raises:
            ProgramError: if they are too long or too large, or there are not so many steps left.
        """
        size, left = 0, list(values)
        while left:
            one = left.pop()
            measure = _SIZES.get(type(one))
            if measure is not None:
                size += measure(one)
                if size > MAX_LENGTH:
                    raise ProgramError(f"a {_name_of(one)} is longer than {MAX_LENGTH:,}")
                left += _parts(one)
            elif isinstance(one, int | float):
                _check_number(one)
            elif isinstance(one, Exception):
                size += 1
                left += one.args
        self.spend(size // _SIZE_PER_STEP)


def _check_number(value: float) -> None:
    if value != value:
        raise ProgramError("a number is none (NaN)")
    if abs(value) > MAX_NUMBER and value not in (math.inf, -math.inf):
        raise ProgramError(f"a number is larger than {MAX_NUMBER:,}")


def _name_of(value: Any) -> str:
    return "text" if isinstance(value, str) else type(value).__name__.lower()


def _length(value: Any) -> int:
    return len(value) + 1


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list | tuple | OrderedSet) else ()


_SIZES: dict[type, Callable[[Any], int]] = dict.fromkeys((str, list, tuple, dict, range, OrderedSet, Stream), _length)
