"""The cache of replies, prices, and the budget of a sweep, with threads, processes and kills."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from formgym.agents.base import ModelError
from formgym.agents.models.ledger import SHIPPED, BudgetSpent, CostLedger, Price, read_prices
from formgym.agents.models.metered import MeteredModel, ReplyCache, request_key
from formgym.agents.models.model import ImageBlock, Message, Reply, TextBlock, ToolCall, Usage, unmetered
from formgym.agents.models.scripted import Scripted

PRICES = {"scripted": {"input": 2, "output": 8, "cached_input": 0.5}}
LINE = {"text": "Done.", "usage": {"input_tokens": 1000, "output_tokens": 100}}
COST = (1000 * 2 + 100 * 8) / 1e6


def ask(text):
    return [Message("user", [TextBlock(text)])]


class Counted(Scripted):
    """A scripted model that counts its replies."""

    max_output_tokens = 200

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.asked = []

    def generate(self, messages, tools=(), *, seed=0, key="", attempt=unmetered):
        def counted(send):
            self.asked.append(key)
            return send()

        return super().generate(messages, tools, seed=seed, attempt=lambda send: attempt(lambda: counted(send)))


def metered(provider, folder, **arguments):
    return MeteredModel(
        provider, folder / "cache", **{"prices": PRICES, "ledger": folder / "ledger.jsonl", **arguments}
    )


def test_a_reply_is_asked_for_once_and_costs_the_same_later(tmp_path):
    provider = Counted([LINE | {"tool_calls": [{"name": "terminate", "arguments": {"x": [1, "a"]}}]}])
    first = metered(provider, tmp_path).generate(ask("a"), [{"name": "terminate"}], seed=1)
    again = metered(provider, tmp_path).generate(ask("a"), [{"name": "terminate"}], seed=1)
    assert (first.is_cached, again.is_cached) == (False, True)
    assert replace(again, is_cached=False) == first
    assert first.usage.cost == pytest.approx(COST)
    assert provider.asked == [first.key]
    metered(provider, tmp_path).generate(ask("a"), [{"name": "terminate"}], seed=2)
    assert len(provider.asked) == 2
    assert CostLedger(tmp_path / "ledger.jsonl").paid() == (pytest.approx(2 * COST), 2200)


def test_without_a_cache_every_reply_is_paid_for(tmp_path):
    provider = Counted([LINE])
    model = MeteredModel(provider, None, PRICES, ledger=tmp_path / "ledger.jsonl")
    assert [model.generate(ask("a")).key for _ in range(3)] == ["", "", ""]
    assert CostLedger(tmp_path / "ledger.jsonl").paid()[1] == 3300


def test_a_broken_file_in_the_cache_is_asked_for_again(tmp_path):
    provider = Counted([LINE])
    key = metered(provider, tmp_path).generate(ask("a")).key
    path = next((tmp_path / "cache").rglob("*.json"))
    assert path.stem == key
    for content in (b"", path.read_bytes()[:-9], b"[]", b'{"text": 3}'):
        path.write_bytes(content)
        assert not metered(provider, tmp_path).generate(ask("a")).is_cached
    assert metered(provider, tmp_path).generate(ask("a")).is_cached


def test_a_failure_costs_nothing_and_is_not_kept(tmp_path):
    provider = Counted([{"error": "overloaded"}])
    for _ in range(2):
        with pytest.raises(ModelError, match="overloaded"):
            metered(provider, tmp_path, budget={"tokens": 5000}).generate(ask("a"))
    assert len(provider.asked) == 2
    assert CostLedger(tmp_path / "ledger.jsonl").paid() == (0, 0)


BLOCKS = st.lists(
    st.text(max_size=4).map(TextBlock)
    | st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(0, 2)).map(
        lambda n: ImageBlock(np.full((n[0], n[1], 3), n[2], np.uint8))
    ),
    max_size=2,
)
CALLS = st.lists(st.builds(ToolCall, st.just("a"), st.sampled_from("fg"), st.sampled_from([{}, {"x": 1}, "{"])))
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant"]), BLOCKS, CALLS.map(lambda calls: calls[:1])), max_size=2
)


def _shape(messages):
    """Messages as plain data, by which two are the same."""
    return [
        [
            m.role,
            [b.text if isinstance(b, TextBlock) else (b.pixels.shape, b.pixels.tobytes()) for b in m.content],
            [(c.id, c.name, json.dumps(c.arguments)) for c in m.tool_calls],
        ]
        for m in messages
    ]


@given(MESSAGES, MESSAGES)
def test_keys_are_equal_just_where_the_requests_are(one, other):
    keys = [request_key({"name": "m"}, messages, [], 0) for messages in (one, other)]
    assert (keys[0] == keys[1]) == (_shape(one) == _shape(other))
    copy = [replace(m, content=[replace(b) for b in m.content]) for m in one]
    assert request_key({"name": "m"}, copy, [], 0) == keys[0]
    others = [({"name": "n"}, [], 0), ({"name": "m"}, [{"name": "t"}], 0), ({"name": "m"}, [], 1)]
    assert len({request_key(settings, one, tools, seed) for settings, tools, seed in others} | {keys[0]}) == 4


def test_prices_are_of_the_longest_name_that_a_models_name_continues():
    prices = read_prices()
    assert prices.of("gpt-5-mini-2025-08-07") == prices.models["gpt-5-mini"] != prices.models["gpt-5"]
    assert prices.of("openai/gpt-5") == prices.of("GPT-5") == prices.models["gpt-5"]
    assert prices.of("gpt-5.99") is None
    assert prices.of("my-own-model") is None
    assert json.loads(SHIPPED.read_text())["date"]
    assert all(0 < price.input <= price.output for price in prices.models.values())


def test_a_cost_counts_what_was_cached_apart():
    price = Price(input=2, output=8, cached_input=0.5, cache_write=2.5)
    assert price.cost(Usage(1000, 100, cached_input_tokens=400, cache_write_tokens=100)) == pytest.approx(
        (500 * 2 + 400 * 0.5 + 100 * 2.5 + 800) / 1e6
    )
    assert Price(input=2, output=8).cost(Usage(1000, 0, cached_input_tokens=400)) == pytest.approx(0.002)


def test_prices_and_budgets_that_cannot_be_are_refused_before_anything_runs(tmp_path):
    path = tmp_path / "prices.json"
    path.write_text('{"date": "2026-01-01", "source": "mine", "models": {"scripted": {"input": "many"}}}')
    provider = Scripted(["Done."])
    for arguments, message in (
        ({"prices": path}, r"prices\.json"),
        ({"prices": {}, "budget": {"dollars": 1}}, "needs the price of scripted"),
        ({"budget": {"euros": 1}}, "dollars and tokens"),
        ({"budget": {"tokens": -1}}, "negative"),
        ({"budget": {"tokens": 9}, "ledger": None}, "ledger"),
    ):
        with pytest.raises(ValueError, match=message):
            metered(provider, tmp_path, **arguments)
    with pytest.raises(ValueError, match="set model_cache to another folder"):
        MeteredModel(provider, path)
    with pytest.warns(UserWarning, match="no price of scripted"):
        assert MeteredModel(provider, None).generate(ask("a")).usage.cost == 0


def test_a_budget_is_obeyed_by_many_threads(tmp_path):
    threads = 64
    line = {"text": "Done.", "usage": {"input_tokens": 10, "output_tokens": 100}}
    cost = (10 * 2 + 100 * 8) / 1e6
    provider, start = Counted([line], seconds=0.005), Barrier(threads)
    budget = {"dollars": 100.5 * cost}

    def work(thread):
        start.wait()
        replies = 0
        model = metered(provider, tmp_path, budget=budget)
        for i in range(4):
            try:
                model.generate(ask(f"{thread}/{i}"))
                replies += 1
            except BudgetSpent:
                pass
        return replies

    with ThreadPoolExecutor(threads) as pool:
        replies = sum(pool.map(work, range(threads)))
    dollars, tokens = CostLedger(tmp_path / "ledger.jsonl").paid()
    assert dollars == pytest.approx(len(provider.asked) * cost)
    assert replies == len(provider.asked) == len(set(provider.asked))
    # A reservation is more than the cost, by less than two replies.
    assert 98 <= replies <= 100
    assert tokens == replies * 110
    with pytest.raises(BudgetSpent, match=r"budget\.dollars=MORE"):
        metered(provider, tmp_path, budget=budget).generate(ask("one more"))
    assert metered(provider, tmp_path, budget={"dollars": 200 * cost}).generate(ask("one more")).text == "Done."


def test_equal_requests_at_once_are_asked_once(tmp_path):
    provider = Counted([LINE], seconds=0.05)
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda _: metered(provider, tmp_path).generate(ask("same")), range(16)))
    assert len(provider.asked) == 1
    assert sum(reply.is_cached for reply in replies) == 15
    assert not list((tmp_path / "cache").rglob("*.lock"))


PROCESS = """
import sys, json
from pathlib import Path
from formgym.agents.models.model import Message, TextBlock
from formgym.agents.models.metered import MeteredModel
from formgym.agents.models.openai_compatible import OpenAICompatible
folder, url, numbers = Path(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])
provider = OpenAICompatible("tiny", url + "/v1", max_wait=0.02, max_tokens=200)
prices = {"tiny": {"input": 2, "output": 8}}
model = MeteredModel(provider, folder / "cache", prices, {"dollars": 10}, folder / "ledger.jsonl")
print("ready", flush=True)
for number in numbers:
    print(model.generate([Message("user", [TextBlock(f"Question {number}")])]).usage.cost, flush=True)
