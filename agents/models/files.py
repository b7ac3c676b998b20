"""A model that reads questions and replies through files: for chat windows, batch APIs and people."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...envs.core.files import atomic_write, read_foreign
from ..base import ModelError, ReplyAwaited
from .metered import request_key
from .model import NO_PICTURE, Attempt, Block, Message, Reply, Schema, TextBlock, Usage, unmetered

QUESTION, TOOLS = "prompt.md", "tools.json"
REPLIES = ("reply.md", "reply.json")
"""The names of a reply's file; the first that is there is read."""
_MAX_BYTES = 4_000_000
_SETTLED = 0.5
"""Seconds for which a reply's file must not have changed: programs may write it in pieces."""
_HEAD = """Reply to this question in the file reply.md (or reply.json) in this folder:
{folder}
{form} The reply is read when its file has not changed for half a second.
Pictures are linked where they belong; those of earlier questions are in the folders of those.
"""
_CALLS = 'It is text with a JSON list of calls of the tools below: [{"tool": NAME, ARGUMENT: VALUE, ...}, ...].'


class FilesModel:
    """Writes each question as a folder, and reads the reply from a file in it.

    The folder ``EPISODE/NUMBER-KEY`` holds ``prompt.md``, ``tools.json`` and the new pictures as PNG files. Both names
    are digests of the question: the same one, put again, has the same folder, and the reply that is there.
    Tokens and cost of replies are unknown.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     FilesModel(folder, batch=True).generate([Message("user", [TextBlock("Fill in the form.")])])
    Traceback (most recent call last):
    ...
    formgym.agents.base.ReplyAwaited: ...

    Args:
        folder: of the questions; it is made if it does not exist.
        name: of the model that replies, for tables and records.
        batch: whether an episode without a reply is put off at once, instead of waiting for the reply.
        timeout: seconds to wait for a reply; ``None``: any time.
        poll: seconds between looks at the folder.

    Raises:
        ValueError: if a number is out of range.
    """

    max_output_tokens: int | None = None
    counts_tokens = False

    def __init__(
        self,
        folder: str | Path,
        name: str = "files",
        batch: bool = False,
        timeout: float | None = None,
        poll: float = 1.0,
    ) -> None:
        if poll <= 0 or (timeout is not None and timeout < 0):
            raise ValueError(f"model.poll must be above 0 and model.timeout not below it; they are {poll}, {timeout}")
        self.name, self.settings = name, {"provider": "files", "name": name}
        self._folder, self._batch, self._timeout, self._poll = Path(folder), batch, timeout, poll

    def generate(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema] = (),
        *,
        seed: int = 0,
        key: str = "",
        attempt: Attempt = unmetered,
    ) -> Reply:
        """The reply that is in the folder of the question; see ``Provider.generate``.

        ``attempt`` is not used: nothing is paid here, and the folder is the cache.

        Raises:
            ReplyAwaited: in a batch, if there is no reply yet.
            ModelError: if there is none in time, or its file cannot be read.
        """
        folder = self._written(messages, tools, seed)
        began = time.monotonic()
        while (text := _reply_in(folder)) is None:
            waited = time.monotonic() - began
            if self._batch:
                raise ReplyAwaited(f"{folder / QUESTION} has no reply yet")
            if self._timeout is not None and waited >= self._timeout:
                raise ModelError(
                    f"{folder / QUESTION} had no reply after {self._timeout:g} seconds; write {REPLIES[0]} beside it, "
                    "then go on with resume=true retry=errors"
                )
            time.sleep(self._poll if self._timeout is None else min(self._poll, max(self._timeout - waited, 0.01)))
        return Reply(text, usage=Usage(seconds=round(time.monotonic() - began, 3), is_unknown=True))

    def _written(self, messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> Path:
        """The folder of a question, complete once its prompt is there."""
        n_replies = sum(message.role == "assistant" for message in messages)
        opening = [message for message in messages[:2] if message.role != "assistant"]
        # Of the opening the texts alone count here, since later questions may leave its pictures out.
        texts = [Message(one.role, [b for b in one.content if _is_lasting(b)]) for one in opening]
        episode = self._folder / request_key(self.settings, texts, tools, seed)[:10]
        folder = episode / f"{n_replies + 1:03}-{request_key(self.settings, messages, tools, seed)[:10]}"
        if not (folder / QUESTION).exists():
            folder.mkdir(parents=True, exist_ok=True)
            text = "\n\n".join(_lines(folder, messages, tools))
            atomic_write(folder / TOOLS, _json(list(tools), indent=1).encode(errors="replace"))
            atomic_write(folder / QUESTION, text.encode(errors="replace"))
        return folder


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, default=dict)


def _is_lasting(block: Block) -> bool:
    return isinstance(block, TextBlock) and block != NO_PICTURE


def _lines(folder: Path, messages: Sequence[Message], tools: Sequence[Schema]) -> Iterator[str]:
    """The paragraphs of a question; pictures that no earlier question has are written to its folder."""
    yield _HEAD.format(folder=folder, form=_CALLS if tools else "The system's message says what form it has.")
    for number, message in enumerate(messages, start=1):
        yield f"---- {number}. {message.role} ----"
        for block in message.content:
            yield block.text if isinstance(block, TextBlock) else _picture(folder, block)
        if message.tool_calls:
            yield _json([{"tool": call.name, "arguments": call.arguments} for call in message.tool_calls])
    if tools:
        yield "---- the tools, as JSON schemas ----"
        yield "\n".join(map(_json, tools))


def _picture(folder: Path, block: Any) -> str:
    """A link to a picture, in this folder or that of an earlier question."""
    name = f"{block.name}-{block.sha256[:10]}.png"
    height, width = block.shape[:2]
    earlier = next((path for path in sorted(folder.parent.glob(f"*/{name}")) if path.parent.name < folder.name), None)
    if earlier is None:
        atomic_write(folder / name, block.png())
    link = name if earlier is None else f"../{earlier.parent.name}/{name}"
    return f"![{block.name}, {width} x {height} pixels]({link})"


def _reply_in(folder: Path) -> str | None:
    """The text of a reply; ``None`` if there is none, or it is being written.

    Raises:
        ModelError: if it cannot be read.
    """
    path = next((folder / name for name in REPLIES if (folder / name).exists()), None)
    if path is None:
        return None
    try:
        before = path.stat()
        if abs(time.time() - before.st_mtime) < _SETTLED:
            time.sleep(_SETTLED)
        text = read_foreign(path, _MAX_BYTES, is_json=False).decode("utf-8-sig", errors="replace").strip()
        after = path.stat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ModelError(f"the reply cannot be read: {error}") from error
    is_whole = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    return text or None if is_whole else None
