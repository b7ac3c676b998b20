"""Errors of edit programs: what ends them, and what they may catch."""

from __future__ import annotations

from ...core.texts import truncate

_MAX_MESSAGE = 500
"""How many characters of a message are kept."""


class ProgramError(Exception):
    """A program cannot be run. The message says what is wrong and on which line.

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
        """What to say to whoever wrote the program."""
        return f"{with_printed(self.printed)}The program cannot be run: {self}."


def readable(text: str, length: int) -> str:
    """As much of a text as is kept, without characters that cannot be written."""
    text = text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return truncate(text, length)


def with_printed(printed: str) -> str:
    """What a program printed, on lines of its own before what came of it."""
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
    """What a function that edits or searches says of a call that it cannot carry out."""


CATCHABLE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, RuntimeError, StopIteration, TypeError,
    ValueError,
)  # fmt: skip
"""What functions may raise that a program may catch."""
EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind
    for kind in (Exception, *CATCHABLE, IndexError, KeyError, OverflowError, UnboundLocalError, ZeroDivisionError)
}
"""The exceptions of Python that programs may name."""
