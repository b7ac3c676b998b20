"""The cache of replies on disk: one file for each request, named by its content."""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ...envs.core.files import atomic_write
from ..blocks import Block, TextBlock
from ..model import Message, Reply, Schema, ToolCall, Usage


def request_key(settings: Mapping[str, Any], messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> str:
    """The SHA-256 of all that a reply depends on; pictures count by their pixels."""
    content = {
        "settings": settings,
        "messages": [_content_of(message) for message in messages],
        "tools": list(tools),
        "seed": seed,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=_jsonable)
    return hashlib.sha256(text.encode()).hexdigest()


def _content_of(message: Message) -> list[Any]:
    blocks = [_block(block) for block in message.content]
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    return [message.role, blocks, calls, message.tool_call_id]


def _block(block: Block) -> list[Any]:
    return ["text", block.text] if isinstance(block, TextBlock) else ["image", block.pixels.shape, block.sha256]


def _jsonable(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, Sequence) else repr(value)


class ReplyCache:
    """Replies in a folder; several processes may use it at once.

    Args:
        folder: it is made if it does not exist.

    Raises:
        ValueError: if it cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Better now than after the first reply is paid for.
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise ValueError(
                f"the cache of replies cannot be written to {folder}: {error.strerror}; "
                "set model_cache to another folder, or to null for none"
            ) from None

    def get(self, key: str) -> Reply | None:
        """The reply of a request; ``None`` if there is none, or its file cannot be read."""
        try:
            saved = json.loads(self._path(key).read_bytes())
            calls = [ToolCall(**call) for call in saved["tool_calls"]]
            return Reply(**saved | {"tool_calls": calls, "usage": Usage(**saved["usage"])})
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; when this returns, it is on disk.

        Raises:
            OSError: if it cannot be written.
        """
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, json.dumps(asdict(reply)).encode(), sync=True)

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Keep other threads and processes from asking for the same reply meanwhile."""
        path = self._path(key).with_suffix(".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                # Those that wait look into the cache first, so that it does no harm if others lock another file.
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"
