"""Models behind OpenAI's chat completions, against a real server with faults."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider_answers import Answer
from provider_server import faults_in_turn, provider_server

from formgym.agents.base import ModelError
from formgym.agents.models.faults import Fault, retry_after
from formgym.agents.models.model import ImageBlock, Message, TextBlock, ToolCall
from formgym.agents.models.openai_compatible import OpenAICompatible
from formgym.agents.models.openai_messages import reply_from_wire, to_wire

pytestmark = pytest.mark.skipif(find_spec("openai") is None, reason="needs OpenAI's SDK: pip install 'formgym[llm]'")

TOOL = {
    "name": "place_text",
    "description": "Write a text.",
    "parameters": {
        "type": "object",
        "properties": {"x": {"type": "number", "minimum": 0, "maximum": 1}, "text": {"type": "string"}},
        "required": ["x", "text"],
    },
}
HELLO = [Message("user", [TextBlock("Fill in the form.")])]


def picture(height=30, width=40):
    return ImageBlock(np.random.default_rng(height).integers(0, 255, (height, width, 3), np.uint8))


def model(server, **arguments):
    return OpenAICompatible("tiny", f"{server.url}/v1", **{"max_wait": 0.03, "timeout": 5, **arguments})


def test_calls_of_tools_and_usage_come_back():
    with provider_server(
        answer=lambda r: Answer("Here.", [("place_text", {"x": 0.5, "text": "Ann"})], 120, 7)
    ) as server:
        reply = model(server, temperature=0.5, extra={"top_k": 3}).generate(HELLO, [TOOL], seed=2**40 + 5)
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("place_text", {"x": 0.5, "text": "Ann"})]
    assert (reply.text, reply.stop, reply.usage.input_tokens, reply.usage.output_tokens) == (
        "Here.",
        "tool_calls",
        120,
        7,
    )
    body = server.requests[0].body
    assert (body["model"], body["temperature"], body["top_k"], body["max_tokens"]) == ("tiny", 0.5, 3, 4096)
    assert body["tools"] == [{"type": "function", "function": TOOL}]
    assert 0 <= body["seed"] < 2**31


def test_pictures_arrive_whole_and_only_the_newest():
    sent = [picture(30 + i) for i in range(5)]
    messages = [Message("user", [TextBlock(f"Page {i}"), one]) for i, one in enumerate(sent)]
    with provider_server(answer=lambda r: f"{r.pictures[-1].size}") as server:
        reply = model(server, max_images=2).generate(messages)
    request = server.requests[0]
    assert reply.text == "(40, 34)"
    assert len(request.pictures) == 2
    assert all((np.array(p) == one.pixels).all() for p, one in zip(request.pictures, sent[-2:], strict=True))
    assert "".join(request.texts).count("earlier picture") == 3


def test_a_conversation_with_pictures_in_results_is_one_that_servers_take():
    calls = [ToolCall("a", "place_text", {"x": 0.5}), ToolCall("b", "place_text", "{broken")]
    messages = [
        Message("system", [TextBlock("You fill in forms.")]),
        *HELLO,
        Message("assistant", [], calls),
        Message("tool", [TextBlock("Written."), picture()], tool_call_id="a"),
        Message("tool", [TextBlock("No such thing.")], tool_call_id="b"),
        Message("user", [TextBlock("Go on.")]),
    ]
    with provider_server() as server:
        model(server).generate(messages, [TOOL])
    sent = server.requests[0].body["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert [part["type"] for part in sent[-1]["content"]] == ["image_url", "text"]
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in sent[2]["tool_calls"])
    as_text = to_wire(messages, [TOOL], native=False, max_images=None)
    assert [message["role"] for message in as_text] == ["system", "user", "assistant", "user"]
    assert "place_text" in as_text[0]["content"]
    assert "tool_calls" not in as_text[2]


def test_a_server_without_tools_gets_them_as_text_from_then_on():
    with provider_server(answer=lambda r: "ok", fault=lambda n, r: 400 if r.tools else None) as server:
        tiny = model(server)
        assert [tiny.generate(HELLO, [TOOL]).text for _ in range(2)] == ["ok", "ok"]
        assert [bool(request.tools) for request in server.requests] == [True, False, False]
        assert "place_text" in server.requests[-1].texts[0]
        with pytest.raises(ModelError, match="400"):
            model(server, tools="native").generate(HELLO, [TOOL])


@pytest.mark.parametrize(("hint", "limit"), [("; use max_completion_tokens", 500), ("", None)])
@pytest.mark.filterwarnings("ignore:tiny does not take")
def test_the_limit_of_replies_is_the_one_that_requests_have_from_then_on(hint, limit):
    refusal = {"status": 400, "body": {"error": {"message": f"max_tokens is not supported{hint}"}}}
    with provider_server(
        answer=lambda r: "ok", fault=lambda n, r: refusal if "max_tokens" in r.body else None
    ) as server:
        tiny = model(server, max_tokens=500)
        assert tiny.max_output_tokens == 500
        tiny.generate(HELLO)
        assert (tiny.max_output_tokens, server.requests[-1].body.get("max_completion_tokens")) == (limit, limit)
        assert model(server, extra={"max_tokens": None}).max_output_tokens is None


def test_a_key_in_a_variable_of_any_name_is_in_no_reply(monkeypatch):
    monkeypatch.setenv("MY_ACCESS", "correcthorsebattery")
    with provider_server(answer=lambda r: "I know correcthorsebattery.") as server:
        assert model(server, api_key_env="MY_ACCESS").generate(HELLO).text == "I know removed."


FAULTS = ["429", "429-date", "500", "529", "cut", "reset", "invalid_json", "slow"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_invisible_and_billed_once(fault):
    with provider_server(fault=faults_in_turn(fault, fault), slow=0.6) as server:
        timeout = 0.3 if fault == "slow" else 5
        reply = model(server, timeout=timeout).generate(HELLO, key="abc")
    assert reply.text == "Done."
    assert (server.bill["requests"], server.bill["answers"]) == (3, 1)
    assert {headers["idempotency-key"] for headers in server.headers} == {"abc"}


@pytest.mark.parametrize("fault", ["500", "reset"])
def test_a_fault_that_stays_is_a_model_error_that_says_what_happened(fault):
    with provider_server(fault=lambda n, r: fault) as server, pytest.raises(ModelError, match="sent 3 times"):
        model(server, retries=2).generate(HELLO)
    assert server.bill["requests"] == 3


@pytest.mark.parametrize(
    ("status", "hint"), [(400, "answered 400"), (401, "variable"), (403, "may not"), (404, "model.name")]
)
def test_what_will_not_pass_is_not_tried_again(status, hint):
    with provider_server(fault=lambda n, r: status) as server, pytest.raises(ModelError, match=hint):
        model(server).generate(HELLO)
    assert server.bill["requests"] == 1


def test_a_huge_reply_is_refused_while_it_is_read():
    with provider_server(fault=lambda n, r: "huge") as server, pytest.raises(ModelError, match="more than 8 MB"):
        model(server).generate(HELLO)
    assert server.bill["requests"] == 1


def test_a_server_that_is_not_there_is_a_model_error():
    with provider_server() as server:
        pass
    with pytest.raises(ModelError, match="connection"):
        model(server, retries=1).generate(HELLO)


def test_a_key_is_needed_before_anything_runs(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="OPENAI_API_KEY"):
        OpenAICompatible("gpt-5-mini")
    with pytest.raises(ValueError, match="MY_KEY"):
        OpenAICompatible("some-model", "https://models.example.org/v1", api_key_env="MY_KEY")
    for url in ("http://localhost:8000/v1", "http://127.0.0.1:1/v1", "http://10.0.0.7/v1", "http://gpu-box:8000/v1"):
        assert OpenAICompatible("some-model", url).name == "some-model"
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "sk-secret" not in json.dumps(OpenAICompatible("gpt-5-mini").settings)
    with pytest.raises(ValueError, match="auto, native or json"):
        OpenAICompatible("gpt-5-mini", tools="xml")


PAST, SOON = "Wed, 21 Oct 2015 07:28:00 GMT", format_datetime(datetime.now(UTC) + timedelta(hours=10), usegmt=True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("2", 2), ("2.0", 2), ("-3", 0), (PAST, 0), (SOON, 36_000), ("soon", None), ("", None), ("99 o'clock", None)],
    # Names that hold the time would differ between the processes of a run.
    ids=["two", "two_point_zero", "negative", "past_date", "soon_date", "word", "empty", "not_a_date"],
)
def test_retry_after_is_read_as_seconds_or_as_a_date_if_it_is_one(value, seconds):
    assert retry_after({"retry-after": value}) == (seconds and pytest.approx(seconds, rel=0.2))
    assert retry_after({}) is None


def test_milliseconds_of_a_retry_after_header_come_first_where_they_are_a_number():
    assert retry_after({"retry-after-ms": "250", "retry-after": "1"}) == 0.25
    assert retry_after({"retry-after-ms": "soon", "retry-after": "1"}) == 1


COMPLETION = {
    "choices": [
        {
            "message": {
                "content": "Here.",
                "tool_calls": [{"id": "a", "function": {"name": "place_text", "arguments": "{}"}}],
            },
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 1}},
}


def _paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from _paths(inner, (*path, key))


@given(
    st.sampled_from(list(_paths(COMPLETION))),
    st.sampled_from(
        [None, True, 3, -1.5, float("inf"), 10**400, "word", "[", [], {}, [None], [[]], {"function": 3}, "[" * 20_000]
    ),
)
def test_odd_responses_are_malformed_or_replies(path, odd):
    completion = {"whole": json.loads(json.dumps(COMPLETION))}
    inner = completion
    *outer, last = ("whole", *path)
    for key in outer:
        inner = inner[key]
    inner[last] = odd
    try:
        reply = reply_from_wire(completion["whole"], HELLO, [], 0.1)
    except Fault:
        return
    assert isinstance(reply.text, str)
    assert reply.usage.input_tokens >= 0
