"""The terminal: printing, quiet and JSON modes, and a user's mistakes in one line."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape

from .missing import how_to_install

QUIET = "FORMGYM_QUIET"
"""The environment variable by which the processes of a quiet command are quiet too."""
console = Console(stderr=False, quiet=bool(os.environ.get(QUIET)))
"""Where tables and sentences go; ``console.quiet`` says whether they are left out."""
_paths = Console(stderr=False, quiet=not console.quiet)
"""Where the bare paths go that are printed in quiet mode."""
_json = Console(stderr=False, quiet=True)
"""Where figures go in JSON mode."""

USER_ERRORS = (ValueError, RuntimeError, OSError)


def set_mode(quiet: bool = False, as_json: bool = False) -> None:
    """Choose what is printed: everything, or errors and paths, or one JSON value.

    Args:
        quiet: errors and the paths of written files only.
        as_json: nothing but what ``print_json`` prints, and errors.
    """
    console.quiet = quiet or as_json
    _paths.quiet = as_json or not quiet
    _json.quiet = not as_json


@contextmanager
def user_errors() -> Iterator[None]:
    """Turns a user's error into a message and exit status 2, a warning into a line."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: _print_to_stderr("yellow", message)
        try:
            yield
        except ModuleNotFoundError as error:
            if (what := how_to_install(error)) is None:
                raise
            _print_to_stderr("red", what)
            raise SystemExit(2) from None
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


def say_written(path: Path, text: str) -> None:
    """Print that a file or folder was written: ``text``, or its bare path if quiet."""
    say(text)
    _paths.print(str(path), markup=False, highlight=False, soft_wrap=True)


def say_failure(text: str) -> None:
    """Print what went wrong, where the command goes on; if quiet, on standard error."""
    if console.quiet:
        print(text, file=sys.stderr)
    else:
        say(text)


def print_json(value: Any) -> None:
    """Print a value as JSON, if that is all that is to be printed."""
    _json.print(json.dumps(value, indent=2, ensure_ascii=False), markup=False, highlight=False, soft_wrap=True)
