"""The interface of models: blocks of text and pictures, messages, tool calls, replies and their usage."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from ...envs.core.pages import png_bytes

Pixels = NDArray[np.uint8]
Schema = Mapping[str, Any]
"""A tool as a JSON schema for function calling; see ``ToolSpace.schemas``."""


@dataclass(frozen=True)
class TextBlock:
    """A text for a model or a person.

    >>> TextBlock("Total: 5").text
    'Total: 5'
    """

    text: str


@dataclass(frozen=True, eq=False)
class ImageBlock:
    """A picture for a model or a person.

    >>> ImageBlock(np.zeros((20, 30, 3), np.uint8)).pillow().size
    (30, 20)

    Attributes:
        pixels: uint8 (height, width, 3).
        name: of the observation that it shows: ``"page"``, ``"source_page"`` or ``"zoom"``.
    """

    pixels: Pixels
    name: str = "page"

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and 3."""
        return self.pixels.shape

    def pillow(self) -> PillowImage.Image:
        """The picture as Pillow's."""
        return PillowImage.fromarray(self.pixels)

    def png(self) -> bytes:
        """The picture as a PNG file."""
        return png_bytes(self.pixels)

    @cached_property
    def data_url(self) -> str:
        """The PNG file as a data URL; made once, since a conversation is sent many times."""
        return f"data:image/png;base64,{base64.b64encode(self.png()).decode()}"

    @cached_property
    def sha256(self) -> str:
        """The digest of the pixels."""
        return hashlib.sha256(self.pixels.tobytes()).hexdigest()


class PackedImage(ImageBlock):
    """A picture that takes little memory, and is unpacked when its pixels are read.

    >>> PackedImage(ImageBlock(np.zeros((20, 30, 3), np.uint8))).pixels.shape
    (20, 30, 3)

    Args:
        image: what is packed.
    """

    def __init__(self, image: ImageBlock) -> None:
        known = {name: value for name, value in vars(image).items() if name != "pixels"}
        vars(self).update(known, _shape=image.shape, _packed=zlib.compress(image.pixels.tobytes(), 1))

    @property
    def shape(self) -> tuple[int, ...]:
        """Height, width and 3."""
        return cast("tuple[int, ...]", vars(self)["_shape"])

    @property
    def pixels(self) -> Pixels:
        """uint8 (height, width, 3)."""
        return np.frombuffer(zlib.decompress(vars(self)["_packed"]), np.uint8).reshape(self.shape)


Block = TextBlock | ImageBlock
NO_PICTURE = TextBlock("(An earlier picture of the page was here.)")


def words_of(blocks: Iterable[Block]) -> str:
    """The texts of blocks alone."""
    return "\n\n".join(block.text for block in blocks if isinstance(block, TextBlock))


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool in a reply.

    >>> ToolCall("1", "place_text", {"x": 0.5, "y": 0.5, "text": "Ann"}).name
    'place_text'

    Attributes:
        id: by which its result is sent back.
        name: of the tool, whether there is such a tool or not.
        arguments: what the model wrote: an object, or the text as it is if that is no JSON.
    """

    id: str
    name: str
    arguments: Any

    @property
    def object(self) -> dict[str, Any]:
        """The arguments as an object: servers take nothing else."""
        return self.arguments if isinstance(self.arguments, dict) else {"malformed": self.arguments}


@dataclass(frozen=True)
class Message:
    """A message of a conversation.

    >>> Message("user", [TextBlock("Fill in the form.")]).role
    'user'

    Attributes:
        role: who speaks; ``"tool"`` returns the result of a call.
        content: texts and pictures.
        tool_calls: of an assistant.
        tool_call_id: of a tool: the call that is answered.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: Sequence[Block]
    tool_calls: Sequence[ToolCall] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True)
