"""Errors of edit programs, and the budget of steps that a program may use."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ...core.texts import truncate
from .values import OrderedSet, Stream

_MAX_MESSAGE = 500
"""The maximum length of a message."""


class ProgramError(Exception):
    """A program cannot be run; the message gives the reason and the line.

    Attributes:
        line: where, counted from 1; ``None`` where it is not known.
        printed: what the program printed before.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(readable(message, _MAX_MESSAGE))
        self.line = line
        self.printed = ""

    def __str__(self) -> str:
        message = str(self.args[0])
        return message if self.line is None else f"line {self.line}: {message}"

    @property
    def feedback(self) -> str:
        """The message for the program's author."""
        return f"{with_printed(self.printed)}The program cannot be run: {self}."


def readable(text: str, length: int) -> str:
    """A text truncated, without characters that cannot be encoded."""
    text = text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return truncate(text, length)


def with_printed(printed: str) -> str:
    """The printed text of a program on lines of its own, as a prefix of feedback."""
    return f"It printed:\n{printed}\n" if printed else ""


class Raised(ProgramError):
    """An exception in a program, which the program may catch.

    Attributes:
        error: the exception.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error.with_traceback(None)
        super().__init__(str(error) if isinstance(error, EditError) else f"{type(error).__name__}: {error}")


class EditError(ValueError):
    """An edit or a search in a program cannot be carried out."""


CATCHABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""The exceptions of functions that a program may catch."""
EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (Exception, *CATCHABLE, IndexError, KeyError, OverflowError, UnboundLocalError, ZeroDivisionError)
}
"""The exceptions of Python that programs may name."""


MAX_STEPS = 100_000
"""The maximum number of steps of a program: one for each visited node, and more for work on large values."""
MAX_LENGTH = 10_000
"""The maximum number of characters of a text and of items of a list, nested ones included."""
MAX_NUMBER = 10**12
"""The maximum of a number; infinity is allowed for comparisons."""
MAX_PRINTED = 1_000
"""The maximum length of a program's output; the rest is dropped."""
_SIZE_PER_STEP = 4
"""The number of characters or items that are read or written in a step."""
_SIZED = (str, list, tuple, dict, range, OrderedSet, Stream, Exception)


class Budget:
    """The steps that one run of a program has left."""

    def __init__(self) -> None:
        self._left = MAX_STEPS

    def spend(self, steps: int = 1) -> None:
        """Spend steps.

        Raises:
            ProgramError: if there are too few left.
        """
        self._left -= steps
        if self._left < 0:
            raise ProgramError(f"the program takes more than {MAX_STEPS:,} steps")

    def weigh(self, *values: Any) -> None:
        """Spend the steps for work on some values, with all that they contain.

        Raises:
            ProgramError: if they are too long or too large, or there are too few steps left.
        """
        self.spend((len(values) + measured(*values)) // _SIZE_PER_STEP)

    def go_through(self, length: int) -> None:
        """Spend the steps to iterate over a number of characters or items.

        Raises:
            ProgramError: if there are too few left.
        """
        self.spend(length // _SIZE_PER_STEP)


def measured(*values: Any) -> int:
    """The number of characters and items in some values, nested and repeated ones too.

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