"""


@LONG
def test_killed_processes_bill_nothing_twice(tmp_path):
    pytest.importorskip("openai", reason="needs OpenAI's SDK: pip install 'formgym[llm]'")
    from provider_server import provider_server, random_faults

    rng, numbers = random.Random(5), list(range(100))

    def start(order):
        command = [sys.executable, "-c", PROCESS, str(tmp_path), server.url, json.dumps(order)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "OPENAI_API_KEY": ""})

    with provider_server(fault=random_faults(0.2, 3), latency=0.005) as server:
        for _ in range(10):
            processes = [start(rng.sample(numbers, len(numbers))) for _ in range(2)]
            for process in processes:
                assert process.stdout.readline() == "ready\n"
            time.sleep(rng.uniform(0, 0.15))
            for process in processes:
                process.send_signal(signal.SIGKILL)
                process.wait()
                process.stdout.close()
        process = start(numbers)
        costs = [float(line) for line in process.communicate()[0].splitlines()[1:]]
    assert len(costs) == len(numbers) == server.bill["answers"]
    assert sum(costs) == pytest.approx(server.bill["dollars"], abs=1e-12)
    dollars, tokens = CostLedger(tmp_path / "ledger.jsonl").paid()
    assert dollars >= server.bill["dollars"] - 1e-12
    assert tokens >= server.bill["input_tokens"] + server.bill["output_tokens"]


def test_a_ledger_with_an_unfinished_line_goes_on(tmp_path):
    path = tmp_path / "ledger.jsonl"
    ledger = CostLedger(path, tokens=100)
    ledger.settle(ledger.reserve("a", Usage(50, cost=0.5)), Usage(30, 10, cost=0.25), "ok")
    path.write_bytes(path.read_bytes() + b'{"id": "x", "key": "b", "by": "elsew')
    other = CostLedger(path, tokens=100)
    assert other.paid() == ledger.paid() == (0.25, 40)
    other.settle(other.reserve("b", Usage(60)), Usage(60, cost=0.5), "ok")
    assert CostLedger(path).paid() == ledger.paid() == (0.75, 100)


def test_what_a_killed_process_reserved_may_be_billed_and_counts(tmp_path):
    path = tmp_path / "ledger.jsonl"
    killed = {"id": "x", "key": "a", "by": "another-machine:1", "dollars": 0.5, "tokens": 90}
    path.write_text(json.dumps(killed) + "\n")
    ledger = CostLedger(path, tokens=100)
    for key in "ab":
        with pytest.raises(BudgetSpent):
            ledger.reserve(key, Usage(20))
    ledger.settle(ledger.reserve("a", Usage(10)), Usage(5), "ok")
    assert ledger.paid() == (0.5, 95)
    ledger.recover("a", Usage(20, 10, cost=0.125))
    assert ledger.paid() == (0.125, 35)


def test_a_reply_kept_but_not_entered_is_entered_from_the_cache(tmp_path):
    provider = Counted([LINE])
    key = metered(provider, tmp_path).generate(ask("a")).key
    path = tmp_path / "ledger.jsonl"
    entry = json.loads(path.read_text().splitlines()[0]) | {"by": "another-machine:1"}
    path.write_text(json.dumps(entry) + "\n")
    assert metered(provider, tmp_path).generate(ask("a")).is_cached
    assert metered(provider, tmp_path).generate(ask("a")).key == key
    assert CostLedger(path).paid() == (pytest.approx(COST), 1100)


REPLIES = [
    Reply("é\ud800", [ToolCall("1", "f", "{bad")]),
    Reply("", usage=Usage(1, 2, 3, 4, 5.5, is_estimated=True), left_out=("seed",)),
]


@pytest.mark.parametrize("reply", REPLIES)
def test_any_reply_comes_back_from_the_cache_as_it_was(tmp_path, reply):
    cache = ReplyCache(tmp_path / "new" / "folder")
    cache.put("ab" * 32, reply)
    assert cache.get("ab" * 32) == replace(reply, tool_calls=list(reply.tool_calls))
