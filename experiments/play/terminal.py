"""Playing in the terminal, or from a pipe: a line is a call."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from gymnasium import spaces

from ...envs.core.files import parse_json
from ...envs.core.texts import UnicodeText
from ...envs.core.tools import Call, ToolError, ToolSpace
from ..terminal.console import say
from .session import Session


def play_in_terminal(session: Session) -> None:
    """Carry out the calls typed or piped in, until the task ends or ``quit``."""
    say(f"{session.env_id}, task {session.task_id}\n\n{session.env.state.goal}\n")
    _COMMANDS["source"](session)
    _say_help(session)
    say_page(session)
    for line in _lines():
        if line == "quit":
            return
        _COMMANDS.get(line, lambda s, line=line: _say_outcome(s, line))(session)
        if session.ended:
            return


def _lines() -> Iterator[str]:
    """The lines typed or piped in; piped lines are echoed."""
    typed = sys.stdin.isatty()
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  With it, input() can be edited and remembers.
    while True:
        try:
            line = input("> ").strip()
        except (EOFError, KeyboardInterrupt):
            say("")
            return
        if not typed:
            say(line)
        if line:
            yield line


def _say_outcome(session: Session, line: str) -> None:
    """Carry out a line and print the result."""
    try:
        call = call_of(session.tools, line)
    except ToolError as error:
        say(str(error))
        return
    before = session.steps
    session.do(call)
    say(session.feedback)
    if session.steps > before:
        say(session.standing)


def call_of(tools: ToolSpace, line: str) -> Any:
    """The call in a line of text: a tool and its arguments in order, or JSON.

    Raises:
        ToolError: if there is none; ``ToolSpace`` checks the arguments.
    """
    if line.startswith("{"):
        try:
            return parse_json(line.encode(), "This")
        except ValueError as error:
            raise ToolError(f"{error}.") from None
    name, _, rest = line.partition(" ")
    tool = next((tool for tool in tools.tools if tool.name == name), None)
    if tool is None:
        commands = ", ".join((*tools.names, *_COMMANDS, "quit"))
        raise ToolError(f"There is no command {name!r}; there are {commands}.")
    call: Call = {"tool": name}
    for i, (argument, declared) in enumerate(tool.arguments.items(), start=1):
        if rest := rest.strip():
            is_text = isinstance(declared.space, UnicodeText)
            word, rest = _taken(rest, whole=is_text and i == len(tool.arguments))
            call[argument] = word if is_text else _number(declared.space, word)
    if rest.strip():
        raise ToolError(f"{_usage(name, tool.arguments)} is all; {rest.strip()!r} is too much.")
    return call


def _taken(rest: str, whole: bool) -> tuple[str, str]:
    """The first argument of ``rest``, or all of it, without quotes; and what is left."""
    quote = rest[0]
    if quote in "\"'" and (end := rest.find(quote, 1)) > 0 and (not whole or end == len(rest) - 1):
        return rest[1:end], rest[end + 1 :]
    word, _, left = (rest, "", "") if whole else rest.partition(" ")
    return word, left


def _number(space: spaces.Space[Any], word: str) -> Any:
    """``word`` as a number, or unchanged, for ``ToolSpace`` to report."""
    try:
        return int(word) if isinstance(space, spaces.Discrete) else float(word)
    except ValueError:
        return word


def _say_help(session: Session) -> None:
    meanings: dict[str, str] = {}
    for tool in session.tools.tools:
        say(f"{_usage(tool.name, tool.arguments)}\n    {' '.join(tool.description.split())}")
        meanings |= {name: argument.description for name, argument in tool.arguments.items()}
    say("\n".join(["with", *(f"    {name}: {meaning}" for name, meaning in meanings.items())]))
    say('or a call as JSON: {"tool": ...}\nor help, source, page (its picture), score, quit\n')


def say_page(session: Session) -> None:
    """Print where the picture of the page is."""
    say(f"The page as it stands: {session.picture.resolve()}")


_COMMANDS: dict[str, Callable[[Session], None]] = {
    "help": _say_help,
    "source": lambda session: say(session.env.state.source + "\n"),
    "page": say_page,
    "score": lambda session: say(session.standing),
}


def _usage(name: str, arguments: Any) -> str:
    return " ".join([name, *(argument.upper() for argument in arguments)])
