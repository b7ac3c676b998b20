"""Models of all providers that Inspect knows, through its model layer."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from ...envs.core.redaction import without_values
from .faults import Fault, fault_of, usage_of
from .model import Block, ImageBlock, Message, Reply, Schema, ToolCall, Usage, estimated, newest_pictures
from .remote import RemoteModel

T = TypeVar("T")

_NOT_IN_KEY = ("timeout", "attempt_timeout", "stream_idle_timeout", "max_connections", "batch")
"""Settings on which no reply depends."""
_STOPS = {"max_tokens": "length", "model_length": "length", "unknown": "stop"}
_REFUSALS = {"model_length": "context_length_exceeded", "content_filter": "content_filter"}
"""Codes of requests that were refused, where Inspect makes replies of them."""


class InspectModel(RemoteModel):
    """A model of one of Inspect's providers.

    A tool named ``computer`` with the parameters of Inspect's goes to the provider as its own computer tool.

    >>> InspectModel("mockllm/model").settings["provider"]
    'inspect'

    Args:
        name: as Inspect has it, such as ``anthropic/claude-sonnet-4-5`` or ``openai/gpt-5``.
        base_url: of the provider's server; ``None``: its own.
        max_images, send_seed, retries, max_wait: see ``RemoteModel``; not all providers take a seed.
        model_args: more arguments of ``inspect_ai.model.get_model``.
        config: of ``inspect_ai.model.GenerateConfig``, such as ``max_tokens``, ``temperature`` or ``reasoning_effort``.

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
        retries: int = 6,
        max_wait: float = 60.0,
        **config: Any,
    ) -> None:
        if not name:
            raise ValueError("model.name is missing: a provider and its model, such as anthropic/claude-sonnet-4-5")
        given = {key: value for key, value in config.items() if value is not None}
        if "max_retries" in given:
            raise ValueError("model.retries says how often a request is sent again, in place of max_retries")
        arguments = {"base_url": base_url, **(model_args or {})}
        super().__init__(name, retries, max_wait, max_images, send_seed, given, arguments)
        self.settings = {
            **self.settings,
            "provider": "inspect",
            "base_url": base_url,
            "model_args": {key: repr(value) for key, value in (model_args or {}).items()},
            "config": {key: value for key, value in given.items() if key not in _NOT_IN_KEY},
        }
        self._model = _model(name, given, self._secrets, arguments)

    def send(
        self,
        messages: Sequence[Message],
        tools: Sequence[Schema],
        parameters: Mapping[str, Any],
        key: str,
        native: bool,
    ) -> Reply:
        """The reply to a request that is sent once; see ``RemoteModel.send``."""
        from inspect_ai.model import GenerateConfig

        own = {**parameters, "max_retries": 0}
        own |= {"extra_headers": {**own.get("extra_headers", {}), "Idempotency-Key": key}} if key else {}
        client = getattr(self._model.api, "client", None)
        if client is not None and hasattr(client, "max_retries"):
            client.max_retries = 0  # Of the provider's own package, which would send it again unseen.
        sent, offered = _messages(messages, self._max_images), [_tool(tool) for tool in tools]
        began = time.perf_counter()
        output = _result(self._model.generate(sent, tools=offered, config=GenerateConfig(**own)), self.name)
        if output.stop_reason in _REFUSALS and not output.usage:
            words = f"{self.name} refused the request: {output.error or output.completion}"
            raise Fault(words, 400, {"code": _REFUSALS[output.stop_reason]})
        if output.error:
            raise Fault(f"{self.name}: {output.error}", "error")
        return _reply(output, messages, tools, time.perf_counter() - began)


def _model(name: str, config: Mapping[str, Any], secrets: Sequence[str], arguments: Mapping[str, Any]) -> Any:
    """Inspect's model.

    Raises:
        ValueError: if there is no such provider or setting, or its key is missing; without the secrets.
        RuntimeError: if Inspect is not installed.
    """
    try:
        from inspect_ai._util.error import PrerequisiteError
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as error:
        raise RuntimeError(f"model=inspect needs Inspect: pip install 'formgym[inspect]' ({error})") from None
    try:
        return get_model(name, config=GenerateConfig(**config), **arguments)
    except (PrerequisiteError, ValueError, ImportError) as error:
        raise ValueError(without_values(f"{name}: {' '.join(str(error).split())}", secrets)) from None


@lru_cache(maxsize=1)
def _loop() -> asyncio.AbstractEventLoop:
    """The event loop of all requests, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="inspect", daemon=True).start()
    return loop


def _result(request: Coroutine[Any, Any, T], name: str) -> T:
    """The result of a request.

    Raises:
        Fault: if it fails: each of the providers has errors of its own.
    """
    future = asyncio.run_coroutine_threadsafe(request, _loop())
    error = future.exception()
    if error is not None:
        raise fault_of(error, name)
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
        content, call_id = inspect_content(message.content), message.tool_call_id
        if message.role == "tool":
            listed.append(ChatMessageTool(content=content, tool_call_id=call_id, function=names.get(call_id or "")))
        elif message.role != "assistant":
            listed.append((ChatMessageSystem if message.role == "system" else ChatMessageUser)(content=content))
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


def _reply(output: Any, messages: Sequence[Message], tools: Sequence[Schema], seconds: float) -> Reply:
    calls = [
        ToolCall(call.id, call.function, call.parse_error or call.arguments) for call in output.message.tool_calls or ()
    ]
    stop = _STOPS.get(output.stop_reason, output.stop_reason)
    details = output.choices[0].stop_details
    stop = "refusal" if stop == "content_filter" and details and details.type == "refusal" else stop
    usage = usage_of(_counts(output.usage), output.time or seconds) if output.usage else Usage(seconds=seconds)
    written = output.completion + str([call.arguments for call in calls])
    return Reply(output.completion, calls, estimated(usage, messages, tools, written), stop)


def _counts(usage: Any) -> dict[str, Any]:
    """Inspect's usage as Anthropic's, which also counts apart what was cached."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cache_read_input_tokens": usage.input_tokens_cache_read,
        "cache_creation_input_tokens": usage.input_tokens_cache_write,
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
        "cost": usage.total_cost,
    }
