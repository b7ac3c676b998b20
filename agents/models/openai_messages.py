"""Conversations in the format of OpenAI's chat completions, and replies from it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .faults import Fault, usage_of
from .model import Block, ImageBlock, Message, Reply, Schema, TextBlock, ToolCall, estimated, newest_pictures, words_of

Wire = dict[str, Any]

_STOPS = {"function_call": "tool_calls", "max_tokens": "length", "end_turn": "stop", "eos": "stop"}
_TOOLS_AS_TEXT = """You call tools by JSON. The tools, as JSON schemas:
{tools}
Answer with a JSON list of calls in a ```json block, each {{"tool": NAME, ...the arguments}}."""


def to_wire(
    messages: Sequence[Message], tools: Sequence[Schema], *, native: bool, max_images: int | None
) -> list[Wire]:
    """The messages of a request.

    Pictures in results of tools follow in a message of the user, since tools return texts only. Messages of the user
    that follow one another are one.

    Args:
        messages: the conversation.
        tools: which the model may call.
        native: whether the request has the tools as such; otherwise the system message describes them, and results of
            calls are messages of the user.
        max_images: how many of the newest pictures are sent; ``None``: all.
    """
    wire: list[Wire] = []
    pictures: list[Block] = []
    for message in newest_pictures(messages, max_images):
        content = message.content
        if message.role == "tool" and native:
            wire.append({"role": "tool", "tool_call_id": message.tool_call_id, "content": words_of(content)})
            pictures += [block for block in content if isinstance(block, ImageBlock)]
            continue
        if pictures:
            _append_user(wire, pictures)
            pictures = []
        if message.role in ("user", "tool"):
            _append_user(wire, content)
        elif message.role == "system":
            _append_system(wire, words_of(content))
        else:
            wire.append(_assistant(message, words_of(content), native))
    if pictures:
        _append_user(wire, pictures)
    if tools and not native:
        rules = [wire.pop(0)["content"]] if wire and wire[0]["role"] == "system" else []
        described = _TOOLS_AS_TEXT.format(tools=json.dumps(list(tools), default=dict))
        wire.insert(0, {"role": "system", "content": "\n\n".join([*rules, described])})
    return wire


def wire_tools(tools: Iterable[Schema]) -> list[Wire]:
    """Tools as functions."""
    return [{"type": "function", "function": dict(tool)} for tool in tools]


def _append_user(wire: list[Wire], content: Sequence[Block]) -> None:
    """Append what the user says; texts alone are one string, which all servers take."""
    parts = [_part(block) for block in content]
    if wire and wire[-1]["role"] == "user":
        before = wire.pop()["content"]
        parts = [*([{"type": "text", "text": before}] if isinstance(before, str) else before), *parts]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    wire.append({"role": "user", "content": "\n\n".join(texts) if len(texts) == len(parts) else parts})


def _append_system(wire: list[Wire], text: str) -> None:
    if wire and wire[-1]["role"] == "system":
        text = f"{wire.pop()['content']}\n\n{text}"
    wire.append({"role": "system", "content": text})


def _assistant(message: Message, text: str, native: bool) -> Wire:
    if not message.tool_calls:
        return {"role": "assistant", "content": text}
    if not native:
        calls = [{"tool": call.name, "arguments": call.arguments} for call in message.tool_calls]
        return {"role": "assistant", "content": text or f"```json\n{json.dumps(calls)}\n```"}
    functions = [(call.id, {"name": call.name, "arguments": json.dumps(call.object)}) for call in message.tool_calls]
    calls = [{"id": call_id, "type": "function", "function": function} for call_id, function in functions]
    return {"role": "assistant", "content": text or None, "tool_calls": calls}


def _part(block: Block) -> Wire:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    return {"type": "image_url", "image_url": {"url": block.data_url}}


def reply_from_wire(completion: Any, messages: Sequence[Message], tools: Sequence[Schema], seconds: float) -> Reply:
    """The reply in a chat completion.

    Args:
        completion: the JSON of the response.
        messages: of the request; the tokens are estimated where the server counts none.
        tools: of the request.
        seconds: that it took.

    Raises:
        Fault: if the response is an error, or no chat completion.
    """
    try:
        choice = (completion.get("choices") or [{}])[0]
        if error := completion.get("error") or choice.get("error"):
            raise _error(error, completion)
        message = choice["message"]
        text = message.get("content") or message.get("refusal") or ""
        calls = [_call(i, call) for i, call in enumerate(message.get("tool_calls") or ())]
        if not isinstance(text, str):
            text = "".join(part.get("text", "") for part in text)
        usage = usage_of(completion.get("usage") or {}, seconds)
        thought = str(message.get("reasoning_content") or message.get("reasoning") or "")
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        shown = json.dumps(completion)[:200]
        fault = Fault(f"the response is no chat completion ({error!r}): {shown}", "malformed", completion)
    else:
        written = text + thought + json.dumps([call.arguments for call in calls])
        usage = estimated(usage, messages, tools, written)
        stop = str(choice.get("finish_reason") or "stop")
        stop = "refusal" if message.get("refusal") and not message.get("content") else _STOPS.get(stop, stop)
        return Reply(text, calls, usage, stop)
    raise fault


def _error(error: Any, completion: Any) -> Fault:
    """An error that comes with the status 200, as through a router."""
    code, words = (error.get("code"), error.get("message")) if isinstance(error, dict) else (None, error)
    status = code if isinstance(code, int) and code >= 400 else "error"
    return Fault(f"the response is an error ({code}): {words}", status, completion)


def _call(number: int, call: Wire) -> ToolCall:
    arguments = call["function"].get("arguments")
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            parsed = None
        arguments = parsed if isinstance(parsed, dict) else arguments
    return ToolCall(str(call.get("id") or f"call_{number}"), str(call["function"]["name"]), arguments)
