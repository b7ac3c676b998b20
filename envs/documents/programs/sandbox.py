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
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from typing import Any

from ...core.extras import needed
from ...core.texts import truncate

MAX_SECONDS = 2.0
"""The maximum computing time, a hundred times that of the longest solution: only endless programs reach it."""
MAX_CALLS = 5_000
"""The maximum number of calls from a program to functions of its host."""
MAX_LENGTH = 10_000
"""The maximum number of characters and items of a value that a program passes to a function."""
MAX_NUMBER = 10**12
"""The maximum of a number that a program passes to a function."""
MAX_PRINTED = 1_000
"""The maximum length of a program's output; the rest is dropped."""
_MAX_MESSAGE = 500
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


def with_printed(printed: str) -> str:
    """The printed text of a program on lines of its own, as a prefix of feedback."""
    return f"It printed:\n{printed}\n" if printed else ""


def run_in_sandbox(
    code: str, functions: Mapping[str, Callable[..., Any]], variables: Mapping[str, Any], prelude: str = ""
) -> str:
    """Run Python and return what it printed.

    Args:
        code: the Python.
        functions: functions of the host that it may call, by name; a ``ValueError`` that they raise can be caught.
        variables: its global variables.
        prelude: Python that runs before; its lines do not count in messages.

    Raises:
        ProgramError: if it raises an error, or takes too much time or memory.
    """
    monty, pool = _sandbox(os.getpid())
    printed: list[str] = []

    def print_text(stream: str, text: str) -> None:
        if sum(map(len, printed)) < MAX_PRINTED:
            printed.append(text[:MAX_PRINTED])

    given = {"inputs": dict(variables), "external_lookup": dict(functions), "print_callback": print_text}
    try:
        with pool.checkout(limits=_LIMITS, os_policy=_POLICY, assert_message_annotations=False) as session:
            if prelude:
                session.feed_run(prelude, **given)
            session.feed_run(supported(code), **given)
    except monty.MontyError as error:
        line = _line_of(error, f"<python-input-{int(bool(prelude))}>")
        raise ProgramError(_message_of(error), line, _output(printed)) from None
    return _output(printed)


def plain_value(value: Any, record_class: str, depth: int = 0) -> Any:
    """A value that came out of the sandbox, checked; a record is replaced by its name.

    Args:
        value: the value.
        record_class: the class in the sandbox whose objects have a ``_name``.
        depth: of the value in others.

    Raises:
        ValueError: if it is not made of numbers, texts, lists and tuples, or is too long or too large.
    """
    if isinstance(value, list | tuple) and depth < _MAX_NESTING and len(value) <= MAX_LENGTH:
        return type(value)(plain_value(item, record_class, depth + 1) for item in value)
    if isinstance(value, list | tuple):
        raise ValueError(f"a list is longer than {MAX_LENGTH:,} or nested deeper than {_MAX_NESTING}")
    if isinstance(value, str) and len(value) > MAX_LENGTH:
        raise ValueError(f"a text is longer than {MAX_LENGTH:,}")
    if isinstance(value, int | float) and not (math.isfinite(value) and abs(value) <= MAX_NUMBER):
        raise ValueError(f"a number is not finite, or larger than {MAX_NUMBER:,}")
    if value is None or isinstance(value, str | int | float):
        return value
    if getattr(value, "name", "") == record_class:
        return str(value.attributes["_name"])
    raise ValueError(f"functions take numbers, texts, lists and tuples, not a {type(value).__name__}")


@lru_cache(maxsize=16)
def _sandbox(process: int) -> tuple[Any, Any]:
    """The sandbox of a process: the library, and its pool of workers, which ends with the process."""
    monty = needed("pydantic_monty", "docedit")
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


def _line_of(error: Any, file: str) -> int | None:
    """The line of a file at which an error was raised."""
    frames = error.traceback() if hasattr(error, "traceback") else ()
    return next((frame.line for frame in reversed(frames) if frame.filename == file), None)


def _message_of(error: Any) -> str:
    kind, message = type(error.exception()).__name__, str(error.exception())
    if kind == "TimeoutError" or getattr(error, "timed_out", False):
        return f"it does not end within {MAX_SECONDS:g} s of computing"
    if kind == "MemoryError":
        return "it takes more memory than there is"
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


_TYPES = {"str": str, "list": list, "dict": dict, "set": set}
_METHODS = {name for kind in _TYPES.values() for name in vars(kind) if not name.startswith("_")} - {"title"}
"""Names of methods; ``document.title`` is a text."""
_OF_CLASSES = {"fromkeys", "maketrans"}
_Edit = tuple[int, int, int, str]
"""A line, the bytes of it that are replaced (from, to), and what replaces them."""


def supported(code: str) -> str:
    """A program in the part of Python that the sandbox has; each line stays where it is.

    >>> print(supported("best = max(sizes, key=sizes.get)"))
    best = max(sizes, key=(lambda *a, **k: sizes.get(*a, **k)))
    >>> print(supported("print(*map(str.strip, lines))"))
    print(*map((lambda self, *a, **k: self.strip(*a, **k)), lines))
    >>> print(supported("first = next(e for e in found)"))
    first = next(iter(e for e in found))
    """
    lines = [line.encode() for line in code.split("\n")]
    for line, start, end, text in sorted(_edits(ast.parse(code)), reverse=True):
        lines[line] = lines[line][:start] + text.encode() + lines[line][end:]
    return b"\n".join(lines).decode()


def _edits(tree: ast.Module) -> Iterator[_Edit]:
    nodes = list(ast.walk(tree))
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    # Before Python 3.12 what is in an f-string does not know its place.
    hidden = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in nodes:
        if node in hidden:
            continue
        if isinstance(node, ast.GeneratorExp):
            yield from _around(node, "(iter", ")")
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in _METHODS:
            yield from _method(node, node in called)


def _method(node: ast.Attribute, is_called: bool) -> Iterator[_Edit]:
    kind = node.value
    if isinstance(kind, ast.Name) and kind.id in _TYPES and node.attr not in _OF_CLASSES:
        yield from _around(node, "(lambda self, *a, **k: self", "(*a, **k))", skipped=len(kind.id))
    elif not is_called:
        yield from _around(node, "(lambda *a, **k: ", "(*a, **k))")


def _around(node: ast.expr, before: str, after: str, skipped: int = 0) -> Iterator[_Edit]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    yield node.lineno - 1, node.col_offset, node.col_offset + skipped, before
    yield node.end_lineno - 1, node.end_col_offset, node.end_col_offset, after
