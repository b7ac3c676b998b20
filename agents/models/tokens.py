"""Estimates of how many tokens a conversation has."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..model import Message, Schema
from ..model_view import TextBlock

_BYTES_PER_TOKEN = 2
"""Bytes of text in a token: English has about four, other languages and code fewer."""
_PIXELS_PER_TOKEN = 500
_TOKENS_PER_IMAGE = 300
"""Tokens of an image, added to those by its size."""


def text_tokens(text: str) -> int:
    """An upper estimate of a text's tokens."""
    return -(-len(text.encode(errors="replace")) // _BYTES_PER_TOKEN)


def prompt_tokens(messages: Sequence[Message], tools: Sequence[Schema] = ()) -> int:
    """An upper estimate of the tokens of a conversation, its pictures and its tools."""
    total = text_tokens(json.dumps(list(tools), default=dict))
    for message in messages:
        total += 16 + sum(text_tokens(json.dumps(call.arguments, default=str)) for call in message.tool_calls)
        for block in message.content:
            if isinstance(block, TextBlock):
                total += text_tokens(block.text)
            else:
                height, width = block.pixels.shape[:2]
                total += _TOKENS_PER_IMAGE + height * width // _PIXELS_PER_TOKEN
    return total
