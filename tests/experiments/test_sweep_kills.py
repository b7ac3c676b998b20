"""A sweep of models that is killed at random moments ends as one that nobody disturbs, and is billed once."""

import hashlib
import json
import os
import random
import signal
import subprocess
import time

import pytest
from command_line import COMMAND
from provider_server import provider_server, random_faults
from sizes import LONG

from formgym.agents.models.ledger import CostLedger
from formgym.experiments.running.run_folder import LEDGER, find_runs

ENVS = ("formgym/auto_loans_text", "formgym/auto_loans_doc_transfer", "formgym/database", "formgym/scans")
ENVS += ("formfactory/atomic", "docedit/grounding")
MODELS = ("a", "b", "c", "d")
PRICES = (
    "prices={a: {input: 2, output: 8}, b: {input: 2, output: 8}, c: {input: 2, output: 8}, d: {input: 2, output: 8}}"
)
AMOUNTS = ("model_calls", "input_tokens", "output_tokens", "cost")


def _faults(seed):
    """Faults that pass when a request is sent again, and for one request in thirty one that never does."""
    passing = random_faults(0.2, seed)

    def fault(number, request):
        digest = hashlib.sha256(json.dumps(request.body, sort_keys=True).encode()).digest()
        return 400 if digest[0] < 9 else passing(number, request)

    return fault


def _overrides(server, folder, models, envs):
    return [
        "agent=vlm",
        "agent.max_side=160",
        "model=openai_compatible",
        f"model.name={','.join(models)}",
        f"model.base_url={server.url}/v1",
        "model.tools=native",
        "model.max_wait=0.05",
        "model.max_tokens=200",
        f"model_cache={folder}/cache",
        PRICES,
        f"env={','.join(envs)}",
        "episodes=3",
        "concurrency=3",
        "run_dir=sweep",
        "resume=true",
    ]


def _begin(folder, *overrides):
    with (folder / "log").open("ab") as log:
        return subprocess.Popen([*COMMAND, "sweep", *overrides], cwd=folder, stdout=log, stderr=log, env=os.environ)


def _kill_at_random(rng, server, process):
    """Kill a process after some more requests, or after some time; whether it was killed before its end."""
    requests = len(server.requests) + rng.randint(1, 8)
    deadline = time.monotonic() + (rng.uniform(0.5, 8) if rng.random() < 0.3 else 600)
    while process.poll() is None and len(server.requests) < requests and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(rng.uniform(0, 0.1))
    if process.poll() is not None:
        return False
    process.send_signal(signal.SIGKILL)
    process.wait()
    return True


def _run_with_kills(rng, server, folder, overrides, n_kills):
    """Run a sweep until it ends of itself; how often it was killed before."""
    killed = 0
    while killed < n_kills:
        if not _kill_at_random(rng, server, _begin(folder, *overrides)):
            break
        killed += 1
    process = _begin(folder, *overrides)
    assert process.wait(1200) == 0, (folder / "log").read_text()[-4000:]
    return killed


def _episodes(folder):
    """What was done, with which result, by the folder of the job and the number of the episode."""
    return {
        (run.folder.name.split("+model.base_url")[0], run.summary["env"], run.summary["agent"], episode.index): (
            episode.task,
            [(r.calls, r.feedback, r.valid, r.carried_out) for r in episode.rounds],
            episode.metrics,
            episode.fields,
            episode.page_sha256,
            episode.ended,
            episode.error is None,
            {name: episode.usage[name] for name in AMOUNTS},
        )
        for run in find_runs(folder / "sweep")
        for episode in run.episodes
    }


def _cost(folder):
    return sum(episode.usage["cost"] for run in find_runs(folder / "sweep") for episode in run.episodes)


@LONG
@pytest.mark.parametrize(
    ("models", "envs", "n_kills"), [(MODELS[:2], ENVS[3:5], 4), (MODELS, ENVS, 20)], ids=["small", "whole"]
)
def test_a_sweep_that_is_killed_ends_as_one_that_is_not(tmp_path, models, envs, n_kills):
    pytest.importorskip("openai", reason="needs OpenAI's SDK: pip install 'formgym[llm]'")
    rng = random.Random(7)
    calm, killed = tmp_path / "calm", tmp_path / "killed"
    for folder in (calm, killed):
        folder.mkdir()
    with provider_server(fault=_faults(1)) as server:
        assert _begin(calm, *_overrides(server, calm, models, envs)).wait(1200) == 0, (calm / "log").read_text()[-4000:]
        bill = dict(server.bill)
    expected = _episodes(calm)
    assert len(expected) == 3 * len(models) * len(envs)
    assert _cost(calm) == pytest.approx(bill["dollars"], abs=1e-9)

    with provider_server(fault=_faults(2), latency=0.02) as server:
        overrides = _overrides(server, killed, models, envs)
        # Half of the kills with half of the money.
        half = bill["dollars"] / 2
        n_before = _run_with_kills(rng, server, killed, [*overrides, f"budget.dollars={half}"], n_kills // 2)
        ledger = CostLedger(killed / "sweep" / LEDGER)
        assert ledger.paid()[0] <= half
        assert server.bill["dollars"] <= half
        unscored = [key for key, episode in _episodes(killed).items() if not episode[6]]
        assert len(unscored) > sum(not episode[6] for episode in expected.values())
        enough = [*overrides, "retry=errors", f"budget.dollars={2 * bill['dollars']}"]
        n_after = _run_with_kills(rng, server, killed, enough, n_kills - n_before)
        assert n_before + n_after == n_kills
        again = dict(server.bill)
    print(f"{n_kills} kills, {len(expected)} episodes, {sum(not e[6] for e in expected.values())} of them unscored,")
    print(f"{again['requests']} requests, {again['answers']} answers, ${again['dollars']:.6f}; undisturbed: {bill}")
    assert {name: again[name] for name in bill if name != "requests"} == pytest.approx(
        {name: bill[name] for name in bill if name != "requests"}, abs=1e-9
    )
    dollars, tokens = ledger.paid()
    assert dollars == pytest.approx(bill["dollars"], abs=1e-9)
    assert tokens == bill["input_tokens"] + bill["output_tokens"]
    assert _cost(killed) == pytest.approx(bill["dollars"], abs=1e-9)
    assert _episodes(killed) == expected
    assert sum(not episode[6] for episode in expected.values()) > 0
