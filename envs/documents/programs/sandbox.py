"""Run Python of agents in pydantic-monty, a sandbox without files, network, clock or chance.

What the sandbox lacks of Python is rewritten: methods as values, and generators that are gone through bit by bit.
"""

from __future__ import annotations

import ast
import atexit
import math
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import Any

from ...core.cpu_limit import CpuLimitExceeded
from ...core.texts import truncate
from .metering import MAX_STEPS, METER, STOP, line_in, metered

MAX_SECONDS = 20.0
"""The maximum time of a program by the clock, behind the limits that are counted: what reaches it is our fault."""
MAX_CALLS = 5_000
"""The maximum number of calls from a program to functions of its host."""
MAX_LENGTH = 10_000
"""The maximum number of characters and items of a value that a program passes to a function."""
MAX_NUMBER = 10**12
"""The maximum of a number that a program passes to a function."""
MAX_PRINTED = 1_000
"""The maximum length of a program's output; the rest is dropped."""
_MAX_MESSAGE = 500
_TOO_MANY_STEPS = (
    f"it does not end within {MAX_STEPS:,} steps: turns of loops, calls, and what is in the values that they work on"
)
_OUT_OF_MEMORY = "it takes more memory than there is"
_MAX_NESTING = 5
_LIMITS = {
    "max_feed_duration_secs": MAX_SECONDS,
    "max_memory": 64_000_000,
    "max_recursion_depth": 200,
    "max_suspensions": MAX_CALLS,
}
# Nobody answers these calls: a program that reads the clock or draws at random fails.
_POLICY = {"datetime": "call_host", "random_start": "call_host", "sleep": "zero"}


class ProgramError(Exception):
    """A program cannot be run; the message gives the reason and the line.

    Attributes:
        line: where, counted from 1; ``None`` where it is not known.
        printed: what the program printed before.
    """

    def __init__(self, message: str, line: int | None = None, printed: str = "") -> None:
        super().__init__(_readable(message, _MAX_MESSAGE))
        self.line, self.printed = line, printed

    def __str__(self) -> str:
        message = str(self.args[0])
        return message if self.line is None else f"line {self.line}: {message}"

    @property
    def feedback(self) -> str:
        """The message for the program's author."""
        return f"{with_printed(self.printed)}The program cannot be run: {self}."


class OutOfMemory(ProgramError):
    """A program takes more memory than there is."""


def with_printed(printed: str) -> str:
    """The printed text of a program on lines of its own, as a prefix of feedback."""
    return f"It printed:\n{printed}\n" if printed else ""


def run_in_sandbox(
    code: str,
    functions: Mapping[str, Callable[..., Any]],
    variables: Mapping[str, Any],
    prelude: str = "",
    opening: str = "",
) -> str:
    """Run Python and return what it printed.

    Args:
        code: the Python.
        functions: functions of the host that it may call, by name; a ``ValueError`` that they raise can be caught.
        variables: its global variables.
        prelude: Python of ours that defines what it uses, of functions but of no variables: it runs once for all
            programs.
        opening: Python of ours that runs before each, after the prelude.

    Raises:
        ProgramError: if it raises an error, or takes too many steps or too much memory.
        ValueError: if the variables are too much for it.
        CpuLimitExceeded: if it runs for ``MAX_SECONDS`` within all limits that are counted.
    """
    try:
        tree, text = metered(code)
    except RecursionError:
        raise ProgramError("the program is nested too deeply") from None
    except ValueError:
        # Python before 3.12 cannot write every character there.
        raise ProgramError("an f-string has a text with a special character; give it a name first") from None
    monty, pool = _sandbox(os.getpid())
    printed: list[str] = []
    stopped: list[bool] = []

    def print_text(stream: str, text: str) -> None:
        if sum(map(len, printed)) < MAX_PRINTED:
            printed.append(text[:MAX_PRINTED])

    known = {**functions, STOP: lambda: stopped.append(True)}
    given = {"inputs": dict(variables), "external_lookup": known, "print_callback": print_text}
    with pool.checkout(limits=_LIMITS, os_policy=_POLICY, assert_message_annotations=False) as session:
        # What goes wrong here is no program's fault.
        try:
            session.load_session(_prepared(prelude, tuple(functions)))
            if opening:
                session.feed_run(opening, **given)
        except monty.MontyError as error:
            raise ValueError(f"programs cannot be given so much: {_message_of(error)}") from error
        try:
            session.feed_run(text, **given)
        except monty.MontyError as error:
            if _is_timeout(error):
                raise CpuLimitExceeded(
                    f"an edit program has run for {MAX_SECONDS:g} s within the limits that are counted"
                ) from None
            message = _TOO_MANY_STEPS if stopped else _message_of(error)
            kind = OutOfMemory if message == _OUT_OF_MEMORY else ProgramError
            raise kind(message, _line_of(error, tree, text), _output(printed)) from None
    return _output(printed)


