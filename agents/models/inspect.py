"""Models of all providers that Inspect knows, through its model layer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from ..base import ModelError
from .model import Block, ImageBlock, Message, Reply, Schema, ToolCall, Usage, newest_pictures

T = TypeVar("T")

_NOT_IN_KEY = ("timeout", "attempt_timeout", "stream_idle_timeout", "max_retries", "max_connections", "batch")
"""Settings on which no reply depends."""
_STOPS = {"max_tokens": "length", "model_length": "length"}


class InspectModel:
    """A model of one of Inspect's providers.

    A tool named ``computer`` with the parameters of Inspect's goes to the provider as its own computer tool.

    >>> InspectModel("mockllm/model").settings["provider"]
    'inspect'

    Args:
        name: as Inspect has it, such as ``anthropic/claude-sonnet-4-5`` or ``openai/gpt-5``.
        base_url: of the provider's server; ``None``: its own.
        max_images: how many of the newest pictures are sent; ``None``: all.
        send_seed: whether requests have a seed; not all providers take one.
        model_args: more arguments of ``inspect_ai.model.get_model``.
        config: of ``inspect_ai.model.GenerateConfig``, such as ``max_tokens``, ``temperature``, ``reasoning_effort`` or
            ``max_retries``.

    Raises:
        ValueError: if there is no such provider or setting, or its key is missing.
        RuntimeError: if Inspect is not installed.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        max_images: int | None = 8,
        send_seed: bool = True,
        model_args: Mapping[str, Any] | None = None,
        **config: Any,
    ) -> None:
        if not name:
            raise ValueError("model.name is missing: a provider and its model, such as anthropic/claude-sonnet-4-5")
        given = {key: value for key, value in config.items() if value is not None}
        self.name, self._max_images, self._send_seed = name, max_images, send_seed
        self.max_output_tokens: int | None = given.get("max_tokens")
        self.settings: Mapping[str, Any] = {
            "provider": "inspect",
            "name": name,
            "base_url": base_url,
            "max_images": max_images,
            "send_seed": send_seed,
            "model_args": {key: repr(value) for key, value in (model_args or {}).items()},
            "config": {key: value for key, value in given.items() if key not in _NOT_IN_KEY},
        }
        self._config = given
        self._model = _model(name, base_url, model_args or {}, given)

    def generate(
        self, messages: Sequence[Message], tools: Sequence[Schema] = (), *, seed: int = 0, key: str = ""
    ) -> Reply:
        """The reply to a conversation; see ``Model.generate``.

        Raises:
            ModelError: if the provider fails after Inspect's retries, or refuses the request.
        """
        from inspect_ai.model import GenerateConfig

        own: dict[str, Any] = {"seed": seed % 2**31} if self._send_seed else {}
        own |= {"extra_headers": {**self._config.get("extra_headers", {}), "Idempotency-Key": key}} if key else {}
        config = GenerateConfig(**self._config | own)
        sent, offered = _messages(messages, self._max_images), [_tool(tool) for tool in tools]
        began = time.perf_counter()
        output = _result(self._model.generate(sent, tools=offered, config=config), self.name)
        if output.error:
            raise ModelError(f"{self.name}: {output.error}")
        return _reply(output, time.perf_counter() - began)


def _model(name: str, base_url: str | None, model_args: Mapping[str, Any], config: Mapping[str, Any]) -> Any:
    """Inspect's model.

    Raises:
        ValueError: if there is no such provider or setting, or its key is missing.
        RuntimeError: if Inspect is not installed.
    """
    try:
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as error:
        raise RuntimeError(f"model=inspect needs Inspect: pip install 'formgym[inspect]' ({error})") from None
    try:
        return get_model(name, config=GenerateConfig(**config), base_url=base_url, **model_args)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise ValueError(f"{name}: {' '.join(str(error).split())}") from error


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all requests, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="inspect", daemon=True).start()
    return loop


def _result(request: Coroutine[Any, Any, T], name: str) -> T:
    """The result of a request.

    Raises:
        ModelError: if it fails: each of the providers has errors of its own.
    """
    future = asyncio.run_coroutine_threadsafe(request, _loop())
    error = future.exception()
    if error is not None:
        # After retries it is the cause that tells more; a refusal has the whole request before its reason.
        cause = error.__cause__ or error
        reason = str(cause).strip().rpartition("\n\n")[2]
        raise ModelError(f"{name}: {type(cause).__name__}: {reason[:1000]}") from error
    return future.result()


def _tool(schema: Schema) -> Any:
    from inspect_ai.tool import ToolInfo, ToolParams

    parameters = ToolParams.model_validate(schema["parameters"])
    return ToolInfo(name=schema["name"], description=schema["description"], parameters=parameters)


def _messages(messages: Sequence[Message], max_images: int | None) -> list[Any]:
    """The conversation as Inspect's messages."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageTool, ChatMessageUser
    from inspect_ai.tool import ToolCall as InspectCall

    names = {call.id: call.name for message in messages for call in message.tool_calls}
    listed: list[Any] = []
    for message in newest_pictures(messages, max_images):
        content = inspect_content(message.content)
        if message.role == "system":
            listed.append(ChatMessageSystem(content=content))
        elif message.role == "user":
            listed.append(ChatMessageUser(content=content))
        elif message.role == "tool":
            call_id = message.tool_call_id
            listed.append(ChatMessageTool(content=content, tool_call_id=call_id, function=names.get(call_id or "")))
        else:
            calls = [InspectCall(call.id, call.name, call.object) for call in message.tool_calls]
            listed.append(ChatMessageAssistant(content=content, tool_calls=calls or None))
    return listed


def inspect_content(blocks: Sequence[Block]) -> list[Any]:
    """Blocks as the content of one of Inspect's messages."""
    from inspect_ai.model import ContentImage, ContentText

    return [
        ContentImage(image=block.data_url) if isinstance(block, ImageBlock) else ContentText(text=block.text)
        for block in blocks
    ]


def _reply(output: Any, seconds: float) -> Reply:
    calls = [
        ToolCall(call.id, call.function, call.parse_error or call.arguments) for call in output.message.tool_calls or ()
    ]
    usage = output.usage
    cached = (usage and usage.input_tokens_cache_read) or 0
    written = (usage and usage.input_tokens_cache_write) or 0
    return Reply(
        text=output.completion,
        tool_calls=calls,
        usage=Usage(
            # Inspect counts the tokens that were cached apart.
            input_tokens=(usage.input_tokens if usage else 0) + cached + written,
            output_tokens=usage.output_tokens if usage else 0,
            cached_input_tokens=cached,
            cache_write_tokens=written,
            seconds=output.time or seconds,
            cost=(usage and usage.total_cost) or 0.0,
        ),
        stop=_STOPS.get(output.stop_reason, output.stop_reason),
    )
