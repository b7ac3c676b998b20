"""Chat messages: episodes as the conversations that chat models are trained on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PIL import Image as PillowImage

from ...envs.core.tools import AXES, Call
from ..coordinate_space import rounded
from ..models.model import Block, ImageBlock, TextBlock
from ..session import Session

Message = dict[str, Any]
Chat = dict[str, Any]
"""``messages`` with placeholders for pictures, ``images`` in their order, and ``tools``: a row for SFTTrainer.

Rows with different tools go into a data set by ``Dataset.from_list(rows, on_mixed_types="use_json")``; otherwise every
call gets all arguments.
"""


def content_of(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Blocks as the contents of a message, pictures as Pillow's."""
    return [
        {"type": "text", "text": block.text}
        if isinstance(block, TextBlock)
        else {"type": "image", "image": block.pillow()}
        for block in blocks
    ]


def chat_messages(
    session: Session, calls: Sequence[Call] | None = None, system: str = "", as_text: bool = False
) -> Chat:
    """Play an episode, and return it as a conversation.

    The user opens it and the assistant makes the calls. Feedback comes as a message of the tool; pictures follow it in
    a message of the user, since most chat templates drop those of tools.

    >>> with Session("FormGym/Scans-v0", seed=0) as session:
    ...     [message["role"] for message in chat_messages(session)["messages"]][:3]
    ['user', 'assistant', 'tool']

    Args:
        session: a new one; it is opened and played to its end.
        calls: in the session's coordinates, each ``{"tool": name, **arguments}``; ``None``: the solution, so that a
            model is trained on right answers.
        system: the system's message, if any.
        as_text: whether calls are JSON texts, feedback comes from the user, and the schemas of the tools are in the
            system's message: for chat templates without tools, and for vision-language models in TRL's SFTTrainer,
            which does not read ``tools`` for them.

    Raises:
        RuntimeError: if the session is open already.
    """
    opening = session.open()
    schemas = [{"type": "function", "function": schema} for schema in session.tools.schemas]
    texts = [system] if system else []
    if as_text:
        texts.append('Answer with calls of tools, one at a time, such as {"tool": NAME, ...}.')
        texts.append("\n".join(json.dumps(schema["function"], ensure_ascii=False) for schema in schemas))
    messages: list[Message] = [_message("system", [TextBlock("\n\n".join(texts))])] if texts else []
    messages.append(_message("user", opening))
    images = _images(opening)
    for call in session.solution() if calls is None else calls:
        if session.done:
            break
        arguments = {n: rounded(v, session.unit) if n in AXES else v for n, v in call.items() if n != "tool"}
        blocks, _ = session.call(call["tool"], arguments)
        messages += _turn(call["tool"], arguments, blocks, as_text)
        images += _images(blocks)
    return {"messages": messages, "images": images, "tools": [] if as_text else schemas}


def _turn(name: str, arguments: dict[str, Any], blocks: Sequence[Block], as_text: bool) -> list[Message]:
    """A call and what came of it."""
    if as_text:
        called = json.dumps({"tool": name, **arguments}, ensure_ascii=False)
        return [_message("assistant", [TextBlock(called)]), _message("user", blocks)]
    function = {"type": "function", "function": {"name": name, "arguments": arguments}}
    feedback, news = blocks[:1], blocks[1:]
    return [
        {"role": "assistant", "content": [], "tool_calls": [function]},
        {**_message("tool", feedback), "name": name},
        *([_message("user", news)] if news else []),
    ]


def _message(role: str, blocks: Sequence[Block]) -> Message:
    parts = [{"type": "image"} if isinstance(block, ImageBlock) else content_of([block])[0] for block in blocks]
    return {"role": role, "content": parts}


def _images(blocks: Sequence[Block]) -> list[PillowImage.Image]:
    return [block.pillow() for block in blocks if isinstance(block, ImageBlock)]
