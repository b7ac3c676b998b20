"""A model whose replies are written beforehand, for tests and benchmarks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from ...envs.core.files import parse_json
from ..base import ModelError
from .model import Attempt, Message, Reply, Schema, ToolCall, Usage, prompt_tokens, text_tokens, unmetered

Line = str | Mapping[str, Any] | Reply
"""A reply: its text; or an object with ``text``, ``tool_calls``, ``usage``, ``stop`` or ``error``."""
Script = Callable[[Sequence[Message], Sequence[Schema], int], Line]
"""The reply to messages, tools and a seed."""


class Scripted:
    """A model whose replies are a list, a file or a function.

    The reply to a conversation with n replies is number n of the list, and the last one from then on: all episodes get
    the same replies, in any order and from any thread.

    >>> Scripted([{"text": "Done."}]).generate([]).text
    'Done.'

    Args:
        replies: the list, or a function of messages, tools and seed; a ``ModelError`` with its text is raised for a
            reply that has ``error``. A tool call has ``name`` and ``arguments``, and may have an ``id``.
        path: of a JSON file with the list, or of a .jsonl file with a reply a line; in place of ``replies``.
        name: as prices and records have it.
        seconds: how long a reply takes.

    Raises:
        ValueError: if there are no replies, both are given, or one of them is malformed.
    """

    max_output_tokens: int | None = None

    def __init__(
        self,
        replies: Sequence[Line] | Script = (),
        path: str | Path | None = None,
        name: str = "scripted",
        seconds: float = 0.0,
    ) -> None:
        if path is not None and replies:
            raise ValueError("a scripted model takes replies or the path of a file with them, not both")
        self.name, self._seconds = name, seconds
        script = replies if path is None else _read(Path(path))
        if callable(script):
            self._script, content = script, f"{script.__module__}.{getattr(script, '__qualname__', '')}"
        else:
            lines = [_checked(line) for line in script]
            if not lines:
                raise ValueError("a scripted model needs replies: set replies=[...] or path=FILE")
            self._script, content = _by_turn(lines), json.dumps(lines, default=repr)
        self.settings: Mapping[str, Any] = {"provider": "scripted", "name": name, "replies": content}

    def generate(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema] = (),
        *,
        seed: int = 0,
        key: str = "",
        attempt: Attempt = unmetered,
    ) -> Reply:
        """The reply that is written; without ``usage``, it has estimates of tokens.

        Raises:
            ModelError: if the reply is an error.
            ValueError: if it is malformed.
        """
        return attempt(lambda: self._reply(messages, tools, seed))

    def _reply(self, messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> Reply:
        began = time.perf_counter()
        line = _checked(self._script(messages, tools, seed))
        time.sleep(self._seconds)
        if isinstance(line, Reply):
            return line
        if "error" in line:
            raise ModelError(str(line["error"]))
        calls = [ToolCall(**{"id": f"call_{i}", **call}) for i, call in enumerate(line.get("tool_calls", ()))]
        text, written = str(line.get("text", "")), [line.get("text", ""), line.get("tool_calls", ())]
        estimate: dict[str, Any] = {
            "input_tokens": prompt_tokens(messages, tools),
            "output_tokens": text_tokens(json.dumps(written, default=dict)),
            "seconds": time.perf_counter() - began,
        }
        usage = Usage(**estimate | dict(line.get("usage", {})))
        return Reply(text, calls, usage, str(line.get("stop", "tool_calls" if calls else "stop")))


def _by_turn(lines: Sequence[Line]) -> Script:
    def script(messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> Line:
        turn = sum(message.role == "assistant" for message in messages)
        return lines[min(turn, len(lines) - 1)]

    return script


def _checked(line: Any) -> Mapping[str, Any] | Reply:
    """A reply as an object.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(line, str):
        return {"text": line}
    if isinstance(line, Reply):
        return line
    if not isinstance(line, Mapping) or set(line) - {"text", "tool_calls", "usage", "stop", "error"}:
        raise ValueError(
            f"a scripted reply is a text or an object with text, tool_calls, usage, stop or error, not {line!r:.200}"
        )
    for call in line.get("tool_calls", ()):
        if not isinstance(call, Mapping) or not {"name", "arguments"} <= set(call) <= {"name", "arguments", "id"}:
            raise ValueError(f"a tool call of a scripted reply has name, arguments and perhaps id, not {call!r:.200}")
    unknown = set(line.get("usage", {})) - {field.name for field in fields(Usage)}
    if unknown:
        raise ValueError(f"the usage of a scripted reply has no {', '.join(sorted(unknown))}")
    return line


def _read(path: Path) -> list[Any]:
    """The replies in a file.

    Raises:
        ValueError: if it cannot be read, or is no list.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(f"the replies of a scripted model are not in {path}: {error.strerror}") from None
    if path.suffix == ".jsonl":
        lines = enumerate(content.splitlines(), start=1)
        return [parse_json(line, f"{path}, line {number}") for number, line in lines if line.strip()]
    replies = parse_json(content, str(path))
    if not isinstance(replies, list):
        raise ValueError(f"{path} must hold a list of replies")
    return replies
