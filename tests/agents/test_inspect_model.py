"""Models through Inspect's model layer, against a server with the formats of OpenAI and Anthropic."""

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

import numpy as np
import pytest
from provider_answers import Answer
from provider_server import faults_in_turn, provider_server
from sizes import LONG

from formgym.agents.base import ModelError
from formgym.agents.computer_use import SCHEMA
from formgym.agents.models.inspect import InspectModel
from formgym.agents.models.metered import MeteredModel
from formgym.agents.models.model import ImageBlock, Message, TextBlock, ToolCall

# Importing them takes seconds.
_FOUND = all(find_spec(name) for name in ("inspect_ai", "anthropic", "openai"))
pytestmark = pytest.mark.skipif(not _FOUND, reason="needs Inspect: pip install 'formgym[inspect,llm]' anthropic")

TOOL = {
    "name": "place_text",
    "description": "Write a text.",
    "parameters": {
        "type": "object",
        "properties": {
            "x": {"type": "number", "minimum": 0, "maximum": 1, "description": "Where."},
            "text": {"type": "string", "description": "What."},
        },
        "required": ["x", "text"],
        "additionalProperties": False,
    },
}
PICTURE = ImageBlock(np.random.default_rng(0).integers(0, 255, (30, 40, 3), np.uint8))
CONVERSATION = [
    Message("system", [TextBlock("You fill in forms.")]),
    Message("user", [TextBlock("Fill in the form."), PICTURE]),
    Message("assistant", [TextBlock("I see.")], [ToolCall("call_1", "place_text", {"x": 0.5, "text": "Ann"})]),
    Message("tool", [TextBlock("Written."), PICTURE], tool_call_id="call_1"),
]
ANSWER = Answer("Here.", [("place_text", {"x": 0.25, "text": "Bob"})], 120, 7)
PROVIDERS = ("anthropic", pytest.param("openai-api", marks=LONG))


@pytest.fixture(params=PROVIDERS)
def model(request, monkeypatch):
    """Makes a model of a provider at a server."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    names = {"anthropic": "anthropic/claude-sonnet-4-5", "openai-api": "openai-api/local/tiny"}

    def make(server, **arguments):
        url = server.url if request.param == "anthropic" else f"{server.url}/v1"
        return InspectModel(
            names[request.param], url, **{"max_tokens": 500, "retries": 3, "max_wait": 0.03, **arguments}
        )

    return make


def test_tools_pictures_and_usage_go_there_and_back(model):
    with provider_server(answer=lambda r: ANSWER) as server:
        reply = model(server).generate(CONVERSATION, [TOOL], seed=3, key="abc")
    assert [(call.name, call.arguments) for call in reply.tool_calls] == [("place_text", {"x": 0.25, "text": "Bob"})]
    assert (reply.text, reply.stop) == ("Here.", "tool_calls")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (120, 7)
    request = server.requests[0]
    assert len(request.pictures) == 2
    assert all((np.array(picture) == PICTURE.pixels).all() for picture in request.pictures)
    assert request.tools["place_text"]["properties"].keys() == {"x", "text"}
    assert server.headers[0]["idempotency-key"] == "abc"
    assert request.turn == 1


def test_many_threads_ask_at_once(model, tmp_path):
    with provider_server(answer=lambda r: r.texts[-1], latency=0.2) as server:
        price = {"input": 2, "output": 8}
        metered = MeteredModel(model(server), tmp_path, {"tiny": price, "claude": price})
        with ThreadPoolExecutor(8) as pool:
            asked = [[Message("user", [TextBlock(f"Question {i}")])] for i in range(8)]
            replies = list(pool.map(metered.generate, asked))
    assert [reply.text for reply in replies] == [f"Question {i}" for i in range(8)]
    assert server.most_at_once > 1
    assert sum(reply.usage.cost for reply in replies) == pytest.approx(server.bill["dollars"], abs=1e-12)


@LONG
@pytest.mark.parametrize("fault", ["429", "500", "529", "cut", "reset"])
def test_a_fault_that_passes_is_invisible_and_billed_once(model, fault):
    with provider_server(answer=lambda r: "ok", fault=faults_in_turn(fault)) as server:
        reply = model(server).generate(CONVERSATION, [TOOL], key="abc")
    assert reply.text == "ok"
    assert (server.bill["requests"], server.bill["answers"]) == (2, 1)


@LONG
@pytest.mark.parametrize(("fault", "reason"), [("500", "a fault: 500"), (400, "status 400"), (401, "status 401")])
def test_a_fault_that_stays_or_a_refusal_is_a_model_error_with_its_reason(model, fault, reason):
    with provider_server(fault=lambda n, r: fault) as server, pytest.raises(ModelError, match=reason):
        model(server, retries=1).generate(CONVERSATION)
    assert server.bill["answers"] == 0


@LONG
def test_streamed_replies_are_whole_or_asked_again(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    with provider_server(answer=lambda r: ANSWER, fault=faults_in_turn("cut")) as server:
        model = InspectModel("anthropic/claude-sonnet-4-5", server.url, model_args={"streaming": True}, max_tokens=500)
        reply = model.generate(CONVERSATION, [TOOL], key="abc")
    assert [request.body["stream"] for request in server.requests] == [True, True]
    assert (reply.text, reply.tool_calls[0].arguments) == ("Here.", {"x": 0.25, "text": "Bob"})
    assert server.bill["answers"] == 1


def test_keys_among_the_arguments_are_in_no_reply_and_no_message(model, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    key = "correcthorsebattery"
    refusal = {"status": 400, "body": {"error": {"type": "invalid_request_error", "message": f"{key} may not"}}}
    with provider_server(answer=lambda r: f"I know {key}.", fault=faults_in_turn(None, refusal)) as server:
        mine = model(server, model_args={"api_key": key})
        assert mine.generate(CONVERSATION[:2]).text == "I know removed."
        with pytest.raises(ModelError, match="removed may not") as caught:
            mine.generate(CONVERSATION[:2])
    assert key not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("claude-sonnet-4-5", "computer_20250124"), ("claude-sonnet-5-5", "computer_toolset")],
)
def test_the_tool_computer_is_the_providers_own(monkeypatch, name, kind):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    answer = Answer("", [("computer", {"action": "left_click", "coordinate": [10, 20]})])
    with provider_server(answer=lambda r: answer) as server:
        reply = InspectModel(f"anthropic/{name}", server.url, max_tokens=500).generate(CONVERSATION[:2], [SCHEMA])
    assert server.requests[0].body["tools"][0]["type"].startswith(kind)
    call = reply.tool_calls[0]
    assert (call.name, call.arguments) == ("computer", {"action": "left_click", "coordinate": [10, 20]})


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("openai/gpt-5", {}, "OPENAI_API_KEY"),
        ("nobody/nothing", {}, "nobody"),
        ("openai-api/local/tiny", {"base_url": "http://127.0.0.1:1", "temprature": 1}, "temprature"),
    ],
)
def test_what_is_missing_is_said_before_anything_runs(monkeypatch, name, config, message):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("LOCAL_API_KEY", "none")
    with pytest.raises(ValueError, match=message):
        InspectModel(name, **config)
