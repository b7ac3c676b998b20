"""Scripted models: replies by turn, from files and functions, and what is wrong with a script."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from formgym.agents.base import ModelError
from formgym.agents.models.model import ImageBlock, Message, Reply, TextBlock, ToolCall, Usage
from formgym.agents.models.scripted import Scripted

CALL = {"name": "place_text", "arguments": {"x": 0.5, "y": 0.5, "text": "Ann"}}
LINES = ["first", {"tool_calls": [CALL], "usage": {"input_tokens": 10, "output_tokens": 3}}, {"text": "last"}]


def _conversation(replies):
    said = [Message("assistant", [TextBlock("...")])] * replies
    return [Message("user", [TextBlock("Fill in the form.")]), *said]


def test_the_reply_follows_from_the_conversation_in_any_thread():
    model = Scripted(LINES)
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda i: model.generate(_conversation(i % 5)).text, range(100)))
    assert texts == [["first", "", "last", "last", "last"][i % 5] for i in range(100)]


def test_calls_and_usage_are_as_written():
    reply = Scripted(LINES).generate(_conversation(1))
    assert reply.tool_calls == [ToolCall("call_0", "place_text", CALL["arguments"])]
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.stop) == (10, 3, "tool_calls")


def test_usage_is_estimated_where_it_is_not_written():
    model = Scripted(["Done."])
    short, long = _conversation(0), [Message("user", [TextBlock("x" * 1000)])]
    picture = [*long, Message("user", [ImageBlock(np.zeros((1000, 1000, 3), np.uint8))])]
    tokens = [model.generate(messages).usage.input_tokens for messages in (short, long, picture)]
    assert 0 < tokens[0] < tokens[1] < tokens[2] - 1000
    assert model.generate(short).usage.output_tokens > 0


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_file_is_the_same_script(tmp_path, suffix):
    path = tmp_path / f"replies.{suffix}"
    path.write_text(json.dumps(LINES) if suffix == "json" else "\n".join(map(json.dumps, LINES)))
    model, listed = Scripted(path=path), Scripted(LINES)
    assert model.settings == listed.settings
    assert [model.generate(_conversation(i)).text for i in range(3)] == ["first", "", "last"]


def test_a_function_has_messages_tools_and_seed():
    def script(messages, tools, seed):
        return Reply(f"{len(messages)} {tools[0]['name']} {seed}", usage=Usage(cost=1.5))

    reply = Scripted(script).generate(_conversation(2), [{"name": "terminate"}], seed=7)
    assert (reply.text, reply.usage.cost) == ("3 terminate 7", 1.5)


def test_an_error_in_the_script_is_the_providers():
    with pytest.raises(ModelError, match="overloaded"):
        Scripted([{"error": "overloaded"}]).generate(_conversation(0))


@pytest.mark.parametrize(
    ("replies", "message"),
    [
        ([], "needs replies"),
        ([3], "a text or an object"),
        ([{"txt": "a"}], "a text or an object"),
        ([{"tool_calls": [{"name": "a"}]}], "name, arguments"),
        ([{"usage": {"tokens": 3}}], "no tokens"),
    ],
)
def test_a_malformed_script_is_refused_before_anything_runs(replies, message):
    with pytest.raises(ValueError, match=message):
        Scripted(replies)


def test_files_that_are_no_script_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"missing\.json"):
        Scripted(path=tmp_path / "missing.json")
    (tmp_path / "object.json").write_text("{}")
    with pytest.raises(ValueError, match=r"object\.json must hold a list"):
        Scripted(path=tmp_path / "object.json")
    with pytest.raises(ValueError, match="not both"):
        Scripted(["a"], path=tmp_path / "object.json")
