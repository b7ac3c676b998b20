"""The terminal: printing, and reporting a user's mistakes in one line."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

console = Console(stderr=False)


USER_ERRORS = (ValueError, RuntimeError, OSError)


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns a user's error into a message and exit status 2, a warning into a line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _print_to_stderr("yellow", message)
        try:
            yield
        except USER_ERRORS as error:
            _print_to_stderr("red", error_message(error))
            raise SystemExit(2) from None


def error_message(error: Exception) -> str:
    """The message of an error, with the file if there is one."""
    if isinstance(error, OSError) and error.filename and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _print_to_stderr(colour: str, message: object) -> None:
    line = f"[{colour}]formgym:[/{colour}] {escape(str(message))}"
    Console(stderr=True).print(line, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Print ``text`` as it is: no markup, no colours, no line breaks of ours."""
    console.print(text, markup=False, highlight=False, soft_wrap=True)
