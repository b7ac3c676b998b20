"""Budget: what a program may use up, in steps; the larger what it works on, the more steps it takes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .errors import ProgramError
from .values import OrderedSet, Stream

MAX_STEPS = 100_000
"""How many steps a program may take: one for each node of its tree that is visited, and more for work on much."""
MAX_LENGTH = 10_000
"""How many characters a text may have, and how many items a list, those of lists in it among them."""
MAX_NUMBER = 10**12
"""How large a number may be; infinity may be used to compare with."""
MAX_PRINTED = 1_000
"""How many characters of what a program prints are kept."""
_SIZE_PER_STEP = 4
"""How many characters or items are read or written in a step."""
_SIZED = (str, list, tuple, dict, range, OrderedSet, Stream, Exception)


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
        self.spend((len(values) + measured(*values)) // _SIZE_PER_STEP)

    def go_through(self, length: int) -> None:
        """Take the steps that it costs to go through so many characters or items, but not through what is in them.

        Raises:
            ProgramError: if there are not so many left.
        """
        self.spend(length // _SIZE_PER_STEP)


def measured(*values: Any) -> int:
    """The characters and items of some values, all that is in them counted as often as it is there.

    Raises:
        ProgramError: if they are too long or too large.
    """
    size, left = 0, list(values)
    while left:
        one = left.pop()
        if isinstance(one, int | float):
            _check_number(one)
        elif isinstance(one, _SIZED):
            size += 1 + len(one.args if isinstance(one, Exception) else one)
            if size > MAX_LENGTH:
                raise ProgramError(f"a {_name_of(one)} is longer than {MAX_LENGTH:,}")
            left += _parts(one)
    return size


def _check_number(value: float) -> None:
    if value != value:
        raise ProgramError("a number is none (NaN)")
    if abs(value) > MAX_NUMBER and value not in (math.inf, -math.inf):
        raise ProgramError(f"a number is larger than {MAX_NUMBER:,}")


def _name_of(value: Any) -> str:
    return "text" if isinstance(value, str) else type(value).__name__.lower()


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    if isinstance(value, Exception):
        return value.args
    return value.left if isinstance(value, Stream) else value if isinstance(value, list | tuple | OrderedSet) else ()
