"""What a provider reads in requests and writes in responses, in the formats of OpenAI and Anthropic."""

import base64
import hashlib
import io
import json
import random
from dataclasses import dataclass, field

from PIL import Image


@dataclass(frozen=True)
class Request:
    """A request in one shape: ``messages`` are pairs of a role and a list of texts and pictures."""

    wire: str
    body: dict
    key: str
    messages: list
    tools: dict
    turn: int

    @property
    def texts(self):
        return [part for _, parts in self.messages for part in parts if isinstance(part, str)]

    @property
    def pictures(self):
        return [part for _, parts in self.messages for part in parts if isinstance(part, Image.Image)]


@dataclass(frozen=True)
class Answer:
    """A reply: ``calls`` are pairs of a tool's name and its arguments; tokens that are not given are counted."""

    text: str = ""
    calls: list = field(default_factory=list)
    input_tokens: int | None = None
    output_tokens: int | None = None

    def usage(self, request):
        read = sum(map(len, request.texts)) // 4 + sum(p.width * p.height // 750 for p in request.pictures) + 10
        written = (len(self.text) + len(json.dumps(self.calls))) // 4 + 1
        counted = (self.input_tokens, self.output_tokens)
        return tuple(number if given is None else given for given, number in zip(counted, (read, written), strict=True))


def parsed(path, body, key):
    """The request that was posted to a path; ``ValueError`` if it is malformed."""
    wire = "anthropic" if path.partition("?")[0].endswith("/messages") else "openai"
    messages = [("system", _parts(body["system"]))] if body.get("system") else []
    messages += [(message["role"], _parts(message.get("content") or "")) for message in body["messages"]]
    tools = {}
    for tool in body.get("tools", ()):
        function = tool.get("function", tool)
        tools[function.get("name", function.get("type"))] = function.get("parameters", function.get("input_schema"))
    turn = sum(role == "assistant" for role, _ in messages)
    return Request(wire, body, key, messages, tools, turn)


def _parts(content):
    if isinstance(content, str):
        return [content]
    parts = []
    for part in content:
        if part["type"] == "text":
            parts.append(part["text"])
        elif part["type"] == "image_url":
            parts.append(_picture(part["image_url"]["url"].partition("base64,")[2]))
        elif part["type"] == "image":
            parts.append(_picture(part["source"]["data"]))
        elif part["type"] == "tool_result":
            parts += _parts(part.get("content") or "")
        elif part["type"] not in ("tool_use", "thinking"):
            raise ValueError(f"no such content: {part['type']}")
    return parts


def _picture(data):
    picture = Image.open(io.BytesIO(base64.b64decode(data, validate=True)))
    picture.load()
    return picture


def response(request, answer):
    """The JSON of an answer in the request's wire format."""
    tokens = answer.usage(request)
    ids = [f"call_{hashlib.sha256(f'{request.turn}/{i}'.encode()).hexdigest()[:12]}" for i in range(len(answer.calls))]
    calls = list(zip(ids, answer.calls, strict=True))
    model = request.body["model"]
    if request.wire == "anthropic":
        text = [{"type": "text", "text": answer.text}] if answer.text else []
        uses = [{"type": "tool_use", "id": i, "name": name, "input": args} for i, (name, args) in calls]
        shared = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "stop_sequence": None}
        usage = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
        return {**shared, "content": text + uses, "stop_reason": "tool_use" if uses else "end_turn", "usage": usage}
    message = {"role": "assistant", "content": answer.text}
    if calls:
        functions = [(i, {"name": name, "arguments": json.dumps(args)}) for i, (name, args) in calls]
        message["tool_calls"] = [{"id": i, "type": "function", "function": function} for i, function in functions]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop", "logprobs": None}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    shared = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1_760_000_000, "model": model}
    return {**shared, "choices": [choice], "usage": usage}


def chunks(completion):
    """OpenAI's completion as server-sent events."""
    (choice,) = completion["choices"]
    calls = [{"index": i, **call} for i, call in enumerate(choice["message"].get("tool_calls", ()))]
    delta = choice["message"] | ({"tool_calls": calls} if calls else {})
    chunk = completion | {"object": "chat.completion.chunk"}
    whole = chunk | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}], "usage": None}
    ended = chunk | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    return "".join(f"data: {line}\n\n" for line in (json.dumps(whole), json.dumps(ended), "[DONE]")).encode()


def events(message):
    """Anthropic's message, or OpenAI's, as server-sent events."""
    if "choices" in message:
        return chunks(message)
    begun = message | {"content": [], "stop_reason": None, "usage": message["usage"] | {"output_tokens": 1}}
    listed = [{"type": "message_start", "message": begun}]
    for index, block in enumerate(message["content"]):
        is_text = block["type"] == "text"
        empty = block | ({"text": ""} if is_text else {"input": {}})
        words = block["text"] if is_text else json.dumps(block["input"])
        kind, name = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
        listed += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": {"type": kind, name: words}},
            {"type": "content_block_stop", "index": index},
        ]
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    output = {"output_tokens": message["usage"]["output_tokens"]}
    listed += [{"type": "message_delta", "delta": ended, "usage": output}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in listed).encode()


def calls_of_tools(request, turns=2):
    """Calls that fit the tools' schemas, made from the conversation; after some turns, ``terminate``."""
    if request.turn >= turns or not request.tools:
        return Answer("Done.", [("terminate", {})] if "terminate" in request.tools else [])
    content = json.dumps([request.body["model"], request.body["messages"]], sort_keys=True)
    rng = random.Random(hashlib.sha256(content.encode()).hexdigest())
    if any(name.startswith("computer") for name in request.tools):
        return Answer(
            "", [("computer", {"action": "left_click", "coordinate": [rng.randrange(900), rng.randrange(700)]})]
        )
    name = rng.choice(sorted(name for name in request.tools if name != "terminate"))
    arguments = {key: _value(schema, rng) for key, schema in request.tools[name].get("properties", {}).items()}
    return Answer(f"I call {name}.", [(name, arguments)])


def _value(schema, rng):
    kind = schema.get("type")
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if kind in ("integer", "number"):
        low, high = schema.get("minimum", 0), schema.get("maximum", 100)
        return rng.randint(int(low), int(high)) if kind == "integer" else round(rng.uniform(low, high), 4)
    if kind == "array":
        return [_value(schema.get("items", {}), rng) for _ in range(schema.get("minItems", 1))]
    if kind == "boolean":
        return rng.random() < 0.5
    return rng.choice(("Ann", "12", "2024-05-01", "Elm Street 3"))