@lru_cache(maxsize=16)
def _prepared(prelude: str, functions: tuple[str, ...]) -> bytes:
    """The state of a session in which the counting functions and a prelude have run."""
    _, pool = _sandbox(os.getpid())
    known = dict.fromkeys((*functions, STOP), _unanswered)
    with pool.checkout(limits=_LIMITS, os_policy=_POLICY, assert_message_annotations=False) as session:
        session.feed_run(METER + prelude, external_lookup=known)
        return bytes(session.dump())


def _unanswered() -> None:
    """Stands for a function that a prelude names and does not call."""


def plain_value(value: Any, record_class: str, depth: int = 0) -> Any:
    """A value that came out of the sandbox, checked; a record is replaced by its name.

    Args:
        value: the value.
        record_class: the class in the sandbox whose objects have a ``_name``.
        depth: of the value in others.

    Raises:
        ValueError: if it is not made of numbers, texts, lists and dicts by texts, or is too long or too large.
    """
    if isinstance(value, list | tuple | dict) and depth < _MAX_NESTING and len(value) <= MAX_LENGTH:
        parts = (plain_value(item, record_class, depth + 1) for item in _parts(value))
        return dict(zip(value, parts, strict=True)) if isinstance(value, dict) else type(value)(parts)
    if isinstance(value, list | tuple | dict):
        raise ValueError(f"a list is longer than {MAX_LENGTH:,} or nested deeper than {_MAX_NESTING}")
    if isinstance(value, str) and len(value) > MAX_LENGTH:
        raise ValueError(f"a text is longer than {MAX_LENGTH:,}")
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= MAX_NUMBER):
        raise ValueError(f"a number is not finite, or larger than {MAX_NUMBER:,}")
    if value is None or isinstance(value, str | int | float):
        return value
    if getattr(value, "name", "") == record_class:
        return str(value.attributes["_name"])
    raise ValueError(f"functions take numbers, texts, lists and dicts, not a {type(value).__name__}")


def _parts(value: Any) -> Iterator[Any]:
    """The items of a list or tuple, the values of a dict."""
    if isinstance(value, dict) and not all(isinstance(key, str) for key in value):
        raise ValueError("the keys of a dict must be texts")
    yield from value.values() if isinstance(value, dict) else value


@lru_cache(maxsize=16)
def _sandbox(process: int) -> tuple[Any, Any]:
    """The sandbox of a process: the library, and its pool of workers, which ends with the process."""
    monty: Any = import_module("pydantic_monty")
    if _sandbox.cache_info().currsize > 0:
        monty = _second_copy()
    pool = monty.Monty().__enter__()

    def close() -> None:
        # Forked processes inherit this call, but not the workers.
        if os.getpid() == process:
            pool.__exit__(None, None, None)

    atexit.register(close)
    return monty, pool


def _second_copy() -> Any:
    """The library once more: its threads do not survive a fork, and it cannot start them again."""
    name = "pydantic_monty._monty"
    with tempfile.TemporaryDirectory() as folder:
        path = shutil.copy(str(sys.modules[name].__file__), folder)
        loader = ExtensionFileLoader(name, path)
        module = loader.create_module(ModuleSpec(name, loader, origin=path))
        loader.exec_module(module)
    return module


def _line_of(error: Any, tree: ast.Module, text: str) -> int | None:
    """The line of a program at which an error was raised in the metered text of it."""
    frames = error.traceback() if hasattr(error, "traceback") else []
    # The first one is the program's own; functions that it calls may be the prelude's.
    own = [one for one in frames if one.filename == frames[0].filename]
    return line_in(tree, text, own[-1].line, own[-1].column) if own else None


def _is_timeout(error: Any) -> bool:
    return getattr(error, "timed_out", False) or "feed time limit exceeded" in str(error)


def _message_of(error: Any) -> str:
    kind, message = type(error.exception()).__name__, str(error.exception())
    if kind == "MemoryError":
        return _OUT_OF_MEMORY
    if "suspension limit" in message:
        return f"it calls functions more than {MAX_CALLS:,} times"
    if kind == "NotImplementedError":
        return re.sub(r"^The monty syntax parser does not yet support (.*)", r"there is no support for \1", message)
    return message if kind == "ValueError" else f"{kind}: {message}"


def _output(printed: list[str]) -> str:
    return _readable("".join(printed).rstrip("\n"), MAX_PRINTED)


def _readable(text: str, length: int) -> str:
    """A text truncated, without characters that cannot be encoded."""
    text = text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return truncate(text, length)