class Usage:
    """What a reply took.

    >>> Usage(input_tokens=900, output_tokens=40).cost
    0.0

    Attributes:
        input_tokens: of the prompt, cached ones included.
        output_tokens: of the reply, hidden reasoning included.
        cached_input_tokens: those of the prompt that the provider had in its cache.
        cache_write_tokens: those of the prompt that it put there at a price of their own.
        seconds: from the request to the whole reply, without waits between retries.
        cost: in US dollars; 0 where the price is not known.
        is_estimated: whether the tokens are our own upper estimate, since the provider counts none.
        is_unknown: whether there is no count of tokens, nor of their cost; records have none then, rather than 0.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    is_estimated: bool = False
    is_unknown: bool = False


@dataclass(frozen=True)
class Reply:
    """A reply of a model.

    >>> Reply("Done.").stop
    'stop'

    Attributes:
        text: its words.
        tool_calls: in order.
        usage: what it took.
        stop: why it ended: ``"stop"``, ``"length"`` (cut off), ``"tool_calls"``, ``"content_filter"``, ``"refusal"`` or
            the provider's word.
        is_cached: whether it comes from the cache on disk, so that nothing was paid for it now.
        key: of its entry in that cache; empty where there is none.
        left_out: parameters that were not sent, since the server does not take them.
    """

    text: str
    tool_calls: Sequence[ToolCall] = ()
    usage: Usage = field(default_factory=Usage)
    stop: str = "stop"
    is_cached: bool = False
    key: str = ""
    left_out: Sequence[str] = ()


class Model(Protocol):
    """The only door to a provider; several threads may call it at once."""

    name: str
    """Of the model, such as ``"gpt-5-mini"``, as prices and records have it."""

    def generate(self, messages: Sequence[Message], tools: Sequence[Schema] = (), *, seed: int = 0) -> Reply:
        """The reply to a conversation.

        Args:
            messages: the oldest first.
            tools: which the model may call.
            seed: of sampling, where the provider takes one; replies of different seeds are cached apart.

        Raises:
            ModelStopped: if the model cannot answer it: the prompt is too long, or the request is refused.
            ModelError: if the provider fails after all retries, or the budget is spent.
        """
        ...


Attempt = Callable[[Callable[[], Reply]], Reply]
"""Sends a request once by calling what it is given; a ledger stands around it."""


def unmetered(send: Callable[[], Reply]) -> Reply:
    """The reply to a request that is sent once."""
    return send()


class Provider(Model, Protocol):
    """A model as its provider has it, without a cache, prices and a budget."""

    settings: Mapping[str, Any]
    """All that replies depend on besides the conversation, as JSON: of the key in the cache."""
    max_output_tokens: int | None
    """The most that a reply may have; ``None``: not limited by us."""

    def generate(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema] = (),
        *,
        seed: int = 0,
        key: str = "",
        attempt: Attempt = unmetered,
    ) -> Reply:
        """The reply to a conversation; see ``Model.generate``.

        A ``key`` goes with the request, so that a provider that reads it answers and bills it once. Each time that the
        request is sent, it is sent by ``attempt``.
        """
        ...


def newest_pictures(messages: Sequence[Message], count: int | None) -> list[Message]:
    """A conversation with at most ``count`` pictures; a line of text is in the place of each older one.

    So that providers' caches of prompts hold, pictures leave half of ``count`` at a time, not one by one: between that
    and ``count`` are sent. The source page, if there is room for another picture beside it, always stays.

    Args:
        messages: the oldest first.
        count: the most pictures; ``None``: all.
    """
    pictures = [block for message in messages for block in message.content if isinstance(block, ImageBlock)]
    if count is None or len(pictures) <= count:
        return list(messages)
    kept = [block for block in pictures if block.name == "source_page"]
    kept = kept if len(kept) < count else []
    others, room = [block for block in pictures if block not in kept], count - len(kept)
    step = (room + 1) // 2
    left_out = others[: max(1, -(-(len(others) - room) // step) * step) if step else len(others)]
    return [
        replace(message, content=[NO_PICTURE if block in left_out else block for block in message.content])
        for message in messages
    ]


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
                height, width = block.shape[:2]
                total += _TOKENS_PER_IMAGE + height * width // _PIXELS_PER_TOKEN
    return total


def estimated(usage: Usage, messages: Sequence[Message], tools: Sequence[Schema], written: str) -> Usage:
    """A usage, with upper estimates of its tokens if the provider has counted none."""
    if usage.input_tokens or usage.output_tokens:
        return usage
    read = prompt_tokens(messages, tools)
    return replace(usage, input_tokens=read, output_tokens=text_tokens(written), is_estimated=True)
