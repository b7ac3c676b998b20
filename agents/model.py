"""The interface of models: messages, tool calls, replies and their usage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .model_view import Block

Schema = Mapping[str, Any]
"""A tool as a JSON schema for function calling; see ``ToolSpace.schemas``."""


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


@dataclass(frozen=True)
class Message:
    """A message of a conversation.

    >>> from formgym.agents.model_view import TextBlock
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
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0


@dataclass(frozen=True)
class Reply:
    """A reply of a model.

    >>> Reply("Done.").stop
    'stop'

    Attributes:
        text: its words.
        tool_calls: in order.
        usage: what it took.
        stop: why it ended: ``"stop"``, ``"length"`` (cut off), ``"tool_calls"`` or the provider's word.
        is_cached: whether it comes from the cache on disk, so that nothing was paid for it now.
        key: of its entry in that cache; empty where there is none.
    """

    text: str
    tool_calls: Sequence[ToolCall] = ()
    usage: Usage = field(default_factory=Usage)
    stop: str = "stop"
    is_cached: bool = False
    key: str = ""


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
            ModelError: if the provider fails after all retries, or the budget is spent.
        """
        ...


class Provider(Model, Protocol):
    """A model as its provider has it, without a cache, prices and a budget."""

    settings: Mapping[str, Any]
    """All that replies depend on besides the conversation, as JSON: of the key in the cache."""
    max_output_tokens: int | None
    """The most that a reply may have; ``None``: not limited by us."""

    def generate(
        self, messages: Sequence[Message], tools: Sequence[Schema] = (), *, seed: int = 0, key: str = ""
    ) -> Reply:
        """The reply to a conversation; see ``Model.generate``.

        A ``key`` goes with the request, so that the provider answers and bills it once.
        """
        ...
