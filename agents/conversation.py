"""Conversations with a model: what is asked and answered, and what it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..envs.core.texts import truncate_middle
from ..envs.core.tools import jsonable
from .base import Exchange, ModelError
from .model import Message, Model, Reply, Schema
from .model_view import Block, ImageBlock, TextBlock
from .replies import ParsedReply

NO_PICTURE = "(An earlier picture of the page was here.)"
MAX_REPLY = 100_000
"""Of the words of a reply, so many characters are kept and sent again."""
_KEPT = ("source_page",)
"""Pictures that are sent again for as long as the conversation lasts."""


class Conversation:
    """One episode's messages to and from a model.

    Args:
        model: is asked.
        seed: of its sampling.
        history: how many pictures are sent with a question; a text is in the place of older ones.

    Attributes:
        usage: what all replies took: ``model_calls``, ``cached_calls``, ``input_tokens``, ``output_tokens``, ``cost``
            in US dollars and ``model_seconds``.
        exchanges: questions and replies; whoever reads them may clear them.
    """

    def __init__(self, model: Model, seed: int, history: int) -> None:
        self._model, self._seed, self._history = model, seed, history
        self.messages: list[Message] = []
        names = ("model_calls", "cached_calls", "input_tokens", "output_tokens", "cost", "model_seconds")
        self.usage: dict[str, float] = dict.fromkeys(names, 0)
        self.exchanges: list[Exchange] = []
        self._n_recorded = 0

    def say(self, role: Any, *blocks: Block) -> None:
        """Add a message of the system or the user."""
        self.messages.append(Message(role, blocks))

    def answer(self, *results: Sequence[Block]) -> None:
        """Add the results of native calls one by one, or of others as the user's words."""
        calls = self.messages[-1].tool_calls
        for call, result in zip(calls, results, strict=False):
            self.messages.append(Message("tool", result, tool_call_id=call.id))
        if not calls:
            self.say("user", *(block for result in results for block in result))

    def ask(self, parse: Callable[[Reply], ParsedReply], tools: Sequence[Schema] = ()) -> tuple[ParsedReply, Reply]:
        """What is read in the model's reply, and the reply.

        Args:
            parse: reads the calls in a reply.
            tools: which the model may call.

        Raises:
            ModelError: if the provider fails; the question is among the exchanges.
        """
        prompt = [_recorded(message) for message in self.messages[self._n_recorded :]]
        try:
            reply = self._model.generate(list(recent(self.messages, self._history)), tools, seed=self._seed)
        except ModelError:
            self.exchanges.append(Exchange(prompt, "", [], {}))
            raise
        self._count(reply)
        text = truncate_middle(reply.text.encode(errors="replace").decode(), MAX_REPLY)
        self.messages.append(Message("assistant", [TextBlock(text)] if text else [], reply.tool_calls))
        self._n_recorded = len(self.messages)
        parsed = parse(reply)
        calls = jsonable([{"tool": call.name, "arguments": call.arguments} for call in parsed.calls])
        self.exchanges.append(Exchange(prompt, text, calls, _amounts(reply), reply.key))
        return parsed, reply

    def _count(self, reply: Reply) -> None:
        for name, amount in _amounts(reply).items():
            self.usage[name] += amount


def recent(messages: Sequence[Message], history: int) -> Iterator[Message]:
    """Messages with only the last pictures of the page; words replace older ones."""
    pictures = [b for m in messages for b in m.content if isinstance(b, ImageBlock) and b.name not in _KEPT]
    old = set(map(id, pictures[: max(0, len(pictures) - history)]))
    for message in messages:
        content = [TextBlock(NO_PICTURE) if id(block) in old else block for block in message.content]
        yield Message(message.role, content, message.tool_calls, message.tool_call_id)


def _amounts(reply: Reply) -> dict[str, float]:
    """What a reply took, by the names of usage."""
    used = reply.usage
    return {
        "model_calls": 1,
        "cached_calls": int(reply.is_cached),
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost,
        "model_seconds": used.seconds,
    }


def _recorded(message: Message) -> dict[str, Any]:
    """A message as records keep it: pictures by their digests."""
    content = [block.text if isinstance(block, TextBlock) else _picture(block) for block in message.content]
    return {"role": message.role, "content": content}


def _picture(block: ImageBlock) -> dict[str, Any]:
    height, width = block.pixels.shape[:2]
    return {"image": block.name, "width": width, "height": height, "sha256": block.sha256}
